"""What a backup reads of the database itself: counts of rows, and which stored files rows name."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
from psycopg import sql

from console.data.backup.values import BackupRefused

_TABLES = """
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
AND NOT relispartition ORDER BY relname
"""
# Every model with a stored file has a column of this name.
_WITH_FILES = """
SELECT relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
AND attname = 'storage_key' AND NOT attisdropped ORDER BY relname
"""
_SEES_ALL = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
_BATCH = 5_000


def require_sight(connection: psycopg.Connection) -> None:
    """Row-level security would hide rows from another role, and a backup without them would look whole."""
    if connection.execute(_SEES_ALL).fetchone() != (True,):
        raise BackupRefused(
            "The role of DATABASE_BACKUP_URL does not see every row. Give it a role with BYPASSRLS "
            "that may read every table, such as engram_backup (docs/operating.md)."
        )


def list_tables(connection: psycopg.Connection) -> list[str]:
    return [str(name) for (name,) in connection.execute(_TABLES)]


def count_rows(connection: psycopg.Connection) -> dict[str, int]:
    """Count the rows of every table; those of partitions count for their table."""
    counts = {}
    for name in list_tables(connection):
        row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name))).fetchone()
        counts[name] = int(row[0]) if row else 0
    return counts


def list_applied_migrations(connection: psycopg.Connection) -> list[str]:
    """As `app.name`, sorted."""
    rows = connection.execute("SELECT app || '.' || name FROM django_migrations ORDER BY app, name")
    return [str(name) for (name,) in rows]


def iterate_stored_files(connection: psycopg.Connection) -> Iterator[str]:
    """Each storage key that a row names, once."""
    named = [str(name) for (name,) in connection.execute(_WITH_FILES)]
    select = sql.SQL("SELECT storage_key FROM {} WHERE storage_key <> ''")
    query = sql.SQL(" UNION ").join(select.format(sql.Identifier(name)) for name in named)
    with connection.cursor("stored_files") as cursor:
        cursor.itersize = _BATCH
        for (key,) in cursor.execute(query + sql.SQL(" ORDER BY 1")):
            yield str(key)
