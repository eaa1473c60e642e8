"""One row a request, written off the request's path: an answer never waits for its log row."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from tenancy.aside import Aside
from tenancy.models import ApiKey, RequestLog
from tenancy.scoping import Scope, tenant_scope
from tenancy.signals import request_logged

MAX_BODY_KEPT = 20_000
# `last_used_at` of a key is written at most this often.
TOUCH_EVERY = timedelta(minutes=1)


def _store(rows: list[RequestLog]) -> None:
    by_scope: dict[Scope, list[RequestLog]] = {}
    for row in rows:
        by_scope.setdefault(Scope(row.account_id, row.project_id), []).append(row)
    for scope, of_scope in by_scope.items():
        with tenant_scope(scope):
            RequestLog.objects.bulk_create(of_scope)
    _touch_keys(rows)
    for row in rows:
        request_logged.send_robust(None, project_id=str(row.project_id), entry=row)


def _touch_keys(rows: list[RequestLog]) -> None:
    keys = {row.api_key_id for row in rows if row.api_key_id}
    now = timezone.now()
    ApiKey.objects.filter(pk__in=keys).exclude(last_used_at__gt=now - TOUCH_EVERY).update(last_used_at=now)


writer = Aside("request-log", _store)
