"""What tests of projects' own model providers share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.servers.model_server import ModelServer, completion, used


@pytest.fixture
def settings() -> Iterator[Any]:
    """Those of this process, as they were afterwards."""
    from django.conf import settings as installed
    from django.test import override_settings

    with override_settings():
        yield installed


@pytest.fixture
def provider(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model server on loopback, which the operator allows."""
    from memories.engine import provider_choice
    from memories.engine.client import http_json, provider_breaker

    running = ModelServer(lambda _: completion("ready", usage=used(12, 3)))
    settings.FETCH_ALLOW = [*settings.FETCH_ALLOW, running.url.split("/")[2]]
    monkeypatch.setattr(http_json, "_PAUSE_BASE", 0.01)
    yield running
    provider_breaker._breakers.clear()
    provider_choice._kept.clear()
    running.close()
