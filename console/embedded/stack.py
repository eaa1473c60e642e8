"""A whole running Engram as a value, for tests and benchmarks: the supervisor that operators start."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from console.configuration import environment
from console.embedded.demo import demo_file
from console.embedded.preparation.prepare import PROJECT
from console.embedded.process import end_with

START_SECONDS = 600
STOP_SECONDS = 120
OF_ANOTHER_INSTALLATION = (
    *environment.DATABASE_VARIABLES,
    "REDIS_URL",
    "SECRET_KEY",
    "KEY_PEPPERS",
    "ENCRYPTION_KEYS",
    "PUBLIC_URL",
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Stack:
    """Use as a context, or call start() and stop(). Variables given by name win over this process's own.

    Who has something to do meanwhile calls launch(), from the main thread, and later wait_until_ready().
    """

    def __init__(
        self, data_folder: Path, port: int | None = None, role: str = "all", **variables: str
    ) -> None:
        self.path = Path(data_folder).resolve()
        self.port = port or free_port()
        self.output = self.path.parent / f"{self.path.name}.log"
        self._role = role
        self._variables = variables
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def demo(self) -> dict[str, str]:
        return demo_file.read(self.path)

    @property
    def pids(self) -> dict[str, int | None]:
        """The process ids of supervisor, postgres, valkey, web, worker, files and beat."""
        return dict(self._read_state().get("pids", {}))

    @property
    def last_answering_pid(self) -> int | None:
        """The web process that the supervisor has had an answer of; from then on it is replaced when it hangs."""
        pid: int | None = self._read_state().get("answered")
        return pid

    @property
    def has_ended(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    @property
    def environment(self) -> dict[str, str]:
        """Return what a process needs to use the same services, the owner's database URL included."""
        lines = (self.path / environment.HANDOVER).read_text().splitlines()
        return {"ENGRAM_DATA": str(self.path), **dict(line.split("=", 1) for line in lines)}

    def start(self) -> "Stack":
        self.launch()
        self.wait_until_ready()
        return self

    def launch(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "console.embedded", self._role],
                env=self._build_environment(),
                cwd=PROJECT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=0,
                preexec_fn=end_with(),
            )

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        finally:
            self._process.kill()
            self._process.wait()

    def kill(self, name: str) -> int:
        """Ends one of `pids` as a crash would."""
        pid = self.pids[name]
        if pid is None:
            raise LookupError(f"{name} does not run")
        os.kill(pid, signal.SIGKILL)
        return pid

    def _build_environment(self) -> dict[str, str]:
        inherited = {
            name: value
            for name, value in environment.list_own_variables().items()
            if name.removesuffix("_FILE") not in OF_ANOTHER_INSTALLATION
        }
        return {**inherited, "ENGRAM_DATA": str(self.path), "PORT": str(self.port), **self._variables}

    def wait_until_ready(self) -> None:
        process, deadline = self._process, time.monotonic() + START_SECONDS
        if process is None:
            raise RuntimeError("Engram was not launched")
        while not self._read_state().get("ready"):
            if process.poll() is not None or time.monotonic() > deadline:
                process.terminate()
                raise RuntimeError(f"Engram did not start:\n{self.output.read_text()[-4000:]}")
            time.sleep(0.1)

    def _read_state(self) -> dict[str, Any]:
        try:
            state: dict[str, Any] = json.loads((self.path / "state.json").read_text())
        except FileNotFoundError:
            return {}
        # A killed supervisor leaves its last words behind, which are not those of the one just started.
        ours = self._process is not None and state["pids"]["supervisor"] == self._process.pid
        return state if ours else {}

    def __enter__(self) -> "Stack":
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
