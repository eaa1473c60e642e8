"""The tools by which a model edits the skills of a space."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skills.learning.tool_loop import TEXT, ModelTool, build_parameters
from skills.learning.workspace.workspace import Workspace
from skills.reading.task_board import RefusedAction

_NAME = {**TEXT, "description": "The name of the skill."}
_PATH = {**TEXT, "description": "The path of the file inside the skill, with / between folders."}


class SkillTools:
    """The tools over one workspace. Nothing is changed before the model has said what it thinks."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._has_planned = False

    @property
    def all(self) -> Sequence[ModelTool]:
        return [
            ModelTool(
                "get_skill",
                "What a skill is for, and its files.",
                build_parameters(skill_name=_NAME),
                self._get_skill,
            ),
            ModelTool(
                "get_skill_file",
                "The text of a file.",
                build_parameters(skill_name=_NAME, file_path=_PATH),
                self._read_file,
            ),
            ModelTool(
                "report_thinking",
                "Says what the lessons teach and where they belong. Comes before the first change.",
                build_parameters(thinking=TEXT),
                self._report_thinking,
            ),
            self._build_edit_tool(
                "str_replace_skill_file",
                "Replaces a text that occurs exactly once in a file.",
                build_parameters(skill_name=_NAME, file_path=_PATH, old_string=TEXT, new_string=TEXT),
                lambda arguments: self._workspace.replace(
                    arguments["skill_name"],
                    arguments["file_path"],
                    arguments["old_string"],
                    arguments["new_string"],
                ),
            ),
            self._build_edit_tool(
                "create_skill_file",
                "Adds a file that is not there yet.",
                build_parameters(skill_name=_NAME, file_path=_PATH, content=TEXT),
                lambda arguments: self._workspace.create(
                    arguments["skill_name"], arguments["file_path"], arguments["content"]
                ),
            ),
            self._build_edit_tool(
                "mv_skill_file",
                "Moves or renames a file.",
                build_parameters(skill_name=_NAME, source_path=_PATH, destination_path=_PATH),
                lambda arguments: self._workspace.move(
                    arguments["skill_name"], arguments["source_path"], arguments["destination_path"]
                ),
            ),
            self._build_edit_tool(
                "delete_skill_file",
                "Deletes a file.",
                build_parameters(skill_name=_NAME, file_path=_PATH),
                lambda arguments: self._workspace.delete(arguments["skill_name"], arguments["file_path"]),
            ),
            self._build_edit_tool(
                "create_skill",
                "Makes a new skill of the space from the whole text of its SKILL.md.",
                build_parameters(skill_md_content=TEXT),
                lambda arguments: self._workspace.create_skill(arguments["skill_md_content"]),
            ),
        ]

    def _build_edit_tool(
        self,
        name: str,
        description: str,
        schema: Mapping[str, Any],
        change: Callable[[dict[str, Any]], object],
    ) -> ModelTool:
        def act(arguments: dict[str, Any]) -> str:
            if not self._has_planned:
                raise RefusedAction("call report_thinking before the first change")
            change(arguments)
            return "Done."

        return ModelTool(name, description, schema, act)

    def _get_skill(self, arguments: dict[str, Any]) -> str:
        skill = self._workspace.get_skill(arguments["skill_name"])
        files = [
            f"- {path}{'' if text is not None else ' (not a text file)'}"
            for path, text in skill.files.items()
        ]
        note = "\nIt is read only here." if skill.is_locked else ""
        return f"{skill.name}: {skill.description}{note}\nFiles:\n" + "\n".join(files)

    def _read_file(self, arguments: dict[str, Any]) -> str:
        return self._workspace.get_skill(arguments["skill_name"]).read_text(arguments["file_path"])

    def _report_thinking(self, arguments: dict[str, Any]) -> str:
        self._has_planned = True
        return "Noted. Make the changes now."
