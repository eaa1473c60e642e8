"""Which episodes of one end user are of one kind: by domain, by words, by meaning."""

from __future__ import annotations

from collections.abc import Sequence

from memories.text.tokenize import extract_keywords
from skills.induction.domains import OTHER, domain_of
from skills.induction.values import Known, Part

# Of requests within a broad domain, such as code: what they are about must be near, or told in the same words.
NEAR, SHARED = 0.91, 0.34
# Where nothing else tells, both.
NEAR_UNNAMED, SHARED_UNNAMED = 0.88, 0.25


def are_alike(one: Known, other: Known) -> bool:
    if one.reading.domain != other.reading.domain:
        return False
    domain = domain_of(one.reading.domain)
    if not domain.is_broad:
        return True
    cosine, share = _cosine(one, other), _share(one, other)
    if domain.key == OTHER:
        return cosine >= NEAR_UNNAMED and share >= SHARED_UNNAMED
    return cosine >= NEAR or share >= SHARED


def find_group(episode: Known, groups: Sequence[Sequence[Known]]) -> int | None:
    """The first group that the episode is like most of; older groups first, so that no twin arises."""
    for place, group in enumerate(groups):
        if 2 * sum(are_alike(episode, other) for other in group) >= len(group) > 0:
            return place
    return None


def _cosine(one: Known, other: Known) -> float:
    if one.vector is None or other.vector is None or len(one.vector) != len(other.vector):
        return 0.0
    return float(sum(left * right for left, right in zip(one.vector, other.vector, strict=True)))


def _share(one: Known, other: Known) -> float:
    mine, theirs = topic_words(one), topic_words(other)
    return len(mine & theirs) / max(1, min(len(mine), len(theirs)))


_DULL = frozenset(
    """user write help need want make give please can could new plan good let ask go get know use tell show explain
    用户 帮 写 做 想 要 需要 一个 请 给 帮忙 下 怎么""".split()
)


def topic_words(episode: Known) -> set[str]:
    """What the request is about, without the words that every request has."""
    return set(extract_keywords(episode.reading.about)) - set(extract_keywords(" ".join(_DULL))) - _DULL


def said_parts(episode: Known) -> set[Part]:
    return {one.part for one in episode.reading.findings}
