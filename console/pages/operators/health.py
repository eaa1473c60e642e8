"""Health of the installation: what `/readyz` checks, and details that only operators may see."""

from __future__ import annotations

import platform
from typing import Any

import django
import redis
from celery import current_app
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from console.configuration.version import read_own_version
from console.http.health import check_readiness
from console.pages.operators.guard import operator_page, show_operator
from memories.engine import get_embedder
from memories.engine.calibration.model import load_calibration
from memories.engine.client.provider_breaker import list_providers_with_open_breaker
from memories.jobs.monitoring import Worker, list_busy_workers

# Workers answer at once or not at all; the page waits this long for the last of them.
ANSWER_SECONDS = 0.5


@operator_page("memories.view_task")
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    status, checks = check_readiness()
    context = {
        "status": status,
        "checks": checks,
        "workers": _build_workers_context(list_busy_workers(), checks["broker"]),
        "resting": list_providers_with_open_breaker(),
        "versions": _load_versions(),
        "models": _list_models(),
    }
    return show_operator(request, "health", _("Health"), context)


def _build_workers_context(busy: list[Worker], broker: str) -> dict[str, Any]:
    """Workers that answer a ping, and workers that hold tasks. Without the broker only the latter are known."""
    return {
        "answering": sorted(_ping_workers()) if broker == "ok" else [],
        "busy": busy,
        "asked": broker == "ok",
    }


def _ping_workers() -> list[str]:
    try:
        answers = current_app.control.ping(timeout=ANSWER_SECONDS)
    except (OperationalError, redis.RedisError, OSError):  # it stopped since it was checked
        return []
    return [name for answer in answers for name in answer]


def _load_versions() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        (server,) = cursor.fetchone()
        cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        vector = cursor.fetchone()
    return {
        "Engram": read_own_version(),
        "Python": platform.python_version(),
        "Django": django.get_version(),
        "PostgreSQL": server,
        "pgvector": vector[0] if vector else "–",
        "Valkey / Redis": _load_broker_version(),
    }


def _load_broker_version() -> str:
    client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)
    try:
        info: Any = client.info("server")
    except (redis.RedisError, OSError):
        return "–"
    finally:
        client.close()
    return str(info.get("valkey_version") or info.get("redis_version") or "–")


def _describe_embeddings() -> str:
    """The embedding model; a model without calibration says so, because relativities then mean little."""
    name = settings.EMBEDDING["MODEL"] or settings.EMBEDDING["ENGINE"]
    if load_calibration(get_embedder().name) is not None:
        return str(name)
    return _("%(model)s (not calibrated: run manage.py calibrate)") % {"model": name}


def _list_models() -> dict[str, str]:
    """The models in use by name, without their addresses and keys."""
    return {
        _("Embeddings"): _describe_embeddings(),
        _("Language model"): settings.LLM["MODEL"] or _("rules"),
        _("Reranking"): settings.RERANK["MODEL"] or _("none"),
    }
