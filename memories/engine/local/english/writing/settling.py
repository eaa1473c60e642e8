"""Puts in order what one message gave: each text once, and one state for each slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memories.engine.local.propositions import Mood, Proposition


def distinct(found: Sequence[Proposition]) -> list[Proposition]:
    return list(
        {(proposition.text, proposition.is_preference): proposition for proposition in found}.values()
    )


def settle(found: Sequence[Proposition]) -> list[Proposition]:
    """Where one message ends a state and gives the one that holds, only the latter has its slot."""
    held = {one.slot for one in found if one.slot and one.mood is not Mood.ENDED}
    return [replace(one, slot="") if _is_end(one) and one.slot in held else one for one in found]


def _is_end(proposition: Proposition) -> bool:
    return proposition.mood is Mood.ENDED and not proposition.is_preference
