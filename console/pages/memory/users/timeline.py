"""The timeline of an end user: each memory's appearance and changes in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from console.pages.memory.memories.history_steps import HistoryStep, build_steps, load_editor_emails
from console.ui.lists.query_values import parse_utc_datetime
from memories.consolidation.versions import Reason
from memories.models import MemCube, Memory
from memories.retrieval.browse.as_of import get_retired_at
from memories.retrieval.browse.timeline import TimelineEvent, load_timeline
from memories.values import MemoryStatus

# Of what holds again by now: these changes once retired it.
RETIRED = {Reason.SUPERSEDED.value, Reason.CORRECTED.value, Reason.ENDED.value, Reason.PUT_BACK.value}
WORDS: dict[str, tuple[Any, str]] = {
    "appeared": (gettext_lazy("Appeared"), "plus"),
    "replaced": (gettext_lazy("Replaced"), "history"),
    "restored": (gettext_lazy("Restored"), "undo-2"),
    "deleted": (gettext_lazy("Deleted"), "trash-2"),
    "merged": (gettext_lazy("Merged"), "git-merge"),
    "changed": (gettext_lazy("Changed"), "pencil"),
    "said": (gettext_lazy("Said again"), "quote"),
    "status": (gettext_lazy("Status changed"), "archive"),
    "other": (gettext_lazy("Updated"), "refresh-cw"),
}


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One line of the timeline; `step` is None where the memory appeared, `successor` what replaced it."""

    name: str
    memory: Memory
    at: Any
    text: str
    step: HistoryStep | None
    successor: Memory | None
    is_linked: bool

    @property
    def word(self) -> Any:
        return WORDS[self.name][0]

    @property
    def icon(self) -> str:
        return WORDS[self.name][1]


def build_timeline_context(request: HttpRequest, cube: MemCube) -> dict[str, Any]:
    before = parse_utc_datetime(request.GET.get("before", ""))
    timeline = load_timeline(cube, before)
    names = load_editor_emails(version for event in timeline.events for version in event.versions)
    changed = {event.memory.pk: event for event in timeline.events if event.version}
    steps = {key: build_steps(event.memory, event.versions, names) for key, event in changed.items()}
    entries = [_build_entry(event, steps.get(event.memory.pk, [])) for event in timeline.events]
    older = urlencode({"tab": "timeline", "before": timeline.events[-1].cursor}) if timeline.has_more else ""
    return {
        "entries": entries,
        "is_cut": timeline.is_cut,
        "newest_url": f"{request.path}?tab=timeline" if before else "",
        "older_url": f"{request.path}?{older}" if older else "",
    }


def _build_entry(event: TimelineEvent, steps: list[HistoryStep]) -> TimelineEntry:
    memory, versions = event.memory, event.versions
    if event.version is None:
        first = versions[-1].text if versions else memory.text
        return TimelineEntry("appeared", memory, event.at, first, None, None, memory.purge_at is None)
    step = steps[versions.index(event.version)]
    is_retired = event.version.created_at == get_retired_at(memory, versions)
    name = "replaced" if is_retired else _get_event_name(event.version.reason, step)
    successor = memory.superseded_by if name in {"replaced", "merged"} else None
    return TimelineEntry(name, memory, event.at, event.version.text, step, successor, memory.purge_at is None)


def _get_event_name(reason: str, step: HistoryStep) -> str:
    known = {
        Reason.TAKEN_OUT.value: "restored",
        Reason.INTO_TRASH.value: "deleted",
        Reason.ABSORBED.value: "merged",
        Reason.REPEATED.value: "said",
        Reason.REWORDED.value: "said",
    }
    if reason in RETIRED:
        return "replaced"
    if reason in known:
        return known[reason]
    if step.status_after:
        return "restored" if step.status_after in {MemoryStatus.ACTIVATED, MemoryStatus.FROZEN} else "status"
    return "changed" if step.pieces else "other"
