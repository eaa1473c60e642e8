"""Keeps the statements of a conversation: writes groups of clauses as propositions, and retracts them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

from memories.engine.local.chinese import moods
from memories.engine.local.chinese.groups import ClauseGroup, find_user_claims, is_fragment, says_nothing
from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.referents import Referents
from memories.engine.local.chinese.writing.rewriting import to_third_person
from memories.engine.local.chinese.writing.written import write_group
from memories.engine.local.propositions import Mood, Proposition
from memories.text.claims.stances_chinese import STANCE, states_stance
from memories.text.quotes.quoting import quote_words
from memories.text.time import chinese as dates
from memories.text.zh.script import Script

# 它很可爱: nobody can tell what it was about.
_SHORTEST_QUOTE = 4
# So many earlier statements are looked through for what a correction retracts.
_REMEMBERED = 12
ASKED_DIRECTLY = "用户直接提出了对助手的要求。"


_WHO_IS_MEANT = re.compile(
    f"(?:我(?:是说|说的是|指的是|的意思是)|就是说)(?P<who>我的?(?:{lexis.KIN})|[一-龥]{{2,3}})"
)


@dataclass(frozen=True, slots=True)
class RecordedStatement:
    """A group of clauses and its proposition, so that a correction can retract it."""

    group: ClauseGroup
    text: str


class PropositionRecord:
    """The propositions of one message after another; `statements` are the last ones of the whole conversation."""

    def __init__(self, referents: Referents) -> None:
        self.propositions: list[Proposition] = []
        self.statements: list[RecordedStatement] = []
        self._referents = referents
        self._script = Script({})
        self._last_before: ClauseGroup | None = None  # of the messages before this one
        self._said_at = datetime.min
        self._quoted = "，"  # the last words that were quoted

    def begin_message(self, said_at: datetime, script: Script) -> None:
        self.propositions = []
        self.statements = self.statements[-_REMEMBERED:]
        self._last_before = self.last
        self._said_at = said_at
        self._script = self._script.joined(script)

    @property
    def last(self) -> ClauseGroup | None:
        return self.statements[-1].group if self.statements else None

    @property
    def last_of_message(self) -> ClauseGroup | None:
        """The last statement that this message made, if any."""
        return self.last if self.last is not self._last_before else None

    def replace_statement(self, statement: RecordedStatement, words: str, old: tuple[str, ...]) -> None:
        """The statement with the right words; `old` are those that are retracted."""
        self.propositions = [
            proposition for proposition in self.propositions if proposition.text != statement.text
        ]
        self.statements.remove(statement)
        claim = statement.group.claim
        clauses = words.split("，")
        if claim:
            claims = find_user_claims(words)
            claim = claims[0] if len(claims) == 1 else replace(claim, statement=words)
            clauses = [claim.statement]
        retracted = (*statement.group.corrects, *old)
        replaced = (*statement.group.supersedes, statement.text)
        self.close(
            replace(statement.group, clauses=clauses, claim=claim, corrects=retracted, supersedes=replaced)
        )

    def quote(self, words: str, mood: Mood = Mood.FACT) -> None:
        if not re.search("[一-龥A-Za-z0-9]{2}", words):
            return
        at = dates.date_chinese(words, self._said_at).at
        self._quoted = words
        for text in quote_words(self._script.restore(words), self._said_at, "zh")[:3]:
            self.propositions.append(Proposition(text, "zh", mood=mood, is_quote=True, event_time=at))

    def name_pronoun(self, sentence: str) -> str:
        """The last quotation with whom its pronoun means, where the sentence says that: 我是说我老婆."""
        meant = _WHO_IS_MEANT.fullmatch(sentence)
        return f"{meant['who']}{self._quoted[1:]}" if meant and self._quoted[:1] in "他她" else ""

    def _quote_answer(self, group: ClauseGroup) -> None:
        """An answer that could not be put into its question, beside it."""
        day = dates.format_day(self._said_at)
        question = to_third_person(re.sub("[你您]", "我", group.asked))
        text = self._script.restore(f"用户在{day}被问到“{question[:40]}”时说：“{group.words[:60]}”")
        at = dates.date_chinese(group.words, self._said_at).at
        proposition = Proposition(
            text, "zh", is_quote=True, event_time=at, corrects=group.corrects, supersedes=group.supersedes
        )
        self.propositions.append(proposition)
        self.statements.append(RecordedStatement(group, text))

    def close(self, group: ClauseGroup) -> None:
        if group.asked:
            self._quote_answer(group)
            return
        if group.is_quote or says_nothing(group):
            if group.is_quote and len(group.words) > _SHORTEST_QUOTE:
                self.quote(group.words)
            return
        if is_fragment(group):
            self.quote(group.words)
            return
        text, event_time = write_group(group, self._referents, self._said_at)
        if not text:
            self.quote(group.words)
            return
        text = self._script.restore(text)
        claim = group.claim
        reasoning = claim.reasoning if claim else _find_reasoning(group)
        self.propositions.append(
            Proposition(
                text=text,
                language="zh",
                mood=group.mood
                or (Mood.ORDER if group.is_order else moods.detect_mood(group.words_of_subject)),
                subject=group.subject.label if group.subject else "",
                is_preference=bool(reasoning),
                reasoning=reasoning,
                slot=group.slot,
                title=claim.title if claim else "",
                event_time=event_time,
                corrects=group.corrects,
                supersedes=group.supersedes,
            )
        )
        self.statements.append(RecordedStatement(group, text))


def _find_reasoning(group: ClauseGroup) -> str:
    """Find why a group without a claim is a preference; "" where it is none."""
    if group.is_order:
        return ASKED_DIRECTLY
    is_of_user = group.subject is None and group.mood is None and not group.header
    return STANCE if is_of_user and states_stance(group.clauses) else ""
