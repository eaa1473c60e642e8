"""The skills of a space as a learner works on them: in memory, under the rules that all of its edits keep.

Nothing is stored here. What was done is remembered, so that it can be done again on skills that changed meanwhile.
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
class Book:
    """A skill with its files by path; the text of one that is no text is None. `pk` is None for one made here.

    A locked one is read only: it belongs to a knowledge base, or is not active.
    """

    name: str
    description: str
    files: dict[str, str | None]
    pk: UUID | None = None
    version: int = 0
    is_locked: bool = False

    def copy(self) -> Book:
        return Book(self.name, self.description, dict(self.files), self.pk, self.version, self.is_locked)

    @property
    def top(self) -> str:
        """The path of its SKILL.md, which uploads may spell otherwise."""
        return find_existing(TOP, self.files) or TOP

    @property
    def schema(self) -> str:
        return self.files.get(self.top) or ""

    def text(self, path: str) -> str:
        """Raises `RefusedAction`."""
        text = self.files[self.at(path)]
        if text is None:
            raise RefusedAction(f"{path} is not a text file, or too long")
        return text

    def at(self, path: str) -> str:
        """The path under which the file lies. Raises `RefusedAction` when there is none."""
        existing_path = find_existing(normalise_path(path), self.files)
        if existing_path is None:
            raise RefusedAction(f"there is no file {normalise_path(path)} in this skill")
        return existing_path


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that was made: the name of the method and what it was called with."""

    method: str
    arguments: tuple[str, ...]


@dataclass(slots=True)
class Workspace:
    """Every method that changes something raises `RefusedAction` and then has changed nothing."""

    books: dict[str, Book]
    edits: list[Edit] = field(default_factory=list)
    made: int = 0

    @classmethod
    def of(cls, books: Iterable[Book]) -> Self:
        return cls({book.name: book for book in books})

    def again(self, books: Iterable[Book]) -> Workspace:
        """The same edits on skills as they are now. Raises `RefusedAction` when one of them fits no longer."""
        other = Workspace.of(books)
        for edit in self.edits:
            getattr(other, edit.method)(*edit.arguments)
        return other

    @property
    def changed(self) -> list[Book]:
        """The books that an edit touched, in the order in which they stand."""
        touched = {edit.arguments[0] for edit in self.edits}
        return [book for book in self.books.values() if book.name in touched]

    def book(self, name: str) -> Book:
        book = self.books.get(name)
        if book is None:
            raise RefusedAction(f"the space has no skill {name}; it has: {', '.join(self.books) or 'none'}")
        return book

    def replace(self, name: str, path: str, old: str, new: str) -> None:
        """`old` must stand there once and no more."""
        book = self._open(name)
        at = book.at(path)
        text = book.text(at)
        count = text.count(old) if old else 0
        if count != 1:
            raise RefusedAction(f"old_string occurs {count} times in {at}; it must occur exactly once")
        self._put(book, at, text.replace(old, new))
        self._finish_call("replace", name, path, old, new)

    def rewrite(self, name: str, path: str, old: str, new: str) -> None:
        """For those who know the whole text: `old` must be all of it."""
        book = self._open(name)
        at = book.at(path)
        if book.text(at) != old:
            raise RefusedAction(f"{at} changed meanwhile")
        self._put(book, at, new)
        self._finish_call("rewrite", name, path, old, new)

    def create(self, name: str, path: str, text: str) -> None:
        book, at = self._open(name), normalise_path(path)
        if at.casefold() == SKILL_MD:
            raise RefusedAction("a skill has one SKILL.md; change it with str_replace_skill_file")
        require_free(at, book.files)
        if len(book.files) >= MAX_FILES:
            raise RefusedAction(f"a skill has at most {MAX_FILES} files")
        self._put(book, at, text)
        self._finish_call("create", name, path, text)

    def move(self, name: str, path: str, to: str) -> None:
        book = self._open(name)
        at, goal = book.at(path), normalise_path(to)
        if SKILL_MD in {at.casefold(), goal.casefold()}:
            raise RefusedAction("SKILL.md stays where it is, and nothing takes its place")
        text = book.text(at)
        require_free(goal, book.files.keys() - {at})
        del book.files[at]
        book.files[goal] = text
        self._finish_call("move", name, path, to)

    def delete(self, name: str, path: str) -> None:
        book = self._open(name)
        at = book.at(path)
        if at.casefold() == SKILL_MD:
            raise RefusedAction("a skill keeps its SKILL.md")
        del book.files[at]
        self._finish_call("delete", name, path)

    def create_skill(self, text: str) -> Book:
        parsed = self._parse_text(text)
        if any(parsed.name.casefold() == known.casefold() for known in self.books):
            raise RefusedAction(f"the space has a skill {parsed.name} already: update that one")
        if self.made >= MAX_NEW_SKILLS or len(self.books) >= MAX_SKILLS:
            raise RefusedAction("there are enough skills: let one of them grow instead")
        book = Book(parsed.name, parsed.description, {TOP: text})
        self.books[book.name] = book
        self.made += 1
        self.edits.append(Edit("create_skill", (text,)))
        return book

    def _open(self, name: str) -> Book:
        book = self.book(name)
        if book.is_locked:
            raise RefusedAction(f"{name} is read only here")
        if len(self.edits) >= MAX_EDITS:
            raise RefusedAction("there were enough edits for now: finish")
        return book

    def _put(self, book: Book, at: str, text: str) -> None:
        if at.casefold() == SKILL_MD:
            parsed = self._parse_text(text)
            if parsed.name != book.name:
                raise RefusedAction(f"the name of a skill stays: {book.name}")
            book.description = parsed.description
        elif len(text.encode()) > MAX_TEXT:
            raise RefusedAction(f"a file has at most {MAX_TEXT // 1024} KB: split it as the SKILL.md says")
        book.files[at] = text

    @staticmethod
    def _parse_text(text: str) -> SkillText:
        if len(text.encode()) > MAX_SKILL_MD:
            raise RefusedAction(f"SKILL.md has at most {MAX_SKILL_MD // 1024} KB")
        try:
            return parse_skill_md(text)
        except BadFrontMatter as error:
            raise RefusedAction(f"SKILL.md: {error}") from None

    def _finish_call(self, method: str, *arguments: str) -> None:
        self.edits.append(Edit(method, arguments))
