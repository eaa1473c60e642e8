"""One round of add, search and chat with a small model (270 million parameters) behind an OpenAI-compatible server.

    make try-model

It shows that the path works with a real server: schemas, streams, time limits, counting of tokens. What so small a
model says is of no use, so it also shows that nothing of it becomes a false memory. Exits with 1 when a step fails or
the model was never reached.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from benchmarks.support.installation import Developer, installation
from benchmarks.try_model.recorder import Exchange, recording

PYTHON = Path(".venv-try-model/bin/python")
SERVE, LOG = Path(__file__).with_name("serve.py"), Path(".venv-try-model/server.log")
NAME = "gemma-3-270m"
START_SECONDS, SHOWN = 60, 600
USER = "kim"
MESSAGES = [
    {"role": "user", "content": "I moved to Porto in June and I work as a nurse. I am allergic to peanuts."},
    {"role": "assistant", "content": "Noted. Enjoy Porto!"},
]
QUESTION = "Which city do I live in?"


@contextmanager
def serving() -> Iterator[str]:
    """The address of the model's server, which ends with this block."""
    with LOG.open("w") as log:
        server = subprocess.Popen(
            [PYTHON, SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        address = server.stdout.readline().strip()
        if not address.startswith("http"):
            raise RuntimeError(f"the model's server did not start: see {LOG}")
        _wait_until_loaded(address)
        yield address
    finally:
        server.stdin.close()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_until_loaded(address: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while httpx.get(f"{address}/health", trust_env=False).status_code != 200:
        if time.monotonic() > deadline:
            raise RuntimeError("the model was not loaded in time")
        time.sleep(0.2)


def main() -> int:
    began = time.monotonic()
    with serving() as address:
        say(f"model server ready in {time.monotonic() - began:.1f} s: {NAME} at {address}")
        with recording(address) as (url, exchanges):
            settings = {
                "LLM_BASE_URL": url,
                "LLM_MODEL": NAME,
                "LLM_TIMEOUT": "90",
                "LLM_OUTPUT_TOKENS": "600",
            }
            began = time.monotonic()
            with installation(**settings, LLM_CHAT_TOKENS="100", LLM_INPUT_TOKENS="2000") as (_, developer):
                say(f"Engram ready in {time.monotonic() - began:.1f} s")
                run_round(developer)
        show(exchanges)
    reached = {exchange.has_schema for exchange in exchanges if exchange.status == 200}
    say(
        "passed"
        if reached == {True, False}
        else "failed: the model was not reached for both memories and chat"
    )
    return int(reached != {True, False})


def run_round(developer: Developer) -> None:
    with httpx.Client(
        base_url=developer.api_base, headers=developer.headers, timeout=200, trust_env=False
    ) as api:
        body = {"user_id": USER, "conversation_id": "try", "messages": MESSAGES, "async_mode": False}
        task = call(api, "/add/message", body)
        while task["status"] == "running":
            time.sleep(0.2)
            task = call(api, "/get/status", {"task_id": task["task_id"]}, is_quiet=True)
        say(f"  memories are {task['status']}; each with the engine that wrote it:")
        for text, author in stored_memories(developer.project_id):
            say(f"  - {text}  [{author}]")
        answer = call(api, "/search/memory", {"user_id": USER, "query": QUESTION})
        for item in answer["memory_detail_list"]:
            say(f"  - {item['memory_value']} (relativity {item['relativity']:.2f})")
        asked = {
            "user_id": USER,
            "conversation_id": "try-chat",
            "query": QUESTION,
            "add_message_on_answer": False,
        }
        say("  " + call(api, "/chat", asked)["response"].replace("\n", "\n  "))
        stream(api, asked)


def call(api: httpx.Client, path: str, body: dict[str, Any], is_quiet: bool = False) -> dict[str, Any]:
    began = time.monotonic()
    answer = api.post(path, json=body).raise_for_status().json()
    if answer["code"] != 0:
        raise RuntimeError(f"{path}: {answer}")
    if not is_quiet:
        say(f"{path}: {time.monotonic() - began:.1f} s")
    data: dict[str, Any] = answer["data"]
    return data


def stream(api: httpx.Client, asked: dict[str, Any]) -> None:
    began, first, events = time.monotonic(), 0.0, []
    with api.stream("POST", "/chat", json=asked | {"stream": True}) as answer:
        for line in answer.iter_lines():
            if line.startswith("data:"):
                first = first or time.monotonic() - began
                events.append(line[5:].strip())
    say(
        f"/chat, streamed: first event after {first:.1f} s, {len(events)} events in {time.monotonic() - began:.1f} s"
    )
    if not events or '"end"' not in events[-1] or any('"type":"error"' in event for event in events):
        raise RuntimeError(f"the stream broke off: {events[-2:]}")


def stored_memories(project_id: str) -> list[tuple[str, str]]:
    from memories.models import MemCube, Memory
    from tenancy.isolation.scoping import tenant_scope
    from tenancy.models import Project

    project = Project.objects.select_related("account").get(pk=project_id)
    with tenant_scope(project):
        rows = Memory.objects.within(MemCube.objects.within(project)).current().order_by("created_at")
        return list(rows.values_list("text", "extracted_by"))


def show(exchanges: list[Exchange]) -> None:
    say("what the model said:")
    for exchange in exchanges:
        purpose = "memories" if exchange.has_schema else "chat, streamed" if exchange.is_stream else "chat"
        say(
            f"  [{purpose}, status {exchange.status}, first byte {exchange.first:.1f} s, whole {exchange.whole:.1f} s]"
        )
        say(
            "  "
            + exchange.answer[:SHOWN].replace("\n", "\n  ")
            + (" …" if len(exchange.answer) > SHOWN else "")
        )


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
