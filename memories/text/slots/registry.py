"""The slots as `states.toml` lists them, read once and compiled."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memories.text.slots.vocabulary import LISTS, join_words
from memories.text.topics.medicines import load_drugs

# The slot of a person or animal that is alive; only its end is ever said.
LIFE = "life"
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Slot:
    """One kind of state. `value` is the sort that its values are cut to (`bounded_value.py`); patterns begin where the
    subject of a sentence ends."""

    name: str
    titles: tuple[str, str]
    value: str
    is_many: bool
    begins: dict[str, tuple[re.Pattern[str], ...]]
    ends: dict[str, tuple[re.Pattern[str], ...]]
    names: tuple[str, ...]


@cache
def load_slots() -> tuple[Slot, ...]:
    """In the order of the file: where a sentence describes two states, the first one names it."""
    rows = tomllib.loads((_HERE / "states.toml").read_text(encoding="utf-8"))
    return tuple(_build_slot(name, row) for name, row in rows.items())


def _build_slot(name: str, row: dict[str, Any]) -> Slot:
    return Slot(
        name=name,
        titles=(row["title"][0], row["title"][1]),
        value=row["value"],
        is_many=row.get("many", False),
        begins={language: _compile_patterns(row.get(language, ()), language) for language in ("en", "zh")},
        ends={
            language: _compile_patterns(row.get(f"ends_{language}", ()), language)
            for language in ("en", "zh")
        },
        names=tuple(row["names"]),
    )


def _compile_patterns(patterns: list[str], language: str) -> tuple[re.Pattern[str], ...]:
    # Names of people and places are known by their capitals, so what begins with one is not folded.
    words = _load_alternatives(language)
    flags = 0 if language == "en" else re.IGNORECASE
    return tuple(re.compile(_fill_pattern(pattern, words), flags) for pattern in patterns)


def _fill_pattern(pattern: str, words: dict[str, str]) -> str:
    for name, listed in words.items():
        pattern = pattern.replace(f"{{{name}}}", listed)
    return pattern


@cache
def _load_alternatives(language: str) -> dict[str, str]:
    """Alternatives for the places in patterns that stand for a list of words."""
    drugs = sorted(re.split(r"(?<!\\) ", load_drugs()[language]), key=len, reverse=True)
    of_place = {
        "pet": join_words(language, "pets", "further_pets"),
        "phone": join_words(language, "phones"),
        "computer": join_words(language, "computers"),
        "drug": "|".join(drugs),
        "condition": join_words(language, "conditions"),
        "job": join_words(language, "professions"),
    }
    if language == "en":
        of_place["agent"] = (
            rf"(?!(?:{join_words('en', 'no_agents')})\b)[a-z-]{{3,}}(?:{join_words('en', 'agents')})\b"
        )
    return {
        place: f"(?i:{words})" if language == "en" else f"(?:{words})" for place, words in of_place.items()
    }


def join_pet_words(language: str) -> str:
    """The animals that people keep, as a pattern."""
    return _load_alternatives(language)["pet"]


def get_condition_pattern(language: str) -> str:
    """A pattern of names of illnesses and conditions."""
    return _load_alternatives(language)["condition"]


@cache
def load_relations() -> dict[str, str]:
    """Each word for a relative or another person around somebody, with the one name for all such words."""
    listed: dict[str, str] = LISTS["relations"]
    return {word: name for name, words in listed.items() for word in words.split()}


@cache
def join_relation_words(language: str) -> str:
    """The words for relatives and others around somebody, as alternatives of a pattern, longest first."""
    words = (word for word in load_relations() if word.isascii() == (language == "en"))
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def get_relation_name(word: str) -> str:
    """The one name of a relation ("mother" for "mum" and 妈妈); "" for what is none."""
    return load_relations().get(word.strip().lower(), "")


@cache
def list_relative_words() -> tuple[str, ...]:
    """The words that name a relative, longest first."""
    named = LISTS["relatives"]
    return tuple(
        sorted((word for word, name in load_relations().items() if name in named), key=len, reverse=True)
    )


@cache
def get_words_for_relative(word: str) -> frozenset[str]:
    """All words by one of which the relative may be mentioned whom this word asks about; none if it is no relative.

    "brother" may be mentioned as 弟弟, "wife" as "partner", "mother" as one of the "parents".
    """
    names: list[str] = LISTS["relatives"].get(get_relation_name(word), [])
    otherwise: dict[str, str] = LISTS["named_otherwise"]
    further = {synonym for name in names for synonym in otherwise.get(name, "").split()}
    return frozenset(further | {synonym for synonym, name in load_relations().items() if name in names})


@cache
def _map_slots_by_name() -> dict[str, frozenset[str]]:
    by_name: dict[str, frozenset[str]] = {}
    for slot in load_slots():
        for name in slot.names:
            by_name[name] = by_name.get(name, frozenset()) | {slot.name}
    return by_name


def find_slots_named(name: str) -> frozenset[str]:
    """The slots that people call so ("city", 职业), without a person before them; none for any other word."""
    return _map_slots_by_name().get(name.strip().lower(), frozenset())


def find_slot_by_label(label: str) -> str:
    """The slot that one line of a form fills with all that stands there; "" for any other label."""
    named = find_slots_named(label)
    return next((slot.name for slot in load_slots() if slot.name in named and not slot.is_many), "")


@cache
def _map_slots_by_own_name() -> dict[str, Slot]:
    return {slot.name: slot for slot in load_slots()}


def find_slot(key: str) -> Slot | None:
    """The slot of a stored key: "residence", "allergy:penicillin", "sister:residence"; None for one of another kind."""
    slots = _map_slots_by_own_name()
    first, _, rest = key.partition(":")
    of_user = slots.get(key) or slots.get(first)
    return of_user or slots.get(rest) or slots.get(rest.partition(":")[0])


def holds_many_values(key: str) -> bool:
    """Return whether several memories of this slot hold at once."""
    slot = find_slot(key)
    return slot is not None and slot.is_many


def is_name_of_slot(words: str, key: str) -> bool:
    """Return whether these words only name the slot: "the car", "their old phone"."""
    slot = find_slot(key)
    bare = re.sub(r"^(?:the|their|old|first|second) ", "", words.strip().lower())
    return slot is not None and (bare in slot.names)


def parse_life_owner(key: str) -> str:
    """Return whose life a slot is ("rex:life"); "" for any other slot."""
    who, _, slot = key.rpartition(":")
    return who if slot == LIFE else ""


def get_slot_title(key: str, language: str) -> str:
    slot = find_slot(key)
    return slot.titles[language == "zh"] if slot else ""
