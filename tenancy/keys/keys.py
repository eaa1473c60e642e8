"""API keys: create, look up with a cache, revoke.

`mpg-`, 32 random base-62 characters (190 bits), and 6 base-62 characters of CRC-32 over all before them, so that
secret scanners can tell a key from noise and a mistyped key costs no query.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import re
import secrets
import string
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from tenancy.errors import InvalidParameters, KeyInvalid
from tenancy.keys.lifetime import is_live
from tenancy.keys.peppers import get_current_pepper_id
from tenancy.models import ApiKey, Project, User
from tenancy.runtime.background_writer import BackgroundWriter

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
PATTERN = re.compile(r"mpg-[0-9A-Za-z]{38}")
# Of a whole key or of its beginning; four characters after the prefix are what the console shows.
_IN_TEXT = re.compile(r"(mpg-[0-9A-Za-z]{4})[0-9A-Za-z]+")
# A revoked key stops working within this many seconds in every process.
CACHE_SECONDS = 1.0
# A key that is in use when it was looked up this long ago is looked up again beside the requests, which then never wait
# for it. With the time that is gathered for, this stays well below the limit.
RENEW_SECONDS = 0.4
CACHE_SIZE = 4096


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key and its plaintext, which is stored nowhere."""

    key: ApiKey
    plaintext: str


def mask_keys(text: str) -> str:
    """Cuts each key in a text to its first characters: nobody who reads the text can use it."""
    return _IN_TEXT.sub(r"\1…", text)


@transaction.atomic
def create_key(
    project: Project,
    name: str,
    *,
    created_by: User | None = None,
    scopes: tuple[str, ...] = ("all",),
    expires_at: datetime | None = None,
    ranges: Sequence[str] = (),
    daily_cap: int | None = None,
    made_with: ApiKey | None = None,
) -> NewKey:
    """Create a key of the project. Raises `InvalidParameters` when the plan allows no more."""
    _refuse_too_many(project)
    plaintext = generate_key()
    key = ApiKey.objects.create(
        account_id=project.account_id,
        project=project,
        name=name,
        scopes=list(scopes),
        created_by=created_by,
        expires_at=expires_at,
        ranges=list(ranges),
        daily_cap=daily_cap,
        made_with=made_with,
        **build_secret_columns(plaintext),
    )
    return NewKey(key, plaintext)


def build_secret_columns(plaintext: str) -> dict[str, Any]:
    """The columns that represent a secret."""
    return {
        "public_id": plaintext[:8],
        "last_four": plaintext[-4:],
        "digest": compute_key_digest(plaintext, settings.KEY_PEPPERS[0]),
        "pepper_id": get_current_pepper_id(),
    }


def _refuse_too_many(project: Project) -> None:
    """Refuse another key over the limit, and lock until the transaction ends, so that concurrent requests are counted.

    It is an advisory lock: who deletes the project holds its row while waiting for the rows of its keys.
    """
    name = hashlib.sha256(f"keys:{project.pk}".encode()).digest()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int.from_bytes(name[:8], "big", signed=True)])
    allowed = project.account.plan.keys_per_project
    if project.api_keys.filter(revoked_at=None).count() >= allowed:
        raise InvalidParameters(f"a project has at most {allowed} keys; revoke one first")


def revoke_key(key: ApiKey) -> bool:
    """Revoke the key, within a second in every process. False when it was revoked already."""
    revoked = ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=timezone.now())
    clear_key_cache()
    return bool(revoked)


def clear_key_cache() -> None:
    """Empty the key cache of this process."""
    _cache.clear()


def generate_key() -> str:
    body = "mpg-" + "".join(secrets.choice(ALPHABET) for _ in range(32))
    return body + compute_key_checksum(body)


def compute_key_checksum(body: str) -> str:
    """CRC-32 of the text as six base-62 characters."""
    number = zlib.crc32(body.encode("ascii"))
    letters = ""
    for _ in range(6):
        number, rest = divmod(number, 62)
        letters = ALPHABET[rest] + letters
    return letters


def compute_key_digest(plaintext: str, pepper: str) -> bytes:
    return hmac.digest(pepper.encode(), plaintext.encode(), "sha256")


def is_well_formed_key(plaintext: str) -> bool:
    """Return whether the text has the form and checksum of a key."""
    return bool(PATTERN.fullmatch(plaintext)) and compute_key_checksum(plaintext[:-6]) == plaintext[-6:]


def is_key_cached(plaintext: str) -> bool:
    """Return whether this process has looked up the key lately, live or not."""
    return _cache.knows(plaintext)


def find_cached_account(plaintext: str) -> UUID | None:
    """The account of a key that this process has looked up lately, live or not. Makes no query."""
    return _cache.find_account(plaintext)


def recognise_key(plaintext: str) -> ApiKey:
    """Look up the live key with this plaintext, with its project, account and plan.

    Raises `KeyInvalid`, the same for unknown, revoked, expired and malformed keys.
    """
    if not is_well_formed_key(plaintext):
        raise KeyInvalid
    key = _cache.get(plaintext)
    if key is None:
        key = _look_up_for_cache(plaintext)
    elif _cache.is_to_be_renewed(plaintext):
        _renewals.put(plaintext)
    if not is_live(key):
        raise KeyInvalid
    return key


def _renew_keys(plaintexts: list[str]) -> None:
    for plaintext in plaintexts:
        try:
            _look_up_for_cache(plaintext)
        except KeyInvalid:
            _cache.clear(plaintext)


def _look_up_for_cache(plaintext: str) -> ApiKey:
    """Look up a key; its age counts from the start of the query, because the row may change meanwhile."""
    began = time.monotonic()
    key = _look_up(plaintext)
    _cache.put(plaintext, key, began)
    return key


def _look_up(plaintext: str) -> ApiKey:
    digests = [compute_key_digest(plaintext, pepper) for pepper in settings.KEY_PEPPERS]
    shown = Q(digest__in=digests) | Q(old_digest__in=digests)
    for key in ApiKey.objects.select_related("project__account__plan", "made_with").filter(shown):
        if _is_one_of(key.digest, digests):
            _note_pepper(key, "", digests[0])
            return key
        if key.old_digest and _is_one_of(key.old_digest, digests):
            key.shown_until = key.old_until
            _note_pepper(key, "old_", digests[0])
            return key
    raise KeyInvalid


@dataclass(frozen=True, slots=True)
class _Rehash:
    """A key digest to be replaced by one with the first pepper."""

    key: UUID
    which: str
    seen: bytes
    fresh: bytes
    pepper_id: str


def _note_pepper(key: ApiKey, which: str, fresh: bytes) -> None:
    """Queue a key whose digest uses an older or unknown pepper for rehashing with the first one."""
    current = get_current_pepper_id()
    if is_live(key) and getattr(key, f"{which}pepper_id") != current:
        seen = bytes(getattr(key, f"{which}digest"))
        _rehashes.put(_Rehash(key.pk, which, seen, fresh, current))


def _rehash_keys(waiting: list[_Rehash]) -> None:
    """Replace the digest, unless the secret was rotated meanwhile."""
    for rehash in dict.fromkeys(waiting):
        rows = ApiKey.objects.filter(**{"pk": rehash.key, f"{rehash.which}digest": rehash.seen})
        rows.update(**{f"{rehash.which}digest": rehash.fresh, f"{rehash.which}pepper_id": rehash.pepper_id})


def _is_one_of(kept: bytes | memoryview, digests: list[bytes]) -> bool:
    return any(hmac.compare_digest(bytes(kept), candidate) for candidate in digests)


class _KeyCache:
    """Keys seen in the last second: one indexed look-up a second instead of one a request.

    Not a `LockedTTLCache`, which would drop ended keys: `knows` must still name those of a crowded address
    (`tests/tenancy/keys/test_restrictions.py`).
    """

    def __init__(self) -> None:
        self._entries: dict[bytes, tuple[float, ApiKey]] = {}
        # Those that are being renewed, by the moment of the look-up that is too old.
        self._renewing: dict[bytes, float] = {}
        self._lock = Lock()

    def get(self, plaintext: str) -> ApiKey | None:
        entry = self._entries.get(self._name_entry(plaintext))
        if entry is None or time.monotonic() - entry[0] > CACHE_SECONDS:
            return None
        return entry[1]

    def is_to_be_renewed(self, plaintext: str) -> bool:
        """Return whether the cached key is old enough to be looked up again; true once for each look-up."""
        name = self._name_entry(plaintext)
        with self._lock:
            looked_up = self._entries[name][0] if name in self._entries else math.inf
            if time.monotonic() - looked_up < RENEW_SECONDS or self._renewing.get(name) == looked_up:
                return False
            self._renewing[name] = looked_up
            return True

    def put(self, plaintext: str, key: ApiKey, began: float) -> None:
        with self._lock:
            if len(self._entries) >= CACHE_SIZE:
                self._entries.clear()
                self._renewing.clear()
            self._entries[self._name_entry(plaintext)] = (began, key)

    def knows(self, plaintext: str) -> bool:
        return self._name_entry(plaintext) in self._entries

    def find_account(self, plaintext: str) -> UUID | None:
        entry = self._entries.get(self._name_entry(plaintext))
        return entry[1].account_id if entry else None

    def clear(self, plaintext: str = "") -> None:
        """Have this key or all looked up again, without treating any as unknown: a crowded address might be refused."""
        with self._lock:
            names = [self._name_entry(plaintext)] if plaintext else list(self._entries)
            self._entries |= {
                name: (-math.inf, self._entries[name][1]) for name in names if name in self._entries
            }

    @staticmethod
    def _name_entry(plaintext: str) -> bytes:
        return compute_key_digest(plaintext, settings.KEY_PEPPERS[0])


_cache = _KeyCache()
_renewals: BackgroundWriter[str] = BackgroundWriter("keys", _renew_keys)
_rehashes: BackgroundWriter[_Rehash] = BackgroundWriter("peppers", _rehash_keys)
