"""Contexts of the tabs of a knowledge base, each read inside the project's tenant scope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.translation import gettext as _

from console.pages.knowledge.base_context import Space, get_bytes_allowed
from console.pages.knowledge.bases import BaseForm
from console.pages.knowledge.correction_rows import build_corrections_context
from console.pages.knowledge.uploads import write_upload_rules
from console.pages.memory.memories.gone import GONE
from console.pages.memory.memories.memory import (
    build_detail_context,
    find_memory_to_show,
    get_shown_status,
)
from console.pages.shell.access import format_roles_for, get_access
from console.pages.shell.rendering import wants_only_fragment
from console.templatetags.console import STATUSES, about, num
from console.ui.lists.paging import load_page
from console.ui.lists.query_values import Select, parse_choice, parse_search_words
from console.ui.texts.snippets import render_snippet
from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.values import FileType
from memories.retrieval.browse.listing import REPLACED, MemoryQuery, filter_memories
from memories.values import MemoryStatus
from tenancy.models import Project

STANDINGS = (MemoryStatus.FROZEN.value, REPLACED, MemoryStatus.ARCHIVED.value, MemoryStatus.EXPIRED.value)


def _build_files_context(
    request: HttpRequest, project: Project, base: KnowledgeBase, kind: FileType
) -> dict[str, Any]:
    files = KnowledgeFile.objects.within(project.account_id).filter(base=base, type=kind)
    page = load_page(request, files.select_related("uploaded_by"))
    may_change = get_access(request).may("change_bases")
    pause = _describe_pause(project, base)
    return {
        "files": page.rows,
        "caption": _("%(count)s in all, newest first") % {"count": about(files.count())},
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "snippet": render_snippet("file_curl", base_id=base.public_id),
        "rules": write_upload_rules(),
        "upload_url": reverse("console:knowledge_upload", args=[project.pk, base.public_id]),
        "address_url": reverse("console:knowledge_address", args=[project.pk, base.public_id]),
        "pause": pause,
        "may_upload": may_change and not pause,
    }


def _build_documents_context(request: HttpRequest, project: Project, base: KnowledgeBase) -> dict[str, Any]:
    return _build_files_context(request, project, base, FileType.DOCUMENT)


def _build_skills_context(request: HttpRequest, project: Project, base: KnowledgeBase) -> dict[str, Any]:
    return _build_files_context(request, project, base, FileType.SKILL)


def _describe_pause(project: Project, base: KnowledgeBase) -> dict[str, str]:
    """Over the plan uploads pause: what to free, in words. Nothing is removed by itself."""
    space = Space(base.bytes_used, get_bytes_allowed(project))
    if not space.is_full:
        return {}
    text = _(
        "It uses %(used)s of the %(most)s that the plan %(plan)s allows for a knowledge base. Nothing is "
        "removed. To upload more, delete at least %(over)s of files or choose a larger plan."
    )
    words = {
        "used": filesizeformat(space.used),
        "most": filesizeformat(space.most),
        "over": filesizeformat(max(1, space.used - space.most)),
        "plan": project.account.plan.name,
    }
    return {"title": _("Uploads pause: this knowledge base is full"), "text": text % words}


def _build_memories_context(request: HttpRequest, project: Project, base: KnowledgeBase) -> dict[str, Any]:
    words = parse_search_words(request.GET.get("q", ""), 200)
    standing = parse_choice(request.GET.get("standing", ""), STANDINGS)
    rows = filter_memories([base.cube_id], MemoryQuery(words=words, standing=standing))
    page = load_page(request, rows)
    for memory in page.rows:
        memory.shown_status = get_shown_status(memory)
    options = [(name, str(STATUSES[name][0])) for name in STANDINGS]
    return {
        **_build_drawer_context(request, project),
        "memories": page.rows,
        "words": words,
        "standing": Select("standing", _("Status"), standing, [("", _("Current value")), *options]),
        "is_narrow": bool(words or standing),
        "caption": _("%(count)s in all, newest first") % {"count": num(rows.count())},
        "previous_url": page.first_url,
        "next_url": page.next_url,
    }


def _build_drawer_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    """The memory that the address has open beside the list."""
    opened = request.GET.get("open", "")
    if not opened or wants_only_fragment(request):
        return {}
    shown = find_memory_to_show(project, opened)
    if shown is None:  # such as "back" after it was deleted: the list is there all the same
        messages.error(request, str(GONE))
        return {"is_gone": True}
    return build_detail_context(request, project, shown)


def _build_projects_context(request: HttpRequest, project: Project, base: KnowledgeBase) -> dict[str, Any]:
    return {}


def _build_settings_context(request: HttpRequest, project: Project, base: KnowledgeBase) -> dict[str, Any]:
    form = BaseForm(initial={"name": base.name, "description": base.description}, auto_id="id_%s")
    form.fields["name"].widget.attrs.pop("autofocus")
    for field in form.fields.values():
        field.disabled = not get_access(request).may("link_bases")
    return {
        "form": form,
        "settings_url": reverse("console:knowledge_edit", args=[project.pk, base.public_id]),
        "may_delete_base": get_access(request).may("delete_base"),
        "delete_base_hint": _("Only %(roles)s can delete knowledge bases.")
        % {"roles": format_roles_for("delete_base")},
    }


CONTEXTS: dict[str, Callable[[HttpRequest, Project, KnowledgeBase], dict[str, Any]]] = {
    "documents": _build_documents_context,
    "skills": _build_skills_context,
    "memories": _build_memories_context,
    "corrections": build_corrections_context,
    "projects": _build_projects_context,
    "settings": _build_settings_context,
}
