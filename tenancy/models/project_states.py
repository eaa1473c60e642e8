"""Where a project is in its life: at work, archived, or being deleted."""

from __future__ import annotations

from typing import Any, Self

from django.db import models


class ProjectQuerySet(models.QuerySet[Any]):
    def here(self) -> Self:
        """Those that people may still open: nobody may what is being deleted."""
        return self.filter(deleting_at=None)

    def at_work(self) -> Self:
        """Those that are neither archived nor on their way out."""
        return self.filter(deleting_at=None, archived_at=None)
