"""Extract statements about people and things, and about the user where a skill of the space asks for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.text.clauses.small_talk import is_courtesy
from memories.text.words import language_detection, tokenize
from skills.learning.lesson import USER as THE_USER
from skills.learning.lesson import Fact
from skills.learning.rules.statements.subjects import Cast
from skills.learning.rules.statements.text_similarity import TextSimilarity
from skills.reading.messages.entities import find_proper_names, find_statement_subject
from skills.reading.messages.statements import split_statements
from skills.reading.talk import USER, TalkMessage

MOST = 40
# How near a statement must come to what a skill is for. The skills that every space has would take anything.
CONCERNS_FROM = 0.35
GENERAL = frozenset({"user-general-facts", "daily-logs"})
_HE = re.compile(r"^(?P<who>he|she|his|her)\b(?='s|\s)", re.IGNORECASE)
_HE_ZH = re.compile("^(?P<who>[他她])(?!们)")
_OWNERS = frozenset({"his", "her"})
# How much a statement about a thing, and one about a name, must have to do with what a skill is for.
THING_FROM, NAME_FROM = 0.02, 0.0


def extract_facts(
    messages: Sequence[TalkMessage],
    known: Sequence[str],
    skills: Sequence[tuple[str, str]],
    near: TextSimilarity,
) -> list[dict[str, str]]:
    """Each with whom or what it is about. What is known as a preference already is left out."""
    stated = _list_statements(messages)
    cast = Cast([Fact(text) for text in stated])
    seen = {_join_terms(text) for text in known}
    own = [(name, description) for name, description in skills if name not in GENERAL]
    descriptions = [description for _, description in own]
    abouts = [f"{name.replace('-', ' ')}: {description}" for name, description in own]
    facts: list[dict[str, str]] = []
    for text in stated:
        if _join_terms(text) in seen or is_courtesy(text):
            continue
        names = [subject.name for subject in cast.list_subjects(Fact(text))]
        names = names or _find_things(text, abouts, near)
        if names or _concerns(text, descriptions, near):
            seen.add(_join_terms(text))
            facts.append({"text": text, "subject": " and ".join(names[:3]) or THE_USER})
    return facts[:MOST]


def _find_things(text: str, abouts: Sequence[str], near: TextSimilarity) -> list[str]:
    """The thing or the name that a statement is about, where a skill of the space is for such things."""
    name, named = find_statement_subject(text), find_proper_names(text)
    if not abouts or not (name or named):
        return []
    near.expect([text, *abouts])
    least = NAME_FROM if name and name[0].isupper() else THING_FROM
    if max(near.concern(text, about) for about in abouts) < least:
        return []
    return [name] if name else named[:1]


def _list_statements(messages: Sequence[TalkMessage]) -> list[str]:
    """List statements in the third person; "she" becomes the person named before."""
    people = _People()
    statements: list[str] = []
    for message in messages:
        if message.role == USER and message.is_said:
            statements += [
                people.find_named(text, language_detection.detect_language(text))
                for text in split_statements(message.text)
            ]
    return statements


class _People:
    """Person who was named last, for a statement that begins with "she"."""

    def __init__(self) -> None:
        self._last = ""

    def find_named(self, text: str, language: str) -> str:
        pattern = _HE_ZH if language == "zh" else _HE
        match = pattern.match(text)
        if match and self._last:
            owner = "'s" if match["who"].lower() in _OWNERS and language != "zh" else ""
            text = f"{self._last}{owner}{text[match.end() :]}"
        names = [subject.name for subject in Cast([Fact(text)]).list_subjects(Fact(text))]
        self._last = names[-1] if names else self._last
        return text


def _concerns(text: str, descriptions: Sequence[str], near: TextSimilarity) -> bool:
    if not descriptions:
        return False
    near.expect([text, *descriptions])
    return any(near.between(text, description) >= CONCERNS_FROM for description in descriptions)


def _join_terms(text: str) -> str:
    return " ".join(tokenize.search_terms(text))
