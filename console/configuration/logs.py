"""Log lines: JSON with named fields. Nobody's words and no secret belong here; a filter stands behind that."""

from __future__ import annotations

import json
import logging
import re
import time
import traceback
from typing import Any

_SECRETS = re.compile(
    r"\b(mpg-[0-9A-Za-z]{4})[0-9A-Za-z]+|\b((?:sk|rk)_(?:live|test)_|sk-|whsec_)[0-9A-Za-z_-]+"
)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
# What our own log calls pass as `extra`.
FIELDS = (
    *("task", "fault", "at", "left", "request_id", "route", "code", "ms", "project", "reason", "provider"),
    *("count", "table", "round", "account", "visit", "oldest_hours", "kind", "outcome", "restriction", "row"),
)


def redact(text: str) -> str:
    text = _SECRETS.sub(lambda match: f"{match[1] or match[2]}…", text)
    return _MAIL.sub("…@…", text)


def _redact_value(value: Any) -> Any:
    """The value as JSON knows it, with every text in it redacted, that of other objects too."""
    if isinstance(value, dict):
        return {redact(str(name)): _redact_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_redact_value(item) for item in value]
    return value if value is None or isinstance(value, int | float) else redact(str(value))


class Redact(logging.Filter):
    """Cuts keys and mail addresses out of whatever slipped into a message."""

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            message = record.getMessage()
        except (TypeError, ValueError, KeyError):
            # A library's log call whose arguments do not fit must not fail the work that it tells of.
            message = str(record.msg)
        record.msg = redact(message)
        record.args = ()
        return True


def describe_exception(fault: BaseException) -> dict[str, Any]:
    """Kind and place of an exception, without its message: a database's quotes the row, and so somebody's words."""
    frames = traceback.extract_tb(fault.__traceback__)
    return {
        "fault": type(fault).__name__,
        "at": [f"{frame.filename}:{frame.lineno}" for frame in frames[-6:]],
    }


# uvicorn's words for what any stranger may send as often as they like.
_STRANGERS = (
    *("Invalid HTTP request received", "Unsupported upgrade request", "No supported WebSocket library"),
    *("opening handshake failed", "connection open", "connection closed"),
)


class OwnFaults(logging.Filter):
    """Drops what uvicorn says of malformed requests: a stranger could push everything else out of a log of 10 MB."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not str(record.msg).startswith(_STRANGERS)


class JSONFormatter(logging.Formatter):
    """One JSON object a line: time (UTC), level, logger, event, and those `FIELDS` that the record has.

    Not structlog's `ProcessorFormatter`: importing structlog takes 1 MiB in each of the six processes, and 6 MiB where
    rich is installed beside it, as for the tests; `benchmarks.idle_memory` is 11 MiB below its bar.
    """

    converter = staticmethod(time.gmtime)

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%SZ"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1]:
            line |= describe_exception(record.exc_info[1])
        return json.dumps(_redact_value(line), ensure_ascii=False)


# As `logging.config.dictConfig` reads it.
SETTINGS = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "console.configuration.logs.JSONFormatter"}},
    "filters": {
        "redact": {"()": "console.configuration.logs.Redact"},
        "own_faults": {"()": "console.configuration.logs.OwnFaults"},
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["redact"]},
    },
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        # Their lines hold paths, queries and exception texts; the request log and our handlers say it safely.
        "django.request": {"level": "CRITICAL"},
        "django.security": {"level": "CRITICAL"},  # a wrong Host header and the like, with a traceback each
        "django.server": {"level": "WARNING"},
        "uvicorn.access": {"level": "WARNING"},
        # Theirs name clients' addresses, projects and their own ids of tasks. uvicorn brings a handler for plain text.
        "uvicorn": {"level": "WARNING", "handlers": [], "propagate": True},
        "uvicorn.error": {"level": "WARNING", "filters": ["own_faults"]},
        "celery": {"level": "WARNING"},
        "celery.app.trace": {"level": "CRITICAL"},  # `console.worker.task_log` says it without the message
        "kombu": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "stripe": {"level": "WARNING"},
    },
}
