"""What a model may do with the skills of a space, and what it may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skills.learning.llm.agent import SkillTools
from skills.learning.workspace.workspace import Workspace, WorkspaceSkill
from skills.reading.task_board import RefusedAction
from tests.support.skills.contract import skill_md

NAME = "billing-operations"


def workspace(**files: str | None) -> Workspace:
    texts: dict[str, str | None] = {"SKILL.md": skill_md(NAME), "notes.md": "# Notes\n\n- one\n", **files}
    locked = WorkspaceSkill("shared", "Read only.", {"SKILL.md": skill_md("shared")}, is_locked=True)
    return Workspace.of([WorkspaceSkill(NAME, "What a good visit looks like.", texts), locked])


def agent(space: Workspace, *, has_thought: bool = True) -> Callable[..., str]:
    tools = {tool.name: tool for tool in SkillTools(space).all}
    if has_thought:
        tools["report_thinking"].act({"thinking": "..."})

    def act(name: str, **arguments: Any) -> str:
        return tools[name].act({"skill_name": NAME, **arguments})

    return act


def test_a_model_reads_thinks_and_edits() -> None:
    space = workspace()
    act = agent(space)

    assert "- notes.md" in act("get_skill")
    assert act("get_skill_file", file_path="./notes.md") == "# Notes\n\n- one\n"
    act("str_replace_skill_file", file_path="notes.md", old_string="- one", new_string="- two")
    act("create_skill_file", file_path="people//alice-chen.md", content="# Alice")
    act("mv_skill_file", source_path="people/alice-chen.md", destination_path="people/alice.md")
    act("create_skill_file", file_path="gone.md", content="x")
    act("delete_skill_file", file_path="gone.md")
    act("create_skill", skill_md_content=skill_md("travel planning"))

    assert space.skills[NAME].files.keys() == {"SKILL.md", "notes.md", "people/alice.md"}
    assert space.skills[NAME].files["notes.md"] == "# Notes\n\n- two\n"
    assert space.skills["travel-planning"].description == "What a good visit looks like."


def test_nothing_is_changed_before_the_model_has_said_what_it_thinks() -> None:
    space = workspace()
    act = agent(space, has_thought=False)
    act("get_skill")
    with pytest.raises(RefusedAction, match="report_thinking"):
        act("create_skill_file", file_path="a.md", content="x")
    assert not space.edits


@pytest.mark.parametrize(
    "path", ["../x.md", "a/../../x.md", "/etc/passwd", "C:\\x.md", "a\\b.md", "", "a/", "a\nb.md", "x" * 300]
)
def test_paths_that_lead_elsewhere_are_refused(path: str) -> None:
    space = workspace()
    act = agent(space)
    with pytest.raises(RefusedAction):
        act("create_skill_file", file_path=path, content="x")
    with pytest.raises(RefusedAction):
        act("mv_skill_file", source_path="notes.md", destination_path=path)
    assert space.skills[NAME].files.keys() == {"SKILL.md", "notes.md"}


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        (
            "str_replace_skill_file",
            {"file_path": "notes.md", "old_string": "three", "new_string": "x"},
            "0 times",
        ),
        ("str_replace_skill_file", {"file_path": "notes.md", "old_string": "o", "new_string": "x"}, "times"),
        ("str_replace_skill_file", {"file_path": "notes.md", "old_string": "", "new_string": "x"}, "0 times"),
        ("str_replace_skill_file", {"file_path": "none.md", "old_string": "a", "new_string": "b"}, "no file"),
        ("create_skill_file", {"file_path": "SKILL.md", "content": "x"}, "one SKILL.md"),
        ("create_skill_file", {"file_path": "skill.MD", "content": "x"}, "one SKILL.md"),
        ("create_skill_file", {"file_path": "NOTES.md", "content": "x"}, "already"),
        ("create_skill_file", {"file_path": "notes.md/a.md", "content": "x"}, "a file and a folder"),
        ("create_skill_file", {"file_path": "big.md", "content": "x" * 300_000}, "at most 256 KB"),
        ("mv_skill_file", {"source_path": "SKILL.md", "destination_path": "a.md"}, "SKILL.md stays"),
        ("mv_skill_file", {"source_path": "notes.md", "destination_path": "Skill.md"}, "SKILL.md stays"),
        ("mv_skill_file", {"source_path": "notes.md", "destination_path": "old.md"}, "already"),
        ("delete_skill_file", {"file_path": "skill.md"}, "keeps its SKILL.md"),
        ("delete_skill_file", {"file_path": "none.md"}, "no file"),
        ("get_skill", {"skill_name": "nobody"}, "no skill nobody"),
        ("create_skill_file", {"skill_name": "shared", "file_path": "a.md", "content": "x"}, "read only"),
        ("create_skill", {"skill_md_content": "no front matter"}, "front matter"),
        ("create_skill", {"skill_md_content": skill_md("Billing-Operations")}, "already: update that one"),
        ("create_skill", {"skill_md_content": skill_md("shared")}, "already"),
    ],
)
def test_what_breaks_a_rule_is_refused_with_the_rule(
    name: str, arguments: dict[str, Any], reason: str
) -> None:
    space = workspace(**{"old.md": "x"})
    act = agent(space)
    with pytest.raises(RefusedAction, match=reason):
        act(name, **arguments)
    assert not space.edits


def test_a_file_that_is_not_text_is_neither_read_nor_moved() -> None:
    act = agent(workspace(**{"logo.png": None}))
    for name, arguments in (
        ("get_skill_file", {"file_path": "logo.png"}),
        ("mv_skill_file", {"source_path": "logo.png", "destination_path": "a.png"}),
    ):
        with pytest.raises(RefusedAction, match="not a text file"):
            act(name, **arguments)


def test_the_name_of_a_skill_stays_and_a_new_description_is_taken_over() -> None:
    space = workspace()
    act = agent(space)
    with pytest.raises(RefusedAction, match="name of a skill stays"):
        act(
            "str_replace_skill_file",
            file_path="SKILL.md",
            old_string=f"name: {NAME}",
            new_string="name: other",
        )
    with pytest.raises(RefusedAction, match="front matter"):
        act("str_replace_skill_file", file_path="SKILL.md", old_string=f"name: {NAME}", new_string="name: [")
    act(
        "str_replace_skill_file",
        file_path="SKILL.md",
        old_string="description: What a good visit looks like.",
        new_string="description: Invoices, charges and refunds.",
    )
    assert space.skills[NAME].description == "Invoices, charges and refunds."


def test_a_run_makes_a_few_skills_at_most() -> None:
    act = agent(workspace())
    for number in range(4):
        act("create_skill", skill_md_content=skill_md(f"field-{number}"))
    with pytest.raises(RefusedAction, match="enough skills"):
        act("create_skill", skill_md_content=skill_md("field-4"))


def test_edits_are_made_again_on_files_that_somebody_changed_elsewhere() -> None:
    space = workspace()
    act = agent(space)
    act("str_replace_skill_file", file_path="notes.md", old_string="- one", new_string="- one\n- two")
    act("create_skill_file", file_path="more.md", content="x")

    changed = workspace(**{"notes.md": "# Notes\n\n- zero\n- one\n"})
    assert (
        space.replay_on(changed.skills.values()).skills[NAME].files["notes.md"]
        == "# Notes\n\n- zero\n- one\n- two\n"
    )
    for gone in (workspace(**{"notes.md": "# Notes\n"}), workspace(**{"more.md": "y"})):
        with pytest.raises(RefusedAction):
            space.replay_on(gone.skills.values())
