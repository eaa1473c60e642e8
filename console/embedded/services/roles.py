"""The database's roles and rights. Everything here may run again at every start."""

from urllib.parse import quote, urlencode

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

# engram_owner migrates, engram_app serves (row-level security binds it), engram_sweep claims tasks (migrations
# grant it that one table), engram_backup reads all rows for a dump.
ROLES = {
    "engram_owner": "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS",
    "engram_app": "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS",
    "engram_sweep": "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS",
    "engram_backup": "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE BYPASSRLS",
}

LIMITS = {
    "engram_owner": {"lock_timeout": "3s"},
    "engram_app": {
        "statement_timeout": "10s",
        "lock_timeout": "10s",
        "idle_in_transaction_session_timeout": "10s",
    },
    "engram_sweep": {
        "statement_timeout": "10s",
        "lock_timeout": "10s",
        "idle_in_transaction_session_timeout": "10s",
    },
    "engram_backup": {"default_transaction_read_only": "on"},
}

RIGHTS = """
GRANT CONNECT ON DATABASE {database} TO engram_owner, engram_app, engram_sweep, engram_backup;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO engram_owner;
GRANT USAGE ON SCHEMA public TO engram_app, engram_sweep, engram_backup;
ALTER DEFAULT PRIVILEGES FOR ROLE engram_owner IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO engram_app;
ALTER DEFAULT PRIVILEGES FOR ROLE engram_owner IN SCHEMA public
    GRANT USAGE, SELECT ON SEQUENCES TO engram_app;
ALTER DEFAULT PRIVILEGES FOR ROLE engram_owner IN SCHEMA public GRANT SELECT ON TABLES TO engram_backup;
ALTER DEFAULT PRIVILEGES FOR ROLE engram_owner IN SCHEMA public GRANT SELECT ON SEQUENCES TO engram_backup;
"""


def create_roles(admin_url: str, passwords: dict[str, str]) -> None:
    with psycopg.connect(admin_url, autocommit=True) as connection:
        for role, attributes in ROLES.items():
            _create_role(connection, role, attributes)
            _set_password(connection, role, passwords[role])
            for name, value in LIMITS[role].items():
                statement = sql.SQL("ALTER ROLE {} SET {} = {}")
                connection.execute(statement.format(sql.Identifier(role), sql.Identifier(name), value))


def _create_role(connection: psycopg.Connection, role: str, attributes: str) -> None:
    known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    verb = sql.SQL("ALTER" if known else "CREATE")
    connection.execute(sql.SQL("{} ROLE {} {}").format(verb, sql.Identifier(role), sql.SQL(attributes)))


def _set_password(connection: psycopg.Connection, role: str, password: str) -> None:
    """Sends the digest, never the password: statements may be logged."""
    digest = connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), digest))


def create_database(admin_url: str, database: str) -> None:
    """A database that engram_owner may migrate and engram_app may use."""
    with psycopg.connect(admin_url, autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
            statement = sql.SQL("CREATE DATABASE {} OWNER engram_owner")
            connection.execute(statement.format(sql.Identifier(database)))
            closed = sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC")
            connection.execute(closed.format(sql.Identifier(database)))
    with psycopg.connect(admin_url, dbname=database, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        _mark_text_match_leakproof(connection)
        connection.execute(sql.SQL(RIGHTS).format(database=sql.Identifier(database)))


def _mark_text_match_leakproof(connection: psycopg.Connection) -> None:
    """Declare the text search operator leakproof, so that indexes work under row-level security.

    There an index answers only comparisons that cannot reveal hidden rows. Comparing a text's words with a query's
    depends on these two alone and raises nothing with their content, but PostgreSQL does not declare it so, and an
    administrator who is no superuser may not.
    """
    if connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone() == (True,):
        connection.execute("ALTER FUNCTION pg_catalog.ts_match_vq(tsvector, tsquery) LEAKPROOF")


def is_superuser(url: str) -> bool:
    """Return whether the URL belongs to an administrator, for whom row-level security does not apply."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
    return bool(row and row[0])


def roles_exist(url: str) -> bool:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = ANY(%s)", [list(ROLES)]).fetchone()
    return row is not None


def build_role_url(admin_url: str, role: str, password: str, database: str) -> str:
    """The administrator's URL with another role, password and database."""
    parts = {name: str(value) for name, value in conninfo_to_dict(admin_url).items()}
    for name in ("user", "password", "dbname"):
        parts.pop(name, None)
    user = f"{quote(role, safe='')}:{quote(password, safe='')}"
    return f"postgresql://{user}@/{quote(database, safe='')}?{urlencode(parts, quote_via=quote)}"
