"""Quotes what is not reworded, and says whom a pronoun at its beginning means."""

from __future__ import annotations

from datetime import datetime

from memories.engine.local.english.people import Referents, meant_by, named_in
from memories.engine.local.propositions import Mood, Proposition
from memories.text.quotes.quoting import quote_words
from memories.text.time.english import date_english


def quote(words: str, said_at: datetime, referents: Referents, mood: Mood) -> list[Proposition]:
    """The words as quotations; whom they name is noticed in `referents`."""
    words = f"{words}." if words[-1:].isdigit() else words  # a mark behind a number reads as inches
    texts = quote_words(words, said_at, "en", meant_by(words, referents))
    referents.notice(named_in(words))
    at = date_english(words, said_at).at
    return [
        Proposition(
            text=text, language="en", mood=mood, is_quote=True, event_time=at if len(texts) == 1 else None
        )
        for text in texts
    ]
