"""Prepare a start: static files, migrations, demo tenant. What is done already is skipped."""

import hashlib
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from console.embedded.demo import demo_file
from console.embedded.folder import DataFolder, StartRefused
from console.embedded.preparation.database_state import hash_database_state
from console.embedded.process import end_with

# What `bring_up` does about the demo tenant: makes it again where this data folder does not know it, or never twice in
# one database, which several hosts may share.
DEMO, FIRST_DEMO = "--demo", "--first-demo"
PROJECT = Path(__file__).resolve().parents[3]


class Preparation:
    """One process for all of it, because each start of Django costs three seconds of processor time.

    What was done is noted in `*.stamp` files: doing it again takes six seconds, with which `benchmarks.start_time`
    misses its bar as soon as the machine does anything else.
    """

    def __init__(self, folder: DataFolder, variables: Mapping[str, str], demo: str) -> None:
        """`demo` is DEMO, FIRST_DEMO or nothing, as `bring_up` takes it."""
        self.folder = folder
        self.demo = demo
        self.variables = variables
        self.log = folder.path / "logs" / "prepare.log"
        locked = [PROJECT / "requirements.txt"]
        chosen = PROJECT / "console" / "http" / "static_files.py"
        self.static = _hash_file_states([*locked, chosen, *(PROJECT / "static").rglob("*")])
        counted = (PROJECT / "tenancy" / "storage").glob("*.py")
        self.schema = _hash_file_states([*locked, *counted, *PROJECT.glob("*/migrations/*.py")])
        self._process: subprocess.Popen[bytes] | None = None

    def is_due(self) -> bool:
        """Return whether anything is not as the last start left it, so that the other processes must wait."""
        return (
            self._needs_static()
            or self._is_new("schema", self.schema)
            or (self.demo == DEMO and not demo_file.is_whole(self.folder.path))
            or self._is_new("database", hash_database_state(self.variables))
        )

    def start(self) -> None:
        arguments = [*(["--static"] if self._needs_static() else []), self.demo]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "console.embedded.bring_up", *arguments],
                env=dict(self.variables),
                cwd=PROJECT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
                preexec_fn=end_with(),
            )

    def missing(self) -> str:
        """Empty when all is prepared, else what is awaited."""
        if self._process is None or self._process.poll() is None:
            return "the database is still being prepared"
        if self._process.returncode:
            raise StartRefused(f"preparing the database failed:\n{self.log.read_text()[-4000:].strip()}")
        self._note_step("static", self.static)
        self._note_step("schema", self.schema)
        self._note_step("database", hash_database_state(self.variables))
        return ""

    def _needs_static(self) -> bool:
        return self._is_new("static", self.static) or not (self.folder.path / "static").exists()

    def _is_new(self, name: str, state: str) -> bool:
        state_file = self._get_state_file(name)
        # As bytes: of a file that a broken disk left, too.
        return not state or not state_file.exists() or state_file.read_bytes() != state.encode()

    def _note_step(self, name: str, state: str) -> None:
        if self._is_new(name, state):
            self.folder.write_private(self._get_state_file(name), state)

    def _get_state_file(self, name: str) -> Path:
        return self.folder.path / f"{name}.stamp"


def _hash_file_states(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        about = path.stat()
        digest.update(f"{path.relative_to(PROJECT)} {about.st_mtime_ns} {about.st_size}\n".encode())
    return digest.hexdigest()
