"""CrewAI's published package with `EngramMemory` as its memory."""

from __future__ import annotations

import re
from typing import Any

from tests.support.adapters.environment import ROOT, run_program
from tests.support.api_client import Tenant

BEGIN = """
import asyncio, json
from engram_client import Engram, EngramError
from engram_client.adapters.crewai import EngramMemory
client = Engram(retries=0, timeout=120)
def memory(agent="planner", **options):
    return EngramMemory(client, agent_id=agent, **options)
def texts(matches):
    return [match.record.content for match in matches]
def show(value):
    print(json.dumps(value))
"""
SCOPES = """
crew = memory()
wanted = {"n": 1, "who": ["a", None, 1e300], "中": "文"}
record = crew.remember("The client wants reports on Friday.", scope="/aurora", categories=["reports"], metadata=wanted,
                       importance=0.9)
both = ["The budget is 40,000 euros.", "Lena leads the design."]
crew.remember_many(both, scope="aurora/team/", categories=["money"])
asyncio.run(crew.aremember("The vault code is under the mat.", source="kim", private=True))
first = crew.recall("When does the client want reports?", limit=1)[0]
found = [texts(crew.recall("Who leads the design?", scope="/aurora/team"))[0],
         texts(crew.recall("Who leads the design?", scope="/aurora/te")),
         texts(crew.recall("reports", categories=["reports", "none"])),
         texts(crew.recall("vault code")), texts(crew.recall("vault code", source="kim")), crew.recall(" ")]
changed = crew.update(record.id, content="The client wants reports on Monday.")
listed = [crew.list_scopes(), crew.list_scopes("/aurora"), crew.list_categories("/aurora"),
          crew.info("/aurora").record_count, len(crew.list_records()), len(crew.list_records(limit=2, offset=3))]
later = crew.recall("When does the client want reports?", limit=1)[0].record
deleted = [crew.forget(scope="/aurora", metadata_filter={"n": 2}), crew.forget(record_ids=[record.id]),
           crew.forget(scope="/aurora/team", categories=["money"]), crew.storage.count()]
crew.reset()
by_scope = [first.record == record, 0 < first.score <= 1, found,
            [changed.id == record.id, later.content, later == changed],
            listed, deleted, crew.list_records()]
"""
OWNERS = """
memory().remember("The launch is in May.")
EngramMemory(client, user_id="planner").remember("The dentist is in June.")
other = memory("writer", root_scope="/crew/blue", read_only=False)
other.remember("The title is Blue.", scope="/books")
said = []
for act in (lambda: EngramMemory(Engram("mpg-wrong"), agent_id="x").remember("x"), lambda: EngramMemory(client),
            lambda: memory().remember("x", metadata={"much": "x" * 20_000}), lambda: memory().update("none", "x"),
            lambda: memory().storage.search([0.1])):
    try:
        act()
    except Exception as fault:
        said.append([type(fault).__name__, str(fault)])
person = EngramMemory(client, user_id="planner")
by_owner = [texts(memory().recall("launch", limit=5)), texts(person.recall("When is the dentist?")),
            [other.list_scopes(), other.list_records()[0].scope, texts(other.recall("title", scope="/books"))],
            memory("writer", read_only=True).remember("x"), len(memory("writer").list_records()), said]
"""


MODEL = """
from crewai.llms.base_llm import BaseLLM
seen = []
class Model(BaseLLM):
    def call(self, messages, *arguments, **options):
        seen.append(json.dumps(messages))
        return "Thought: I know.\\nFinal Answer: Lena leads the design."
    def supports_function_calling(self):
        return False
"""


def test_records_have_scopes_and_owners_and_a_crew_remembers_its_task(crewai: str, tenant: Tenant) -> None:
    """In one program: CrewAI takes seconds to start."""
    page = (ROOT / "docs/adapters.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", page.split("## CrewAI\n")[1], re.S)
    assert example is not None
    documented = example[1].replace('llm="openai/gpt-5.4-mini"', 'llm=Model(model="local")')
    by_crew = "[str(result), 'one sentence' in seen[0], memory.recall('design')[0].record.content]"
    program = f"{BEGIN}{SCOPES}{OWNERS}{MODEL}{documented}\nshow([by_scope, by_owner, {by_crew}])"

    by_scope, by_owner, (answered, was_recalled, kept) = run_program(crewai, program, tenant)

    expect_scopes(by_scope)
    expect_owners(by_owner)
    assert answered == "Lena leads the design."
    assert was_recalled
    assert "Lena leads the design." in kept


def expect_scopes(by_scope: Any) -> None:
    same, scored, results, changed, listed, deleted, left = by_scope

    assert (same, scored) == (True, True)
    assert results == [
        "Lena leads the design.",
        [],
        ["The client wants reports on Friday."],
        [],
        ["The vault code is under the mat."],
        [],
    ]
    assert changed == [True, "The client wants reports on Monday.", True]
    assert listed == [["/aurora"], ["/aurora/team"], {"money": 2, "reports": 1}, 3, 4, 1]
    assert deleted == [0, 1, 2, 1]
    assert left == []


def expect_owners(by_owner: Any) -> None:
    """They never mix, and refusals are readable."""
    planner, user, other, nothing, kept, errors = by_owner

    assert planner == ["The launch is in May."]
    assert user == ["The dentist is in June."]
    assert other == [["/crew/blue/books"], "/crew/blue/books", ["The title is Blue."]]
    assert (nothing, kept) == (None, 1)
    assert [kind for kind, _ in errors] == [
        *("AuthenticationError", "ValueError", "InvalidRequest", "ValueError", "TypeError")
    ]
    assert re.match(r"\[401\d\d\] \w+", errors[0][1])
