"""`manage.py error_catalogue --markdown > docs/errors.md`: every failure that the API names."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from tenancy.errors import CatalogueError, list_errors

HEAD = """\
# Errors

Made by `manage.py error_catalogue --markdown` from `tenancy/errors.py`; a test compares the two.

An answer that is no success has the same envelope as every other: `code` is one of the numbers below, `data` is null,
and `message` is the sentence of the table, followed by the field and the reason where there is one. The header
`X-Engram-Remedy` repeats what to do, `X-Request-Id` names the request for the console's logs, and `Retry-After` says
after how many seconds a refused request may come again.

The HTTP status is 400 for what the caller can put right, 401 for keys, 429 for rates and quotas over time, and 5xx for
faults of the server. Codes that the contract reserves and this release never sends are listed too, because clients know
them.

| code | HTTP | message | what to do |
| ---: | ---: | --- | --- |
"""
TAIL = """
Some codes come with another status where HTTP has a word of its own for the case:

| code | HTTP | message | what to do |
| ---: | ---: | --- | --- |
"""


class Command(BaseCommand):
    help = "Lists the error catalogue: as lines, or as the page of the documentation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--markdown", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["markdown"]:
            self.stdout.write(as_markdown(), ending="")
        else:
            for entry in list_errors():
                self.stdout.write(f"{entry.code} {entry.status} {entry.message}")


def as_markdown() -> str:
    """The text of `docs/errors.md`."""
    # Of this page's own module: an app's refinement of a failure is listed like the failure.
    variants = [other for entry in list_errors() for other in entry.__subclasses__()]
    special = [other for other in variants if other.__module__ == CatalogueError.__module__]
    return HEAD + _write_rows(list_errors()) + TAIL + _write_rows(special)


def _write_rows(entries: list[type[CatalogueError]]) -> str:
    return "".join(
        f"| {entry.code} | {entry.status} | {entry.message} | {_write_remedy(entry)} |\n" for entry in entries
    )


def _write_remedy(entry: type[CatalogueError]) -> str:
    return entry.remedy if entry.is_sent else "Nothing: reserved by the contract, never sent."
