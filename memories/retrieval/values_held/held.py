"""Reads which kinds of values a memory may hold, once, when it is loaded for searches."""

from __future__ import annotations

from memories.retrieval.values_held import chinese, english
from memories.retrieval.values_held.acquaintances import is_about_acquaintance
from memories.retrieval.values_held.kinds import AskedKinds, HeldKind
from memories.retrieval.values_held.trades import says_trade
from memories.text.quotes.quoting import remove_quote_date
from memories.text.zh.script import to_simplified

# Statements are shorter; a longer text may hold anything.
_LONGEST_READ = 1_000


def find_held_values(text: str, language: str) -> int:
    """Bits of `HeldKind`. When a quotation was said is no value of it."""
    if len(text) > _LONGEST_READ:
        return HeldKind.UNREAD
    statement = remove_quote_date(to_simplified(text))
    held = chinese.find_held(statement) if language == "zh" else english.find_held(statement)
    if says_trade(statement, language):
        held |= HeldKind.TRADE
    return held | HeldKind.ACQUAINTANCE if is_about_acquaintance(statement, language) else held


def find_asked_kinds(question: str, language: str) -> AskedKinds | None:
    """Find what kind of value a question asks for; None where it asks for another, or for none."""
    return chinese.find_asked(question) if language == "zh" else english.find_asked(question)
