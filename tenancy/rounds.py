"""Rounds by the clock over many projects: one that makes trouble does not keep the others from theirs."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import DatabaseError

from tenancy.models import Project
from tenancy.project_states import ProjectQuerySet

log = logging.getLogger(__name__)


def round_of(name: str, projects: ProjectQuerySet, work: Callable[[Project], int]) -> int:
    """The sum of what `work` did. In random order, because a round may be cut short: else those behind a large project
    would never have their turn. What the database or the store of files refuses is logged and left to the next round.
    """
    done = 0
    for project in projects.order_by("?").iterator():
        try:
            done += work(project)
        except (DatabaseError, OSError) as trouble:
            extra = {"round": name, "project": str(project.pk), "fault": type(trouble).__name__}
            log.error("round_left_out_a_project", extra=extra)
    return done
