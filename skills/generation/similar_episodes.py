"""Group the episodes of one end user that are of one kind: by object, by words, by vectors."""

from __future__ import annotations

from collections.abc import Sequence

from memories.text.topics.topics import find_topics
from memories.text.words.tokenize import extract_keywords
from skills.reading.findings import Known

# How near two requests must be: by meaning alone, with the same topic, or with shared words of what they are about.
# Requests in Chinese are nearer to each other from the start.
NEAR = {"en": 0.93, "zh": 0.94}
NEAR_OF_TOPIC, NEAR_WITH_WORDS = 0.90, 0.86
SHARED = 0.5


def are_alike(episode: Known, other: Known) -> bool:
    mine, theirs = episode.reading.domain, other.reading.domain
    if mine and mine == theirs:
        return True
    cosine = _compute_cosine(episode, other)
    if cosine >= NEAR.get(episode.reading.language, NEAR["en"]):
        return True
    if cosine >= NEAR_OF_TOPIC and find_task_topics(episode) & find_task_topics(other):
        return True
    return cosine >= NEAR_WITH_WORDS and _compute_overlap(episode, other) >= SHARED


def find_group(episode: Known, groups: Sequence[Sequence[Known]]) -> int | None:
    """The first group that the episode is like most of; older groups first, so that no twin arises."""
    for place, group in enumerate(groups):
        if 2 * sum(are_alike(episode, other) for other in group) >= len(group) > 0:
            return place
    return None


def _compute_cosine(episode: Known, other: Known) -> float:
    """The product of two vectors of unit length, -1 to 1; 0 where there is none or they are of different models."""
    if episode.vector is None or other.vector is None or len(episode.vector) != len(other.vector):
        return 0.0
    return float(sum(left * right for left, right in zip(episode.vector, other.vector, strict=True)))


def find_task_topics(episode: Known) -> set[int]:
    """The best covered topic of what was asked for."""
    reading = episode.reading
    return set(find_topics(extract_keywords(f"{reading.domain} {reading.title} {reading.request}"))[:1])


def _compute_overlap(episode: Known, other: Known) -> float:
    """The overlap coefficient (Szymkiewicz-Simpson) of their topic words: 0 to 1."""
    mine, theirs = get_topic_words(episode), get_topic_words(other)
    return len(mine & theirs) / max(1, min(len(mine), len(theirs)))


_DULL = frozenset(
    """user write help need want make give please can could new plan good let ask go get know use tell show explain
    用户 帮 写 做 想 要 需要 一个 请 给 帮忙 下 怎么""".split()
)


def get_topic_words(episode: Known) -> set[str]:
    """Return what the request is about, without the words that every request has."""
    return set(extract_keywords(episode.reading.about)) - set(extract_keywords(" ".join(_DULL))) - _DULL
