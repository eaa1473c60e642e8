"""List corrections of a knowledge base: text before and after, and the words that asked for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.ui.lists.paging import load_page
from console.ui.texts.text_diff import DiffPiece, compare_texts
from knowledgebase.corrections.corrections import (
    CorrectionWording,
    list_corrections,
    load_correction_wordings,
)
from knowledgebase.models import Correction, KnowledgeBase
from knowledgebase.values import CorrectionSource
from tenancy.models import Project

SOURCES: dict[str, Any] = {
    CorrectionSource.FEEDBACK: gettext_lazy("Feedback"),
    CorrectionSource.MESSAGE: gettext_lazy("Conversation"),
    CorrectionSource.CONSOLE: gettext_lazy("Console"),
}


@dataclass(frozen=True, slots=True)
class CorrectionRow:
    """One correction as a person reads it; with `is_added` the base said nothing of it before."""

    id: UUID
    source_name: Any
    who: str
    words: str
    is_added: bool
    pieces: list[DiffPiece]
    through_name: str
    created_at: datetime
    reverted_at: datetime | None


def build_corrections_context(request: HttpRequest, project: Project, base: KnowledgeBase) -> dict[str, Any]:
    """Build the list of corrections inside the project's scope: texts of other projects are read there only."""
    page = load_page(request, list_corrections(base))
    return {
        "corrections": build_correction_rows(project, page.rows),
        "caption": _("Corrections, newest first"),
        "previous_url": page.first_url,
        "next_url": page.next_url,
    }


def build_correction_rows(project: Project, rows: Sequence[Correction]) -> list[CorrectionRow]:
    return [
        _build_correction_row(project, row, wording)
        for row, wording in zip(rows, load_correction_wordings(rows), strict=True)
    ]


def _build_correction_row(project: Project, row: Correction, wording: CorrectionWording) -> CorrectionRow:
    through = row.through
    return CorrectionRow(
        id=row.pk,
        source_name=SOURCES[row.source],
        who=wording.who or "",
        words=wording.words or "",
        is_added=not wording.before,
        pieces=compare_texts(wording.before, wording.after),
        through_name=through.name if through and through.pk != project.pk else "",
        created_at=row.created_at,
        reverted_at=row.reverted_at,
    )
