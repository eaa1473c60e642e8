"""An Engram of its own for each measurement, in a temporary folder, with one developer in it.

Django can be set up only once it has started: so measurements import what needs Django's apps inside their functions.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from console.embedded.stack import Stack


@dataclass(frozen=True, slots=True)
class Developer:
    """Who measures: the key of a project whose plan does not slow the measurement."""

    project_id: str
    api_base: str
    headers: dict[str, str]


@contextmanager
def empty_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="engram-bench-"))
    try:
        yield folder / "data"
    finally:
        shutil.rmtree(folder)


@contextmanager
def installation(**variables: str) -> Iterator[tuple[Stack, Developer]]:
    """A started installation with these settings; this process uses the same database as its web server does."""
    with empty_folder() as folder, Stack(folder, **variables) as stack:
        _use(stack)
        developer = make_developer(stack)
        gc.freeze()  # who measures is not to stop for its own collector
        yield stack, developer


def _use(stack: Stack) -> None:
    os.environ.update(stack.environment)
    os.environ["DJANGO_SETTINGS_MODULE"] = "console.settings"
    import django

    django.setup()


def make_developer(stack: Stack, name: str = "bench") -> Developer:
    """Somebody with an account, a project and a key of their own."""
    from console.embedded.demo.demo import create_tenant

    tenant = create_tenant(f"{name}@example.org", None, "default", "enterprise")
    headers = {"Authorization": f"Token {tenant['api_key']}"}
    return Developer(tenant["project_id"], f"{stack.url}/api/openmem/v1", headers)
