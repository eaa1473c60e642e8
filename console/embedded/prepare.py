"""What must be done once before the processes start: management commands, each in its own process."""

import hashlib
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from console.embedded.folder import DataFolder, StartRefused
from console.embedded.process import end_with

PROJECT = Path(__file__).resolve().parents[2]


def migrate(variables: Mapping[str, str]) -> None:
    _command(variables, "migrate", "--database", "owner", "--no-input", "-v", "0")


def ensure_demo(variables: Mapping[str, str]) -> None:
    _command(variables, "ensure_demo")


def collect_static(folder: DataFolder, variables: Mapping[str, str]) -> None:
    """Only when something changed: it costs seconds."""
    stamp = folder.path / "static.stamp"
    current = _state_of_static_files()
    if not stamp.exists() or stamp.read_text() != current:
        _command(variables, "collectstatic", "--no-input", "--clear", "-v", "0")
        folder.write_private(stamp, current)


def _state_of_static_files() -> str:
    digest = hashlib.sha256((PROJECT / "requirements.txt").read_bytes())
    for path in sorted((PROJECT / "static").rglob("*")):
        about = path.stat()
        digest.update(f"{path.relative_to(PROJECT)} {about.st_mtime_ns} {about.st_size}\n".encode())
    return digest.hexdigest()


def _command(variables: Mapping[str, str], *arguments: str) -> None:
    """What the command says is shown only when it fails."""
    result = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        env=variables,
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
        preexec_fn=end_with(),
    )
    if result.returncode:
        raise StartRefused(f"manage.py {arguments[0]} failed:\n{result.stdout.strip()}")
