"""Edit the skills of a space in memory, under rules that hold for the model and the rules alike.

Nothing is stored here. Edits are recorded, so that they can be replayed on skills that changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self
from uuid import UUID

from skills.learning.workspace.paths import find_existing, normalise_path, require_free
from skills.packages.limits import MAX_FILES, MAX_SKILL_MD
from skills.packages.skill_md import BadFrontMatter, SkillText, parse_skill_md
from skills.packages.unpack import SKILL_MD
from skills.reading.task_board import RefusedAction

TOP = "SKILL.md"
# Of a file that learning writes, and of what one run may add.
MAX_TEXT, MAX_NEW_SKILLS, MAX_SKILLS, MAX_EDITS = 256 * 1024, 4, 100, 400


@dataclass(slots=True)
class WorkspaceSkill:
    """A skill with its files by path: their text, or None for a file that is no text.

    `pk` is None for a skill that was created here. A locked skill is read only: it belongs to a knowledge base, or is
    not active.
    """

    name: str
    description: str
    files: dict[str, str | None]
    pk: UUID | None = None
    version: int = 0
    is_locked: bool = False

    def copy(self) -> WorkspaceSkill:
        return WorkspaceSkill(
            self.name, self.description, dict(self.files), self.pk, self.version, self.is_locked
        )

    @property
    def top(self) -> str:
        """The path of its SKILL.md, which uploads may spell otherwise."""
        return find_existing(TOP, self.files) or TOP

    @property
    def schema(self) -> str:
        return self.files.get(self.top) or ""

    def read_text(self, path: str) -> str:
        """The text of the file. Raises `RefusedAction` when there is none, or it is no text."""
        text = self.files[self.find_path(path)]
        if text is None:
            raise RefusedAction(f"{path} is not a text file, or too long")
        return text

    def find_path(self, path: str) -> str:
        """The path under which the file lies. Raises `RefusedAction` when there is none."""
        existing_path = find_existing(normalise_path(path), self.files)
        if existing_path is None:
            raise RefusedAction(f"there is no file {normalise_path(path)} in this skill")
        return existing_path


@dataclass(frozen=True, slots=True)
class RecordedEdit:
    """A recorded edit: the name of the `Workspace` method and its arguments."""

    method: str
    arguments: tuple[str, ...]


@dataclass(slots=True)
class Workspace:
    """The skills of a space and the edits made to them.

    A method that raises `RefusedAction` has changed nothing.
    """

    skills: dict[str, WorkspaceSkill]
    edits: list[RecordedEdit] = field(default_factory=list)
    created: int = 0

    @classmethod
    def of(cls, skills: Iterable[WorkspaceSkill]) -> Self:
        return cls({skill.name: skill for skill in skills})

    def replay_on(self, skills: Iterable[WorkspaceSkill]) -> Workspace:
        """Make the same edits on other versions of the skills. Raises `RefusedAction` when one no longer applies."""
        other = Workspace.of(skills)
        for edit in self.edits:
            getattr(other, edit.method)(*edit.arguments)
        return other

    @property
    def changed(self) -> list[WorkspaceSkill]:
        """The skills that an edit touched, in the order of the space."""
        touched = {edit.arguments[0] for edit in self.edits}
        return [skill for skill in self.skills.values() if skill.name in touched]

    def get_skill(self, name: str) -> WorkspaceSkill:
        skill = self.skills.get(name)
        if skill is None:
            raise RefusedAction(f"the space has no skill {name}; it has: {', '.join(self.skills) or 'none'}")
        return skill

    def replace(self, name: str, path: str, old: str, new: str) -> None:
        """Replace a part of a file; `old` must occur exactly once."""
        skill = self._open_skill(name)
        stored_path = skill.find_path(path)
        text = skill.read_text(stored_path)
        count = text.count(old) if old else 0
        if count != 1:
            raise RefusedAction(
                f"old_string occurs {count} times in {stored_path}; it must occur exactly once"
            )
        self._put_file(skill, stored_path, text.replace(old, new))
        self._finish_call("replace", name, path, old, new)

    def rewrite(self, name: str, path: str, old: str, new: str) -> None:
        """Replace a whole file; `old` must be its present text."""
        skill = self._open_skill(name)
        stored_path = skill.find_path(path)
        if skill.read_text(stored_path) != old:
            raise RefusedAction(f"{stored_path} changed meanwhile")
        self._put_file(skill, stored_path, new)
        self._finish_call("rewrite", name, path, old, new)

    def create(self, name: str, path: str, text: str) -> None:
        skill, stored_path = self._open_skill(name), normalise_path(path)
        if stored_path.casefold() == SKILL_MD:
            raise RefusedAction("a skill has one SKILL.md; change it with str_replace_skill_file")
        require_free(stored_path, skill.files)
        if len(skill.files) >= MAX_FILES:
            raise RefusedAction(f"a skill has at most {MAX_FILES} files")
        self._put_file(skill, stored_path, text)
        self._finish_call("create", name, path, text)

    def move(self, name: str, path: str, to: str) -> None:
        skill = self._open_skill(name)
        stored_path, goal = skill.find_path(path), normalise_path(to)
        if SKILL_MD in {stored_path.casefold(), goal.casefold()}:
            raise RefusedAction("SKILL.md stays where it is, and nothing takes its place")
        text = skill.read_text(stored_path)
        require_free(goal, skill.files.keys() - {stored_path})
        del skill.files[stored_path]
        skill.files[goal] = text
        self._finish_call("move", name, path, to)

    def delete(self, name: str, path: str) -> None:
        skill = self._open_skill(name)
        stored_path = skill.find_path(path)
        if stored_path.casefold() == SKILL_MD:
            raise RefusedAction("a skill keeps its SKILL.md")
        del skill.files[stored_path]
        self._finish_call("delete", name, path)

    def create_skill(self, text: str) -> WorkspaceSkill:
        parsed = self._parse_text(text)
        if any(parsed.name.casefold() == known.casefold() for known in self.skills):
            raise RefusedAction(f"the space has a skill {parsed.name} already: update that one")
        if self.created >= MAX_NEW_SKILLS or len(self.skills) >= MAX_SKILLS:
            raise RefusedAction("there are enough skills: extend one of them instead")
        skill = WorkspaceSkill(parsed.name, parsed.description, {TOP: text})
        self.skills[skill.name] = skill
        self.created += 1
        self.edits.append(RecordedEdit("create_skill", (text,)))
        return skill

    def _open_skill(self, name: str) -> WorkspaceSkill:
        skill = self.get_skill(name)
        if skill.is_locked:
            raise RefusedAction(f"{name} is read only here")
        if len(self.edits) >= MAX_EDITS:
            raise RefusedAction("there were enough edits for now: finish")
        return skill

    def _put_file(self, skill: WorkspaceSkill, stored_path: str, text: str) -> None:
        if stored_path.casefold() == SKILL_MD:
            parsed = self._parse_text(text)
            if parsed.name != skill.name:
                raise RefusedAction(f"the name of a skill stays: {skill.name}")
            skill.description = parsed.description
        elif len(text.encode()) > MAX_TEXT:
            raise RefusedAction(f"a file has at most {MAX_TEXT // 1024} KB: split it as the SKILL.md says")
        skill.files[stored_path] = text

    @staticmethod
    def _parse_text(text: str) -> SkillText:
        if len(text.encode()) > MAX_SKILL_MD:
            raise RefusedAction(f"SKILL.md has at most {MAX_SKILL_MD // 1024} KB")
        try:
            return parse_skill_md(text)
        except BadFrontMatter as error:
            raise RefusedAction(f"SKILL.md: {error}") from None

    def _finish_call(self, method: str, *arguments: str) -> None:
        self.edits.append(RecordedEdit(method, arguments))
