"""Database triggers that count stored bytes in the transaction that writes or deletes them.

Deleting is spread over many places, cascades of the database among them; a count kept by each of them would be wrong
as soon as one forgot it.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db.backends.utils import CursorWrapper

from tenancy.storage.counted_tables import STORED_TABLES, StoredTable

FUNCTION = "CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ {source} $$"
COUNT = """
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO tenancy_storedchange (id, account_id, "table", bytes)
        SELECT gen_random_uuid(), account_id, TG_TABLE_NAME, sum({size})
          FROM new_rows GROUP BY account_id HAVING sum({size}) <> 0;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO tenancy_storedchange (id, account_id, "table", bytes)
        SELECT gen_random_uuid(), account_id, TG_TABLE_NAME, -sum({size})
          FROM old_rows GROUP BY account_id HAVING sum({size}) <> 0;
    ELSE
        INSERT INTO tenancy_storedchange (id, account_id, "table", bytes)
        SELECT gen_random_uuid(), account_id, TG_TABLE_NAME, sum(bytes) FROM (
            SELECT account_id, {size} AS bytes FROM new_rows
            UNION ALL SELECT account_id, -({size}) FROM old_rows) AS both_rows
         GROUP BY account_id HAVING sum(bytes) <> 0;
    END IF;
    RETURN NULL;
END
"""
TRIGGER = """
CREATE TRIGGER stored_{event} AFTER {event} ON {table} REFERENCING {rows}
FOR EACH STATEMENT EXECUTE FUNCTION {name}()
"""
ROWS = {
    "insert": "NEW TABLE AS new_rows",
    "update": "OLD TABLE AS old_rows NEW TABLE AS new_rows",
    "delete": "OLD TABLE AS old_rows",
}
NAMES = [f"stored_{event}" for event in ROWS]


def list_outdated_tables(cursor: CursorWrapper) -> list[StoredTable]:
    """Tables whose triggers are missing or out of date."""
    cursor.execute(
        "SELECT relname, prosrc, count(*) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
        " JOIN pg_proc ON pg_proc.oid = tgfoid WHERE tgname = ANY(%s) AND NOT tgisinternal GROUP BY 1, 2",
        [NAMES],
    )
    there = {(table, source.strip()) for table, source, events in cursor.fetchall() if events == len(NAMES)}
    return [table for table in STORED_TABLES if (table.name, _write_trigger_source(table)) not in there]


def install_triggers(cursor: CursorWrapper, tables: Iterable[StoredTable]) -> None:
    for table in tables:
        name = f"tenancy_count_{table.name}"
        cursor.execute(FUNCTION.format(name=name, source=_write_trigger_source(table)))
        for event, rows in ROWS.items():
            cursor.execute(f"DROP TRIGGER IF EXISTS stored_{event} ON {table.name}")
            cursor.execute(TRIGGER.format(event=event, table=table.name, rows=rows, name=name))


def drop_triggers(cursor: CursorWrapper) -> None:
    """Migrations may change the columns that triggers read; afterwards everything is counted anew."""
    cursor.execute(
        "SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE tgname = ANY(%s) AND NOT tgisinternal",
        [NAMES],
    )
    for name, table in cursor.fetchall():
        cursor.execute(f"DROP TRIGGER {name} ON {table}")


def _write_trigger_source(table: StoredTable) -> str:
    return COUNT.format(size=table.size).strip()
