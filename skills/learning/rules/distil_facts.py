"""What a user told of people and things, and of themselves where a skill of the space asks for it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.engine.local.pronouns import Referents
from memories.engine.local.reading import read_message
from memories.engine.local.writing import write_claim, write_statements
from memories.text import tokenize
from memories.text.clauses.small_talk import is_courtesy
from memories.values import Turn
from skills.learning.lesson import USER as THE_USER
from skills.learning.lesson import Fact
from skills.learning.rules.near import Nearness
from skills.learning.rules.subjects import Cast
from skills.reading.preferences import is_lasting
from skills.reading.signs import is_problem, signs_in
from skills.reading.talk import USER, TalkMessage

MOST = 40
# How near a statement must come to what a skill is for. The skills that every space has would take anything.
CONCERNS_FROM = 0.35
GENERAL = frozenset({"user-general-facts", "daily-logs"})
_HE = re.compile(r"^(?P<who>he|she|his|her)\b(?='s|\s)", re.IGNORECASE)
_HE_ZH = re.compile("^(?P<who>[他她])(?!们)")
_OWNERS = frozenset({"his", "her"})
# So much of a statement is enough to find it again.
_PIECE = 5


def facts_of(
    messages: Sequence[TalkMessage], known: Sequence[str], skills: Sequence[tuple[str, str]], near: Nearness
) -> list[dict[str, str]]:
    """Each with whom or what it is about. What is known as a preference already is left out."""
    told = _statements(messages)
    cast = Cast([Fact(text) for text, _ in told])
    seen = {_bare(text) for text in known}
    descriptions = [description for name, description in skills if name not in GENERAL]
    facts: list[dict[str, str]] = []
    for text, is_of_user in told:
        if _bare(text) in seen or is_courtesy(text):
            continue
        names = [subject.name for subject in cast.subjects(Fact(text))]
        if names or is_of_user or _concerns(text, descriptions, near):
            seen.add(_bare(text))
            facts.append({"text": text, "subject": " and ".join(names[:3]) or THE_USER})
    return facts[:MOST]


def _statements(messages: Sequence[TalkMessage]) -> list[tuple[str, bool]]:
    """In the third person, one by one; and whether each tells of something lasting about the user."""
    referents, people = Referents(), _People()
    found: list[tuple[str, bool]] = []
    for at, message in enumerate(messages):
        if message.role != USER or not message.is_said:
            continue
        turn = Turn(USER, message.text, message.said_at)
        reading = read_message(message.text, referents)
        drafts = [(claim.said, write_claim(claim, lang, turn, at, ())) for claim, lang in reading.claims]
        for statement, lang in reading.statements:
            if not is_problem(statement) and not signs_in(statement, lang):
                written = write_statements([(statement, lang)], turn, at, ())
                drafts += [(statement, draft) for draft in written]
        # As they were said: "she" is who was named before.
        for _, draft in sorted(drafts, key=lambda one: _place(one[0], message.text)):
            found.append((people.named(draft.text, draft.language), is_lasting(draft)))
    return found


def _place(said: str, text: str) -> int:
    """Where the words stand in the message. Rules put a subject before some of them."""
    pieces = (said[start : start + _PIECE] for start in range(0, max(1, len(said) - _PIECE + 1)))
    return next((at for piece in pieces if (at := text.find(piece)) >= 0), len(text))


class _People:
    """Who was named last, for a statement that begins with "she"."""

    def __init__(self) -> None:
        self._last = ""

    def named(self, text: str, language: str) -> str:
        pattern = _HE_ZH if language == "zh" else _HE
        match = pattern.match(text)
        if match and self._last:
            owner = "'s" if match["who"].lower() in _OWNERS and language != "zh" else ""
            text = f"{self._last}{owner}{text[match.end() :]}"
        names = [subject.name for subject in Cast([Fact(text)]).subjects(Fact(text))]
        self._last = names[-1] if names else self._last
        return text


def _concerns(text: str, descriptions: Sequence[str], near: Nearness) -> bool:
    if not descriptions:
        return False
    near.expect([text, *descriptions])
    return any(near.between(text, description) >= CONCERNS_FROM for description in descriptions)


def _bare(text: str) -> str:
    return " ".join(tokenize.search_terms(text))
