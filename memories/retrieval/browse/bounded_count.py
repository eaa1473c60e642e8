"""Counts that stop at a bound, so that one busy end user makes no page slow."""

from __future__ import annotations

from typing import Any

from django.db.models import IntegerField, QuerySet, Subquery


class BoundedCount(Subquery):
    """Number of rows that a query has for the row around it, at most `most` + 1: that one more says that there are
    others."""

    template = "(SELECT count(*) FROM (%(subquery)s) AS bounded)"
    output_field = IntegerField()

    def __init__(self, rows: QuerySet[Any], most: int) -> None:
        super().__init__(rows.order_by().values("pk")[: most + 1])


def count_up_to(rows: QuerySet[Any], most: int) -> int:
    """Count how many rows there are, at most `most` + 1."""
    return rows.order_by()[: most + 1].count()
