"""Check a model's proposals against the messages: what they do not support becomes a quotation.

A model may be wrong, or talked into something by the very words it reads. So it only proposes; what the messages do not
bear out is quoted from them instead, or dropped where they hold no such words. Who said them is known here, not there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from memories.engine.grounding import Evidence, find_clause, find_closest_clause, find_doubt
from memories.engine.grounding.dates import find_allowed_dates, find_stated_dates, resolve_times
from memories.engine.local.propositions import Mood, Proposition
from memories.engine.remote.context_windows import Window
from memories.text.clauses.small_talk import is_small_talk
from memories.text.quotes.quoting import quote_words
from memories.text.time.dates import write_dates
from memories.text.words import language_detection, tokenize
from memories.values import MemoryKind, Turn

MOST, LONGEST = 50, 4_000
# Of one message so many quotations at most; the rest of it can be found by its words.
MOST_QUOTED = 12
# Doubts that tell of a model that makes things up; the others are only slips.
UNKNOWN, KNOWN, EMPTY = "unknown messages", "known already", "empty or too long"
NOT_HEDGED, NOT_MEANT, UNSURE = "inferred without a doubt", "condition or irony", "unsure"
_SLIPS = frozenset({KNOWN, EMPTY, UNSURE})
_HEDGED = re.compile(r"\b(?:may|might|seems?|probably|perhaps|appears?)\b|可能|也许|似乎|或许", re.IGNORECASE)
_NEVER_FACTS = frozenset({Mood.CONDITION, Mood.IRONY})
_TIME = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?Z?)?)?)?")
_EARLIEST_YEAR, _FURTHEST = 1900, timedelta(days=366 * 60)
_ASKS = re.compile(r"[?？]\s*$|[吗呢]\s*[。?？]?\s*$")


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposition with what only the model said of it (`raw`); `turns` are the messages that it comes from."""

    proposition: Proposition
    turns: tuple[int, ...]
    clause: str
    raw: dict[str, Any]


def read_proposals(
    proposals: Sequence[dict[str, Any]], window: Window, dropped: Counter[str]
) -> tuple[list[Proposed], bool]:
    """Return what is believed of the proposals; what is not as written is counted by reason.

    The second value is whether the model made things up and got nothing right: then nothing of it is worth quoting.
    """
    believed: list[Proposed] = []
    doubted: list[Proposed] = []
    is_lying = False
    for raw in proposals[:MOST]:
        reading = _Reading(raw, window)
        doubt = reading.find_doubt()
        if not doubt:
            believed.append(reading.stated())
            continue
        dropped[doubt] += 1
        is_lying = is_lying or doubt not in _SLIPS
        doubted += reading.build_quoted() if doubt not in (UNKNOWN, KNOWN) else []
    if len(proposals) > MOST:
        dropped["too many"] += len(proposals) - MOST
    return [*believed, *_list_worth_quoting(doubted, believed, dropped)], is_lying and not believed


def _list_worth_quoting(
    doubted: Sequence[Proposed], believed: Sequence[Proposed], dropped: Counter[str]
) -> list[Proposed]:
    """Each clause once, and none of which a believed proposition was made."""
    kept: dict[str, Proposed] = {}
    of_turn: Counter[int] = Counter()
    for proposed in doubted:
        is_known = any(
            proposed.clause in other.clause or other.clause in proposed.clause
            for other in believed
            if other.clause
        )
        if is_known or proposed.proposition.text in kept:
            continue
        if of_turn[proposed.turns[-1]] >= MOST_QUOTED:
            dropped["too many quotations of one message"] += 1
            continue
        kept[proposed.proposition.text] = proposed
        of_turn[proposed.turns[-1]] += 1
    return list(kept.values())


class _Reading:
    """One proposal beside the messages that it names."""

    def __init__(self, raw: dict[str, Any], window: Window) -> None:
        self._raw = raw
        self._window = window
        self._named = tuple(
            sorted({int(turn) for turn in raw["turns"]})
        )  # a whole number may be written as 1.0
        self._pieces = {piece.at: piece for piece in window}
        self._text = clean_line(raw["text"])
        self._mood = Mood(raw["mood"])
        self._clause, self._at = self._find_clause(raw["quote"])

    @property
    def _is_by_user(self) -> bool:
        is_view = self._raw["about"] == "assistant"
        return not is_view and any(self._get_turn(at).role == "user" for at in self._named)

    @property
    def _is_inferred(self) -> bool:
        return self._raw["kind"] == MemoryKind.PREFERENCE and self._raw["preference_type"] == "implicit"

    def find_doubt(self) -> str:
        """Find why not to believe it as it is written; "" when there is no reason."""
        if not self._named or not set(self._named) <= set(self._pieces):
            return UNKNOWN
        if all(self._pieces[at].is_known for at in self._named):
            return KNOWN
        if not self._text or len(self._text) > LONGEST:
            return EMPTY
        if self._mood in _NEVER_FACTS:
            return NOT_MEANT
        if not self._raw["is_certain"]:
            return UNSURE
        if self._is_inferred and not _HEDGED.search(self._text):
            return NOT_HEDGED
        return find_doubt(
            self._text, self._build_evidence(), is_inferred=self._is_inferred, is_by_user=self._is_by_user
        )

    def stated(self) -> Proposed:
        said_at = self._get_turn(self._at).said_at
        language = language_detection.detect_language(self._text)
        # A month without a year may be a birthday; only what counts from the day of speaking is worked out.
        times = [time for time in resolve_times(self._text, said_at) if not time.missing]
        dated = write_dates(self._text, [time for time in times if time.words], language)
        event_time = self._get_event_time() or (times[0].at if times else None)
        proposition = Proposition(
            text=dated.text,
            language=language,
            mood=self._mood,
            subject=clean_line(self._raw["subject"])[:100],
            is_preference=self._raw["kind"] == MemoryKind.PREFERENCE and self._raw["about"] == "user",
            reasoning=clean_line(self._raw["reasoning"]),
            slot=clean_line(self._raw["slot"]),
            value=self._get_value(),
            event_time=event_time,
            corrects=self._list_corrected(),
        )
        return Proposed(proposition, self._named, self._clause, self._raw)

    def build_quoted(self) -> list[Proposed]:
        """The clause that the proposal is about, word for word; nothing where there is none of the user's."""
        turn = self._get_turn(self._at) if self._clause else None
        if turn is None or turn.role != "user" or is_small_talk(self._clause) or _ASKS.search(self._clause):
            return []
        language = language_detection.detect_language(self._clause)
        quotations = quote_words(clean_line(self._clause), turn.said_at, language)[:MOST_QUOTED]
        return [
            Proposed(
                Proposition(text=text, language=language, mood=self._mood, is_quote=True),
                (self._at,),
                self._clause,
                self._raw,
            )
            for text in quotations
        ]

    def _get_turn(self, at: int) -> Turn:
        return self._pieces[at].turn

    def _join_words(self, at: int) -> str:
        return " ".join(piece.text for piece in self._window if piece.at == at)

    def _find_clause(self, quote: str) -> tuple[str, int]:
        """The clause with the quoted words, or else the one nearest to the text, and in which message it stands."""
        named = [at for at in reversed(self._named) if at in self._pieces]
        for at in named:
            if clause := find_clause(quote, self._join_words(at)):
                return clause, at
        for at in named:
            if clause := find_closest_clause(self._text, self._join_words(at)):
                return clause, at
        return "", named[0] if named else -1

    def _build_evidence(self) -> Evidence:
        shown = sorted(at for at in self._pieces if at <= self._named[-1])
        answered = {before for before, at in zip(shown, shown[1:], strict=False) if at in self._named}
        # A choice or a habit is inferred from all that was said.
        meant = shown if self._is_inferred else sorted({*self._named, *answered})
        messages = [(self._join_words(at), self._get_turn(at).said_at) for at in meant]
        return Evidence(self._clause, messages, [self._join_words(at) for at in shown])

    def _get_value(self) -> str:
        value = clean_line(self._raw["value"])
        return value if value and value.lower() in self._text.lower() else ""

    def _list_corrected(self) -> tuple[str, ...]:
        """The corrected words, if somebody did say them before."""
        shown = " ".join(piece.text for piece in self._window if piece.at <= self._named[-1]).lower()
        words = (clean_line(phrase) for phrase in self._raw["corrects"])
        return tuple(
            dict.fromkeys(phrase for phrase in words if 1 < len(phrase) <= 100 and phrase.lower() in shown)
        )

    def _get_event_time(self) -> datetime | None:
        """The model's date, where the messages or its own checked text state it."""
        at = read_time(self._raw["event_time"], self._get_turn(self._at).said_at)
        if at is None:
            return None
        day = self._get_turn(self._at).said_at
        allowed = [*find_stated_dates(self._text)]
        for turn in self._named:
            allowed += find_allowed_dates(self._join_words(turn), self._get_turn(turn).said_at)
        named = find_stated_dates(self._raw["event_time"].strip()[:10])
        is_allowed = any(date.is_part_of(other) for date in named for other in allowed)
        is_resolved = any(
            mention.at.date() == at.date() for mention in resolve_times(self._join_words(self._at), day)
        )
        return at if is_allowed or is_resolved else None


def read_time(written: str, said_at: datetime) -> datetime | None:
    """Parse a time; None for what is no date or an absurd one."""
    match = _TIME.fullmatch(written.strip())
    if not match:
        return None
    year, month, day, hour, minute = (
        int(part or default) for part, default in zip(match.groups(), "11100", strict=True)
    )
    try:
        at = datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:
        return None
    return at if at.year >= _EARLIEST_YEAR and at < said_at + _FURTHEST else None


def clean_line(text: str) -> str:
    """One line, without what no database and no encoder takes."""
    return " ".join(tokenize.HALF_CHARACTER.sub(" ", text.replace("\x00", " ")).split())
