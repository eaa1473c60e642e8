"""Snapshots of cubes, cached in this process between searches; each search checks them against the database.

Nothing has to announce a change. The notes that the database makes of every write (`memories.cubes.change_markers`)
say whether anything was written, deleted or changed since, by any process; then only the changed rows are read
again. What is
kept is in memory only, the least recently searched dropped first. When a person is erased every process is notified to
drop what it keeps of them, and each asks the database by the clock too, should that message be lost.

An owner with more rows than a search may wait for is read behind the answers; until then the database selects the
candidates. What is dropped for others is that of the account that keeps the most in the process.
"""

from __future__ import annotations

import time
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from threading import Lock, Timer
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction

from memories.cubes.change_markers import ChangeMarker, load_joint_change_marker
from memories.engine import get_embedder
from memories.models import Memory
from memories.retrieval.cache.rows import BATCH as ROWS_AT_ONCE
from memories.retrieval.cache.rows import count_cube_memories, read_batch, read_snapshot, refresh_snapshot
from memories.retrieval.cache.snapshot import MOST_WHOLE, Rows, Snapshot
from tenancy.isolation.private_fields import is_hiding_words
from tenancy.isolation.scoping import Scope, get_active_scope, tenant_scope
from tenancy.requests.erasure_feed import ErasureFeed
from tenancy.requests.log_erasure import was_anybody_erased
from tenancy.runtime.background_writer import BackgroundWriter, log_database_errors
from tenancy.runtime.ttl_cache import LockedTTLCache

# Up to this many rows a search reads itself where they are not kept. Knowledge bases with more are searched by index.
SCORE_ALL = 5_000
# A row of a snapshot takes about this many bytes: what cannot be kept is not read.
_ROW_BYTES = 1_500
# So many memories are fetched whole at a time.
BATCH = 200
# What nobody searched for this long is forgotten.
KEPT_SECONDS = 600.0
# Counts of recalls are read with their rows only; after this long all rows are read again for their sake. So long it is
# believed, too, that there are too many.
FRESH_SECONDS = 600.0
# Of so many cubes a process remembers that they are too large.
KNOWN_LARGE = 4_096
# All rows of a large owner are read once in this time at most, however often they are dropped for others.
_READ_AGAIN_SECONDS = 60.0


class _CachedSnapshot(NamedTuple):
    """`used_at`: when it was last searched, in seconds of the monotonic clock. `size`: in bytes."""

    used_at: float
    size: int
    snapshot: Snapshot


@dataclass(slots=True, eq=False)
class SnapshotReading:
    """Rows of these cubes are being read, by one thread; `is_stale` once a cube of them was dropped meanwhile."""

    cubes: tuple[UUID, ...]
    is_stale: bool = False


class Snapshots:
    """The snapshots of this process, up to so many bytes. Threads may read the same one twice, never a mixed one.

    What was read before an erasure must not be kept after it: anyone who reads to keep does so within `reading`.

    Not a `LockedTTLCache`: the bound is in bytes, and an erasure drops all that hold a cube (`holding`, `drop`).
    """

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._lock = Lock()
        self._kept: OrderedDict[tuple[UUID, ...], _CachedSnapshot] = OrderedDict()
        self._scopes: dict[tuple[UUID, ...], Scope] = {}
        self._readings: set[SnapshotReading] = set()
        self._timer: Timer | None = None
        self._large = LockedTTLCache[tuple[UUID, ...], bool](KNOWN_LARGE, FRESH_SECONDS)
        self._read = LockedTTLCache[tuple[UUID, ...], bool](KNOWN_LARGE, _READ_AGAIN_SECONDS)

    def get(self, cubes: tuple[UUID, ...]) -> Snapshot | None:
        with self._lock:
            self._drop_old()
            entry = self._kept.get(cubes)
            if entry is None:
                return None
            self._kept[cubes] = entry._replace(used_at=time.monotonic())
            self._kept.move_to_end(cubes)
            return entry.snapshot

    def holding(self, cube: UUID) -> list[tuple[UUID, ...]]:
        """The keys of what is kept with this cube in it."""
        with self._lock:
            return [cubes for cubes in self._kept if cube in cubes]

    @contextmanager
    def reading(self, cubes: tuple[UUID, ...]) -> Iterator[SnapshotReading]:
        """Enter before the first row is read, and leave when the snapshot is stored."""
        reading = SnapshotReading(cubes)
        with self._lock:
            self._readings.add(reading)
        try:
            yield reading
        finally:
            with self._lock:
                self._readings.discard(reading)

    def put(self, reading: SnapshotReading, snapshot: Snapshot) -> bool:
        """Return whether it is kept: not where it is too large, nor where one of its cubes was dropped while it was
        read."""
        with self._lock:
            if reading.is_stale:
                return False
            self._put_snapshot(reading.cubes, snapshot)
            return reading.cubes in self._kept

    def weigh_again(self, cubes: tuple[UUID, ...], snapshot: Snapshot) -> None:
        """Update the size of a snapshot to which more was loaded, unless it was dropped meanwhile."""
        with self._lock:
            if self._is_current(cubes, snapshot):
                self._put_snapshot(cubes, snapshot)

    def _put_snapshot(self, cubes: tuple[UUID, ...], snapshot: Snapshot) -> None:
        size = snapshot.bytes
        self._kept.pop(cubes, None)
        scope = get_active_scope()
        if scope is not None:
            self._scopes[cubes] = scope
        if size <= self._most:
            self._kept[cubes] = _CachedSnapshot(time.monotonic(), size, snapshot)
        while sum(entry.size for entry in self._kept.values()) > self._most:
            del self._kept[self._find_least_needed()]
        self._scopes = {key: of for key, of in self._scopes.items() if key in self._kept}
        self._start_timer()

    def _find_least_needed(self) -> tuple[UUID, ...]:
        """The least recently searched snapshot of the account that has the most of them here."""
        held: dict[UUID | None, int] = defaultdict(int)
        for cubes, entry in self._kept.items():
            held[self._find_account(cubes)] += entry.size
        largest = max(held, key=held.__getitem__)
        return next(cubes for cubes in self._kept if self._find_account(cubes) == largest)

    def _find_account(self, cubes: tuple[UUID, ...]) -> UUID | None:
        scope = self._scopes.get(cubes)
        return scope.account if scope is not None else None

    @property
    def most_rows(self) -> int:
        """Return how many rows of one owner can be cached."""
        return self._most // _ROW_BYTES

    def may_read(self, cubes: tuple[UUID, ...]) -> bool:
        """Return whether all rows of a large owner may be read now; asked once before each time."""
        if self._read.get(cubes) is not None:
            return False
        self._read.put(cubes, True)
        return True

    def has_capacity(self, snapshot: Snapshot) -> bool:
        """One snapshot alone gets a quarter of the whole at most."""
        return snapshot.bytes < self._most // 4

    def _is_current(self, cubes: tuple[UUID, ...], snapshot: Snapshot) -> bool:
        return cubes in self._kept and self._kept[cubes].snapshot is snapshot

    def is_large(self, cubes: tuple[UUID, ...]) -> bool:
        """Return whether there were too many rows to keep, minutes ago at most."""
        return self._large.get(cubes) is not None

    def remember_large(self, cubes: tuple[UUID, ...]) -> None:
        self._large.put(cubes, True)

    def drop(self, cubes: Iterable[UUID]) -> None:
        """Drops what holds words of these cubes, so that a deletion is complete here too; what is being read of them
        will not be kept."""
        gone = set(cubes)
        with self._lock:
            for reading in self._readings:
                reading.is_stale |= not gone.isdisjoint(reading.cubes)
            for key in [key for key in self._kept if gone.intersection(key)]:
                del self._kept[key]

    def by_scope(self) -> dict[Scope, set[UUID]]:
        """The cubes that are kept, by whose they are."""
        cubes_by_scope: dict[Scope, set[UUID]] = defaultdict(set)
        with self._lock:
            self._drop_old()
            for cubes in self._kept:
                if cubes in self._scopes:
                    cubes_by_scope[self._scopes[cubes]].update(cubes)
        return cubes_by_scope

    def _drop_old(self) -> None:
        earliest = time.monotonic() - KEPT_SECONDS
        for cubes in [cubes for cubes, entry in self._kept.items() if entry.used_at < earliest]:
            del self._kept[cubes]

    def _start_timer(self) -> None:
        """Words of end users do not outstay their time, even where nobody searches any more."""
        if self._timer is None and self._kept:
            self._timer = Timer(KEPT_SECONDS, self._drop_expired)
            self._timer.daemon = True
            self._timer.start()

    def _drop_expired(self) -> None:
        with self._lock:
            self._timer = None
            self._drop_old()
            self._start_timer()


snapshots = Snapshots(settings.SNAPSHOT_MEGABYTES * 2**20)


def load_snapshot(cubes: tuple[UUID, ...], marker: ChangeMarker | None = None) -> Snapshot | None:
    """The present rows of these cubes, from memory where nothing changed; None when there are too many to read.

    To be called in the scope of their owner; with their marker when the caller has asked for it.
    """
    if is_hiding_words():
        raise RuntimeError("What is read without its words is not kept for others.")
    marker = marker or load_joint_change_marker(cubes)
    known = get_current_snapshot(cubes, marker)
    if known is not None:
        return known
    with snapshots.reading(cubes) as reading:
        fresh = _read_and_keep(reading, marker)
    scope = get_active_scope()
    if fresh is not None and scope is not None:
        completion.put(PendingRenewal(scope, cubes))
    return fresh


def prepare_snapshot(cubes: tuple[UUID, ...]) -> None:
    """Have all rows of a large owner read behind the answer, in the scope of their owner."""
    scope = get_active_scope()
    if scope is not None and snapshots.may_read(cubes):
        completion.put(PendingRenewal(scope, cubes, is_new=True))


def _read_and_keep(reading: SnapshotReading, marker: ChangeMarker) -> Snapshot | None:
    fresh = _read_snapshot(reading.cubes, marker)
    if fresh is None:
        return None
    feed.listen()
    snapshots.put(reading, fresh)
    return fresh


def get_current_snapshot(cubes: tuple[UUID, ...], marker: ChangeMarker) -> Snapshot | None:
    """The cached snapshot, if nothing was written since."""
    known = _get_fresh_snapshot(cubes)
    if known is None or known.marker != marker:
        return None
    # Without a note there may be nothing that this tenant can see.
    return known if marker.notes or not len(known) else None


def _get_fresh_snapshot(cubes: tuple[UUID, ...]) -> Snapshot | None:
    """The cached snapshot with recent recall counts; those of a large one are read behind the answers."""
    known = snapshots.get(cubes)
    if known is None or time.monotonic() - known.read_at <= FRESH_SECONDS:
        return known
    if len(known) <= SCORE_ALL:
        return None
    prepare_snapshot(cubes)
    return known


def _read_snapshot(cubes: tuple[UUID, ...], marker: ChangeMarker) -> Snapshot | None:
    """Read a snapshot; None when there are too many rows. Of a cached one only what changed is read."""
    known = _get_fresh_snapshot(cubes)
    if known is None and (snapshots.is_large(cubes) or _count_rows(cubes, SCORE_ALL) > SCORE_ALL):
        snapshots.remember_large(cubes)
        return None
    engine, memories = get_embedder(), Memory.objects.within(list(cubes)).recallable()
    if known is None:
        return read_snapshot(memories, engine.name, engine.dimensions, marker)
    return refresh_snapshot(
        known,
        memories,
        model=engine.name,
        dimensions=engine.dimensions,
        marker=marker,
        most_changed=SCORE_ALL,
    )


def _count_rows(cubes: tuple[UUID, ...], most: int) -> int:
    return sum(count_cube_memories(cubes, most).values())


class PendingRenewal(NamedTuple):
    """Cubes whose snapshot is to be made ready for the next search; `is_new`: from all rows, kept or not."""

    scope: Scope
    cubes: tuple[UUID, ...]
    is_new: bool = False


def renew_snapshot(scope: Scope, cube: UUID) -> None:
    """Renew the snapshot of a changed cube that was searched lately, before its next search."""
    for cubes in snapshots.holding(cube):
        completion.put(PendingRenewal(scope, cubes))


def _complete_renewals(waiting: list[PendingRenewal]) -> None:
    """Renews what is small, then reads one large owner of each account; the others of an account wait for the next
    round, so that nobody's renewals wait for more than one owner of each account."""
    large: dict[UUID, PendingRenewal] = {}
    for kept in dict.fromkeys(waiting):
        if not kept.is_new:
            _renew_and_fetch(kept)
        elif large.setdefault(kept.scope.account, kept) is not kept:
            completion.put(kept)
    for kept in large.values():
        with log_database_errors("snapshots", 1):
            _read_large(kept.scope, kept.cubes)


def _renew_and_fetch(kept: PendingRenewal) -> None:
    with log_database_errors("snapshots", 1), tenant_scope(kept.scope):
        snapshot = _renew_snapshot(kept.cubes)
        if snapshot is not None:
            _fetch_whole(kept.cubes, snapshot)


def _read_large(scope: Scope, cubes: tuple[UUID, ...]) -> None:
    """Reads and keeps all rows, if they can be kept; in a transaction for each batch, because it takes seconds."""
    with tenant_scope(scope):
        if _count_rows(cubes, snapshots.most_rows) > snapshots.most_rows:
            return
    feed.listen()
    engine = get_embedder()
    with snapshots.reading(cubes) as reading:
        with tenant_scope(scope):
            marker = load_joint_change_marker(cubes)
        parts: list[Rows] = []
        while not parts or len(parts[-1]) == ROWS_AT_ONCE:
            with tenant_scope(scope):
                memories = Memory.objects.within(list(cubes)).recallable()
                after = parts[-1] if parts else None
                parts.append(read_batch(memories, engine.name, engine.dimensions, after))
        fresh = Snapshot.of(marker, Rows.joined(parts))
        with tenant_scope(scope):
            snapshots.put(reading, fresh)


def _renew_snapshot(cubes: tuple[UUID, ...]) -> Snapshot | None:
    """The cached snapshot, brought up to date; None when it was dropped, as after an erasure."""
    with snapshots.reading(cubes) as reading:
        known = snapshots.get(cubes)
        if known is None:
            return None
        marker = load_joint_change_marker(cubes)
        return get_current_snapshot(cubes, marker) or _read_and_keep(reading, marker)


def _fetch_whole(cubes: tuple[UUID, ...], snapshot: Snapshot) -> None:
    if len(snapshot) > MOST_WHOLE:
        return
    memories = Memory.objects.within(list(cubes)).recallable()
    missing = snapshot.missing(snapshot.table.keys.tolist())
    for start in range(0, len(missing), BATCH):
        if not snapshots.has_capacity(snapshot):
            break
        snapshot.read_whole(memories, missing[start : start + BATCH])
    snapshots.weigh_again(cubes, snapshot)


completion = BackgroundWriter("snapshots", _complete_renewals, owner_of=lambda kept: kept.scope.account)


def drop_erased(since: datetime) -> None:
    """Drops what is kept of every project in which somebody was erased since then."""
    for scope, cubes in snapshots.by_scope().items():
        if scope.project is None:
            continue
        with log_database_errors("snapshots", 1), tenant_scope(scope):
            is_stale = was_anybody_erased(scope.project, since)
        if is_stale:
            snapshots.drop(cubes)


def _drop_snapshots(keys: Iterable[UUID]) -> None:
    """Drops what is kept of these cubes and projects."""
    gone = set(keys)
    of_projects = [cubes for scope, cubes in snapshots.by_scope().items() if scope.project in gone]
    snapshots.drop(gone.union(*of_projects))


# Tells every process the cubes and projects of which it is to keep nothing.
feed = ErasureFeed(_drop_snapshots, drop_erased)


def drop_cached_in_processes(keys: Iterable[UUID]) -> None:
    """Drop these cubes or projects from the caches of all processes, after the commit."""
    gone = list(keys)
    transaction.on_commit(lambda: feed.announce(gone))
