"""The memories of an end user as of a date, and how they differ from today's.

Drawn from the stored versions: the first version that was written after the date holds the text and status of then.
What was deleted permanently since is gone from here too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from uuid import UUID

from django.db.models import Q

from memories.consolidation.versions import BY_HAND, Reason
from memories.models import MemCube, Memory, MemoryVersion
from memories.models.trash_visibility import seeing_trash
from memories.retrieval.browse.newest_memories import HEAVY, list_newest_memories
from memories.values import MemoryStatus

# So many memories of each kind are compared, the newest.
MOST = 500
HOLDING = {MemoryStatus.ACTIVATED.value, MemoryStatus.FROZEN.value}
# Changes that leave text and status as they are and retire nothing.
KEEPING = {Reason.REPEATED.value, Reason.REWORDED.value, Reason.TAKEN_OUT.value}
RESOLUTION = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Then:
    """A memory as it was on the date."""

    memory: Memory
    text: str


@dataclass(frozen=True, slots=True)
class DateComparison:
    """`gone` held on the date and not today, `new` the other way round; `changed` and `same` held on both.

    `is_cut` where there were more memories of a kind than are compared.
    """

    gone: list[Then] = field(default_factory=list)
    changed: list[Then] = field(default_factory=list)
    new: list[Memory] = field(default_factory=list)
    same: list[Then] = field(default_factory=list)
    is_cut: bool = False


def compare_with_today(cube: MemCube, at: datetime) -> DateComparison:
    """The memories that held just before a time beside those that hold now. Inside the project's scope."""
    with seeing_trash():
        then = list_newest_memories(cube, Q(created_at__lt=at), MOST)
        later = list_newest_memories(cube, Q(created_at__gte=at, status__in=HOLDING, valid_until=None), MOST)
        memories = (
            Memory.objects.within(cube).filter(pk__in=then.keys + later.keys).select_related("superseded_by")
        )
        rows = list(
            memories.defer(*HEAVY, *(f"superseded_by__{name}" for name in HEAVY)).order_by(
                "-created_at", "-pk"
            )
        )
        versions = _load_versions([row.pk for row in rows if row.version > 1])
    compared = DateComparison(is_cut=then.is_cut or later.is_cut)
    for memory in rows:
        _sort_in(compared, memory, get_text_at(memory, versions.get(memory.pk, []), at))
    return compared


def _load_versions(keys: Sequence[UUID]) -> dict[UUID, list[MemoryVersion]]:
    """The versions of each memory, newest first."""
    versions: dict[UUID, list[MemoryVersion]] = defaultdict(list)
    for version in MemoryVersion.objects.within(keys).order_by("memory_id", "-number"):
        versions[version.memory_id].append(version)
    return versions


def _sort_in(compared: DateComparison, memory: Memory, text: str | None) -> None:
    holds = memory.status in HOLDING and memory.valid_until is None and not memory.is_past_its_day
    if text is None:
        compared.new.extend([memory] if holds else [])
        return
    then = Then(memory, text)
    if not holds:
        compared.gone.append(then)
    elif text != memory.text:
        compared.changed.append(then)
    else:
        compared.same.append(then)


def get_text_at(memory: Memory, versions: Sequence[MemoryVersion], at: datetime) -> str | None:
    """Return what a memory said just before a time; None where it did not hold then. `versions` are newest first."""
    last_day = (at - RESOLUTION).date()
    if memory.created_at >= at or (memory.expires_on is not None and memory.expires_on < last_day):
        return None
    following = [version for version in versions if version.created_at >= at]
    # Versions from before there were statuses in them say nothing of one.
    status = (following[-1].status if following else "") or memory.status
    replaced_at = get_retired_at(memory, versions)
    if status not in HOLDING or (replaced_at is not None and replaced_at < at):
        return None
    return following[-1].text if following else memory.text


def get_retired_at(memory: Memory, versions: Sequence[MemoryVersion]) -> datetime | None:
    """Return when the memory was retired for a later statement; None for what nothing has replaced.

    Versions do not name the change that retires: it is the last that leaves text and status alone and is no repetition.
    A memory of the past was made with its end.
    """
    if memory.valid_until is None:
        return None
    states = [(memory.text, memory.title, memory.status), *((v.text, v.title, v.status) for v in versions)]
    for version, (after, before) in zip(versions, pairwise(states), strict=True):
        is_kept = version.reason in KEEPING or version.reason.startswith(BY_HAND)
        if after == before and not is_kept:
            return version.created_at
    successor = memory.superseded_by
    return max(memory.created_at, successor.created_at) if successor else memory.created_at
