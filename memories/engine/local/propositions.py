"""What readers of a language hand to the extractor: one proposition each, already in words that stand alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Mood(StrEnum):
    """Moods of a proposition: only what is `FACT` or `ENDED` says how things are."""

    FACT = "fact"
    HABIT = "habit"
    PLAN = "plan"
    WISH = "wish"
    CONDITION = "condition"
    HEARSAY = "hearsay"
    IRONY = "irony"
    ORDER = "order"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Proposition:
    """One subject with one predicate, from one clause of one message.

    `text` is a finished sentence in the third person with its dates resolved ("The user's sister lives in Lyon."), or,
    where `is_quote` is true, the clause word for word, because no rule was certain how to say it otherwise. `slot` and
    `value` name the state that it describes ("residence", "Lyon"); an `ENDED` proposition closes that slot. `corrects`
    are the wrong words, as they were said ("Gatwick"), `supersedes` the texts of the propositions that it replaces,
    `turns` the earlier turns that it takes words from. `context` is the sentence that it was taken from, whose tags
    fit it, too. `subject` is the person it is about: "" for the user.
    """

    text: str
    language: str
    mood: Mood = Mood.FACT
    subject: str = ""
    is_quote: bool = False
    is_preference: bool = False
    reasoning: str = ""
    slot: str = ""
    value: str = ""
    title: str = ""
    event_time: datetime | None = None
    corrects: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    turns: tuple[int, ...] = ()
    context: str = ""
