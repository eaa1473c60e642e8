"""How much an episode says about the way a task is done, and when that is enough for a skill."""

from __future__ import annotations

import math
from collections.abc import Sequence

from skills.reading.values import Finding, Known, Part, Reading

WEIGHTS = {
    Part.LIKING: 1.0,
    Part.WISH: 1.0,
    Part.CORRECTION: 0.75,
    Part.CHOICE: 0.5,
    Part.STEP: 0.4,
    Part.DEED: 0.2,
    Part.DETAIL: 0.25,
    Part.RULE: 0.4,
    Part.TOOLS: 0.5,
    Part.SUCCESS: 1.0,
    Part.FAILURE: 0.5,
    Part.EXAMPLE: 0.5,
}
# However long a list is, it is one method; however often somebody says thanks, it worked once.
MOST = {
    Part.STEP: 2.0,
    Part.DEED: 0.6,
    Part.DETAIL: 0.5,
    Part.RULE: 0.8,
    Part.SUCCESS: 1.0,
    Part.FAILURE: 1.0,
    Part.EXAMPLE: 0.5,
    Part.TOOLS: 0.5,
    Part.CORRECTION: 1.5,
    Part.CHOICE: 1.0,
}
# Strong alone: three things that the user wants or put right, or fewer with a method that was confirmed to work.
STRONG = 3.0
# One of several that are alike: it must say something about how.
COUNTS = 1.0
# A skill whose evidence was retracted goes when less than this is left of it.
ENOUGH = 2.0
# In how many of the user's messages the findings must be.
FEWEST_MESSAGES = 2
_OF_USER = frozenset({Part.LIKING, Part.WISH, Part.CORRECTION, Part.CHOICE, Part.SUCCESS, Part.FAILURE})


def weight_of(reading: Reading) -> float:
    total = 0.0
    for part, each in WEIGHTS.items():
        sum_of_part = each * len({one.text for one in reading.findings if one.part == part})
        total += min(sum_of_part, MOST.get(part, 6.0))
    return round(total, 2)


def _says(findings: Sequence[Finding]) -> bool:
    """Whether the user says anything about how, or the assistant shows a way."""
    return any(one.part not in {Part.SUCCESS, Part.FAILURE, Part.EXAMPLE, Part.DETAIL} for one in findings)


def is_strong(episode: Known) -> bool:
    """Whether this conversation alone makes a skill."""
    messages = {one.at for one in episode.reading.findings if one.part in _OF_USER}
    return episode.weight >= STRONG and len(messages) >= FEWEST_MESSAGES and _says(episode.reading.findings)


def make_a_skill(episodes: Sequence[Known]) -> bool:
    """One strong conversation does, and so do several alike that are strong together."""
    if any(is_strong(one) for one in episodes):
        return True
    counting = [one for one in episodes if one.weight >= COUNTS and _says(one.reading.findings)]
    return len(counting) > 1 and sum(one.weight for one in counting) >= STRONG


def confidence_in(episodes: Sequence[Known]) -> float:
    """It grows with what was said, and with the number of conversations that it was said in."""
    weight = sum(one.weight for one in episodes)
    conversations = len({one.conversation for one in episodes})
    doubt = 0.5 * math.exp(-weight / 8) * 0.8 ** max(0, conversations - 1)
    return round(min(0.97, 1 - doubt), 2)
