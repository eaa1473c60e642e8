"""The request log: one row per request, written in the background."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import OperationalError, close_old_connections
from django.utils import timezone

from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.metering.rollup import count_refused
from tenancy.models import ApiKey, RequestLog
from tenancy.requests.log_erasure import ErasureUnderWay, anonymise_usage, blank_erased
from tenancy.runtime.background_writer import BackgroundWriter, log_database_errors, log_loss
from tenancy.signals import request_logged

MAX_BODY_KEPT = 20_000
MAX_METHOD, MAX_ENDPOINT = 7, 60
# Methods whose calls have a query instead of a body.
READING = frozenset({"GET", "HEAD"})
MAX_SUBJECT, MAX_SUBJECTS = 100, 100
# A deadlock, a lock that an erasure holds and a lost connection pass.
MAX_ATTEMPTS = 3
# So long rows stand back for an erasure of their project, while the other projects' are stored; then all wait for it.
# An erasure is at the log for milliseconds, and what it erased is known for much longer (`log_erasure.REMEMBERED`).
STANDS_BACK = timedelta(seconds=30)
# `last_used_at` of a key is written at most this often.
TOUCH_EVERY = timedelta(minutes=1)
# Members that name people, in a text that may lack a bracket or have single quotes: one value, or a list of them.
_NAMED = re.compile(
    r"""
    \b(user_?ids?|agent_?ids?|user|uid)["']?\s{0,20}[:=]\s{0,20}
    ("[^"\n]{1,200}"|'[^'\n]{1,200}'|\[[^\]]{1,20000})
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A slice without any of these is recognised ten times as fast as by the pattern.
_PARTS_OF_NAMES = ("user", "agent", "uid")
# Of an unparsable body, what is searched at once: other threads wait until such a search is over.
SLICE, LONGEST_NAMED = 256 * 1024, 80_100  # bytes; 20,000 characters in brackets, of up to four bytes each
_QUOTED = re.compile(r"""["']([^"'\n]{1,200})["']""")
# What PostgreSQL cannot store, as it is or escaped; no subject has such an id.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def name_subject(kind: str, subject_id: str) -> str:
    """The subject as "kind:id". Of a longer id than is kept, its beginning and a digest of the whole: two ids that
    begin alike are two subjects."""
    if len(subject_id) > MAX_SUBJECT:
        digest = hashlib.sha256(subject_id.encode(errors="surrogatepass")).hexdigest()
        subject_id = f"{subject_id[: MAX_SUBJECT - len(digest) - 1]}~{digest}"
    return f"{kind}:{subject_id}"


def find_subjects(sent: dict[str, Any]) -> list[str]:
    """Subjects of a body as "kind:id": its users (all of them in group conversations), else the agents it names."""
    for kind, names in (("end_user", ("user_id", "user_ids")), ("agent", ("agent_id",))):
        ids = [subject_id for name in names for subject_id in _list_ids_in(sent.get(name))]
        if ids:
            return [name_subject(kind, subject_id) for subject_id in dict.fromkeys(ids)][:MAX_SUBJECTS]
    bound = sent.get("bind_list")
    items = [binding for binding in bound if isinstance(binding, dict)] if isinstance(bound, list) else []
    return [who for binding in items for who in find_subjects(binding)][:MAX_SUBJECTS]


def list_subjects_in(body: bytes) -> list[str]:
    """Subjects that an unparsable body seems to name, so that their erasure finds its row."""
    subjects: dict[str, None] = {}
    for start in range(0, len(body), SLICE):
        text = body[start : start + SLICE + LONGEST_NAMED].decode(errors="replace")
        subjects |= dict.fromkeys(islice(_iterate_subjects_in(text), MAX_SUBJECTS))
        if len(subjects) >= MAX_SUBJECTS:
            break
    return list(subjects)[:MAX_SUBJECTS]


def _iterate_subjects_in(text: str) -> Iterator[str]:
    lowered = text.lower()
    if not any(part in lowered for part in _PARTS_OF_NAMES):
        return
    for match in _NAMED.finditer(text):
        kind = "agent" if match[1].lower().startswith("agent") else "end_user"
        for name in _QUOTED.findall(match[2]):
            yield name_subject(kind, _unescape_json_text(name))


def _unescape_json_text(text: str) -> str:
    try:
        plain_text = str(json.loads(f'"{text}"'))
    except ValueError:
        plain_text = text
    return _UNSTORABLE.sub("\ufffd", plain_text)


def _list_ids_in(value: Any) -> list[str]:
    return [
        subject_id
        for subject_id in (value if isinstance(value, list) else [value])
        if isinstance(subject_id, str) and subject_id
    ]


def store_log_rows(rows: list[RequestLog]) -> None:
    """Write these rows, each tenant's by themselves: what fails for one costs no other tenant's."""
    by_scope: dict[Scope, list[RequestLog]] = {}
    for row in rows:
        by_scope.setdefault(Scope(row.account_id, row.project_id), []).append(row)
    stored = [row for scope, of_scope in by_scope.items() for row in _store_rows_of_scope(scope, of_scope)]
    _touch_keys(stored)
    for row in stored:
        request_logged.send_robust(None, project_id=str(row.project_id), entry=row)


def _store_rows_of_scope(scope: Scope, rows: list[RequestLog]) -> list[RequestLog]:
    """The rows that are stored now; after a failure that passes, they wait for another attempt behind all others."""
    with log_database_errors("request-log", len(rows)):
        try:
            erased = _insert_rows(scope, rows)
        except ErasureUnderWay:
            for row in rows:
                writer.put_later(row)
            return []
        except OperationalError as error:
            close_old_connections()
            if given_up := _requeue_rows(rows):
                log_loss("request-log", error, given_up)
            return []
        if erased:  # their calls may have been charged to them since, too
            with log_database_errors("usage of erased subjects", len(erased)):
                _anonymise_usage(scope, rows[0].project_id, erased)
        return rows
    return []


def _insert_rows(scope: Scope, rows: list[RequestLog]) -> set[str]:
    """Returns the subjects that were erased since their requests began. Raises `ErasureUnderWay`."""
    waits = min(row.created_at for row in rows) < timezone.now() - STANDS_BACK
    with tenant_scope(scope):
        erased = blank_erased(rows[0].project_id, rows, waits=waits)
        RequestLog.objects.bulk_create(rows)
        count_refused(rows)
    return erased


def _anonymise_usage(scope: Scope, project: UUID, erased: set[str]) -> None:
    """Anonymise usage in a transaction of its own: an erasure locks usage rows first and the log last."""
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            with tenant_scope(scope):
                anonymise_usage(scope.account, project, erased)
        except OperationalError:
            close_old_connections()
            if attempt == MAX_ATTEMPTS:
                raise
        else:
            return


def _requeue_rows(rows: list[RequestLog]) -> int:
    """Returns how many rows were given up, after `MAX_ATTEMPTS`."""
    for row in rows:
        row.attempts += 1
    again = [row for row in rows if row.attempts < MAX_ATTEMPTS]
    for row in again:
        writer.put(row)
    return len(rows) - len(again)


def _touch_keys(rows: list[RequestLog]) -> None:
    latest = {row.api_key_id: row for row in rows if row.api_key_id}
    now = timezone.now()
    for key, row in latest.items():
        untouched = ApiKey.objects.filter(pk=key).exclude(last_used_at__gt=now - TOUCH_EVERY)
        untouched.update(last_used_at=now, last_used_address=row.address, last_used_endpoint=row.endpoint)


writer = BackgroundWriter("request-log", store_log_rows, owner_of=lambda row: row.account_id)
