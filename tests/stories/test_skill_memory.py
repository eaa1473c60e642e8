"""The quick start of skill memory with the published client: what a session teaches can be read as files."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from acontext import AcontextClient
from acontext.agent.skill import SKILL_TOOLS

from memories.values import TaskKind
from tests.support.api_client import Tenant
from tests.support.skills.contract import build_upload, connect_client, flush
from tests.support.skills.learning_task import bring_forward
from tests.support.skills.lessons import attached, learned, pages, shelf
from tests.support.skills.schemas import SOCIAL


@pytest.fixture
def told(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACONTEXT_API_KEY", tenant.key)
    monkeypatch.setenv("ACONTEXT_BASE_URL", f"{tenant.url}/api/v1")


@pytest.mark.usefixtures("told")
def test_the_quick_start_runs_as_it_is_written(
    tenant: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    client = AcontextClient(api_key=os.getenv("ACONTEXT_API_KEY"))
    space = client.learning_spaces.create()
    session = client.sessions.create()
    client.learning_spaces.learn(space.id, session_id=session.id)
    client.sessions.store_message(session.id, blob={"role": "user", "content": "My name is Gus"})
    assert bring_forward(tenant, TaskKind.OBSERVE), "it waits until the session is silent"

    result = client.learning_spaces.wait_for_learning(space.id, session_id=session.id)
    assert (result.session_id, result.status) == (session.id, "completed")

    skills = client.learning_spaces.list_skills(space.id)
    read = {}
    for skill in skills:
        for f in skill.file_index:
            content = client.skills.get_file(skill_id=skill.id, file_path=f.path)
            read[f"{skill.name}/{f.path}"] = content.content.raw
    for skill in skills:
        client.skills.download(skill_id=skill.id, path=f"./skills/{skill.name}")
    assert "Gus" in read["user-general-facts/personal-info.md"]
    for path, text in read.items():
        assert (tmp_path / "skills" / path).read_text(encoding="utf-8") == text

    ctx = SKILL_TOOLS.format_context(client, [s.id for s in skills])
    assert "user-general-facts" in ctx.get_context_prompt()
    names = [tool["function"]["name"] for tool in SKILL_TOOLS.to_openai_tool_schema()]
    assert set(names) == {"get_skill", "get_skill_file"}
    shown = SKILL_TOOLS.execute_tool(ctx, "get_skill", {"skill_name": "user-general-facts"})
    assert "personal-info.md" in shown
    text = SKILL_TOOLS.execute_tool(
        ctx, "get_skill_file", {"skill_name": "user-general-facts", "file_path": "personal-info.md"}
    )
    assert "Gus" in text
    client.close()


@pytest.fixture
def agent(tenant: Tenant) -> Iterator[AcontextClient]:
    with connect_client(tenant) as client:
        yield client


def say(agent: AcontextClient, session: Any, *texts: str) -> None:
    """By turns: what the user says, and what the agent answers. It is read when all is said."""
    for at, text in enumerate(texts):
        role = "assistant" if at % 2 else "user"
        agent.sessions.store_message(session.id, blob={"role": role, "content": text})
    flush(agent, session.id)


def test_a_custom_schema_keeps_one_file_for_each_colleague(agent: AcontextClient) -> None:
    space, session = attached(agent)
    skill = agent.skills.create(file=build_upload("x", {"SKILL.md": SOCIAL}))
    agent.learning_spaces.include_skill(space.id, skill_id=skill.id)
    say(
        agent,
        session,
        "Alice Chen is our lead designer. Bob Martinez works as an infrastructure engineer in Lisbon. "
        "Please draft a kick-off agenda for the three of us.",
        "Here is the agenda: 1. Goals, 2. Roles, 3. Dates. I have sent it to you.",
        "Great, thank you, that is exactly what I needed.",
    )
    assert learned(agent, space, session) == "completed"

    people = pages(agent, space, "social-contacts")
    assert people.keys() == {"alice-chen.md", "bob-martinez.md"}
    for path, name in (("alice-chen.md", "Alice Chen"), ("bob-martinez.md", "Bob Martinez")):
        headings = [line for line in people[path].splitlines() if line.startswith("#")]
        assert headings == [f"# {name}", "## Basics", "## Notes"]
    assert "lead designer" in people["alice-chen.md"]
    assert "Bob" not in people["alice-chen.md"]
    assert "Lisbon" in people["bob-martinez.md"]

    again = attached(agent, space)[1]
    say(agent, again, "Alice Chen is now head of design at Contoso.", "Noted.")
    assert learned(agent, space, again) == "completed"
    people = pages(agent, space, "social-contacts")
    assert people.keys() == {"alice-chen.md", "bob-martinez.md"}
    assert "Contoso" in people["alice-chen.md"]
    assert "lead designer" not in people["alice-chen.md"]

    with zipfile.ZipFile(io.BytesIO(agent.skills.download_zip(skill.id))) as packed:
        assert set(packed.namelist()) == {"SKILL.md", "alice-chen.md", "bob-martinez.md"}
        assert packed.read("alice-chen.md").decode() == people["alice-chen.md"]


def test_two_sessions_that_finish_together_lose_nothing(tenant: Tenant, agent: AcontextClient) -> None:
    space = agent.learning_spaces.create()
    sentences = {
        "Porto": "I live in Porto.",
        "peanuts": "I am allergic to peanuts.",
        "Rex": "I have a dog called Rex.",
    }
    sessions = [attached(agent, space)[1] for _ in sentences]

    def run(session: Any, text: str) -> None:
        with connect_client(tenant) as client:
            say(client, session, text, "Noted.")

    threads = [Thread(target=run, args=pair) for pair in zip(sessions, sentences.values(), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {learned(agent, space, session) for session in sessions} == {"completed"}
    text = "\n".join(pages(agent, space, "user-general-facts").values())
    assert [text.count(word) for word in sentences] == [1, 1, 1]


def test_work_with_tools_teaches_a_method_of_its_field(agent: AcontextClient) -> None:
    space, session = attached(agent)
    call = {
        "id": "t1",
        "type": "function",
        "function": {"name": "refund_invoice", "arguments": json.dumps({"invoice": 4711})},
    }
    for blob in (
        {"role": "user", "content": "Please refund the duplicate charge on invoice 4711."},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": '{"status": "refunded", "amount": 12.5}'},
        {"role": "assistant", "content": "I refunded the second charge to the original card."},
        {"role": "user", "content": "Perfect, it worked, thank you!"},
    ):
        agent.sessions.store_message(session.id, blob=blob)
    flush(agent, session.id)
    assert learned(agent, space, session) == "completed"

    files = shelf(agent, space)
    assert "invoice 4711" in "".join(files["daily-logs"].values())
    (name,) = files.keys() - {"daily-logs", "user-general-facts"}
    assert name == "billing-operations"
    assert "4711" not in name
    assert "refund_invoice" in files[name]["methods.md"]
