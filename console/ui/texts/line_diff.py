"""Compare two texts line by line: removed and added lines, and changed words in lines that correspond."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from console.ui.texts.text_diff import DiffPiece, compare_texts

# Around each change so many equal lines are shown.
AROUND = 3
# Comparing takes time with the square of the lines.
MOST_LINES = 3_000
# Words are compared in lines that are neither long nor all different, until so many letters were.
LONGEST_LINE, MOST_LETTERS, ALIKE = 400, 20_000, 0.3


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A line as it was and as it is; a side without a number has none. `hidden` equal lines are left out here."""

    kind: str
    old_number: int = 0
    new_number: int = 0
    old: tuple[DiffPiece, ...] = ()
    new: tuple[DiffPiece, ...] = ()
    hidden: int = 0


def is_comparable(*texts: str) -> bool:
    """Return whether `compared` takes them: not too many lines."""
    return all(text.count("\n") < MOST_LINES for text in texts)


def compare_lines(old: str, new: str) -> list[DiffRow]:
    """Rows of "same", "old", "new", "changed" and "gap"; none where both are equal."""
    if old == new:
        return []
    return list(_fold_equal_rows(list(_Comparison(old.splitlines(), new.splitlines()).rows())))


class _Comparison:
    """One run over two texts; `letters` counts down while words are compared."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old, self.new, self.letters = old, new, MOST_LETTERS

    def rows(self) -> Iterator[DiffRow]:
        steps = SequenceMatcher(None, self.old, self.new, autojunk=True).get_opcodes()
        for how, start, end, new_start, new_end in steps:
            if how == "equal":
                for at in range(end - start):
                    line = (DiffPiece("same", self.old[start + at]),)
                    yield DiffRow("same", start + at + 1, new_start + at + 1, line, line)
            else:
                yield from self._iterate_changed(range(start, end), range(new_start, new_end))

    def _iterate_changed(self, gone: range, came: range) -> Iterator[DiffRow]:
        for before, after in zip_longest(gone, came):
            if before is None:
                yield DiffRow("new", 0, after + 1, (), (DiffPiece("new", self.new[after]),))
            elif after is None:
                yield DiffRow("old", before + 1, 0, (DiffPiece("old", self.old[before]),), ())
            else:
                yield self._pair_lines(before, after)

    def _pair_lines(self, before: int, after: int) -> DiffRow:
        """The words that differ, where there is enough in common to stand for each other."""
        old, new = self.old[before], self.new[after]
        pieces = self._compare_words(old, new)
        same = sum(len(piece.text) for piece in pieces if piece.kind == "same")
        if same < ALIKE * max(len(old), len(new), 1):
            pieces = [DiffPiece("old", old), DiffPiece("new", new)]
        was = tuple(piece for piece in pieces if piece.kind != "new")
        return DiffRow(
            "changed", before + 1, after + 1, was, tuple(piece for piece in pieces if piece.kind != "old")
        )

    def _compare_words(self, old: str, new: str) -> list[DiffPiece]:
        self.letters -= len(old) + len(new)
        if max(len(old), len(new)) > LONGEST_LINE or self.letters < 0:
            return []
        return compare_texts(old, new)


def _fold_equal_rows(rows: list[DiffRow]) -> Iterator[DiffRow]:
    """Equal lines far from any change become one row that counts them."""
    changed = [at for at, row in enumerate(rows) if row.kind != "same"]
    near = {at for change in changed for at in range(change - AROUND, change + AROUND + 1)}
    hidden = 0
    for at, row in enumerate(rows):
        if at not in near:
            hidden += 1
            continue
        if hidden:
            yield DiffRow("gap", hidden=hidden)
            hidden = 0
        yield row
    if hidden:
        yield DiffRow("gap", hidden=hidden)
