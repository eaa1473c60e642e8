"""Reports which sandbox restrictions of parsers this machine lacks, for operators."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

log = logging.getLogger(__name__)

_SCRIPT = Path(__file__).with_name("confine.py")
_SECONDS = 10
RESTRICTIONS = ("user", "no_new_privs", "landlock", "seccomp", "network")
_logged: set[str] = set()


@cache
def list_missing_restrictions() -> tuple[str, ...]:
    """Names from `RESTRICTIONS` that this machine lacks; all of them where the probing process fails.

    Found out once, by a process that confines itself as parsers do.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(_SCRIPT)], env={}, capture_output=True, check=True, timeout=_SECONDS
        )
        return tuple(json.loads(done.stdout))
    except (OSError, subprocess.SubprocessError, ValueError):
        return RESTRICTIONS


def note_refused(restrictions: object) -> None:
    """Logs what a child says of itself, each missing restriction once per process. What it says is not trusted."""
    named = restrictions if isinstance(restrictions, Collection) else ()
    for restriction in RESTRICTIONS:
        if restriction in named and restriction not in _logged:
            _logged.add(restriction)
            log.warning("parser_sandbox_refused", extra={"restriction": restriction})
