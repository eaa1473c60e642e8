"""`python -m console.embedded.bring_up`: brings files, schema and demo tenant up to date, then ends."""

import gc
import sys

from django.core.management import call_command, execute_from_command_line


def main(arguments: list[str]) -> None:
    # The states of all models after each migration: a quarter of the time went into looking for garbage among them.
    gc.disable()
    # Sets Django up by the first command, as manage.py would.
    execute_from_command_line(["manage.py", "migrate", "--database", "owner", "--no-input", "-v", "0"])
    # The checks of a database run only where it is named; migrating has made all others.
    call_command("check", tags=["database"], databases=["default"])
    if "--static" in arguments:
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    call_command("ensure_demo")


if __name__ == "__main__":
    main(sys.argv[1:])
