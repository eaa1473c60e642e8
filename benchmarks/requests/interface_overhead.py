"""What other interfaces add to the native endpoint, and to a model's first word.

    python -m benchmarks.requests.interface_overhead [--memories 20000] [--own 1000] [--queries 200] [--streams 40]

The same searches by the REST API, mem0's contract and MCP, in turn, so that what else the machine does meets all of
them; each query is a new one. Streams: the model is a double in this process that notes when it sends its first word,
and the client notes when it arrives; what lies between is Engram's alone.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
from tqdm import tqdm

from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import SPREAD_COLUMNS, Promise, Report, Table, machine, percentile, spread
from benchmarks.support.seeds import SEARCHER, seed
from benchmarks.support.sentences import question
from tests.support.installations import model_at
from tests.support.servers.model_server import Body, ModelServer, Reply, memories, streamed

MOST_ADDED, MOST_FIRST_TOKEN = 5.0, 50.0
WARM_UP = 20
NATIVE, MEM0, MCP = "search/memory", "mem0: v3/memories/search", "mcp: search_memory"


class NotingModel:
    """A chat model that speaks at once; `sent` is when its last first word went out (seconds, `perf_counter`)."""

    def __init__(self) -> None:
        self.sent = 0.0
        self.server = ModelServer(self._reply)

    def _reply(self, body: Body) -> Reply:
        if "response_format" in body:
            return memories()
        reply = streamed("You ", "live ", "in Porto.")
        return Reply(headers=reply.headers, parts=self._noting(list(reply.parts or ())))

    def _noting(self, parts: list[bytes | float]) -> Iterator[bytes | float]:
        first, *rest = parts
        yield first  # names the role, says nothing
        self.sent = time.perf_counter()
        yield from rest


def run_measurement(memories: int, own: int, queries: int, streams: int) -> Report:
    size = {"memories": memories, "own_memories": own, "queries": queries, "streams": streams}
    report = Report("interface_overhead", circumstances=machine() | size)
    model = NotingModel()
    try:
        with installation(**model_at(model.server.url)) as (stack, developer):
            seed(developer.project_id, memories, own)
            searches = _search_in_turn(stack.url, developer, queries)
            delays = _stream_in_turn(stack.url, developer, model, streams)
    finally:
        model.server.close()
    middle = {name: percentile(times, 50) for name, times in searches.items()}
    report.tables = [
        Table(
            "the same searches by each interface, one client",
            SPREAD_COLUMNS,
            [spread(name, times) for name, times in searches.items()],
        ),
        Table(
            "from the model's first word to its arrival at the client",
            SPREAD_COLUMNS,
            [spread(name, times) for name, times in delays.items()],
        ),
    ]
    report.promises = [
        Promise(f"{name}, median above {NATIVE} in ms", middle[name] - middle[NATIVE], MOST_ADDED)
        for name in (MEM0, MCP)
    ] + [
        Promise(f"{name}, median of the first word in ms", percentile(times, 50), MOST_FIRST_TOKEN)
        for name, times in delays.items()
    ]
    for name in (MEM0, MCP):
        report.circumstances[f"ratio of {name} to {NATIVE}"] = round(middle[name] / middle[NATIVE], 2)
    return report


def _search_in_turn(url: str, developer: Developer, queries: int) -> dict[str, list[float]]:
    """Milliseconds of each interface's searches."""
    asks: dict[str, Callable[[str], tuple[str, Body]]] = {
        NATIVE: lambda text: ("/api/openmem/v1/search/memory", {"user_id": SEARCHER, "query": text}),
        MEM0: lambda text: ("/v3/memories/search/", {"query": text, "filters": {"user_id": SEARCHER}}),
        MCP: lambda text: ("/mcp", _tool_call("search_memory", {"query": text})),
    }
    headers = {
        **developer.headers,
        "Accept": "application/json, text/event-stream",
        "X-Engram-User": SEARCHER,
    }
    taken: dict[str, list[float]] = {name: [] for name in asks}
    with httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False) as client:
        for number in tqdm(range(WARM_UP + queries), unit="query", desc="searches"):
            for place, (name, ask) in enumerate(asks.items()):
                path, body = ask(question(3 * number + place))
                began = time.perf_counter()
                answer = client.post(path, json=body)
                milliseconds = (time.perf_counter() - began) * 1000
                _require_success(answer)
                if number >= WARM_UP:
                    taken[name].append(milliseconds)
    return taken


def _tool_call(name: str, arguments: dict[str, Any]) -> Body:
    called = {"name": name, "arguments": {"conversation_first_message": "Hello.", **arguments}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called}


def _require_success(answer: httpx.Response) -> None:
    answer.raise_for_status()
    result = answer.json()
    if isinstance(result, dict) and ("error" in result or result.get("result", {}).get("isError")):
        raise RuntimeError(answer.text[:500])


def _stream_in_turn(
    url: str, developer: Developer, model: NotingModel, streams: int
) -> dict[str, list[float]]:
    """Milliseconds between the model's first word and its arrival, for each endpoint that streams."""
    talk = [{"role": "user", "content": "Where do I live?"}]
    asks: dict[str, tuple[str, Body]] = {
        "chat": (
            "/api/openmem/v1/chat",
            {
                "user_id": SEARCHER,
                "conversation_id": "bench",
                "query": "Where do I live?",
                "stream": True,
                "add_message_on_answer": False,
            },
        ),
        "openai: v1/chat/completions": (
            "/v1/chat/completions",
            {
                "model": "engram",
                "user": SEARCHER,
                "messages": talk,
                "stream": True,
                "metadata": {"remember": "off"},
            },
        ),
    }
    delays: dict[str, list[float]] = {name: [] for name in asks}
    with httpx.Client(base_url=url, headers=developer.headers, timeout=60, trust_env=False) as client:
        for number in tqdm(range(WARM_UP + streams), unit="stream", desc="streams"):
            for name, (path, body) in asks.items():
                arrived = _first_word_at(client, path, body)
                if number >= WARM_UP:
                    delays[name].append((arrived - model.sent) * 1000)
    return delays


def _first_word_at(client: httpx.Client, path: str, body: Body) -> float:
    """When the first word arrived, in seconds of `perf_counter`. Raises `RuntimeError` where none comes."""
    with client.stream("POST", path, json=body) as answer:
        answer.raise_for_status()
        arrived = 0.0
        for line in answer.iter_lines():
            if not arrived and line.startswith("data: {") and _says_something(json.loads(line[6:])):
                arrived = time.perf_counter()
    if not arrived:
        raise RuntimeError(f"{path} said nothing")
    return arrived


def _says_something(event: Body) -> bool:
    if "choices" in event:
        return any(choice["delta"].get("content") for choice in event["choices"])
    return event.get("type") == "text"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument("--own", type=int, default=1_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--streams", type=int, default=40)
    asked = parser.parse_args()
    run_measurement(asked.memories, asked.own, asked.queries, asked.streams).publish()


if __name__ == "__main__":
    main()
