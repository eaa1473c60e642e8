"""What the list of memories is asked for: filters, order, columns, as the address holds them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy

from console.ui.lists.query_filters import Dropped, FilterReader
from console.ui.lists.query_values import RANGES
from console.ui.lists.sorting import SortOrder, sort_by_datetime, sort_by_number
from memories.retrieval.browse.listing import REPLACED, InfoMatch, MemoryQuery
from memories.values import MemoryStatus, OwnerKind

TABS = {"all": "", "facts": "fact", "preferences": "preference", "tools": "tool", "skills": "skill"}


def _parse_share(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


# By their name in the address; each column that sorts the list turns round on a second press.
SORTS = {
    "": sort_by_datetime("created_at"),
    "oldest": SortOrder("created_at", sort_by_datetime("created_at").read, is_descending=False),
    "updated": sort_by_datetime("updated_at"),
    "stale": SortOrder("updated_at", sort_by_datetime("updated_at").read, is_descending=False),
    "confidence": SortOrder("confidence", _parse_share, is_descending=True),
    "doubtful": SortOrder("confidence", _parse_share, is_descending=False),
    "recalled": sort_by_number("recall_count"),
}
STANDINGS = (
    MemoryStatus.FROZEN.value,
    REPLACED,
    MemoryStatus.ARCHIVED.value,
    MemoryStatus.EXPIRED.value,
    MemoryStatus.MERGED.value,
)
# (at least, below) by their name in the address.
CONFIDENCES: dict[str, tuple[float | None, float | None]] = {
    "90": (0.9, None),
    "70": (0.7, None),
    "below-70": (None, 0.7),
    "below-50": (None, 0.5),
}
RECALLS = ("never", "ever")
YES = ("yes",)
LABELS: dict[str, Any] = {
    "q": gettext_lazy("Words"),
    "inside": gettext_lazy("Word match"),
    "subject": gettext_lazy("Subject"),
    "owner": gettext_lazy("Subject type"),
    "range": gettext_lazy("Time"),
    "standing": gettext_lazy("Status"),
    "conversation": gettext_lazy("Conversation"),
    "sort": gettext_lazy("Order"),
    "tab": gettext_lazy("Kind"),
    "tag": gettext_lazy("Tag"),
    "info": gettext_lazy("Info"),
    "confidence": gettext_lazy("Confidence"),
    "agent": gettext_lazy("Agent"),
    "app": gettext_lazy("App"),
    "recalls": gettext_lazy("Recalled"),
    "conflicts": gettext_lazy("Conflicts"),
    "task": gettext_lazy("Task"),
    "file": gettext_lazy("File"),
}
LONGEST_WORDS, LONGEST_ID = 200, 100
LONGEST_INFO = 200


@dataclass(frozen=True, slots=True)
class WantedMemories:
    """The filters of the list; `dropped` are those that were asked for and are not valid."""

    tab: str = "all"
    q: str = ""
    inside: str = ""
    subject: str = ""
    owner: str = ""
    range: str = ""
    standing: str = ""
    conversation: str = ""
    tag: str = ""
    info: str = ""
    confidence: str = ""
    agent: str = ""
    app: str = ""
    recalls: str = ""
    conflicts: str = ""
    task: str = ""
    file: str = ""
    sort: str = ""
    dropped: tuple[Dropped, ...] = ()

    @classmethod
    def of(cls, query: QueryDict) -> WantedMemories:
        asked = FilterReader(query)
        ids = {
            name: asked.words(name, LONGEST_ID, LABELS[name])
            for name in ("subject", "conversation", "tag", "agent", "app")
        }
        keys = {name: asked.uuid(name, LABELS[name]) for name in ("task", "file")}
        info = asked.words("info", LONGEST_INFO, LABELS["info"])
        if info and InfoMatch.of(info) is None:
            info = asked.drop("info", LABELS["info"], info)
        chosen = {
            "owner": asked.choice("owner", set(OwnerKind), LABELS["owner"]),
            "range": asked.choice("range", RANGES, LABELS["range"]),
            "standing": asked.choice("standing", STANDINGS, LABELS["standing"]),
            "confidence": asked.choice("confidence", CONFIDENCES, LABELS["confidence"]),
            "recalls": asked.choice("recalls", RECALLS, LABELS["recalls"]),
            "inside": asked.choice("inside", YES, LABELS["inside"]),
            "conflicts": asked.choice("conflicts", YES, LABELS["conflicts"]),
            "sort": asked.choice("sort", SORTS, LABELS["sort"]),
        }
        return cls(
            tab=asked.choice("tab", TABS, LABELS["tab"]) or "all",
            q=asked.words("q", LONGEST_WORDS, LABELS["q"]),
            info=info,
            **ids,
            **{name: str(key) if key else "" for name, key in keys.items()},
            **chosen,
            dropped=tuple(asked.dropped),
        )

    @property
    def is_narrow(self) -> bool:
        return bool(self.fields().keys() - {"tab"})

    def fields(self) -> dict[str, str]:
        """Name and value of each filter that is set, without the order."""
        kept = {name: getattr(self, name) for name in LABELS if name != "sort" and getattr(self, name)}
        if kept.get("tab") == "all":
            del kept["tab"]
        return kept

    def shelf(self, *, every_kind: bool = False, now: datetime | None = None) -> MemoryQuery:
        least, below = CONFIDENCES.get(self.confidence, (None, None))
        return MemoryQuery(
            words=self.q,
            only_begins=not self.inside,
            subject_id=self.subject,
            subject_kind=self.owner,
            kind="" if every_kind else TABS[self.tab],
            standing=self.standing,
            since=(now or timezone.now()) - RANGES[self.range] if self.range else None,
            conversation=self.conversation,
            tag=self.tag,
            info=InfoMatch.of(self.info),
            confidence_from=least,
            confidence_below=below,
            agent_id=self.agent,
            app_id=self.app,
            is_recalled={"never": False, "ever": True}.get(self.recalls),
            has_conflict=bool(self.conflicts),
            task=UUID(self.task) if self.task else None,
            file=UUID(self.file) if self.file else None,
        )

    def query(self, **changes: str) -> str:
        fields = {**self.fields(), "sort": self.sort, **changes}
        kept = {name: value for name, value in fields.items() if value}
        if kept.get("tab") == "all":
            del kept["tab"]
        return f"?{urlencode(kept)}"
