"""LlamaIndex's published package with `EngramMemory` and `EngramRetriever`."""

from __future__ import annotations

import re
from typing import Any

from tests.support.adapters.environment import ROOT, run_program
from tests.support.api_client import Tenant

BEGIN = """
import asyncio, json
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory
from engram_client import Engram, EngramError
from engram_client.adapters.llama_index import EngramMemory, EngramRetriever
client = Engram(retries=0, timeout=120)
seen = []
class Model(MockLLM):
    def chat(self, messages, **options):
        seen.append([[message.role.value, message.content] for message in messages])
        return super().chat(messages, **options)
    async def achat(self, messages, **options):
        return self.chat(messages, **options)
def memory(user="kim", **options):
    return EngramMemory(client, user_id=user, **options)
def engine(memory):
    return SimpleChatEngine.from_defaults(llm=Model(max_tokens=1), memory=memory)
def wait(user):
    client.wait(client.add("Bye.", user_id=user, async_mode=False))
def show(value):
    print(json.dumps(value))
"""


CHATS = """
first = memory()
engine(first).chat("I collect stamps in Graz.")
first.reset()
wait("kim")
engine(memory()).chat("What do I collect?")
engine(memory("lee")).chat("What do I collect?")
kept = memory("mia", history=Memory.from_defaults(session_id="s", token_limit=4000))
kept.set([ChatMessage(role="system", content="Be brief."), ChatMessage(role="user", content="I own a zebra.")])
messages = [[message.role.value, message.content] for message in kept.get("What do I own?")]
found = client.search("zebra", user_id="mia", relativity=0)
chats = [list(seen), first.get_all(), messages, json.dumps(found), kept.model_dump(exclude={"history"})]
"""
AGENTS = """
from llama_index.core.agent.workflow import ReActAgent
class Answering(Model):
    def chat(self, messages, **options):
        answer = super().chat(messages, **options)
        answer.message = ChatMessage(role="assistant", content="Thought: I can answer.\\nAnswer: Tea.")
        return answer
async def main():
    held = memory("max")
    await held.aput(ChatMessage(role="user", content="I drink oolong tea."))
    await asyncio.to_thread(wait, "max")
    agent = ReActAgent(llm=Answering(), tools=[], streaming=False)
    answered = str(await agent.run("What do I drink?", memory=memory("max")))
    nodes = await EngramRetriever(client, user_id="max", memory_limit_number=3).aretrieve("What does the user drink?")
    strangers = EngramRetriever(client, user_id="zoe", relativity=0).retrieve("What does the user drink?")
    try:
        EngramRetriever(Engram("mpg-wrong"), user_id="kim").retrieve("x")
    except EngramError as fault:
        show([chats, [answered, json.dumps(seen[-1]), [node.get_content() for node in nodes], nodes[0].score,
                      len(nodes[0].node_id), len(strangers), str(fault)]])
asyncio.run(main())
"""


def test_engines_and_agents_recall_users_never_mix_and_refusals_are_readable(
    python: str, tenant: Tenant
) -> None:
    chats, agents = run_program(python, f"{BEGIN}{CHATS}{AGENTS}", tenant)

    expect_chats(*chats)
    expect_agents(*agents)


def expect_chats(seen: Any, left: Any, messages: Any, result: str, dumped: Any) -> None:
    first, second, stranger = seen

    # What was just said may be remembered by the time it is asked.
    assert [[role, text.splitlines()[-1]] for role, text in first] == [["user", "I collect stamps in Graz."]]
    role, prompt = second[0]
    assert (role, len(second)) == ("user", 1)
    assert "stamps" in prompt
    assert prompt.count("What do I collect?") == 1  # the question does not answer itself
    assert stranger == [["user", "What do I collect?"]]
    assert left == []
    assert messages == [["system", "Be brief."], ["user", "I own a zebra."]]
    assert "zebra" not in result  # what is set was said elsewhere
    assert dumped["user_id"] == "mia"


def expect_agents(
    answered: str, prompt: str, texts: list[str], score: float, length: int, strangers: int, fault: str
) -> None:
    assert answered == "Tea."
    assert "remembered of the user" in prompt
    assert any("oolong" in text for text in texts)
    assert 0 < score <= 1
    assert (length, strangers) == (36, 0)
    assert re.match(r"\[401\d\d\] \w+", fault)


def test_the_documented_example_runs(python: str, tenant: Tenant) -> None:
    page = (ROOT / "docs/adapters.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", page.split("## LlamaIndex\n")[1], re.S)
    assert example is not None
    program = example[1].replace(
        "llama_index.llms.openai import OpenAI", "llama_index.core.llms import MockLLM"
    )
    program = program.replace('OpenAI(model="gpt-5.4-mini")', "MockLLM()")

    assert "peanuts" in run_program(
        python, f"{program}\nimport json\nprint(json.dumps(nodes[0].get_content()))", tenant
    )
