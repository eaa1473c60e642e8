"""Storage of the installation: tables, daily partitions of the log, accounts, free space.

Sizes are what PostgreSQL knows of its files; no row of a tenant is read for them.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.operators.figures import build_account_rows
from console.pages.operators.guard import operator_page, show_operator
from console.ui.lists.paging import load_page
from tenancy.models import Account

PAGE = 25
# A table with parts has no size of its own: its parts are added up.
TABLES = """
SELECT coalesce(parent.relname, relation.relname) AS name, sum(pg_table_size(relation.oid))::bigint,
       sum(pg_indexes_size(relation.oid))::bigint, sum(greatest(relation.reltuples, 0))::bigint
  FROM pg_class relation LEFT JOIN pg_inherits ON inhrelid = relation.oid
       LEFT JOIN pg_class parent ON parent.oid = inhparent
 WHERE relation.relkind = 'r' AND relation.relnamespace = 'public'::regnamespace
 GROUP BY 1 ORDER BY sum(pg_total_relation_size(relation.oid)) DESC LIMIT 20
"""
DAYS = """
SELECT relation.relname, pg_table_size(relation.oid), pg_indexes_size(relation.oid),
       greatest(relation.reltuples, 0)::bigint
  FROM pg_inherits JOIN pg_class relation ON relation.oid = inhrelid
 WHERE inhparent = 'tenancy_requestlog'::regclass ORDER BY relation.relname DESC
"""
WHOLE = "SELECT pg_database_size(current_database())"


@dataclass(frozen=True, slots=True)
class TableSize:
    """`rows` is PostgreSQL's own estimate."""

    name: str
    data: int
    indexes: int
    rows: int

    @property
    def whole(self) -> int:
        return self.data + self.indexes


@dataclass(frozen=True, slots=True)
class Disk:
    name: str
    total: int
    free: int

    @property
    def percent(self) -> int:
        # Some mounts report no size at all.
        return round(100 * (self.total - self.free) / self.total) if self.total else 0


@operator_page("tenancy.view_account")
@require_safe
def storage(request: HttpRequest) -> HttpResponse:
    page = load_page(request, Account.objects.select_related("plan"), size=PAGE)
    context = {
        "tables": _load_tables(TABLES),
        "days": [day for day in _load_tables(DAYS) if day.rows or day.data],
        "whole": _query_rows(WHOLE)[0][0],
        "disks": _list_disks(),
        "rows": build_account_rows(page.rows),
        "caption": _("Newest first"),
        "previous_url": page.first_url,
        "next_url": page.next_url,
    }
    return show_operator(request, "storage", _("Storage"), context)


def _load_tables(statement: str) -> list[TableSize]:
    return [TableSize(*row) for row in _query_rows(statement)]


def _list_disks() -> list[Disk]:
    """List the disks of this web process: that of the data folder and that of spooled bodies."""
    places: dict[str, str | Path] = {
        _("Data folder"): settings.DATA_FOLDER,
        _("Temporary files"): tempfile.gettempdir(),
    }
    usages = {name: shutil.disk_usage(place) for name, place in places.items()}
    return [Disk(name, usage.total, usage.free) for name, usage in usages.items()]


def _query_rows(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()
