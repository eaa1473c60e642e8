"""A tenant's own model server, where the running installation may reach it: on the port of the tests' file server."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.support.servers.file_server import FileServer, send
from tests.support.servers.model_server import Answer, Body

PATH = "chat/completions"


class OwnModel:
    """`url` is what a member enters; `asked` are the questions with the keys that were shown."""

    def __init__(self, files: FileServer, answer: Answer) -> None:
        self.asked: list[tuple[str, Body]] = []
        self.answer = answer
        self.url = files.does(PATH, self._reply).removesuffix(f"/{PATH}")

    def _reply(self, request: BaseHTTPRequestHandler) -> None:
        body: Any = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        self.asked.append((request.headers.get("Authorization", ""), body))
        reply = self.answer(body)
        parts = reply.parts if reply.parts is not None else [reply.content]
        content = b"".join(part for part in parts if isinstance(part, bytes))
        kind = {"Content-Type": "application/json"} | reply.headers
        send(request, reply.status, content, kind)
