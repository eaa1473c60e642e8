"""Engram's own version, as `pyproject.toml` names it."""

from __future__ import annotations

import tomllib
from functools import cache

from django.conf import settings


@cache
def read_own_version() -> str:
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])
