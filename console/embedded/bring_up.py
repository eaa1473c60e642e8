"""`python -m console.embedded.bring_up`: updates static files, schema and demo tenant, then ends.

Hosts that share a database take turns: the second finds everything done.
"""

import gc
import sys
import time

import django
from django.core.checks import Tags
from django.core.management import call_command
from django.db import OperationalError, connections
from django.db.migrations.executor import MigrationExecutor
from psycopg.errors import LockNotAvailable

from console.configuration import environment
from console.embedded.demo import demo_file
from console.embedded.preparation.locks import Lock, LockTaken, hold_lock
from console.embedded.preparation.prepare import DEMO, FIRST_DEMO
from console.embedded.preparation.same_secrets import OtherSecrets, require_same_secrets

PAUSE = 10  # seconds between two tries to migrate
# Objects between two looks for garbage. Migrations make each model anew a hundred times: with Python's 700 the first
# start would spend a quarter of its time looking, without any it would hold 800 MB.
GARBAGE = 100_000
# Those of this host's settings and database. The others are about the code, and would load every page of the console.
CHECKED = [Tags.security, Tags.database]


def main(arguments: list[str]) -> None:
    gc.set_threshold(GARBAGE)
    django.setup()
    if "--static" in arguments:
        # Files of earlier releases stay: their pages may still be open, or served by a host that was not renewed yet.
        call_command("collectstatic", interactive=False, verbosity=0)
    url, timeout = (
        environment.read_database_owner_url(),
        environment.read_number("MIGRATION_WAIT", 1800, 1, 86_400),
    )
    try:
        with hold_lock(url, Lock.START, timeout):
            _migrate_database(url, timeout)
            require_same_secrets(url, environment.list_own_variables())
            call_command("check", tags=CHECKED, databases=["default"])
            if DEMO in arguments or (FIRST_DEMO in arguments and not demo_is_there()):
                call_command("ensure_demo")
    except LockTaken:
        sys.exit(
            f"Another host has been preparing the database, or a backup has been made of it, for {timeout} s. "
            "Start again when it is done; MIGRATION_WAIT sets how many seconds a start waits."
        )
    except OtherSecrets as refusal:
        sys.exit(str(refusal))


def _migrate_database(url: str, timeout: float) -> None:
    """Migrate the database. Only if there is something to migrate does it wait for a running backup."""
    from tenancy.storage.migrating import is_counting  # needs the apps that `main` loads

    executor = MigrationExecutor(connections["owner"])
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()) and is_counting("owner"):
        return
    with hold_lock(url, Lock.SCHEMA, timeout):
        until = time.monotonic() + timeout
        while not _has_migrated(is_last=time.monotonic() >= until):
            print(
                f"A table is in use, by a dump perhaps: the migration is tried again in {PAUSE} s.",
                flush=True,
            )
            time.sleep(PAUSE)


def _has_migrated(is_last: bool) -> bool:
    """Migrate; False when a lock was not granted in time.

    A waiting lock request blocks all later ones, so the owner's role waits for seconds only and tries again. Finished
    migrations stay applied.
    """
    try:
        call_command("migrate", database="owner", interactive=False, verbosity=0)
    except OperationalError as error:
        if is_last or not isinstance(error.__cause__, LockNotAvailable):
            raise
        connections["owner"].close()  # with what the migration that broke off had set
        return False
    return True


def demo_is_there() -> bool:
    from tenancy.models import User  # needs the apps that `main` loads

    return User.objects.filter(email=demo_file.EMAIL).exists()


if __name__ == "__main__":
    main(sys.argv[1:])
