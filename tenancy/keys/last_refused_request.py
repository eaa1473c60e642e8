"""The last request that each project refused because of its API key, for the project's quickstart.

Such a request belongs to no project that it could be logged in. Where the key that it showed is one of a project, or
begins like one, that project's page names the mistake; the sender's answer is the same as for any other key. It is
looked up beside the requests, so that no answer takes longer for a key that exists. Nothing of the secret is kept.
"""

from __future__ import annotations

import json
import logging
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from uuid import UUID

import redis
from django.conf import settings
from django.db.models import Q
from django.urls import Resolver404, resolve
from django.utils import timezone

from tenancy.keys.authorization_header import SCHEMES
from tenancy.keys.keys import compute_key_digest, is_well_formed_key
from tenancy.keys.lifetime import is_live
from tenancy.models import ApiKey
from tenancy.runtime.background_writer import BackgroundWriter, log_database_errors
from tenancy.runtime.circuit_breaker import CircuitBreaker
from tenancy.signals import key_refused

log = logging.getLogger(__name__)

KEPT = timedelta(hours=1)
PAUSE, TIMEOUT = 5.0, 0.5
LONGEST_HEADER, LONGEST_PATH = 120, 100
# As many characters of a key as are kept readable.
PUBLIC_LENGTH = 8
_KEY = re.compile(r"mpg-[0-9A-Za-z]{4,60}")


class Mistake(StrEnum):
    """Mistakes in the header. `PREFIX`: the word `Token` is missing."""

    PREFIX = "prefix"
    MISTYPED = "mistyped"
    REVOKED = "revoked"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class RefusedKey:
    """A request that was refused: its mistake, the hint of the key that was meant, the path, and when."""

    mistake: Mistake
    hint: str
    path: str
    at: datetime


@dataclass(frozen=True, slots=True)
class _Shown:
    key: str
    has_scheme: bool
    path: str
    at: datetime

    @property
    def public_id(self) -> str:
        return self.key[:PUBLIC_LENGTH]


def note_refused_key(authorization: str, path: str) -> None:
    """Note a request whose header names no live key, in the background."""
    header = authorization[:LONGEST_HEADER]
    match = _KEY.search(header)
    if match is not None:
        has_scheme = header.split(maxsplit=1)[0].lower() in SCHEMES
        _writer.put(_Shown(match[0], has_scheme, path[:LONGEST_PATH], timezone.now()))


def load_last_refused_key(project: UUID) -> RefusedKey | None:
    """The project's last one of the hour; None while Redis does not answer."""
    return _store.read(project)


def _note_refusals(shown: list[_Shown]) -> None:
    newest = {attempt.key: attempt for attempt in shown}
    with log_database_errors("refused-keys", len(newest)):
        keys = _find_keys_by_prefix(newest.values())
        refused_keys = dict(pair for attempt in newest.values() if (pair := _explain_refusal(attempt, keys)))
        _store.write(refused_keys)
        for project in refused_keys:
            key_refused.send_robust(None, project_id=str(project))


def _find_keys_by_prefix(shown: Iterable[_Shown]) -> dict[str, list[ApiKey]]:
    """Keys by the beginning of their secret."""
    beginnings = {attempt.public_id for attempt in shown}
    keys: dict[str, list[ApiKey]] = defaultdict(list)
    for key in ApiKey.objects.filter(Q(public_id__in=beginnings) & Q(project__deleting_at=None)):
        keys[key.public_id].append(key)
    return keys


def _explain_refusal(shown: _Shown, keys: dict[str, list[ApiKey]]) -> tuple[UUID, RefusedKey] | None:
    """With the project that the key belongs to; None where none is meant, or it could be one of two projects."""
    like = keys.get(shown.public_id, [])
    whole = next((key for key in like if _is_secret_of(key, shown.key)), None)
    meant = whole or next((key for key in like if key.revoked_at is None), None)
    if meant is None or (whole is None and len({key.project_id for key in like}) > 1):
        return None
    mistake = _find_mistake(shown, whole)
    return (
        (meant.project_id, RefusedKey(mistake, meant.hint, _hide_path_ids(shown.path), shown.at))
        if mistake
        else None
    )


def _hide_path_ids(path: str) -> str:
    """The address, or where it names somebody or something the name of its route: what is erased is not kept here."""
    try:
        match = resolve(path)
    except Resolver404:
        return f"/{path.split('/')[1]}" if path.startswith("/") else ""
    return f"/{match.url_name or ''}" if match.args or match.kwargs else path


def _find_mistake(shown: _Shown, whole: ApiKey | None) -> Mistake | None:
    """Find out what is wrong with the key; None when it works: it was created, or unblocked, since."""
    if not shown.has_scheme:
        return Mistake.PREFIX
    if whole is None:
        return Mistake.MISTYPED
    if whole.revoked_at is not None:
        return Mistake.REVOKED
    return None if is_live(whole) else Mistake.EXPIRED


def _is_secret_of(key: ApiKey, plaintext: str) -> bool:
    """Return whether it is the whole secret of this key, or the one before its last rotation."""
    if not is_well_formed_key(plaintext):
        return False
    digests = [compute_key_digest(plaintext, pepper) for pepper in settings.KEY_PEPPERS]
    if key.old_digest and bytes(key.old_digest) in digests:
        key.shown_until = key.old_until
        return True
    return bytes(key.digest) in digests


class _Store:
    """One entry per project in Redis, which forgets it after `KEPT`."""

    def __init__(self) -> None:
        self._breaker = CircuitBreaker(PAUSE)

    @cached_property
    def _redis(self) -> redis.Redis:
        return redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT
        )

    def write(self, refused_keys: dict[UUID, RefusedKey]) -> None:
        if not refused_keys or not self._breaker.may_ask():
            return
        pipeline = self._redis.pipeline(transaction=False)
        for project, refused in refused_keys.items():
            values = [refused.mistake.value, refused.hint, refused.path, refused.at.isoformat()]
            pipeline.set(_name_entry(project), json.dumps(values), ex=KEPT)
        try:
            pipeline.execute()
        except redis.RedisError as error:
            self._note_failure(error)
        else:
            self._breaker.succeeded()

    def read(self, project: UUID) -> RefusedKey | None:
        if not self._breaker.may_ask():
            return None
        try:
            stored = self._redis.get(_name_entry(project))
        except redis.RedisError as error:
            self._note_failure(error)
            return None
        self._breaker.succeeded()
        if not isinstance(stored, bytes):
            return None
        mistake, hint, path, at = json.loads(stored)
        return RefusedKey(Mistake(mistake), hint, path, datetime.fromisoformat(at))

    def _note_failure(self, trouble: redis.RedisError) -> None:
        self._breaker.failed()
        log.warning("refused_keys_unknown", extra={"fault": type(trouble).__name__})


def _name_entry(project: UUID) -> str:
    return f"engram:refused-key:{project.hex}"


_store = _Store()
_writer: BackgroundWriter[_Shown] = BackgroundWriter("refused-keys", _note_refusals)
