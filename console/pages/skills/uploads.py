"""Skills come in: from the drop zone one by one, or from a form without scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from tempfile import TemporaryFile

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import done
from console.pages.shell.explain_codes import describe_failure
from console.ui.lists.query_values import parse_search_words
from console.ui.texts.api_words import translate_remedy
from knowledgebase.uploads.accepted_types import MAX_SKILL_PACKAGE, MAX_SKILL_TEXT
from memories.files.storage import PIECE
from memories.files.values import MAX_FILES
from skills.catalogue.catalogue import Upload, upload_skill
from skills.models import Skill
from skills.models.user_rows import MAX_IDENTIFIER
from tenancy.api.bodies.body_limit import MAX_FILES_TOTAL
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError, FileTooLarge, RequiredFieldEmpty, TooManyFiles, UnsupportedFileType
from tenancy.models import Project

LIMITS = {".md": MAX_SKILL_TEXT, ".zip": MAX_SKILL_PACKAGE}


@project_view("change_skills", is_scoped=False)
@require_POST
def skill_upload(request: HttpRequest, project: Project) -> HttpResponse:
    """No transaction is open while packages are read; the drop zone is answered in JSON, with the cure."""
    files = request.FILES.getlist("files")
    identifier = parse_search_words(request.POST.get("subject", ""), MAX_IDENTIFIER)
    try:
        _refuse(files)
        found = [_take(project, file, identifier) for file in files]
    except CatalogueError as refusal:
        return _answer_refusal(request, project, refusal)
    detail = {"skills": [str(skill.pk) for skill in found]}
    record_event(
        project.account, get_person(request), "skill.uploaded", found[0], project=project, detail=detail
    )
    named = {"name": found[0].title, "count": len(found)}
    said = ngettext("“%(name)s” is ready.", "%(count)s skills are ready.", len(found)) % named
    if _wants_json(request):
        return JsonResponse({"files": [str(skill.pk) for skill in found], "message": said}, status=201)
    return done(request, said, reverse("console:skills", args=[project.pk]))


def _refuse(files: Sequence[UploadedFile]) -> None:
    if not files:
        raise RequiredFieldEmpty(_("choose at least one file"))
    if len(files) > MAX_FILES:
        raise TooManyFiles
    for file in files:
        most = LIMITS.get(_get_suffix(file))
        if most is None:
            raise UnsupportedFileType(_("a skill is a .md file or a .zip package"))
        if (file.size or 0) > most:
            raise FileTooLarge(_("at most %(most)s") % {"most": filesizeformat(most)})


def _get_suffix(file: UploadedFile) -> str:
    name = (file.name or "").lower()
    return f".{name.rpartition('.')[2]}"


def _take(project: Project, file: UploadedFile, identifier: str) -> Skill:
    """The child process that reads packages wants a true file of this machine."""
    with TemporaryFile() as content:
        for piece in file.chunks(PIECE):
            content.write(piece)
        content.seek(0)
        return upload_skill(project, Upload(content, identifier or None, is_zip=_get_suffix(file) == ".zip"))


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")


def _answer_refusal(request: HttpRequest, project: Project, refusal: CatalogueError) -> HttpResponse:
    said, remedy = describe_failure(refusal), translate_remedy(refusal.cure)
    if _wants_json(request):
        body = {"code": refusal.code, "message": said, "remedy": remedy}
        return JsonResponse(body, status=refusal.status)
    messages.error(request, f"{said} {remedy}")
    return HttpResponseRedirect(reverse("console:skills", args=[project.pk]))


def write_upload_rules() -> str:
    """What the browser checks before it sends anything; the server checks again."""
    types = [
        {"suffix": suffix, "most": most, "said": filesizeformat(most)} for suffix, most in LIMITS.items()
    ]
    return json.dumps({"files": MAX_FILES, "total": MAX_FILES_TOTAL, "types": {"skill": types}})
