"""Celery settings shared by beat (`console.worker.schedule`) and workers (`console.celery`)."""

from __future__ import annotations

from typing import Any

from console.configuration import environment

_OPTIONS = {
    "visibility_timeout": 3600,
    "socket_timeout": 5,
    "socket_connect_timeout": 1,
    "health_check_interval": 25,
    "retry_on_timeout": True,
}


def build_celery_settings() -> dict[str, Any]:
    """The settings of both."""
    return {
        "broker_url": environment.read_broker_url(),
        "broker_transport_options": _OPTIONS,
        "result_backend_transport_options": _OPTIONS,
        "visibility_timeout": 3600,
        "broker_connection_retry_on_startup": True,
        "broker_connection_timeout": 1,
        "broker_connection_max_retries": None,
        "task_ignore_result": True,
        "task_serializer": "json",
        "accept_content": ["json"],
        "worker_hijack_root_logger": False,
        "timezone": "UTC",
    }
