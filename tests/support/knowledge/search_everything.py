"""Looks for a word in every column of every table: what was deleted or hashed must be nowhere."""

from __future__ import annotations

import psycopg
from psycopg import sql

DATABASE = "engram"
# Vectors are left out: they are the most of it, and hold numbers alone.
TABLES = """
SELECT relname, array_agg(attname ORDER BY attnum)
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
 WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
   AND starts_with(relname, %s)
   AND atttypid NOT IN ('integer'::regtype, 'bigint'::regtype, 'boolean'::regtype, 'vector'::regtype)
 GROUP BY relname
"""


def find_places(admin_url: str, *words: str, tables: str = "") -> list[str]:
    """The "table.column" of each hit, as text and as bytes; in all tables, or in those whose names begin with this.

    As a superuser, whom row-level security does not stop.
    """
    assert all(word.isascii() for word in words), "Other letters are not made small here."
    wanted = tuple(form for word in words for form in (word.lower(), word.encode().hex()))
    with psycopg.connect(admin_url, dbname=DATABASE) as connection:
        return [
            f"{table}.{column}"
            for table, columns in connection.execute(TABLES, [tables]).fetchall()
            for column in find_columns(connection, table, columns, wanted)
        ]


def find_columns(
    connection: psycopg.Connection[tuple[object, ...]],
    table: str,
    columns: list[str],
    wanted: tuple[str, ...],
) -> list[str]:
    """The columns with one of these words in small letters; bytes are shown as hexadecimal digits."""
    # By the rules of no language, letters are made small in a fraction of the time.
    small = [sql.SQL('lower({}::text COLLATE "C")').format(sql.Identifier(column)) for column in columns]
    all_columns = sql.SQL(", ").join(small)
    query = sql.SQL("SELECT {} FROM {} WHERE concat_ws(E'\\n', {}) LIKE ANY(%s)")
    named = query.format(all_columns, sql.Identifier(table), all_columns)
    rows = connection.execute(named, [[f"%{word}%" for word in wanted]]).fetchall()
    return [
        column
        for column, values in zip(columns, zip(*rows, strict=True), strict=False)
        if any(word in str(value) for value in values for word in wanted)
    ]


def list_rows(admin_url: str, table: str, project_id: str) -> list[str]:
    """All rows of a project in that table, as text, in an order of their own."""
    with psycopg.connect(admin_url, dbname=DATABASE) as connection:
        query = sql.SQL("SELECT t::text FROM {} t WHERE project_id = %s ORDER BY 1")
        return [str(row[0]) for row in connection.execute(query.format(sql.Identifier(table)), [project_id])]
