"""The kind of a statement, and which kinds belong under a heading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from memories.text.words.word_lists import load_alternatives
from skills.learning.rules.schema import SchemaHeading
from skills.learning.rules.statements.states import find_state_name
from skills.learning.rules.statements.text_similarity import TextSimilarity


class Sort(StrEnum):
    CONTACT = "contact"
    IDENTITY = "identity"
    TASTE = "taste"
    OPINION = "opinion"
    DECISION = "decision"
    PLAN = "plan"
    TROUBLE = "trouble"
    STATUS = "status"
    HAPPENED = "happened"
    OTHER = "other"


_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))


def _compile_words(name: str, *marks: str) -> re.Pattern[str]:
    """English words as wholes, Chinese ones wherever they stand, and marks that are no words."""
    return re.compile("|".join([rf"\b(?:{_WORDS[name]})\b", _WORDS[f"{name}_zh"], *marks]), re.IGNORECASE)


# The first sort whose words a statement has is its own.
_SAYS: tuple[tuple[Sort, re.Pattern[str]], ...] = (
    (Sort.CONTACT, _compile_words("contact", r"@[\w-]+\.\w")),
    (Sort.DECISION, _compile_words("decision")),
    (Sort.TROUBLE, _compile_words("trouble")),
    (Sort.OPINION, _compile_words("opinion")),
    (Sort.TASTE, _compile_words("taste")),
    (Sort.PLAN, _compile_words("plan")),
    (Sort.STATUS, _compile_words("status", r"\d%")),
    (Sort.IDENTITY, _compile_words("identity")),
    (Sort.HAPPENED, _compile_words("happened")),
)
_HOLDS: tuple[tuple[frozenset[Sort], re.Pattern[str]], ...] = (
    (frozenset({Sort.CONTACT}), re.compile(r"\bcontact|\breach|联系", re.IGNORECASE)),
    (frozenset({Sort.TASTE}), _compile_words("taste_headings")),
    (frozenset({Sort.OPINION}), _compile_words("opinion_headings")),
    (frozenset({Sort.DECISION}), _compile_words("decision_headings")),
    (frozenset({Sort.TROUBLE}), _compile_words("trouble_headings")),
    (frozenset({Sort.PLAN}), _compile_words("plan_headings")),
    (frozenset({Sort.STATUS}), _compile_words("status_headings")),
    (frozenset({Sort.HAPPENED, Sort.DECISION}), _compile_words("happened_headings")),
    (frozenset({Sort.IDENTITY, Sort.CONTACT}), _compile_words("identity_headings")),
)
_REST = re.compile(
    r"""
    \bnotes?\b | \bother\b | \bmisc | \bremarks?\b | \bobservations?\b | \badditional\b | \bcomments?\b
    | 备注 | 其他 | 其它 | 笔记 | 补充 | 杂项
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A state is what somebody is, whatever the verb.
_OF_STATE = {"email": Sort.CONTACT, "phone": Sort.CONTACT, "status": Sort.STATUS, "deadline": Sort.PLAN}


def classify_statement(text: str) -> Sort:
    state = find_state_name(text)
    if state:
        return _OF_STATE.get(state, Sort.IDENTITY)
    return next((sort for sort, says in _SAYS if says.search(text)), Sort.OTHER)


def choose_heading(
    text: str, headings: Sequence[SchemaHeading], near: TextSimilarity
) -> SchemaHeading | None:
    """Choose where a statement stands: by the sort of thing that a heading holds, else with the rest, else by
    meaning."""
    if len(headings) < 2:
        return headings[0] if headings else None
    sort = classify_statement(text)
    for stated in (lambda heading: heading.text, lambda heading: f"{heading.text} {heading.note}"):
        for heading in headings:
            if sort in _get_held_sorts(stated(heading)):
                return heading
    rest = next((heading for heading in headings if _REST.search(heading.text)), None)
    if rest is not None and (
        sort is not Sort.OTHER
        or all(_get_held_sorts(heading.text) for heading in headings if heading is not rest)
    ):
        return rest
    return max(headings, key=lambda heading: near.between(text, f"{heading.text}: {heading.note}"))


def _get_held_sorts(stated: str) -> frozenset[Sort]:
    return next((sorts for sorts, known in _HOLDS if known.search(stated)), frozenset())
