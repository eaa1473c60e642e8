"""The children's log files, repeated on the supervisor's output, each line with the child's name."""

import sys
from pathlib import Path


class Echo:
    def __init__(self) -> None:
        self._read: dict[Path, int] = {}
        self._names: dict[Path, str] = {}
        self._closed = False

    def follow(self, name: str, log: Path) -> None:
        self._names[log] = name
        self._read[log] = log.stat().st_size if log.exists() else 0

    def show(self) -> None:
        for log in self._names:
            if log.exists():
                self._show_new_lines(log)

    def _show_new_lines(self, log: Path) -> None:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(self._read[log] if self._read[log] <= size else 0)
            while (line := file.readline()).endswith(b"\n"):
                self._read[log] = file.tell()
                self.say(f"{self._names[log]:<8} | {line.decode(errors='replace').rstrip()}")

    def say(self, line: str) -> None:
        """Print a line; a closed terminal must not end the services."""
        if self._closed:
            return
        try:
            print(line, flush=True)
        except OSError:
            self._closed = True
            sys.stdout = None  # or the interpreter tries again at its end
