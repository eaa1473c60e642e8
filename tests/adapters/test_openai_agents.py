"""OpenAI's published Agents SDK with `EngramSession` as its session."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.support.adapters.environment import ROOT, run_program
from tests.support.api_client import Tenant
from tests.support.servers.unreliable import Answer, UnreliableServer

BEGIN = """
import asyncio, json
from agents import SessionSettings
from engram_client import AsyncEngram, EngramError
from engram_client.adapters import openai_agents
from engram_client.adapters.openai_agents import EngramSession, search_memory_tool
client = AsyncEngram(retries=0, timeout=120)
def session(name="chat", user="kim", **options):
    return EngramSession(name, client, user_id=user, **options)
def say(text):
    return {"role": "user", "content": text}
def show(value):
    print(json.dumps(value))
"""
# Items that are no plain messages, and texts that a database or an encoding would change.
ITEMS: list[dict[str, Any]] = [
    {"role": "developer", "content": "Be brief."},
    {
        "role": "user",
        "content": [{"type": "input_text", "text": "看"}, {"type": "input_image", "image_url": "x"}],
    },
    {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "\x00a\ud800"},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "no JSON"},
    {"type": "function_call_output", "call_id": "c1", "output": "a\x00b"},
    {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "seen"}]},
    {"type": "function_call_output", "call_id": "c3", "output": ""},
    {"type": "compaction", "big": 10**30, "huge": 1e300, "none": None},
    {"role": "user", "content": ""},
    {"role": "assistant", "content": "word " * 20_000},
]


ITEMS_KEPT = f"""
items = json.loads({json.dumps(ITEMS)!r})
async def keep_items():
    kept = session(remember=False)
    empty = [await kept.get_items(), await kept.pop_item(), await kept.clear_session()]
    await kept.add_items(items)
    back = await kept.get_items()
    openai_agents.MAX_PAGE = 4
    await kept.add_items([say(str(number)) for number in range(5)])
    few = session(remember=False, session_settings=SessionSettings(limit=2))
    last = [[item["content"] for item in await one.get_items(*limit)] for one, limit in
            ((kept, (3,)), (few, ()), (kept, (0,)))]
    popped = [await kept.pop_item(), await kept.pop_item()]
    left = await kept.get_items()
    await kept.clear_session()
    cleared = await kept.get_items()
    await kept.add_items([say("again")])
    return [empty, [one == other for one, other in zip(items, back, strict=True)], last, popped, len(left), left[-1],
            cleared, await kept.get_items()]
"""
USERS_APART = """
async def keep_users_apart():
    await session().add_items([say("I keep bees in Ghent."), {"role": "assistant", "content": "How nice!"}])
    await session(user="lee").add_items([say("I live in Oslo.")])
    await session("other", remember=False).add_items([say("I have a parrot.")])
    await session().clear_session()
    found = await client.search("What does the user keep, and where?", user_id="kim", relativity=0)
    said = []
    stranger = EngramSession("s", AsyncEngram("mpg-wrong"), user_id="kim")
    for one, text in ((stranger, "x"), (session("long"), "word " * 50_000)):
        try:
            await one.add_items([say(text)])
        except EngramError as fault:
            said.append([type(fault).__name__, str(fault)])
    return [await session().get_items(), await session(user="lee").get_items(), await session("other").get_items(),
            json.dumps(found), said]
"""
MAIN = """
async def main():
    show([await keep_items(), await keep_users_apart()])
asyncio.run(main())
"""


def test_items_come_back_exactly_users_never_mix_and_errors_say_why(python: str, tenant: Tenant) -> None:
    items, users = run_program(python, f"{BEGIN}{ITEMS_KEPT}{USERS_APART}{MAIN}", tenant)

    expect_items(*items)
    expect_users(*users)


def expect_items(
    empty: Any, same: Any, last: Any, popped: Any, left: int, end: Any, cleared: Any, again: Any
) -> None:
    """In their order."""
    assert empty == [[], None, None]
    assert same == [True] * len(ITEMS)
    assert last == [["2", "3", "4"], ["3", "4"], []]
    assert popped == [{"role": "user", "content": "4"}, {"role": "user", "content": "3"}]
    assert (left, end) == (len(ITEMS) + 3, {"role": "user", "content": "2"})
    assert cleared == []
    assert again == [{"role": "user", "content": "again"}]


def expect_users(kim: Any, lee: Any, other: Any, result: str, errors: Any) -> None:
    """What was said is remembered, of whom it was said."""
    (kind, text), (large, why) = errors
    assert kim == []
    assert [item["content"] for item in lee] == ["I live in Oslo."]
    assert [item["content"] for item in other] == ["I have a parrot."]
    assert "bees" in result
    assert "Oslo" not in result
    assert "parrot" not in result
    assert kind == "AuthenticationError"
    assert re.match(r"\[401\d*\] \w+", text)
    assert large == "InvalidRequest"
    assert "40000" in why


def answer(*output: dict[str, Any]) -> Answer:
    """An answer of OpenAI's Responses API."""
    return Answer(
        200,
        {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "model": "gpt-5.4-mini",
            "status": "completed",
            "output": list(output),
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
        },
    )


def test_the_documented_example_runs(python: str, tenant: Tenant) -> None:
    page = (ROOT / "docs/adapters.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", page.split("## OpenAI Agents SDK\n")[1], re.S)
    assert example is not None
    call = {
        "type": "function_call",
        "id": "f",
        "call_id": "c",
        "name": "search_memory",
        "status": "completed",
    }
    content = [{"type": "output_text", "text": "No nuts, then.", "annotations": []}]
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}

    with UnreliableServer() as model:
        model.answers = [
            answer(call | {"arguments": '{"query": "food"}'}),
            answer(message),
            *[answer(message)] * 2,
        ]
        program = example[1] + "\nimport json\nprint(json.dumps(result.final_output))"
        final = run_program(python, program, tenant, OPENAI_BASE_URL=f"{model.url}/v1", OPENAI_API_KEY="sk-x")
        asked = json.loads(model.received[-1].body)["input"]

    assert final == "No nuts, then."
    assert [item.get("type", item.get("role")) for item in asked][:3] == [
        "user",
        "function_call",
        "function_call_output",
    ]
