"""Compare two texts: pieces that are equal, removed or added."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

# Words, each with the space before it so that whole phrases are marked; Chinese characters one by one.
_PIECE = re.compile(r"[\u3400-\u9fff]|\s*[^\W\u3400-\u9fff]+|\s+|.", re.DOTALL)
# Comparing takes time with the square of the length; longer texts are shown one after the other.
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class DiffPiece:
    """`kind` is "same", "old" (only the earlier text has it) or "new"."""

    kind: str
    text: str


def compare_texts(old: str, new: str) -> list[DiffPiece]:
    if old == new:
        return [DiffPiece("same", new)]
    if max(len(old), len(new)) > _LONGEST:
        return [DiffPiece("old", old), DiffPiece("new", new)]
    before, after = _PIECE.findall(old), _PIECE.findall(new)
    pieces: list[DiffPiece] = []
    for how, start, end, new_start, new_end in SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if how == "equal":
            pieces.append(DiffPiece("same", "".join(before[start:end])))
            continue
        pieces += [DiffPiece("old", "".join(before[start:end]))] if end > start else []
        pieces += [DiffPiece("new", "".join(after[new_start:new_end]))] if new_end > new_start else []
    return pieces
