"""How often a message is sent to the chat model while the embedder is unavailable.

    python -m benchmarks.work.outage_calls [--messages 8] [--seconds 100]

Tasks run again every 5 to 30 s until the embedder is back, and every call of the model is paid for. What it said is
kept in the process that asked (`memories.ingest.extraction_cache`): each of the worker's two asks once at most.
"""

from __future__ import annotations

import argparse
import json
import time
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx

from benchmarks.support.installation import installation
from benchmarks.support.loopback import QuietHandler, serving
from benchmarks.support.report import Promise, Report, Table, machine

CALLS_A_MESSAGE = 2.0
DIMENSIONS = 8
LONGEST_WAIT_SECONDS = 120.0
STATEMENT = "I live in Oslo."
PROPOSAL = {
    "quote": STATEMENT,
    "turns": [0],
    "about": "user",
    "subject": "",
    "mood": "fact",
    "kind": "fact",
    "preference_type": "none",
    "text": "The user lives in Oslo.",
    "is_certain": True,
    "slot": "residence",
    "value": "Oslo",
    "event_time": "",
    "corrects": [],
    "reasoning": "",
    "memory_type": "LongTermMemory",
    "confidence": 0.9,
    "tags": [],
    "matching_tags": [],
}


class Provider:
    """Both models in one server: the chat model answers and counts, the embedder only once it `is_back`."""

    def __init__(self) -> None:
        self.asked = 0
        self.refused = 0
        self.is_back = False

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if path.endswith("/chat/completions"):
            self.asked += 1
            message = {"role": "assistant", "content": json.dumps({"memories": [PROPOSAL]})}
            usage = {"prompt_tokens": 700, "completion_tokens": 60, "total_tokens": 760}
            return 200, {
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": usage,
            }
        if not self.is_back:
            self.refused += 1
            return 503, {}
        rows = [{"index": at, "embedding": _vector(text)} for at, text in enumerate(body["input"])]
        return 200, {"data": rows, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def _vector(text: str) -> list[float]:
    """The same for the same text, another for another."""
    return [byte - 127.5 for byte in sha256(text.encode()).digest()[:DIMENSIONS]]


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(QuietHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            status, answer = provider.answer(self.path, json.loads(sent))
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


def run_measurement(messages: int, seconds: float) -> Report:
    report = Report("outage_calls", circumstances=machine() | {"messages": messages, "seconds": seconds})
    provider = Provider()
    with serving(_handler(provider)) as server:
        address = f"{server}/v1"
        models = {
            "LLM_BASE_URL": address,
            "LLM_MODEL": "counted",
            "EMBEDDING_ENGINE": "remote",
            "EMBEDDING_BASE_URL": address,
            "EMBEDDING_MODEL": "away",
            "EMBEDDING_DIMENSIONS": str(DIMENSIONS),
        }
        with installation(**models) as (_, developer):
            api = httpx.Client(
                base_url=developer.api_base, headers=developer.headers, timeout=60, trust_env=False
            )
            with api:
                tasks = [_add(api, number) for number in range(messages)]
                time.sleep(seconds)
                provider.is_back = True
                for task in tasks:
                    _wait_until_completed(api, task)
    report.tables = [
        Table(
            f"{messages} messages, embedder unavailable for {seconds:.0f} s",
            ["", "times"],
            [["the chat model was asked", provider.asked], ["the embedder refused", provider.refused]],
        )
    ]
    report.promises = [
        Promise("calls of the chat model a message", provider.asked / messages, CALLS_A_MESSAGE)
    ]
    return report


def _add(api: httpx.Client, number: int) -> str:
    """The task that refines the message."""
    messages = [{"role": "user", "content": STATEMENT}]
    body = {"user_id": f"user-{number}", "conversation_id": "talk", "messages": messages, "async_mode": True}
    answer = api.post("/add/message", json=body)
    answer.raise_for_status()
    task: str = answer.json()["data"]["task_id"]
    return task


def _wait_until_completed(api: httpx.Client, task: str) -> None:
    until = time.monotonic() + LONGEST_WAIT_SECONDS
    while True:
        answer = api.post("/get/status", json={"task_id": task})
        status = answer.raise_for_status().json()["data"]["status"]
        if status == "completed":
            return
        if status == "failed" or time.monotonic() > until:
            raise RuntimeError(f"the task is {status}")
        time.sleep(0.5)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=100.0)
    asked = parser.parse_args()
    run_measurement(asked.messages, asked.seconds).publish()


if __name__ == "__main__":
    main()
