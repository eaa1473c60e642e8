"""Runs programs in the environment of the agent frameworks, against the running installation."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.support.api_client import Tenant

ROOT = Path(__file__).parents[3]


def find_environment(name: str = "python") -> str:
    """The Python that has frameworks, or the folder that has them for Node; installs them where they are missing."""
    return subprocess.run(
        [str(ROOT / ".ci/adapters"), name], check=True, capture_output=True, text=True
    ).stdout.strip()


def run_program(python: str, program: str, tenant: Tenant, *, url: str = "", **more: str) -> Any:
    """What the program prints as its last line, which is JSON. `more` is added to its environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ENGRAM_", "LANG"))}
    environment = {
        **kept,
        "PYTHONPATH": str(ROOT / "clients/python"),
        "ENGRAM_API_KEY": tenant.key,
        "ENGRAM_BASE_URL": url or tenant.url,
        "NO_PROXY": "*",
        "PYTHONUTF8": "1",
        "CREWAI_DISABLE_TELEMETRY": "true",  # which waits for a network
        **more,
    }
    done = subprocess.run(
        [python, "-c", program], capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])
