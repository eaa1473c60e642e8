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
   AND atttypid NOT IN ('integer'::regtype, 'bigint'::regtype, 'boolean'::regtype, 'vector'::regtype)
 GROUP BY relname
"""


def find_places(admin_url: str, word: str) -> list[str]:
    """The "table.column" of each hit, as text and as bytes. As a superuser, whom row-level security does not stop."""
    with psycopg.connect(admin_url, dbname=DATABASE) as connection:
        return [
            f"{table}.{column}"
            for table, columns in connection.execute(TABLES).fetchall()
            if is_in(connection, table, columns, word)
            for column in columns
            if is_in(connection, table, [column], word)
        ]


def is_in(
    connection: psycopg.Connection[tuple[object, ...]], table: str, columns: list[str], word: str
) -> bool:
    """Bytes are shown as hexadecimal digits, so the word is looked for in these too."""
    texts = sql.SQL(", ").join(sql.SQL("{}::text").format(sql.Identifier(column)) for column in columns)
    query = sql.SQL("SELECT 1 FROM {} WHERE concat_ws(E'\\n', {}) ILIKE ANY(%s) LIMIT 1")
    named = query.format(sql.Identifier(table), texts)
    return connection.execute(named, [[f"%{word}%", f"%{word.encode().hex()}%"]]).fetchone() is not None


def list_rows(admin_url: str, table: str, project_id: str) -> list[str]:
    """All rows of a project in that table, as text, in an order of their own."""
    with psycopg.connect(admin_url, dbname=DATABASE) as connection:
        query = sql.SQL("SELECT t::text FROM {} t WHERE project_id = %s ORDER BY 1")
        return [str(row[0]) for row in connection.execute(query.format(sql.Identifier(table)), [project_id])]
