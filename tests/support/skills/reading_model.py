"""A chat model that reads sessions as a test has it do, and keeps no skills."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.support.servers.model_server import Body, ModelServer, Reply, completion

PLAY = "U: Send the report to Kim, and I only drink tea.\nA: I sent it to Kim.\nU: Thanks!"


def calls(*wanted: tuple[str, dict[str, Any]]) -> Reply:
    tool_calls = [
        {
            "id": f"t{at}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for at, (name, arguments) in enumerate(wanted)
    ]
    return completion(None, "tool_calls", tool_calls=tool_calls)


def list_tools(body: Body) -> set[str]:
    return {tool["function"]["name"] for tool in body.get("tools", ())}


class Scripted(ModelServer):
    """`reads` and `distils` are what it does in each round of these works; `otherwise` it finishes at once."""

    def __init__(self, port: int = 0, otherwise: Reply | None = None) -> None:
        super().__init__(self._play, port)
        self.otherwise = otherwise or calls(("finish", {}))
        self.reads: list[Reply | Callable[[Body], Reply]] = []
        self.distils: list[Reply | Callable[[Body], Reply]] = []

    def _play(self, body: Body) -> Reply:
        offered = list_tools(body)
        if "insert_task" in offered:
            return self._next(self.reads, body)
        if "report_thinking" not in offered:
            return self._next(self.distils, body)
        return self.otherwise

    def _next(self, script: list[Reply | Callable[[Body], Reply]], body: Body) -> Reply:
        reply = script.pop(0) if script else self.otherwise
        return reply if isinstance(reply, Reply) else reply(body)

    def asked_to(self, tool: str) -> list[Body]:
        return [body for body in self.bodies if tool in list_tools(body)]


DONE = calls(
    ("report_thinking", {"thinking": "One request."}),
    ("insert_task", {"after_task_order": 0, "task_description": "Send the report to Kim"}),
    ("append_messages_to_task", {"task_order": 1, "message_id_range": [0, 2]}),
    ("append_task_progress", {"task_order": 1, "progress": "The report was sent."}),
    ("submit_user_preference", {"preference": "The user only drinks tea."}),
    ("update_task", {"task_order": 1, "task_status": "success"}),
    ("finish", {}),
)
