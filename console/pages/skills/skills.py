"""The list of skills: filters, order, pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.shell.access import project_view
from console.pages.shell.rendering import render_page
from console.pages.skills.skill_context import add_badges, change_context, name_bases
from console.pages.skills.uploads import write_upload_rules
from console.templatetags.console import about
from console.templatetags.skills import ORIGINS as ORIGIN_LOOKS
from console.templatetags.skills import STATES as STATE_LOOKS
from console.ui.lists.query_filters import Dropped, FilterReader
from console.ui.lists.query_values import Select
from console.ui.lists.sorting import (
    SortOrder,
    load_sorted_page,
    sort_by_datetime,
    sort_by_number,
    sort_by_text,
)
from console.ui.texts.snippets import render_snippet
from skills.catalogue.console_list import ORIGINS, SkillShelf, count_evidence, filter_skills
from skills.models.user_rows import MAX_IDENTIFIER
from skills.values import SkillState
from tenancy.models import Project

SORTS: dict[str, SortOrder] = {
    "": sort_by_datetime("created_at"),
    "changed": sort_by_datetime("updated_at"),
    "recalls": sort_by_number("recalls"),
    "name": sort_by_text("title"),
}


@dataclass(frozen=True, slots=True)
class WantedSkills:
    """The filters, as the address holds them; `dropped` are those that are not valid."""

    q: str
    subject: str
    origin: str
    state: str
    sort: str
    dropped: tuple[Dropped, ...] = ()

    @classmethod
    def of(cls, query: QueryDict) -> WantedSkills:
        asked = FilterReader(query)
        return cls(
            q=asked.words("q", 200, _("Words")),
            subject=asked.words("subject", MAX_IDENTIFIER, _("End user")),
            origin=asked.choice("origin", ORIGINS, _("Origin")),
            state=asked.choice("state", set(SkillState), _("State")),
            sort=asked.choice("sort", [name for name, sort in SORTS.items() if sort.is_open], _("Order")),
            dropped=tuple(asked.dropped),
        )

    @property
    def is_narrow(self) -> bool:
        return any((self.q, self.subject, self.origin, self.state))

    def shelf(self) -> SkillShelf:
        return SkillShelf(words=self.q, origin=self.origin, state=self.state, subject=self.subject)

    def query(self) -> str:
        fields = {
            "q": self.q,
            "subject": self.subject,
            "origin": self.origin,
            "state": self.state,
            "sort": self.sort,
        }
        return f"?{urlencode({name: value for name, value in fields.items() if value})}"


@project_view("see")
@require_safe
def skills(request: HttpRequest, project: Project) -> HttpResponse:
    context = _list_context(request, project, WantedSkills.of(request.GET))
    return render_page(request, "console/skills/list/page.html", "console/skills/list/_list.html", context)


def _list_context(request: HttpRequest, project: Project, wanted: WantedSkills) -> dict[str, Any]:
    rows = filter_skills(project, wanted.shelf())
    page = load_sorted_page(request, rows, SORTS[wanted.sort])
    counts = count_evidence(project, page.rows)
    for skill in page.rows:
        add_badges(skill)
        skill.evidence_count = counts.get(skill.pk, 0)
    name_bases(project, page.rows)
    total = rows.count()
    return {
        "project": project,
        "wanted": wanted,
        "selects": _selects(wanted),
        "skills": page.rows,
        "total": total,
        "caption": _("%(count)s in all") % {"count": about(total)},
        "is_by_time": wanted.sort == "",
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "clear_url": reverse("console:skills", args=[project.pk]),
        "selection_key": f"skills{wanted.query()}",
        "rules": write_upload_rules(),
        "snippet": render_snippet("skill_curl"),
        **change_context(request),
    }


def _selects(wanted: WantedSkills) -> list[Select]:
    origins = [(name, str(ORIGIN_LOOKS[name][0])) for name in ORIGINS]
    states = [(state.value, str(STATE_LOOKS[state][0])) for state in SkillState]
    orders = [
        ("", _("Newest first")),
        ("changed", _("Recently updated")),
        ("recalls", _("Most recalled")),
        ("name", _("By name")),
    ]
    return [
        Select("origin", _("Origin"), wanted.origin, [("", _("Any origin")), *origins]),
        Select("state", _("State"), wanted.state, [("", _("Any state")), *states]),
        Select("sort", _("Order"), wanted.sort, [order for order in orders if SORTS[order[0]].is_open]),
    ]
