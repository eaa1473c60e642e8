"""The official inspector of MCP servers, unchanged, in a process of its own."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.clients.terminal import read_terminal
from tests.support.clients.typescript import NODE
from tests.support.waiting import LIMIT

ROOT = Path(__file__).parents[4]

# With what ends it: without, it may not have arrived whole.
_CONSENT_PAGE = re.compile(r"https?://[^\s\x1b]+/authorize\?[^\s\x1b]+(?=[\s\x1b])")


@cache
def _find_folder() -> Path:
    printed = subprocess.run([str(ROOT / ".ci/inspector")], check=True, capture_output=True, text=True)
    return Path(printed.stdout.strip())


class Inspector:
    """Calls `/mcp` as somebody does who tries a server from a terminal. What it keeps of a sign-in lies in `home`."""

    def __init__(self, url: str, home: Path, *headers: str) -> None:
        self.url, self.home, self.headers = f"{url}/mcp", home, headers

    def build_command(self, method: str, *options: str) -> list[str]:
        program = _find_folder() / "node_modules/.bin/mcp-inspector"
        named = [part for header in self.headers for part in ("--header", header)]
        where = ["--server-url", self.url, "--transport", "http"]
        return [str(NODE), str(program), "--cli", *where, *named, "--method", method, *options]

    def build_environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MCP_")}
        # NO_COLOR: lines are read by a program here.
        return {**kept, "HOME": str(self.home), "NO_PROXY": "*", "NO_COLOR": "1"}

    def run(self, method: str, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.build_command(method, *options),
            env=self.build_environment(),
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )

    def read(self, method: str, *options: str) -> Any:
        """The JSON that a call prints, which must succeed."""
        done = self.run(method, *options)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def call(self, tool: str, **arguments: Any) -> Any:
        """The `data` of what a tool answers, read from its text."""
        answer = self.read("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        return json.loads(answer["content"][0]["text"])["data"]

    def sign_in(self, method: str, open_page: Callable[[str], None]) -> Any:
        """The JSON that a call prints after a sign-in: `open_page` gets the address that it asks to open."""
        ours, theirs = pty.openpty()  # it signs in only where somebody sits at a terminal
        with subprocess.Popen(
            self.build_command(method), env=self.build_environment(), stdout=subprocess.PIPE, stderr=theirs
        ) as process:
            os.close(theirs)
            shown = ""
            try:
                while not (address := _CONSENT_PAGE.search(shown)) and (
                    piece := read_terminal(ours, process)
                ):
                    shown += piece
                assert address, shown
                open_page(address[0])
                printed, _ = process.communicate(timeout=LIMIT)
            finally:
                process.kill()  # where no page is opened, it waits without an end
        os.close(ours)
        assert process.returncode == 0, printed
        return json.loads(printed)
