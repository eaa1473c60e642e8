"""The files of a skill in the browser: tree, one file shown, pictures, download of all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.pages.shell.access import project_view
from console.pages.skills.skill_context import get_skill
from console.ui.lists.query_values import parse_whole_number
from skills.catalogue.console_list import list_skill_versions
from skills.catalogue.download_views import HEADERS
from skills.catalogue.downloads import build_signed_url
from skills.models import Skill, SkillFile
from skills.packages.files import list_skill_files, read_pieces, sort_files
from skills.packages.front_matter import BadFrontMatter, parse
from skills.packages.skill_md import parse_skill_md
from skills.packages.unpack import SKILL_MD
from tenancy.models import Project

# By their first bytes: what a file is called proves nothing. Drawings that can hold scripts are not among them.
PICTURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
WEBP = (b"RIFF", b"WEBP", "image/webp")
PICTURE_NAMES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
MARKDOWN = ("text/markdown",)


@dataclass
class FileNode:
    """A folder with what is in it, or a file with its address."""

    name: str
    path: str = ""
    url: str = ""
    is_shown: bool = False
    children: dict[str, FileNode] = field(default_factory=dict)

    @property
    def nodes(self) -> list[FileNode]:
        return list(self.children.values())


def build_content_context(request: HttpRequest, project: Project, skill: Skill) -> dict[str, Any]:
    """The tree and the file that the address names, of the version that it names. Raises `Http404` for a version that
    was deleted with the history."""
    version = read_version(request, skill)
    files = sort_files(list_skill_files(skill, version))
    if not files or (version is not None and not list_skill_versions(skill).filter(number=version).exists()):
        raise Http404
    wanted = request.GET.get("path", "")
    shown = next((file for file in files if file.path == wanted), files[0])
    urls = {file.path: _build_content_url(request, project, skill, file.path) for file in files}
    return {
        "tree": _build_tree(files, urls, shown),
        "files_count": len(files),
        "old_version": version,
        "file": shown,
        "file_urls": urls,
        "picture_urls": _map_picture_urls(project, skill, files) if version is None else {},
        "view": _choose_view(shown),
        "front": _read_front_matter(shown),
        "body": _get_body(shown),
        "download_url": _build_file_url(project, skill, "skill_download", shown.path),
        "picture_url": _build_file_url(project, skill, "skill_picture", shown.path),
    }


def read_version(request: HttpRequest, skill: Skill) -> int | None:
    """An older version that the address names; None is the present one."""
    number = parse_whole_number(request.GET.get("version", ""), digits=7) or 0
    return number if 0 < number < skill.version else None


def _build_tree(files: list[SkillFile], urls: dict[str, str], shown: SkillFile) -> list[FileNode]:
    top = FileNode("")
    for file in files:
        *folders, name = file.path.split("/")
        here = top
        for folder in folders:
            here = here.children.setdefault(f"{folder}/", FileNode(folder, f"{here.path}{folder}/"))
        here.children[name] = FileNode(name, file.path, urls[file.path], file.pk == shown.pk)
    return top.nodes


def _build_content_url(request: HttpRequest, project: Project, skill: Skill, path: str) -> str:
    query = {"path": path} | ({"version": version} if (version := read_version(request, skill)) else {})
    return f"{reverse('console:skill', args=[project.pk, skill.pk])}?{urlencode(query)}"


def _build_file_url(project: Project, skill: Skill, page: str, path: str) -> str:
    return f"{reverse(f'console:{page}', args=[project.pk, skill.pk])}?{urlencode({'path': path})}"


def _map_picture_urls(project: Project, skill: Skill, files: list[SkillFile]) -> dict[str, str]:
    return {
        file.path: _build_file_url(project, skill, "skill_picture", file.path)
        for file in files
        if file.path.lower().endswith(PICTURE_NAMES) and file.text is None
    }


def _choose_view(file: SkillFile) -> str:
    if file.text is None:
        return "picture" if file.path.lower().endswith(PICTURE_NAMES) else "other"
    return "markdown" if file.mime in MARKDOWN else "code"


def _read_front_matter(file: SkillFile) -> dict[str, Any]:
    """Return what the front matter of a SKILL.md says; nothing of other files."""
    if file.path.lower() != SKILL_MD:
        return {}
    try:
        text = parse_skill_md(file.text or "")
    except BadFrontMatter:
        return {}
    return {"name": text.title, "description": text.description, **text.extra}


def _get_body(file: SkillFile) -> str:
    """The text without the front matter that stands above it."""
    text = file.text or ""
    if not text.lstrip("\ufeff\r\n").startswith("---"):
        return text
    try:
        return parse(text)[1]
    except BadFrontMatter:
        return text


@project_view("read_words")
@require_safe
def skill_download(request: HttpRequest, project: Project, skill_id: UUID) -> HttpResponse:
    """A file of the skill, or without a path all of it, by a link of a few minutes; always to be saved."""
    url = build_signed_url(get_skill(project, skill_id), request.GET.get("path", ""), through=project.pk)
    # The member's browser may know this place by another name than programs do.
    response = HttpResponseRedirect(urlsplit(url).path)
    response["Cache-Control"] = "no-store"
    return response


@project_view("read_words")
@require_safe
def skill_picture(request: HttpRequest, project: Project, skill_id: UUID) -> HttpResponse:
    """A picture to be seen, when its bytes are those of one."""
    skill = get_skill(project, skill_id)
    file = list_skill_files(skill).filter(path=request.GET.get("path", "").replace("\0", "")).first()
    if file is None:
        raise Http404
    try:
        content = b"".join(read_pieces(file))
    except FileNotFoundError:
        raise Http404 from None
    mime = _detect_picture_type(content)
    if not mime:
        raise Http404
    return HttpResponse(content, content_type=mime, headers=HEADERS)


def _detect_picture_type(content: bytes) -> str:
    head, tail, mime = WEBP
    if content.startswith(head) and content[8:12] == tail:
        return mime
    return next((mime for magic, mime in PICTURES.items() if content.startswith(magic)), "")
