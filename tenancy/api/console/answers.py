"""Rows of keys, usage and the request log as the console API answers them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from tenancy.api.console import answer_types as answers
from tenancy.keys.lifetime import get_state
from tenancy.metering.usage import Grouping, Standing, UsageSums
from tenancy.models import ApiKey, RequestLog

_NAMES = {Grouping.METER: "api", Grouping.DAY: "day", Grouping.KEY: "key_id"}


def build_key_answer(key: ApiKey, caller: ApiKey) -> answers.Key:
    return {
        "id": str(key.pk),
        "name": key.name,
        "hint": key.hint,
        "state": get_state(key),
        "scopes": list(key.scopes),
        "ranges": list(key.ranges),
        "daily_cap": key.daily_cap,
        "created_at": key.created_at.isoformat(),
        "expires_at": _format_time(key.expires_at),
        "revoked_at": _format_time(key.revoked_at),
        "last_used_at": _format_time(key.last_used_at),
        "is_this_key": key.pk == caller.pk,
    }


def build_usage_rows(
    sums: Mapping[tuple[Any, ...], UsageSums], groupings: Sequence[Grouping]
) -> list[dict[str, Any]]:
    """Sorted as they are grouped."""
    rows = [
        {_NAMES[by]: _format_group_value(value) for by, value in zip(groupings, values, strict=True)}
        | {"used": usage.used, "refused": usage.refused}
        for values, usage in sums.items()
    ]
    return sorted(rows, key=lambda row: [str(row[_NAMES[by]]) for by in groupings])


def build_quota_answer(standing: Standing) -> answers.QuotaRow:
    return {
        "api": str(standing.meter),
        "used": standing.used,
        "allowed": standing.allowed,
        "left": standing.left,
        "forecast": standing.forecast,
    }


def build_entry_answer(entry: RequestLog) -> answers.LogEntry:
    return {
        "request_id": entry.request_id,
        "created_at": entry.created_at.isoformat(),
        "endpoint": entry.endpoint,
        "method": entry.method,
        "origin": entry.origin,
        "code": entry.code,
        "http_status": entry.http_status,
        "milliseconds": entry.milliseconds,
        "charged": entry.charged,
        "subjects": list(entry.subjects),
        "key_id": str(entry.api_key_id) if entry.api_key_id else None,
        "key_name": entry.api_key.name if entry.api_key else "",
        "address": entry.address,
    }


def build_detail_answer(entry: RequestLog) -> answers.LogDetail:
    return {
        **build_entry_answer(entry),
        "request_body": entry.request_body,
        "response_body": entry.response_body,
        "trace": entry.trace,
    }


def _format_time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _format_group_value(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
