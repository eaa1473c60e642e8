"""The labelled set that ships with Engram: made-up people, what is remembered of them, and what they ask.

`labelled.json` holds for each person statements and questions with the indices of the statements that help to answer;
questions without any ask for something of the same kind that is not known. "unrelated" are questions of general
knowledge, tasks and small talk. People are whole in one half: weights are fitted on "fit" and measured on "held_out".
`intents.json` holds a handful of sentences for each intent of a question and for two kinds of statements.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
FIT, HELD_OUT = "fit", "held_out"
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question with the indices of the statements that help to answer it."""

    text: str
    answers: frozenset[int]


@dataclass(frozen=True, slots=True)
class LabelledPerson:
    """Statements about one made-up person, and questions of theirs."""

    name: str
    half: str
    statements: tuple[str, ...]
    questions: tuple[LabelledQuestion, ...]


@dataclass(frozen=True, slots=True)
class Unrelated:
    """A question that no statement about a person answers."""

    text: str
    half: str


def load_people() -> list[LabelledPerson]:
    return [
        LabelledPerson(
            entry["person"],
            entry["half"],
            tuple(memory["text"] for memory in entry["memories"]),
            tuple(LabelledQuestion(q["ask"], frozenset(q["answers"])) for q in entry["questions"]),
        )
        for entry in _read_json("labelled.json")["people"]
    ]


def load_unrelated() -> list[Unrelated]:
    return [Unrelated(entry["ask"], entry["half"]) for entry in _read_json("labelled.json")["unrelated"]]


@cache
def load_intents() -> dict[str, dict[str, list[str]]]:
    """Sentences by intent and language."""
    intents: dict[str, dict[str, list[str]]] = _read_json("intents.json")
    return intents


def digest_labelled() -> str:
    """Names the content of both files: a calibration belongs to what it was fitted on."""
    content = b"".join((_HERE / name).read_bytes() for name in ("labelled.json", "intents.json"))
    return hashlib.sha256(content).hexdigest()[:16]


def _read_json(name: str) -> Any:
    return json.loads((_HERE / name).read_text(encoding="utf-8"))
