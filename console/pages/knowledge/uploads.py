"""Upload files: one by one from the drop zone, all at once from a form without JavaScript, or from a URL."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from console.pages.knowledge.base_context import build_base_url, find_base
from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import add_body_events, answer_done
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import render_page, wants_only_fragment
from console.ui.lists.query_values import parse_choice
from console.ui.texts.api_words import translate_answer, translate_remedy
from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.uploads.accepted_types import refuse_name
from knowledgebase.uploads.add_files import FileUpload, Uploader, add_files
from knowledgebase.uploads.receive_uploads import OfferedFile, receive_uploads
from knowledgebase.values import FileState, FileType
from memories.files import storage
from memories.files.file_types import BY_EXTENSION
from memories.files.values import MAX_FILES, FileKind
from skills.packages.limits import MAX_SKILL_MD, MAX_ZIP
from tenancy.api.bodies.body_limit import MAX_FILE, MAX_FILES_TOTAL
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError, InvalidParameters, RequiredFieldEmpty, TooManyFiles
from tenancy.models import Project
from tenancy.runtime.address_guard import MAX_URL

_PLACE = re.compile(r"file\[\d+\]: ")
SKILL_LIMITS = {".md": MAX_SKILL_MD, ".zip": MAX_ZIP}


@project_view("change_bases", is_scoped=False)
@require_POST
def knowledge_upload(request: HttpRequest, project: Project, base_id: str) -> HttpResponse:
    """No transaction is open while files are stored; the drop zone is answered in JSON, with the cure."""
    base = find_base(project, base_id)
    files = request.FILES.getlist("files")
    try:
        rows = _take_files(request, project, base, files)
    except CatalogueError as refusal:
        return _answer_refusal(request, project, base, refusal)
    _record_upload(request, project, base, len(rows))
    message = ngettext("Uploaded. It is being read.", "Uploaded. They are being read.", len(rows))
    if all(row.state == FileState.COMPLETED for row in rows):
        message = _("Already there: the base has this content.")
    if _wants_json(request):
        return JsonResponse({"files": [str(row.pk) for row in rows], "message": message}, status=201)
    return answer_done(request, message, build_base_url(project, base, _get_tab(request)))


@project_view("change_bases", is_scoped=False)
@require_POST
def knowledge_address(request: HttpRequest, project: Project, base_id: str) -> HttpResponse:
    """The worker fetches it: the row is there at once and says how that went."""
    base = find_base(project, base_id)
    url = request.POST.get("url", "").replace("\0", "").strip()
    try:
        if not url:
            raise RequiredFieldEmpty("the address")
        if len(url) > MAX_URL:
            raise InvalidParameters(f"an address has at most {MAX_URL} characters")
        add_files(
            project,
            base,
            [FileUpload("", _read_file_type(request), None, url)],
            Uploader(get_person(request)),
        )
    except CatalogueError as refusal:
        return _render_refused_address(request, project, base, url, describe_failure(refusal))
    _record_upload(request, project, base, 1)
    if not wants_only_fragment(request):
        return answer_done(
            request, _("It is being fetched."), build_base_url(project, base, _get_tab(request))
        )
    response = _render_address_form(request, project, base, {})
    return add_body_events(response, kbfile_changed={}, toast={"text": _("It is being fetched.")})


def _take_files(
    request: HttpRequest, project: Project, base: KnowledgeBase, files: Sequence[UploadedFile]
) -> list[KnowledgeFile]:
    """No transaction is open while they are stored."""
    kind = _read_file_type(request)
    if not files:
        raise RequiredFieldEmpty(_("choose at least one file"))
    if len(files) > MAX_FILES:
        raise TooManyFiles
    for file in files:
        refuse_name(file.name or "", kind)
    offered = [OfferedFile(file.name or "", kind, content=file.chunks(storage.PIECE)) for file in files]
    with storage.delete_uncommitted_files() as kept:
        rows = add_files(project, base, receive_uploads(base, offered, kept), Uploader(get_person(request)))
        kept.keep_on_commit()
    return rows


def _record_upload(request: HttpRequest, project: Project, base: KnowledgeBase, count: int) -> None:
    record_event(
        project.account,
        get_person(request),
        "knowledge_files.uploaded",
        base,
        project=project,
        detail={"count": count},
    )


def _read_file_type(request: HttpRequest) -> FileType:
    return FileType(parse_choice(request.POST.get("type", ""), set(FileType)) or FileType.DOCUMENT)


def _get_tab(request: HttpRequest) -> str:
    return "skills" if _read_file_type(request) == FileType.SKILL else "documents"


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")


def _answer_refusal(
    request: HttpRequest, project: Project, base: KnowledgeBase, refusal: CatalogueError
) -> HttpResponse:
    # Where in a body of the API the file would stand is nothing to a page, which names it.
    sentence = translate_answer(refusal.code, _PLACE.sub("", refusal.text))
    text, remedy = _("%(sentence)s.") % {"sentence": sentence}, translate_remedy(refusal.cure)
    if _wants_json(request):
        answer = {"code": refusal.code, "message": text, "remedy": remedy}
        return JsonResponse(answer, status=refusal.status)
    messages.error(request, f"{text} {remedy}")
    return HttpResponseRedirect(build_base_url(project, base, _get_tab(request)))


def _render_refused_address(
    request: HttpRequest, project: Project, base: KnowledgeBase, url: str, message: str
) -> HttpResponse:
    if wants_only_fragment(request):
        return _render_address_form(request, project, base, {"address": url, "address_error": message}, 422)
    messages.error(request, message)
    return HttpResponseRedirect(build_base_url(project, base, _get_tab(request)))


def _render_address_form(
    request: HttpRequest, project: Project, base: KnowledgeBase, more: dict[str, Any], status: int = 200
) -> HttpResponse:
    context = {
        "shown_tab": _get_tab(request),
        "may_upload": True,
        "may_change": True,
        "address_url": reverse("console:knowledge_address", args=[project.pk, base.public_id]),
        **more,
    }
    return render_page(request, "", "console/knowledge/files/_address.html", context, status)


def write_upload_rules() -> str:
    """Write what the browser checks before it sends anything; the server checks again."""
    documents = [suffix for suffix, kind in BY_EXTENSION.items() if kind != FileKind.IMAGE]
    limits = {FileType.DOCUMENT: dict.fromkeys(documents, MAX_FILE), FileType.SKILL: SKILL_LIMITS}
    types = {
        kind.value: [
            {"suffix": suffix, "most": most, "said": filesizeformat(most)}
            for suffix, most in suffixes.items()
        ]
        for kind, suffixes in limits.items()
    }
    return json.dumps({"files": MAX_FILES, "total": MAX_FILES_TOTAL, "types": types})
