"""One web server with a chat model for all tests of streams."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from console.embedded.stack import Stack
from tests.support.api_client import Api
from tests.support.clients.chat_streams import (
    MODEL_SECONDS,
    WORDS,
    hears,
)
from tests.support.installations import model_at, own_web
from tests.support.servers.model_server import (
    ModelServer,
    streamed,
)


@pytest.fixture(scope="package")
def server() -> Iterator[ModelServer]:
    running = ModelServer()
    yield running
    running.close()


@pytest.fixture(scope="package")
def own(stack: Stack, server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("chat")
    model = model_at(server.url) | {"LLM_TIMEOUT": f"{MODEL_SECONDS}", "LLM_CHAT_MODELS": "scripted-large"}
    with own_web(stack, folder, **model) as web:
        yield web


@pytest.fixture
def kim() -> str:
    return f"kim {uuid4().hex}"


@pytest.fixture
def client(own: Stack, server: ModelServer) -> Iterator[Api]:
    hears(server, streamed(WORDS))
    server.asked.clear()
    with Api(own.url, own.demo["api_key"]) as api:
        yield api
