"""Receipts of deleted projects: for people, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils.translation import gettext_lazy, pgettext_lazy

from console.data.erasure.delete_rows import MOST_COUNTED
from console.ui.texts.spreadsheet_cells import escape_formula
from tenancy.models.deletion import BYTES, ProjectDeletion

# In the order in which they are shown.
KINDS: dict[str, Any] = {
    "memories": gettext_lazy("Memories"),
    "messages": gettext_lazy("Messages"),
    "conversations": gettext_lazy("Conversations"),
    "end_users": gettext_lazy("End users"),
    "files": gettext_lazy("Files"),
    "skills": gettext_lazy("Skills"),
    "spaces": gettext_lazy("Learning spaces"),
    "sessions": gettext_lazy("Sessions"),
    "session_messages": gettext_lazy("Messages of sessions"),
    "tasks": gettext_lazy("Tasks"),
    "request_logs": gettext_lazy("Request logs"),
    "api_keys": gettext_lazy("API keys"),
    "other": pgettext_lazy("records", "Other records"),
}


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    """One kind: how many there were when the deletion was ordered, and how many are gone."""

    kind: str
    name: Any
    expected: int
    removed: int

    @property
    def is_capped(self) -> bool:
        """Return whether there were more than anybody counted beforehand."""
        return self.expected > MOST_COUNTED

    @property
    def counted(self) -> int:
        return min(self.expected, MOST_COUNTED)


def build_receipt_lines(figures: dict[str, int], removed: dict[str, int] | None = None) -> list[ReceiptLine]:
    """The kinds that there are any of; what came or went in between is nobody's mistake."""
    gone = removed or {}
    lines = [ReceiptLine(kind, name, figures.get(kind, 0), gone.get(kind, 0)) for kind, name in KINDS.items()]
    return [line for line in lines if line.expected or line.removed]


def as_json(deletion: ProjectDeletion) -> str:
    return json.dumps(_as_fields(deletion), ensure_ascii=False, indent=2, cls=DjangoJSONEncoder)


def as_csv(deletion: ProjectDeletion) -> str:
    """One line for each fact, so that any spreadsheet shows it."""
    fields = _as_fields(deletion)
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerow(["fact", "of", "value"])
    for name, value in fields.items():
        if isinstance(value, dict):
            lines.writerows([name, escape_formula(key), count] for key, count in value.items())
        elif isinstance(value, list):
            lines.writerows([name, "", escape_formula(item)] for item in value)
        else:
            lines.writerow([name, "", escape_formula("" if value is None else str(value))])
    return text.getvalue()


def _as_fields(deletion: ProjectDeletion) -> dict[str, Any]:
    return {
        "receipt_id": str(deletion.pk),
        "project_id": str(deletion.project_id),
        "project": deletion.name,
        "deleted_by": deletion.actor.email if deletion.actor else None,
        "ordered_at": deletion.created_at.isoformat(),
        "finished_at": deletion.finished_at.isoformat() if deletion.finished_at else None,
        "seconds": round(deletion.took.total_seconds(), 3) if deletion.took else None,
        "counted_before": {line.kind: line.counted for line in _list_lines(deletion)},
        "counted_before_up_to": MOST_COUNTED,
        "removed": {line.kind: line.removed for line in _list_lines(deletion)},
        "removed_file_bytes": deletion.removed.get(BYTES, 0),
        "knowledge_bases_kept": list(deletion.kept),
        "memories_still_recallable": deletion.recallable,
    }


def _list_lines(deletion: ProjectDeletion) -> list[ReceiptLine]:
    return build_receipt_lines(deletion.expected, deletion.removed)
