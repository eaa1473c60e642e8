"""Puts in order what one message gave: each text once, and one state for each slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memories.engine.local.propositions import Mood, Proposition


def remove_repeated(propositions: Sequence[Proposition]) -> list[Proposition]:
    """Each text once, without quotations of words that a longer one quotes, too; what corrects something stays."""
    texts = {(proposition.text, proposition.is_preference): proposition for proposition in propositions}
    quoted = [_get_quoted_words(proposition) for proposition in texts.values() if proposition.is_quote]
    return [
        proposition
        for proposition in texts.values()
        if not proposition.is_quote
        or proposition.corrects
        or proposition.supersedes
        or not _is_within(_get_quoted_words(proposition), quoted)
    ]


def _get_quoted_words(proposition: Proposition) -> str:
    """The words alone; an answer needs the question that stands before it."""
    frame, _, words = proposition.text.partition(': "')
    return "" if ', asked "' in frame else words.rstrip('".!')


def _is_within(words: str, quoted: Sequence[str]) -> bool:
    return bool(words) and any(words in longer and words != longer for longer in quoted)


def drop_ended_states(propositions: Sequence[Proposition]) -> list[Proposition]:
    """Drop the slot of a state that the message ends where it also gives the one that holds."""
    held = {
        proposition.slot
        for proposition in propositions
        if proposition.slot and proposition.mood is not Mood.ENDED
    }
    return [
        replace(proposition, slot="") if _is_end(proposition) and proposition.slot in held else proposition
        for proposition in propositions
    ]


def _is_end(proposition: Proposition) -> bool:
    return proposition.mood is Mood.ENDED and not proposition.is_preference
