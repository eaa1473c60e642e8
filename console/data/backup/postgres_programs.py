"""PostgreSQL's own pg_dump and pg_restore, in the version of the server."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from console.configuration import environment
from console.data.backup.values import BackupRefused
from console.embedded.services.postgres import PROGRAMS, VERSION

# Made by `console.embedded.services.roles`, because they want an administrator; a restore finds them there.
_MADE_BEFORE = re.compile(r"^\d+; \d+ \d+ (EXTENSION|SCHEMA|COMMENT - (EXTENSION|SCHEMA)|ACL - SCHEMA) ")


def get_major_version(connection: psycopg.Connection) -> int:
    return connection.info.server_version // 10_000


def find_program(name: str, major: int) -> Path:
    """The program of the server's major version: the bundled one, else one of this machine.

    Raises `BackupRefused` where there is none.
    """
    for path in _iterate_candidates(name, major):
        if path.exists() and _read_version(path) == major:
            return path
    raise BackupRefused(
        f"The database is PostgreSQL {major}, and no {name} of that version was found. Install the "
        f"client of PostgreSQL {major} (Debian: postgresql-client-{major}) or put its folder first in PATH."
    )


def _iterate_candidates(name: str, major: int) -> Iterator[Path]:
    if str(major) == VERSION:
        yield PROGRAMS / name
    if path := shutil.which(name):
        yield Path(path)
    yield Path(f"/usr/lib/postgresql/{major}/bin/{name}")
    yield Path(f"/usr/pgsql-{major}/bin/{name}")


def _read_version(program: Path) -> int:
    output = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30).stdout
    match = re.search(r"\) (\d+)", output)
    return int(match[1]) if match else 0


def dump_database(url: str, snapshot: str, target: Path, major: int) -> None:
    """Writes the whole database as of an exported snapshot. Raises `BackupRefused`."""
    options = ["--format=custom", f"--snapshot={snapshot}", "--no-password", f"--file={target}"]
    _run_program(find_program("pg_dump", major), options, url)


def load_dump(url: str, source: Path, major: int) -> None:
    """Makes all that is in a dump, or nothing. Raises `BackupRefused`."""
    program = find_program("pg_restore", major)
    listed = subprocess.run([program, "--list", source], capture_output=True, text=True)
    if listed.returncode:
        raise BackupRefused(f"The dump cannot be read: {listed.stderr.strip()[-1000:]}")
    with TemporaryDirectory() as folder:
        wanted = Path(folder) / "wanted"
        lines = (line for line in listed.stdout.splitlines() if not _MADE_BEFORE.match(line))
        wanted.write_text("\n".join(lines) + "\n")
        options = ["--single-transaction", "--exit-on-error", "--no-password", f"--use-list={wanted}"]
        _run_program(program, [*options, str(source)], url)


def _run_program(program: Path, options: list[str], url: str) -> None:
    """The password travels in the environment: others on the machine see command lines."""
    parts = conninfo_to_dict(url)
    password = str(parts.pop("password", "") or "")
    variables = {**environment.list_own_variables(), **({"PGPASSWORD": password} if password else {})}
    address = make_conninfo(**{name: str(value) for name, value in parts.items() if value is not None})
    command = [str(program), *options, f"--dbname={address}"]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, umask=0o077)
    if done.returncode:
        raise BackupRefused(f"{program.name} failed: {done.stderr.strip()[-1000:]}")
