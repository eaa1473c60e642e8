"""Put texts of people into a prompt as JSON between two lines that nobody can guess."""

from __future__ import annotations

import json
import secrets
from typing import Any

from memories.engine.prompts import read_prompt
from memories.text.words.tokenize import HALF_CHARACTER


def remove_unencodable(text: str) -> str:
    """Remove lone surrogates, which cannot be encoded, and NUL, which several servers refuse."""
    return HALF_CHARACTER.sub(" ", text.replace("\x00", " "))


# Hexadecimal digits.
MARK_CHARACTERS = 16


class Fence:
    """Two lines between which words are data, for one conversation with a model. Without a mark it makes a random one.

    JSON escapes line breaks: what stands between the lines cannot become such a line, even if it holds the mark.
    """

    def __init__(self, mark: str = "") -> None:
        self.mark = mark or secrets.token_hex(MARK_CHARACTERS // 2)

    def around(self, text: str) -> str:
        return f"{self.mark}\n{text}\n{self.mark}"


def build_messages(version: str, data: dict[str, Any], **places: str) -> list[dict[str, str]]:
    """The instructions of a prompt, and the data they are about, each in a message of its own.

    The data is JSON, so that no quotation mark in it ends it; the mark is random, so that no word in it can.
    """
    fence = Fence()
    instruction = read_prompt(version).replace("{mark}", fence.mark)
    for name, value in places.items():
        instruction = instruction.replace(f"{{{name}}}", value)
    fenced = fence.around(json.dumps(data, ensure_ascii=False))
    return [{"role": "system", "content": instruction}, {"role": "user", "content": fenced}]


def write_wishes(version: str, wishes: str) -> str:
    """The instructions of the project's developer, as a part of the prompt; "" for none."""
    if not wishes.strip():
        return ""
    fence = Fence()
    instruction = read_prompt(version).replace("{mark}", fence.mark)
    return f"\n\n{instruction}\n\n{fence.around(json.dumps(remove_unencodable(wishes), ensure_ascii=False))}"
