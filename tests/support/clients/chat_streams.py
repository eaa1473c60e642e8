"""What tests of streamed answers ask of a web server with a scripted chat model, and look up behind it."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import psycopg

from console.embedded.stack import Stack
from tests.support.api_client import Api
from tests.support.servers.event_stream import Event, iterate_events, join_text
from tests.support.servers.model_server import (
    Body,
    ModelServer,
    Reply,
    memories,
    streamed,
)
from tests.support.waiting import LIMIT, look_until

WORDS = "Porto, by the river."
# Long enough for a scripted model on a busy machine: one that is silent is waited for as long.
MODEL_SECONDS = 8


def hears(server: ModelServer, *replies: Reply) -> None:
    """What the model says when it is listened to, the last of these again and again; it remembers nothing."""
    left = list(replies)

    def answer(body: Body) -> Reply:
        if not body.get("stream"):
            return memories()
        return left.pop(0) if len(left) > 1 else left[0]

    server.answer = answer


def chats(server: ModelServer) -> list[Body]:
    return [body for body in server.bodies if body.get("stream")]


def asked(user: str, query: str = "Where do I live?", **options: Any) -> Body:
    return {"user_id": user, "conversation_id": "talk", "query": query, **options}


def stream(client: Api, user: str, **options: Any) -> list[Event]:
    with client.stream("POST", "chat", json=asked(user, stream=True, **options)) as answer:
        assert answer.status_code == 200, answer.read()
        return list(iterate_events(answer))


def said(client: Api, user: str) -> list[tuple[str, str]]:
    body = {"user_id": user, "conversation_id": "talk", "message_limit_number": 50}
    messages = client.data("get/message", body)["message_detail_list"]
    return [(message["role"], message["content"]) for message in messages]


def wait_until_said(client: Api, user: str, *expected: tuple[str, str], seconds: float = LIMIT) -> None:
    look_until(lambda: said(client, user), lambda turns: turns == list(expected), seconds)


def query(own: Stack, statement: str, *values: object) -> list[tuple[Any, ...]]:
    with psycopg.connect(own.environment["DATABASE_BACKUP_URL"]) as connection:
        return connection.execute(statement, values).fetchall()  # type: ignore[arg-type]


def logged(own: Stack, request: str, seconds: float = LIMIT) -> tuple[int, int, str, list[Body]]:
    """Code, status, answer and steps of a request."""
    statement = "SELECT code, http_status, response_body, trace FROM tenancy_requestlog WHERE request_id = %s"
    (row,) = look_until(lambda: query(own, statement, request), bool, seconds, "no row was written")
    return row  # type: ignore[return-value]


def counted(own: Stack) -> tuple[int, int, int]:
    """Calls, prompt and completion tokens of all models: each has a row of its own."""
    statement = """
        SELECT COALESCE(SUM(calls), 0), COALESCE(SUM(prompt_tokens), 0), COALESCE(SUM(completion_tokens), 0)
        FROM tenancy_modelusage WHERE purpose = 'chat' AND project_id = %s
    """
    return query(own, statement, own.demo["project_id"])[0]  # type: ignore[return-value]


def goes_well(server: ModelServer, client: Api) -> None:
    """Failures in a row would have the model left alone for a while, for the next test too."""
    hears(server, streamed(WORDS))
    assert join_text(stream(client, f"lee {uuid4().hex}")) == WORDS
