"""The versions of a skill: who changed what and why, compare two, restore an old one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import answer_done, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.skills.skill_context import build_dialog, build_skill_url, get_skill
from console.ui.lists.query_values import parse_choice, parse_whole_number
from console.ui.texts.line_diff import compare_lines, is_comparable
from memories.consolidation.versions import MEMBER, build_member_actor, parse_member_id
from skills.catalogue.console_list import list_skill_versions
from skills.catalogue.edit import restore_old_version
from skills.models import Skill, SkillFile, SkillVersion
from skills.packages.files import list_skill_files, sort_files
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, User

LAYOUTS = ("inline", "split")
# So many versions are listed; the older ones are there and can be compared by their numbers.
SHOWN = 100
ACTORS: dict[str, Any] = {
    "upload": gettext_lazy("Upload"),
    "space": gettext_lazy("Learning space"),
    "learner": gettext_lazy("Learner"),
    "grower": gettext_lazy("Automation"),
    "worker": gettext_lazy("Automation"),
    MEMBER: gettext_lazy("Console"),
}


def build_versions_context(request: HttpRequest, project: Project, skill: Skill) -> dict[str, Any]:
    """The list, and the difference between two versions that the address names: by default the last two.

    Versions that say what was deleted are deleted too, so that numbers may be missing.
    """
    versions = list(list_skill_versions(skill)[:SHOWN])
    numbers = list(list_skill_versions(skill).values_list("number", flat=True)) or [skill.version]
    new = _parse_version_number(request.GET.get("new", ""), numbers) or numbers[0]
    before = next((number for number in numbers if number < new), new)
    old = _parse_version_number(request.GET.get("old", ""), numbers) or before
    old, new = min(old, new), max(old, new)
    return {
        "versions": _name_actors(versions),
        "old_number": old,
        "new_number": new,
        "numbers": numbers,
        "layout": parse_choice(request.GET.get("layout", ""), LAYOUTS) or LAYOUTS[0],
        "changes": _list_file_changes(skill, old, new) if old != new else [],
        "compare_url": build_skill_url(project, skill, "versions"),
    }


def _parse_version_number(text: str, numbers: Sequence[int]) -> int:
    number = parse_whole_number(text, digits=7) or 0
    return number if number in numbers else 0


def _name_actors(versions: list[SkillVersion]) -> list[SkillVersion]:
    keys = {parse_member_id(version.actor) for version in versions} - {""}
    members = User.objects.filter(pk__in=keys) if keys else ()
    names = {build_member_actor(member): member.email for member in members}
    for version in versions:
        kind = MEMBER if parse_member_id(version.actor) else version.actor
        version.who = names.get(version.actor) or ACTORS.get(kind, kind)  # type: ignore[attr-defined]
        version.why = "" if version.reason == "uploaded" else version.reason  # type: ignore[attr-defined]
    return versions


def _list_file_changes(skill: Skill, old: int, new: int) -> list[dict[str, Any]]:
    """Each file that differs, with its lines where it is text."""
    before, after = (_map_files_by_path(skill, number) for number in (old, new))
    paths = [file.path for file in sort_files({**before, **after}.values())]
    changes = [_describe_change(path, before.get(path), after.get(path)) for path in paths]
    return [change for change in changes if change is not None]


def _map_files_by_path(skill: Skill, number: int) -> dict[str, SkillFile]:
    return {file.path: file for file in list_skill_files(skill, number)}


def _describe_change(path: str, before: SkillFile | None, after: SkillFile | None) -> dict[str, Any] | None:
    if before is not None and after is not None and before.sha256 == after.sha256:
        return None
    how = "added" if before is None else "removed" if after is None else "changed"
    is_text = all(file is None or file.text is not None for file in (before, after))
    is_text = is_text and is_comparable(_get_text(before), _get_text(after))
    rows = compare_lines(_get_text(before), _get_text(after)) if is_text else []
    return {"path": path, "how": how, "rows": rows, "is_text": is_text}


def _get_text(file: SkillFile | None) -> str:
    return (file.text or "") if file else ""


@project_view("change_skills", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def skill_restore(request: HttpRequest, project: Project, skill_id: UUID, number: int) -> HttpResponse:
    skill = get_skill(project, skill_id)
    with tenant_scope(project):
        version = list_skill_versions(skill).filter(number=number).first()
    if version is None or number >= skill.version:
        raise Http404
    error = ""
    if request.method == "POST":
        try:
            record = partial(_record_restoring, request, project, number)
            restore_old_version(project, skill.pk, number, build_member_actor(get_person(request)), record)
        except CatalogueError as refusal:
            error = describe_failure(refusal)
        else:
            message = _("Version %(number)s is back, as a new one.") % {"number": number}
            return answer_done(request, message, build_skill_url(project, skill, "versions"), "skill-changed")
    dialog = build_dialog(
        project,
        skill,
        "skill_restore",
        "_restore_dialog",
        number,
        title=_("Restore version %(number)s?") % {"number": number},
        verb=_("Restore version %(number)s") % {"number": number},
    )
    context = {"skill": skill, "version": version, "next": skill.version + 1, "error": error}
    return show_dialog(request, dialog, context, 422 if error else 200)


def _record_restoring(request: HttpRequest, project: Project, number: int, skill: Skill) -> None:
    detail = {"version": number}
    record_event(
        project.account, get_person(request), "skill.restored", skill, project=project, detail=detail
    )
