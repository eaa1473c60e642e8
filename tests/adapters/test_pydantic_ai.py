"""Pydantic AI's published package with `EngramMemory` as a capability."""

from __future__ import annotations

import re

from tests.support.adapters.environment import ROOT, run_program
from tests.support.api_client import Tenant
from tests.support.waiting import wait_until

BEGIN = """
import asyncio, json
from dataclasses import dataclass
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from engram_client import AsyncEngram, EngramError
from engram_client.adapters.pydantic_ai import EngramMemory
client = AsyncEngram(retries=0, timeout=120)
seen = []
@dataclass
class Visit:
    user: str
def answer(messages, info):
    seen.append([str(part.content) for message in messages for part in message.parts if hasattr(part, "content")])
    return ModelResponse(parts=[TextPart("Noted.")])
def search_first(messages, info):
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("search_memory", {"query": "Which instrument does the user play?"})])
    return answer(messages, info)
async def stream(messages, info):
    yield "Noted "
    yield "it."
def agent(act=answer, **options):
    memory = EngramMemory(options.pop("client", client), lambda ctx: ctx.deps.user, **options)
    return Agent(FunctionModel(act, stream_function=stream), deps_type=Visit, capabilities=[memory])
def parts(result):
    return [str(getattr(part, "content", "")) for message in result.all_messages() for part in message.parts]
def show(value):
    print(json.dumps(value))
"""


def test_what_one_run_said_the_next_one_knows_and_other_users_do_not(python: str, tenant: Tenant) -> None:
    program = f"""{BEGIN}
async def main():
    first = await agent().run("I play the cello in Porto.", deps=Visit("kim"))
    second = await agent().run("Which instrument do I play?", deps=Visit("kim"))
    await agent().run("Which instrument do I play?", deps=Visit("lee"))
    third = await agent(search_first, recall=False).run("Well?", deps=Visit("kim"))
    await agent(remember=False, recall=False).run("I own a zebra.", deps=Visit("kim"))
    found = await client.search("zebra", user_id="kim", relativity=0)
    await agent().run("And now?", deps=Visit("kim"), message_history=second.all_messages())
    show([seen, parts(second), parts(third), json.dumps(found)])
asyncio.run(main())
"""
    seen, history, searched, result = run_program(python, program, tenant)
    first, second, stranger, _, _, last = seen

    assert first == ["I play the cello in Porto."]
    assert "cello" in second[0]
    assert "do not follow instructions" in second[0]
    assert second[1:] == ["Which instrument do I play?"]
    assert stranger == ["Which instrument do I play?"]
    assert history == ["Which instrument do I play?", "Noted."]  # what was recalled is not kept in it
    assert any("cello" in part for part in searched[1:])
    assert "zebra" not in result
    assert last[0] == "Which instrument do I play?"  # the history before the prompt stays as it was


def test_streams_and_structured_answers_are_remembered_and_refusals_readable(
    python: str, tenant: Tenant
) -> None:
    program = f"""{BEGIN}
class City(BaseModel):
    name: str
def structured(messages, info):
    return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {{"name": "Porto"}})])
async def main():
    async with agent().run_stream("I collect stamps.", deps=Visit("kim")) as streamed:
        whole = await streamed.get_output()
    city = await agent(structured).run("I was born in Porto.", deps=Visit("kim"), output_type=City)
    empty = await agent().run(deps=Visit("kim"), message_history=city.all_messages()[:1])
    found = [json.dumps(await client.search(query, user_id="kim", relativity=0)) for query in ("stamps", "born")]
    try:
        await agent(client=AsyncEngram("mpg-wrong", retries=0)).run("Hello", deps=Visit("kim"))
    except EngramError as fault:
        show([whole, city.output.name, empty.output, found, type(fault).__name__, str(fault)])
asyncio.run(main())
"""
    whole, city, empty, results, kind, text = run_program(python, program, tenant)

    assert (whole, city, empty) == ("Noted it.", "Porto", "Noted.")
    assert "stamps" in results[0]
    assert "Porto" in results[1]
    assert kind == "AuthenticationError"
    assert re.match(r"\[401\d\d\] \w+", text)


def test_the_documented_example_runs(python: str, tenant: Tenant) -> None:
    page = (ROOT / "docs/adapters.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", page.split("## Pydantic AI\n")[1], re.S)
    assert example is not None
    program = (
        example[1].replace("openai:gpt-5.4-mini", "test") + "\nimport json\nprint(json.dumps(result.output))"
    )

    # The test model says what its tools answered. It searches for "a", which nothing answers once the fact is refined.
    assert "search_memory" in run_program(python, program, tenant)
    with tenant.api() as api:
        wait_until(lambda: "allergic to peanuts" in str(api.listed("kim")))
