"""The kinds of values that questions ask for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class HeldKind(IntEnum):
    """Kinds of values that a text may hold, each a bit of a number: an `IntFlag` takes twice as long to add up.

    `NAME`, `NAMES_2` and `NAMES_3`: at least so many names.
    """

    NUMBER = 1
    MONEY = 2
    AGE = 4
    SIZE = 8
    TIME = 16
    PLACE = 32
    COLOUR = 64
    NAMING = 128
    NAME = 256
    NAMES_2 = 512
    NAMES_3 = 1024
    PERSON = 2048
    COUNT = 4096
    COUPLE = 8192
    CHILD = 16384
    LENGTH = 32768
    JOB = 65536
    INSTITUTION = 131072
    LIKING = 262144
    TRAVEL = 524288
    # What the user earns a living with, said as what they do: "runs a bike shop", 开出租.
    TRADE = 1048576
    # The statement is about somebody whom the user knows: "The user's brother …", 用户的同事….
    ACQUAINTANCE = 2097152
    # The text was not read: it may hold anything.
    UNREAD = -1


NAME_COUNTS = (HeldKind.NAME, HeldKind.NAMES_2, HeldKind.NAMES_3)


@dataclass(frozen=True, slots=True)
class AskedKinds:
    """Kinds of value that a question asks for: one of them is enough. Where `other_name`, another name than those of
    the question (their search terms in `names`) is an answer, too."""

    kinds: int
    other_name: bool = False
    names: tuple[str, ...] = ()

    def can_be_held(self, terms: str, held: int) -> bool:
        """Return whether a text may hold it. `terms`: its search terms, separated by spaces; `held`: bits of
        `HeldKind`."""
        if held & self.kinds:
            return True
        if not self.other_name:
            return False
        known = len(set(terms.split()).intersection(self.names))
        return known >= len(NAME_COUNTS) or bool(held & NAME_COUNTS[known])
