"""Upload skills: one by one from the drop zone, or from a form without JavaScript."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
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
from console.pages.shell.dialogs import answer_done
from console.pages.shell.explain_codes import describe_failure
from console.ui.lists.query_values import parse_search_words
from console.ui.texts.api_words import translate_remedy
from memories.files.storage import PIECE
from memories.files.values import MAX_FILES
from skills.catalogue.catalogue import PackageUpload, check_package, upload_skill
from skills.models import Skill
from skills.models.user_rows import MAX_IDENTIFIER
from skills.packages.limits import MAX_SKILL_MD, MAX_ZIP
from tenancy.api.bodies.body_limit import MAX_FILES_TOTAL
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError, FileTooLarge, RequiredFieldEmpty, TooManyFiles, UnsupportedFileType
from tenancy.models import Project

LIMITS = {".md": MAX_SKILL_MD, ".zip": MAX_ZIP}


class _FileRefused(Exception):
    """One of the sent files is refused."""

    def __init__(self, name: str, refusal: CatalogueError) -> None:
        super().__init__(name)
        self.name, self.refusal = name, refusal


@contextmanager
def _naming(file: UploadedFile) -> Iterator[None]:
    try:
        yield
    except CatalogueError as refusal:
        raise _FileRefused(file.name or "", refusal) from refusal


@project_view("change_skills", is_scoped=False)
@require_POST
def skill_upload(request: HttpRequest, project: Project) -> HttpResponse:
    """No transaction is open while packages are read; the drop zone is answered in JSON, with the cure.

    Each skill is stored with its audit entry. Of several files all are read before the first is stored.
    """
    files = request.FILES.getlist("files")
    identifier = parse_search_words(request.POST.get("subject", ""), MAX_IDENTIFIER)
    record = partial(_record_upload, request, project)
    stored: list[tuple[str, Skill]] = []
    try:
        _require_few(files)
        _check_files(files)
        for file in files:
            with _naming(file), _open_upload(file, identifier) as upload:
                stored.append((file.name or "", upload_skill(project, upload, record=record)))
    except CatalogueError as refusal:
        return _answer_refusal(request, project, refusal)
    except _FileRefused as error:
        name = error.name if len(files) > 1 else ""
        return _answer_refusal(request, project, error.refusal, name, stored)
    named = {"name": stored[0][1].title, "count": len(stored)}
    message = ngettext("“%(name)s” is ready.", "%(count)s skills are ready.", len(stored)) % named
    if _wants_json(request):
        return JsonResponse({"files": _list_ids(stored), "message": message}, status=201)
    return answer_done(request, message, reverse("console:skills", args=[project.pk]))


def _record_upload(request: HttpRequest, project: Project, skill: Skill) -> None:
    record_event(project.account, get_person(request), "skill.uploaded", skill, project=project)


def _require_few(files: Sequence[UploadedFile]) -> None:
    if not files:
        raise RequiredFieldEmpty(_("choose at least one file"))
    if len(files) > MAX_FILES:
        raise TooManyFiles


def _check_files(files: Sequence[UploadedFile]) -> None:
    """Check files before anything is stored; a single package is checked when it is stored. Raises `_FileRefused`."""
    for file in files:
        with _naming(file):
            _require_fitting(file)
    for file in files if len(files) > 1 else ():
        with _naming(file), _open_upload(file) as upload:
            check_package(upload)


def _require_fitting(file: UploadedFile) -> None:
    most = LIMITS.get(_get_suffix(file))
    if most is None:
        raise UnsupportedFileType(_("a skill is a .md file or a .zip package"))
    if (file.size or 0) > most:
        raise FileTooLarge(_("at most %(most)s") % {"most": filesizeformat(most)})


def _get_suffix(file: UploadedFile) -> str:
    name = (file.name or "").lower()
    return f".{name.rpartition('.')[2]}"


@contextmanager
def _open_upload(file: UploadedFile, identifier: str = "") -> Iterator[PackageUpload]:
    """The child process that reads packages wants a true file of this machine."""
    with TemporaryFile() as content:
        for piece in file.chunks(PIECE):
            content.write(piece)
        content.seek(0)
        yield PackageUpload(content, identifier or None, is_zip=_get_suffix(file) == ".zip")


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")


def _answer_refusal(
    request: HttpRequest,
    project: Project,
    refusal: CatalogueError,
    name: str = "",
    stored: Sequence[tuple[str, Skill]] = (),
) -> HttpResponse:
    """`name` is the refused one of several files; those that were `stored` before it are not to be sent again."""
    message, remedy = describe_failure(refusal), translate_remedy(refusal.cure)
    if name:
        message = _("“%(name)s”: %(reason)s") % {"name": name, "reason": message}
    if stored:
        names = ", ".join(f"“{stored_name}”" for stored_name, _skill in stored)
        remedy = " ".join([remedy, _("Stored before it: %(names)s.") % {"names": names}])
    if _wants_json(request):
        body = {"code": refusal.code, "message": message, "remedy": remedy, "files": _list_ids(stored)}
        return JsonResponse(body, status=refusal.status)
    messages.error(request, f"{message} {remedy}")
    return HttpResponseRedirect(reverse("console:skills", args=[project.pk]))


def _list_ids(stored: Sequence[tuple[str, Skill]]) -> list[str]:
    return [str(skill.pk) for _name, skill in stored]


def write_upload_rules() -> str:
    """Write what the browser checks before it sends anything; the server checks again."""
    types = [
        {"suffix": suffix, "most": most, "said": filesizeformat(most)} for suffix, most in LIMITS.items()
    ]
    return json.dumps({"files": MAX_FILES, "total": MAX_FILES_TOTAL, "types": {"skill": types}})
