"""Check that this host has the same secrets as the others that share its database.

A host with other secrets would sign what they refuse and hash keys that they do not know, silently. So the database
keeps a fingerprint of the secret that was used last of each kind, and a host that does not have it is not started.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from hashlib import scrypt
from pathlib import Path

import psycopg

from console.configuration import environment

# Each may be a list: the first signs, the others are accepted.
ACCEPTS_MORE = {"SECRET_KEY": "SECRET_KEY_FALLBACKS"}
COMPARED = ("SECRET_KEY", "KEY_PEPPERS", "ENCRYPTION_KEYS")
_THERE = "SELECT to_regclass('public.tenancy_secretfingerprint') IS NOT NULL"
_KNOWN = "SELECT name, salt, digest FROM tenancy_secretfingerprint"
_NOTE = """
INSERT INTO tenancy_secretfingerprint (name, salt, digest) VALUES (%s, %s, %s)
ON CONFLICT (name) DO UPDATE SET salt = excluded.salt, digest = excluded.digest, noted_at = now()
"""


class OtherSecrets(Exception):
    """A secret of this host is not that of the others; the text says which and what to do."""


def compute_fingerprint(value: str, salt: bytes) -> str:
    """Slow on purpose: a weak secret must not be guessed from it. Some 30 ms and 8 MB."""
    return scrypt(value.encode(), salt=salt, n=2**13, r=8, p=1, dklen=16).hex()


def require_same_secrets(owner_url: str, variables: Mapping[str, str]) -> None:
    """Compares, and notes what is used from now on. Raises `OtherSecrets`.

    What was noted last is what another host signs with: this one must have it, be it as one that it merely accepts.
    With ACCEPT_SECRETS=true nothing is compared.
    """
    with psycopg.connect(owner_url, connect_timeout=10) as connection:
        if connection.execute(_THERE).fetchone() != (True,):
            return  # never migrated: the migrating host compares
        known = {name: (salt, digest) for name, salt, digest in connection.execute(_KNOWN)}
        accepts = (_read_value("ACCEPT_SECRETS", variables) or "false").lower() == "true"
        for name in COMPARED:
            _compare_secret(connection, name, _read_values(name, variables), known.get(name), accepts)


def _compare_secret(
    connection: psycopg.Connection, name: str, values: list[str], known: tuple[str, str] | None, accepts: bool
) -> None:
    if known and not accepts:
        salt = bytes.fromhex(known[0])
        digests = [compute_fingerprint(value, salt) for value in values]
        if known[1] not in digests:
            raise OtherSecrets(
                f"{name} is not the one that this database was last used with. Give this host the {name} of the "
                "others (docs/operating.md, Secrets). To change it for all, start once with ACCEPT_SECRETS=true."
            )
        if known[1] == digests[0]:
            return
    if values:
        salt = secrets.token_bytes(16)
        connection.execute(_NOTE, [name, salt.hex(), compute_fingerprint(values[0], salt)])


def _read_values(name: str, variables: Mapping[str, str]) -> list[str]:
    more = ACCEPTS_MORE.get(name)
    if more is None:
        return environment.split_list(_read_value(name, variables))
    return [
        value
        for value in (_read_value(name, variables), *environment.split_list(_read_value(more, variables)))
        if value
    ]


def _read_value(name: str, variables: Mapping[str, str]) -> str:
    if value := variables.get(name):
        return value.strip()
    file = variables.get(f"{name}_FILE")
    return Path(file).read_text().strip() if file else ""
