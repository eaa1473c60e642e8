"""Looks for a word in every column of every table: what was deleted or hashed must be nowhere."""

from __future__ import annotations

import psycopg
from psycopg import sql

DATABASE = "engram"
COLUMNS = """
SELECT table_name, column_name FROM information_schema.columns JOIN information_schema.tables
 USING (table_schema, table_name)
 WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND data_type NOT IN ('integer', 'bigint', 'boolean')
"""


def places_of(admin_url: str, word: str) -> list[str]:
    """The "table.column" of each hit, as text and as raw bytes. Read as a superuser, whom no wall stops."""
    with psycopg.connect(admin_url, dbname=DATABASE) as connection:
        columns = connection.execute(COLUMNS).fetchall()
        return [f"{table}.{column}" for table, column in columns if is_in(connection, table, column, word)]


def is_in(connection: psycopg.Connection[tuple[object, ...]], table: str, column: str, word: str) -> bool:
    """Bytes are shown as hexadecimal digits, so the word is looked for in these too."""
    query = sql.SQL("SELECT 1 FROM {} WHERE {}::text ILIKE ANY(%s) LIMIT 1")
    named = query.format(sql.Identifier(table), sql.Identifier(column))
    return connection.execute(named, [[f"%{word}%", f"%{word.encode().hex()}%"]]).fetchone() is not None


def rows_of(admin_url: str, table: str, project_id: str) -> list[str]:
    """All rows of a project in that table, as text, in an order of their own."""
    with psycopg.connect(admin_url, dbname=DATABASE) as connection:
        query = sql.SQL("SELECT t::text FROM {} t WHERE project_id = %s ORDER BY 1")
        return [str(row[0]) for row in connection.execute(query.format(sql.Identifier(table)), [project_id])]
