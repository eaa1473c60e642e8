"""`python -m console.embedded [all|web|worker|files|beat]`: Engram on this machine, or a part of it, until Ctrl-C."""

import argparse
import logging
import os
import sys

import psycopg
from django.core.exceptions import ImproperlyConfigured

from console.configuration import environment
from console.embedded.folder import StartRefused
from console.embedded.preparation.same_secrets import OtherSecrets
from console.embedded.process_plan import ProcessRole
from console.embedded.supervisor import Supervisor

HELP = "which processes: all of them, or those of one kind, which need outside services"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m console.embedded", description=__doc__)
    parser.add_argument(
        "role", nargs="?", type=ProcessRole, choices=list(ProcessRole), default=ProcessRole.ALL, help=HELP
    )
    role: ProcessRole = parser.parse_args().role
    os.umask(0o077)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        Supervisor(environment.read_data_folder(), role).run()
    except (StartRefused, OtherSecrets, ImproperlyConfigured, psycopg.OperationalError) as refusal:
        print(f"Engram cannot start: {refusal}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
