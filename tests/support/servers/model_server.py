"""A model provider on the loopback: real HTTP in OpenAI's wire format, with whatever a test lets it answer."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from itertools import chain
from typing import Any

from tests.support.servers.listener import Listener

Body = dict[str, Any]
# A provider that says nothing for so long is not waited for; half of it is enough for any machine to find out.
SILENT_SECONDS = 60.0


@dataclass(frozen=True)
class Reply:
    """What is sent back, and how slowly: `delay` before the first byte, `drip` between single bytes.

    With `parts` these are sent instead of `content`, one by one; a number among them is a pause in seconds.
    """

    status: int = 200
    content: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    parts: Iterable[bytes | float] | None = None


@dataclass(frozen=True)
class Asked:
    path: str
    body: Body
    key: str | None


Answer = Callable[[Body], Reply]


class ModelServer:
    """Replies come from `script` as long as it lasts, then from `answer`."""

    def __init__(self, answer: Answer | None = None, port: int = 0) -> None:
        self.answer: Answer = answer or (lambda body: Reply(404))
        self.script: deque[Reply | Answer] = deque()
        self.asked: list[Asked] = []
        # Who comes with another one is refused; empty where everybody may come.
        self.key = ""
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                key = self.headers.get("Authorization")
                with suppress(BrokenPipeError, ConnectionResetError):  # the client may have gone
                    if server.key and key != f"Bearer {server.key}":
                        self._send(Reply(401))
                        return
                    server.asked.append(Asked(self.path, body, key))
                    self._send(server._reply(body))

            def _send(self, reply: Reply) -> None:
                time.sleep(reply.delay)
                self.send_response(reply.status)
                for name, value in ({"Content-Type": "application/json"} | reply.headers).items():
                    self.send_header(name, value)
                self.end_headers()
                for piece in _pieces(reply):
                    if isinstance(piece, bytes):
                        self.wfile.write(piece)
                    time.sleep(reply.drip if isinstance(piece, bytes) else piece)

            def log_message(self, *args: object) -> None:
                """Says nothing."""

        self._server = Listener(("127.0.0.1", port), Handler)
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def bodies(self) -> list[Body]:
        return [asked.body for asked in self.asked]

    def will_say(self, *replies: Reply | Answer) -> None:
        self.script.extend(replies)

    def _reply(self, body: Body) -> Reply:
        reply = self.script.popleft() if self.script else self.answer
        return reply if isinstance(reply, Reply) else reply(body)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _pieces(reply: Reply) -> Iterable[bytes | float]:
    if reply.parts is not None:
        return reply.parts
    return (bytes([byte]) for byte in reply.content) if reply.drip else [reply.content]


def as_json(value: Any, status: int = 200, **headers: str) -> Reply:
    return Reply(
        status, json.dumps(value).encode(), {name.replace("_", "-"): text for name, text in headers.items()}
    )


def completion(value: Any, finish_reason: str = "stop", usage: Any = None, **message: Any) -> Reply:
    """A chat completion that says this text, or this value as JSON."""
    text = value if isinstance(value, str | None) else json.dumps(value, ensure_ascii=False)
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": text, **message},
    }
    answer: Body = {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}
    return as_json(answer | ({"usage": usage} if usage else {}))


def calling(*calls: tuple[str, Any], text: str | None = None, **more: Any) -> Reply:
    """A completion that calls tools: names with arguments, as a value or as the very text of them."""
    tool_calls = [
        {
            "id": f"call-{at}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
            },
        }
        for at, (name, arguments) in enumerate(calls)
    ]
    return completion(text, **({"finish_reason": "tool_calls"} | more), tool_calls=tool_calls)


def streamed(*pieces: str | float | Body | bytes, finish: str = "stop", usage: Any = None) -> Reply:
    """A completion that comes in pieces: texts, pauses in seconds, other deltas, and raw bytes as they are.

    Without `finish` the connection ends like that of a server that died.
    """
    parts = [_event({"role": "assistant", "content": ""}), *map(_part, pieces)]
    if finish:
        parts += [
            _event({}, finish),
            _data({"choices": [], "usage": usage}) if usage else b"",
            b"data: [DONE]\n\n",
        ]
    return Reply(headers={"Content-Type": "text/event-stream"}, parts=parts)


def thinking(until: threading.Event, *pieces: str) -> Reply:
    """A model that thinks aloud until then, a minute at most, and says this."""
    start, *rest = streamed(*pieces).parts or ()
    aloud = (_event({"reasoning_content": "Hm. "}) for _ in range(150) if not until.wait(0.4))
    return Reply(headers={"Content-Type": "text/event-stream"}, parts=chain([start], aloud, rest))


def _part(piece: str | float | Body | bytes) -> bytes | float:
    if isinstance(piece, bytes | float | int):
        return piece
    return _event({"content": piece} if isinstance(piece, str) else piece)


def _event(delta: Body, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _data({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice]})


def _data(value: Body) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def endless(word: str = "and so on ", pause: float = 0.0) -> Reply:
    """A model that never comes to an end."""
    forever = iter(lambda: _event({"content": word}), None)
    parts = (part for event in forever for part in (event, pause))
    return Reply(headers={"Content-Type": "text/event-stream"}, parts=parts)


def used(prompt: int, completion: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def parse_data(body: Body) -> Body:
    """What stands between the marks of a question: the words of people."""
    mark, written, again = body["messages"][1]["content"].split("\n")
    assert mark == again
    data: Body = json.loads(written)
    return data


def proposal(text: str, *turns: int, **more: Any) -> Body:
    """A memory as a good model proposes it."""
    plain: Body = {
        "quote": "",
        "turns": list(turns),
        "about": "user",
        "subject": "",
        "mood": "fact",
        "kind": "fact",
        "preference_type": "none",
        "text": text,
        "is_certain": True,
        "slot": "",
        "value": "",
        "event_time": "",
        "corrects": [],
        "reasoning": "",
        "memory_type": "LongTermMemory",
        "confidence": 0.9,
        "tags": [],
        "matching_tags": [],
    }
    return plain | more


def memories(*proposals: Body, **more: Any) -> Reply:
    return completion({"memories": list(proposals)}, **more)


def embeddings(vector_of: Callable[[str], list[float]]) -> Answer:
    """An embedding for each text, in the wire format of `/embeddings`."""

    def answer(body: Body) -> Reply:
        rows = [
            {"object": "embedding", "index": at, "embedding": vector_of(text)}
            for at, text in enumerate(body["input"])
        ]
        return as_json({"object": "list", "data": rows, "usage": {"prompt_tokens": 1, "total_tokens": 1}})

    return answer
