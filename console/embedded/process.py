"""One supervised process: its own process group, its log file, and an end when its supervisor ends."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from console.configuration.logs import redact

MARK = "ENGRAM_SUPERVISED"  # set to the data folder in every child, so that a later start knows its strays
SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
SHORTEST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
CALM = 60.0  # seconds of life after which an end counts as a first one again
LARGEST_LOG = 10 * 1024 * 1024


@dataclass
class Child:
    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    log: Path
    stop_seconds: float = 10.0  # seconds between the request to stop and the kill
    process: subprocess.Popen[bytes] | None = None
    _started: float = 0.0
    _due: float = 0.0
    _pause: float = field(default=SHORTEST_PAUSE)

    @property
    def pid(self) -> int | None:
        return self.process.pid if self.process and self.process.poll() is None else None

    def is_alive(self) -> bool:
        return self.pid is not None

    @property
    def has_failed(self) -> bool:
        """Return whether it ended by itself and not well."""
        return self.process is not None and (self.process.poll() or 0) > 0

    @property
    def last_words(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines() or ["it left no word"]
        return redact(lines[-1])

    def start(self) -> None:
        """Call from the main thread: the death signal is sent when the thread that forked ends."""
        self._started = time.monotonic()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                list(self.command),
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                umask=0o077,
                process_group=0,
                preexec_fn=end_with(),
            )

    def revive(self) -> str:
        """Starts a dead process again when its pause is over; the answer is what an operator should read."""
        if self.process is None or self.is_alive():
            return ""
        now = time.monotonic()
        if not self._due:
            if now - self._started > CALM:
                self._pause = SHORTEST_PAUSE
            self._due, pause = now + self._pause, self._pause
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
            end_group(self.process.pid, signal.SIGKILL)  # what a killed worker leaves: its own children
            return f"ended with status {self.process.returncode}; starts again in {pause:.0f} s"
        if now < self._due:
            return ""
        self._due = 0.0
        self.start()
        return f"started again as process {self.pid}"

    def kill(self) -> None:
        """With its whole group; `revive` starts it again."""
        if self.process and self.is_alive():
            end_group(self.process.pid, signal.SIGKILL)
            self.process.wait()

    @property
    def age(self) -> float:
        """Seconds since its last start."""
        return time.monotonic() - self._started

    def ask_to_stop(self) -> None:
        """Send SIGTERM to the group's leader only: the worker finishes its tasks with the children it has."""
        if self.process and self.is_alive():
            self.process.terminate()

    def wait(self, hurry: Callable[[], bool]) -> None:
        """Wait until it has ended; kill its process group after `stop_seconds`, or when `hurry` says so."""
        if self.process is None:
            return
        deadline = time.monotonic() + self.stop_seconds
        while self.is_alive() and time.monotonic() < deadline and not hurry():
            time.sleep(0.05)
        end_group(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def shorten_log(self) -> None:
        """Children write with O_APPEND, so a file may be emptied under them after it was copied."""
        if self.log.exists() and self.log.stat().st_size > LARGEST_LOG:
            older = self.log.with_suffix(".log.1")
            older.write_bytes(self.log.read_bytes())
            os.truncate(self.log, 0)


def end_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return


def end_with() -> Callable[[], None] | None:
    """Build a `preexec_fn` by which Linux ends the process with its parent; elsewhere the next start ends strays."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    supervisor = os.getpid()

    def bind() -> None:
        libc.prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != supervisor:
            os._exit(1)

    return bind


def end_strays(folder: Path, stop_seconds: float = 3.0) -> int:
    """Ends what a killed supervisor left running on this folder, and counts it."""
    strays = [process for process in psutil.process_iter() if _is_stray(process, folder)]
    for process in strays:
        _send_signal(process, signal.SIGTERM)
    for process in psutil.wait_procs(strays, timeout=stop_seconds)[1]:
        _send_signal(process, signal.SIGKILL)
    psutil.wait_procs(strays, timeout=stop_seconds)
    return len(strays)


def _is_stray(process: psutil.Process, folder: Path) -> bool:
    try:
        return process.pid != os.getpid() and process.environ().get(MARK) == str(folder)
    except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
        return False


def _send_signal(process: psutil.Process, number: signal.Signals) -> None:
    try:
        process.send_signal(number)  # psutil checks the start time first: a reused number is left alone
    except psutil.NoSuchProcess:
        return
