"""A provider that embeds for the process of a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.test import override_settings

from memories import engine
from memories.engine.calibration.background_similarity import load_background
from tests.support.servers.model_server import ModelServer


@contextmanager
def embedding_by(server: ModelServer, dimensions: int) -> Iterator[None]:
    remote: dict[str, Any] = {
        "ENGINE": "remote",
        "BASE_URL": server.url,
        "MODEL": "tiny",
        "DIMENSIONS": dimensions,
    }
    with override_settings(EMBEDDING=settings.EMBEDDING | remote):
        _forget()
        yield
    _forget()


def _forget() -> None:
    engine.get_embedder.cache_clear()
    load_background.cache_clear()
