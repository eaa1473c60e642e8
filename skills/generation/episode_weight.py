"""How much an episode says about how a task is done, and how much suffices for a skill."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from skills.reading.findings import Finding, FindingPart, Known, TaskReading
from skills.reading.verbs import asks_for_action

WEIGHTS = {
    FindingPart.LIKING: 1.0,
    FindingPart.WISH: 1.0,
    FindingPart.CORRECTION: 0.75,
    FindingPart.CHOICE: 0.5,
    FindingPart.STEP: 0.4,
    FindingPart.ACTION: 0.2,
    FindingPart.DETAIL: 0.25,
    FindingPart.RULE: 0.4,
    FindingPart.TOOLS: 0.5,
    FindingPart.SUCCESS: 1.0,
    FindingPart.FAILURE: 0.5,
    FindingPart.EXAMPLE: 0.5,
}
# However long a list is, it is one method; however often somebody says thanks, it worked once.
MOST = {
    FindingPart.STEP: 2.0,
    FindingPart.ACTION: 0.6,
    FindingPart.DETAIL: 0.5,
    FindingPart.RULE: 0.8,
    FindingPart.SUCCESS: 1.0,
    FindingPart.FAILURE: 1.0,
    FindingPart.EXAMPLE: 0.5,
    FindingPart.TOOLS: 0.5,
    FindingPart.CORRECTION: 1.5,
    FindingPart.CHOICE: 1.0,
}
# Of likings and of wishes, which count in full: six of each.
MOST_OF_OTHERS = 6.0
# Strong alone: three things that the user wants or put right, or fewer with a method that was confirmed to work.
STRONG = 3.0
# One of several that are alike: it must say something about how.
COUNTS = 1.0
# A skill whose evidence was retracted goes when less than this is left of it.
ENOUGH = 2.0
# In how many of the user's messages the findings must be.
FEWEST_MESSAGES = 2
_OF_USER = frozenset(
    {
        FindingPart.LIKING,
        FindingPart.WISH,
        FindingPart.CORRECTION,
        FindingPart.CHOICE,
        FindingPart.SUCCESS,
        FindingPart.FAILURE,
    }
)


def compute_weight(reading: TaskReading) -> float:
    """Compute how much the conversation says of how to work: a sum of points by kind of finding, each kind up to a
    limit."""
    total = 0.0
    for part, each in WEIGHTS.items():
        sum_of_part = each * len({finding.text for finding in reading.findings if finding.part == part})
        total += min(sum_of_part, MOST.get(part, MOST_OF_OTHERS))
    return round(total, 2)


def _says(findings: Sequence[Finding]) -> bool:
    """Return whether the user says anything about how, or the assistant shows a way."""
    return any(
        finding.part
        not in {FindingPart.SUCCESS, FindingPart.FAILURE, FindingPart.EXAMPLE, FindingPart.DETAIL}
        for finding in findings
    )


FEWEST_STEPS = FEWEST_ORDERS = 2
_FORBIDS = re.compile(
    r"(?:never|do not|don't|no|avoid|only|always|stop|keep)\b|(?:不|别|勿|只|以后|一律)", re.IGNORECASE
)


def is_task(reading: TaskReading) -> bool:
    """Return whether work was done, or was asked for and then spoken of. What people tell of themselves is no task,
    however many wishes and habits it holds."""
    if reading.purpose:  # a model has read it as one, and says the request in words of its own
        return True
    parts = Counter(finding.part for finding in reading.findings)
    if parts[FindingPart.STEP] >= FEWEST_STEPS or parts[FindingPart.TOOLS] or parts[FindingPart.EXAMPLE]:
        return True
    is_statement = reading.request.startswith("用户")
    if is_statement or not any(
        asks_for_action(text, reading.language) for text in (reading.request, reading.title)
    ):
        return False
    if parts[FindingPart.ACTION] or (parts[FindingPart.SUCCESS] and parts[FindingPart.WISH] >= FEWEST_ORDERS):
        return True
    begins_with_request = reading.asked == reading.first and not _FORBIDS.match(reading.request)
    orders = [
        finding
        for finding in reading.findings
        if finding.part == FindingPart.WISH and not _FORBIDS.match(finding.text)
    ]
    return len(orders) >= FEWEST_ORDERS or (begins_with_request and bool(parts[FindingPart.WISH]))


def is_strong(episode: Known) -> bool:
    """Return whether this conversation alone makes a skill."""
    messages = {finding.at for finding in episode.reading.findings if finding.part in _OF_USER}
    return episode.weight >= STRONG and len(messages) >= FEWEST_MESSAGES and _says(episode.reading.findings)


def suffice_for_skill(episodes: Sequence[Known]) -> bool:
    """Return whether a skill is made of these conversations: one is strong, or several alike are strong together."""
    episodes = [episode for episode in episodes if is_task(episode.reading)]
    if any(is_strong(episode) for episode in episodes):
        return True
    counting = [
        episode for episode in episodes if episode.weight >= COUNTS and _says(episode.reading.findings)
    ]
    return len(counting) > 1 and sum(episode.weight for episode in counting) >= STRONG


def compute_confidence(episodes: Sequence[Known]) -> float:
    """A score from 0.5 to 0.97: it grows with what was said, and with how many conversations it was said in."""
    weight = sum(episode.weight for episode in episodes)
    conversations = len({episode.conversation for episode in episodes})
    doubt = 0.5 * math.exp(-weight / 8) * 0.8 ** max(0, conversations - 1)
    return round(min(0.97, 1 - doubt), 2)
