"""The score of a project's memory health, cached: reviewing thousands of memories takes up to a second."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.cache import cache

from memories.retrieval.browse.health import Review, review_memories
from tenancy.models import Project

KEPT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class HealthScore:
    """Result of a review of the newest memories; `score` is of 100."""

    score: int
    reviewed: int
    to_review: int


def cache_score(project: Project, review: Review) -> HealthScore:
    """Cache the score of a review of the newest memories."""
    score = HealthScore(review.score, review.reviewed, review.to_review)
    if score.reviewed:  # the first memories are shown as soon as they are there
        cache.set(_build_cache_key(project), score, KEPT_SECONDS)
    return score


def get_cached_score(project: Project) -> HealthScore | None:
    score: HealthScore | None = cache.get(_build_cache_key(project))
    return score


def load_health_score(project: Project) -> HealthScore:
    """The cached score, or that of a new review. Inside the project's tenant scope."""
    return get_cached_score(project) or cache_score(project, review_memories(project))


def _build_cache_key(project: Project) -> str:
    return f"health_score:{project.pk}"  # not the key of releases whose pickled class was in another module
