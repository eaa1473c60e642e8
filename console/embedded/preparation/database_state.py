"""Whether the database is as the last start left it, which spares loading Django to find that out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import psycopg
from psycopg.conninfo import conninfo_to_dict

from console.embedded.demo import demo_file

# What migrating, checking and making the demo tenant would look at.
_STATE = """
SELECT (SELECT string_agg(app || '.' || name, ' ' ORDER BY app, name) FROM django_migrations),
       (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = %s),
       EXISTS (SELECT FROM tenancy_user WHERE email = %s)
"""
CONNECT_TIMEOUT = 10


def hash_database_state(variables: Mapping[str, str]) -> str:
    """Equal while nothing changed that preparing the database would see to. Empty for one that was never prepared, or
    that cannot be asked: who prepares it says why."""
    try:
        role = conninfo_to_dict(variables["DATABASE_URL"])["user"]
        with psycopg.connect(variables["DATABASE_OWNER_URL"], connect_timeout=CONNECT_TIMEOUT) as connection:
            row = connection.execute(_STATE, [role, demo_file.EMAIL]).fetchone()
    except (KeyError, psycopg.ProgrammingError):
        return ""
    return hashlib.sha256(repr(row).encode()).hexdigest()
