"""Words that the rules for states know: professions, animals, devices, relatives, what a person has; surnames."""

from __future__ import annotations

from pathlib import Path

from memories.text.words.word_lists import load_alternatives, load_lists

_FILE = Path(__file__).with_name("words.toml")
LISTS = load_lists(_FILE)


def load_words(table: str) -> dict[str, str]:
    """The lists of one table of words.toml, as alternatives of a pattern."""
    return load_alternatives(_FILE, table)


def join_words(language: str, *tables: str) -> str:
    """The lists of one language in some tables, as alternatives of a pattern."""
    return "|".join(load_words(table)[language] for table in tables)


def _map_nouns(language: str) -> dict[str, str]:
    slots: dict[str, list[str]] = LISTS["slots_of_facts"][language]
    return {noun: slot for slot, nouns in slots.items() for noun in nouns}


PROFESSIONS = join_words("en", "professions")
PETS = join_words("en", "pets", "breeds")
PHONES = join_words("en", "phones")
COMPUTERS = join_words("en", "computers")
RELATIONS = join_words("en", "named_relations")
OWN_FACTS = join_words("en", "own_facts")
SLOT_OF_NOUN, SLOT_OF_NOUN_ZH = _map_nouns("en"), _map_nouns("zh")
SURNAMES_ZH = "".join(LISTS["surnames"]["zh"].split())
