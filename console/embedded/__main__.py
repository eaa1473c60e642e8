"""`python -m console.embedded`: the whole of Engram on this machine, until Ctrl-C."""

import logging
import os
import sys

import psycopg
from django.core.exceptions import ImproperlyConfigured

from console import environment
from console.embedded.folder import StartRefused
from console.embedded.same_secrets import OtherSecrets
from console.embedded.supervisor import Supervisor


def main() -> int:
    os.umask(0o077)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        Supervisor(environment.data_folder()).run()
    except (StartRefused, OtherSecrets, ImproperlyConfigured, psycopg.OperationalError) as refusal:
        print(f"Engram cannot start: {refusal}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
