"""Traditional characters read as simplified ones, character by character, and put back when a text is written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Script:
    """Script of one message: which traditional character stood for which simplified one."""

    originals: dict[str, str]

    def joined(self, other: Script) -> Script:
        """Both, where a conversation goes on; a character that is written both ways stays simplified."""
        return Script({**self.originals, **other.originals})

    def restore(self, text: str) -> str:
        """The text in the characters that the message used."""
        if not self.originals:
            return text
        written = text.translate({ord(simple): original for simple, original in self.originals.items()})
        # Every language of the product calls the end user by one word.
        return written.replace("用戶", "用户")


def simplify(text: str) -> tuple[str, Script]:
    """The text in simplified characters, of the same length, and what is needed to write it back.

    Where a message uses both forms of a character, the simplified one stays.
    """
    if text.isascii():
        return text, Script({})
    table = load_table()
    used = {character for character in set(text) if character in table}
    if not used:
        return text, Script({})
    kept = set(text)
    originals = {table[character]: character for character in sorted(used) if table[character] not in kept}
    return text.translate({ord(character): table[character] for character in used}), Script(originals)


def to_simplified(text: str) -> str:
    """The text in simplified characters, of the same length: what the rules read."""
    return text if text.isascii() else text.translate(_load_translation())


@cache
def _load_translation() -> dict[int, str]:
    return {ord(character): simple for character, simple in load_table().items()}


@cache
def load_table() -> dict[str, str]:
    """The simplified character of each traditional one."""
    lines = resources.files(__package__).joinpath("traditional.txt").read_text("utf-8").splitlines()
    pairs = [pair for line in lines if not line.startswith("#") for pair in line.split()]
    return {pair[0]: pair[1] for pair in pairs}
