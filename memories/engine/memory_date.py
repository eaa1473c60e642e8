"""The date that a memory gets: `event_time` in its row, `memory_time` in answers of the API.

It is the first date that its words name, or the day since when a state holds. A memory whose words name none is dated
by its message when it is stored, see `Origin.happened` in `memories.consolidation.provenance`.
"""

from __future__ import annotations

from datetime import datetime

from memories.text.time import chinese, english
from memories.text.time.dates import Dated, start_of_day

# States that are a date: the date is what they say, not since when they hold.
_DATES = frozenset({"birthday", "deadline", "wedding date", "anniversary", "due date"})


def date_text(text: str, language: str, said_at: datetime, verbatim: bool = False) -> Dated:
    """The text with its relative dates resolved, and the first date that it names."""
    if language == "zh":
        return chinese.date_chinese(text, said_at)
    return english.date_english(text, said_at, verbatim)


def get_memory_date(slot: str, named: datetime | None, said_at: datetime) -> datetime | None:
    """Return when it happened, by the date that its words name; for a state (with a `slot`) since when it holds: at the
    latest since it was said."""
    if not slot:
        return named
    # East of Greenwich the day may begin, as it is stored, after the words were said.
    today = min(start_of_day(said_at), said_at)
    is_its_own_date = slot.partition(":")[0].split(" ")[-1] in _DATES or slot in _DATES
    return today if named is None or named > today or is_its_own_date else named
