"""One end user: what is known of them, and how much."""

from __future__ import annotations

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.memory.users.as_of import as_of_context
from console.pages.memory.users.timeline import build_timeline_context
from console.pages.shell.access import format_roles_for, get_access, project_view
from console.pages.shell.rendering import render_page
from console.ui.lists.query_values import parse_choice
from console.ui.tabs import Tab, build_tab_url, build_tabs
from console.ui.texts.snippets import Snippet, render_snippet
from memories.models import MemCube
from memories.profiles.bindings import ProfileField, show_profiles
from memories.retrieval.browse.end_users import (
    COUNTED_OF_ONE,
    EndUserCounts,
    build_end_user_summary,
    count_messages,
    find_end_user,
    load_end_user_counts,
)
from memories.values import OwnerKind, Subject
from tenancy.models import Project

TABS = ("summary", "timeline", "as-of")


@project_view("see")
@require_safe
def user(request: HttpRequest, project: Project, user_id: str) -> HttpResponse:
    cube = get_end_user(project, user_id)
    tab = parse_choice(request.GET.get("tab", ""), TABS) or TABS[0]
    context = build_user_context(request, project, cube) | {"tab": tab, "tabs": _build_tabs(request)}
    if tab == "timeline":
        context |= build_timeline_context(request, cube)
    elif tab == "as-of":
        context |= as_of_context(request, cube)
    else:
        context |= {
            "summary": build_end_user_summary(cube),
            "profiles": _list_profiles(project, user_id),
            "snippets": _list_snippets(user_id),
        }
    return render_page(request, "console/memory/users/user.html", "console/memory/users/_user.html", context)


def _build_tabs(request: HttpRequest) -> list[Tab]:
    titles = {"summary": _("Summary"), "timeline": _("Timeline"), "as-of": _("As of a date")}
    return build_tabs(titles, lambda tab: build_tab_url(request.path, tab, TABS[0]))


def get_end_user(project: Project, user_id: str) -> MemCube:
    """The end user of the address; nobody of this id is 404."""
    cube = find_end_user(project, user_id)
    if cube is None:
        raise Http404
    return cube


def build_user_context(request: HttpRequest, project: Project, cube: MemCube) -> dict[str, Any]:
    """Return what stands around every part of an end user's page."""
    counts = load_end_user_counts(project, [cube.pk], COUNTED_OF_ONE).get(cube.pk, EndUserCounts())
    return {
        "project": project,
        "cube": cube,
        "user_id": cube.owner_id,
        "tiles": _build_tiles(project, cube, counts),
        "most": COUNTED_OF_ONE,
        "message_total": count_messages(project, cube),
        "may_delete": get_access(request).may("delete_person"),
        "delete_hint": _("Only %(roles)s can delete end users.")
        % {"roles": format_roles_for("delete_person")},
        **build_reextraction_context(request),
    }


def build_reextraction_context(request: HttpRequest) -> dict[str, Any]:
    """Return whether this member may have memories made anew from the stored messages."""
    return {
        "may_anew": get_access(request).may("edit_project"),
        "anew_hint": _("Only %(roles)s can re-extract memories.")
        % {"roles": format_roles_for("edit_project")},
    }


def _build_tiles(project: Project, cube: MemCube, counts: EndUserCounts) -> list[dict[str, Any]]:
    """The counts by kind, each leading to the memories that it counts."""
    address = reverse("console:memories", args=[project.pk])
    subject = {"subject": cube.owner_id, "owner": OwnerKind.END_USER.value}
    figures = [
        ("facts", _("Facts"), counts.facts),
        ("preferences", _("Preferences"), counts.preferences),
        ("tools", _("Tool memories"), counts.tools),
        ("skills", _("Skills"), counts.skills),
    ]
    tiles = [
        {"title": title, "count": count, "url": f"{address}?{urlencode(subject | {'tab': tab})}"}
        for tab, title, count in figures
    ]
    talks = reverse("console:conversations", args=[project.pk]) + f"?{urlencode({'user': cube.owner_id})}"
    return [*tiles, {"title": _("Conversations"), "count": counts.conversations, "url": talks}]


def _list_profiles(project: Project, user_id: str) -> list[tuple[str, list[ProfileField]]]:
    """The bound profiles by the name of their template, without fields that say nothing."""
    shown = show_profiles(project, Subject(OwnerKind.END_USER, user_id))
    return [
        (shown_profile.profile.template.name, [field for field in shown_profile.fields if field.value])
        for shown_profile in shown
    ]


def _list_snippets(user_id: str) -> list[Snippet]:
    """The call that reads the same memories, in the languages in which an id can be written safely."""
    titles = (
        ("curl", "curl", "bash"),
        ("python", "Python", "python"),
        ("typescript", "TypeScript", "typescript"),
    )
    written = json.dumps(user_id, ensure_ascii=False)
    # Inside single quotes of a shell.
    quoted = written.replace("'", "'\\''")
    return [
        Snippet(
            name,
            title,
            language,
            render_snippet(f"list/{name}", user_id=quoted if name == "curl" else written),
        )
        for name, title, language in titles
    ]
