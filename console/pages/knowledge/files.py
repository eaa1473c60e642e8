"""One file of a knowledge base: its text beside its memories; process it again, delete it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.pages.knowledge.base_context import build_base_url, change_context, find_base
from console.pages.memory.memories.memory import get_shown_status
from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import render_page
from console.templatetags.console import num
from console.templatetags.knowledge import file_name
from console.ui.lists.query_values import parse_whole_number
from console.ui.texts.api_words import translate_failure
from knowledgebase.files import delete_files
from knowledgebase.models import Correction, Fragment, KnowledgeBase, KnowledgeFile
from knowledgebase.values import FileType
from knowledgebase.work.reprocess import process_again
from memories.models import Memory
from skills.catalogue.knowledge_base_skills import find_file_skill
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

PAGE_SIZE = 50
HEAVY = ("memory__embedding", "memory__words", "memory__words_vector")


@project_view("see")
@require_safe
def knowledge_file(request: HttpRequest, project: Project, base_id: str, file_id: str) -> HttpResponse:
    base = find_base(project, base_id)
    file = find_file(base, file_id)
    reason = translate_failure(file.error_code, file.reason)
    context = {
        "project": project,
        "base": base,
        "file": file,
        "skill": find_file_skill(base.cube, file.pk) if file.type == FileType.SKILL else None,
        "fault_title": f"{file.error_code} · {reason}" if file.error_code else reason,
        "reason": reason,
        **change_context(request),
        **_build_fragments_context(request, project, base, file),
    }
    return render_page(
        request, "console/knowledge/files/file.html", "console/knowledge/files/_file.html", context
    )


@project_view("change_bases", is_scoped=False)
@require_POST
def knowledge_file_again(request: HttpRequest, project: Project, base_id: str, file_id: str) -> HttpResponse:
    base, file = _get_base_and_file(project, base_id, file_id)
    try:
        process_again(project, file, get_person(request))
    except CatalogueError as refusal:
        return answer_done(
            request, describe_failure(refusal), build_base_url(project, base), "kbfile-changed"
        )
    message = _("“%(name)s” is processed again.") % {"name": file_name(file)}
    return answer_done(request, message, _build_back_url(project, base, file), "kbfile-changed")


@project_view("change_bases", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def knowledge_file_delete(request: HttpRequest, project: Project, base_id: str, file_id: str) -> HttpResponse:
    base, file = _get_base_and_file(project, base_id, file_id)
    if request.method == "POST":
        with transaction.atomic():
            delete_files(project, [str(file.pk)])
            record_event(
                project.account, get_person(request), "knowledge_file.deleted", file, project=project
            )
        message = _("“%(name)s” is deleted.") % {"name": file_name(file)}
        return answer_done(
            request, message, _build_back_url(project, base, file), "kbfile-changed", "memory-changed"
        )
    return show_dialog(request, _delete_dialog(project, base, file), {"file": file})


def find_file(base: KnowledgeBase, file_id: str) -> KnowledgeFile:
    """Find a file of the base, inside a tenant scope; 404 for that of another base and for an unknown one."""
    try:
        key = UUID(file_id)
    except ValueError:
        raise Http404 from None
    files = KnowledgeFile.objects.within(base.account_id).filter(base=base, pk=key)
    file: KnowledgeFile | None = files.select_related("uploaded_by").first()
    if file is None:
        raise Http404
    return file


def _get_base_and_file(project: Project, base_id: str, file_id: str) -> tuple[KnowledgeBase, KnowledgeFile]:
    base = find_base(project, base_id)
    with tenant_scope(project):
        return base, find_file(base, file_id)


def _build_back_url(project: Project, base: KnowledgeBase, file: KnowledgeFile) -> str:
    return build_base_url(project, base, "skills" if file.type == "skill" else "documents")


def _delete_dialog(project: Project, base: KnowledgeBase, file: KnowledgeFile) -> Dialog:
    return Dialog(
        template="console/knowledge/dialogs/_file_delete_dialog.html",
        title=_("Delete this file?"),
        verb=_("Delete file"),
        action=reverse("console:knowledge_file_delete", args=[project.pk, base.public_id, file.pk.hex]),
        back=_build_back_url(project, base, file),
        is_danger=True,
    )


def _build_fragments_context(
    request: HttpRequest, project: Project, base: KnowledgeBase, file: KnowledgeFile
) -> dict[str, Any]:
    """The fragments after the address's `after`, in their order, each with its memory."""
    after = parse_whole_number(request.GET.get("after", ""))
    rows = Fragment.objects.within(base.account_id).filter(file=file)
    later = rows if after is None else rows.filter(ordinal__gt=after)
    related = ("memory__recall", "memory__superseded_by")
    fragments = list(later.select_related(*related).defer(*HEAVY).order_by("ordinal")[: PAGE_SIZE + 1])
    shown = fragments[:PAGE_SIZE]
    _add_card_texts(project, base, [fragment.memory for fragment in shown if fragment.memory])
    address = reverse("console:knowledge_file", args=[project.pk, base.public_id, file.pk.hex])
    return {
        "fragments": shown,
        "caption": _("%(count)s passages in all") % {"count": num(file.fragments_total or rows.count())},
        "previous_url": address if after is not None else "",
        "next_url": f"{address}?after={shown[-1].ordinal}" if len(fragments) > PAGE_SIZE else "",
    }


def _add_card_texts(project: Project, base: KnowledgeBase, memories: list[Memory]) -> None:
    """Add what the cards show beyond the rows: the status in words, whether it was put right, its own page."""
    corrections = Correction.objects.within(base.account_id).filter(base=base, reverted_at=None)
    keys = [memory.pk for memory in memories]
    corrected = set(corrections.filter(before__in=keys).values_list("before", flat=True))
    corrected |= set(corrections.filter(after__in=keys).values_list("after", flat=True))
    for memory in memories:
        memory.shown_status = get_shown_status(memory)  # type: ignore[attr-defined]
        memory.is_corrected = memory.pk in corrected  # type: ignore[attr-defined]
        memory.url = f"{build_base_url(project, base, 'memories')}&open={memory.pk}"  # type: ignore[attr-defined]
