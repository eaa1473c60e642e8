"""Templates of profiles: what should be known about a subject, as a tree of at most three levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from django.utils import timezone

from memories.models import Profile, ProfileTemplate
from tenancy.audit import log
from tenancy.errors import InvalidParameters, NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.storage.allowance import storage_scope

PREFIX = "tpl_"
MOST_TEMPLATES = 100
_WRITTEN_AT_ONCE = 200  # profiles, in one statement


@dataclass(frozen=True, slots=True)
class Leaf:
    """One field: its dotted path, its value, and whether later talk may fill it."""

    path: str
    value: Any = ""
    is_updatable: bool = True

    @classmethod
    def stored(cls, row: dict[str, Any]) -> Self:
        return cls(row["path"], row["value"], row["is_updatable"])

    def row(self) -> dict[str, Any]:
        return {"path": self.path, "value": self.value, "is_updatable": self.is_updatable}


def build_template_id(template: ProfileTemplate) -> str:
    return f"{PREFIX}{template.pk.hex}"


def parse_template_id(text: str) -> UUID:
    """Raises `NotFound` for what cannot be a template's id."""
    try:
        return UUID(text.removeprefix(PREFIX))
    except ValueError:
        raise NotFound(text[:60]) from None


def get_leaves(template: ProfileTemplate) -> list[Leaf]:
    return [Leaf.stored(row) for row in template.leaves]


def is_in(path: str, branch: str) -> bool:
    return path == branch or path.startswith(f"{branch}.")


def lock_template(project: Project, text: str) -> ProfileTemplate:
    """Lock a template, inside the project's tenant scope. Raises `NotFound`, for another project's too."""
    mine = ProfileTemplate.objects.within(project).filter(pk=parse_template_id(text))
    template: ProfileTemplate | None = mine.select_for_update(no_key=True).first()
    if template is None:
        raise NotFound(text[:60])
    return template


def add_template(project: Project, name: str, leaves: Sequence[Leaf]) -> ProfileTemplate:
    """A new template with every call. Raises `InvalidParameters` when the project has its fill of them."""
    with storage_scope(project):
        # So that those who add one at the same time count each other's.
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        if ProfileTemplate.objects.within(project).count() >= MOST_TEMPLATES:
            raise InvalidParameters(f"a project has at most {MOST_TEMPLATES} profile templates")
        template: ProfileTemplate = ProfileTemplate.objects.create(
            account_id=project.account_id, project=project, name=name, leaves=[leaf.row() for leaf in leaves]
        )
        _record_change(project, "created", template, fields=len(leaves))
    return template


def update_template(
    project: Project, text: str, name: str | None, leaves: Sequence[Leaf] | None
) -> ProfileTemplate:
    """Change the template and every profile of it; fields that stay as they were keep their values there."""
    with storage_scope(project):
        template = lock_template(project, text)
        before = {leaf.path: leaf for leaf in get_leaves(template)}
        template.name = name or template.name
        if leaves is not None:
            template.leaves = [leaf.row() for leaf in leaves]
            _update_bindings(template, before, {leaf.path: leaf for leaf in leaves})
        template.updated_at = timezone.now()
        template.save(update_fields=["name", "leaves", "updated_at"])
        _record_change(project, "updated", template, fields=len(template.leaves))
    return template


def _update_bindings(template: ProfileTemplate, before: dict[str, Leaf], now: dict[str, Leaf]) -> None:
    changed = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
    valued = {
        path for path in changed if path not in now or _get_value(before, path) != _get_value(now, path)
    }
    written = [
        profile for profile in _select_profiles(template) if _change_profile(profile, changed, valued, now)
    ]
    Profile.objects.within(template.project_id).bulk_update(
        written, ["filled", "edits", "removed"], batch_size=_WRITTEN_AT_ONCE
    )


def _change_profile(profile: Profile, changed: set[str], valued: set[str], now: dict[str, Leaf]) -> bool:
    """Change a profile; False where nothing differs."""
    before = profile.filled, profile.edits, profile.removed
    profile.filled = {path: keys for path, keys in profile.filled.items() if path not in valued}
    profile.edits = {
        path: edit if path not in changed else {"value": edit["value"], "is_updatable": None}
        for path, edit in profile.edits.items()
        if path not in valued and not _has_no_place(path, now)
    }
    profile.removed = [path for path in profile.removed if path not in changed]
    return (profile.filled, profile.edits, profile.removed) != before


def _has_no_place(path: str, leaves: dict[str, Leaf]) -> bool:
    """A person's own field, where the template has a branch now, or a field above it."""
    return any(path != other and (is_in(path, other) or is_in(other, path)) for other in leaves)


def _get_value(leaves: dict[str, Leaf], path: str) -> Any:
    leaf = leaves.get(path)
    return None if leaf is None else leaf.value


def _select_profiles(template: ProfileTemplate) -> Any:
    mine = Profile.objects.within(template.project_id).filter(template=template)
    return mine.select_for_update().order_by("pk")


def delete_template(project: Project, text: str) -> int:
    """Deletes a template with its profiles. How many those were."""
    with tenant_scope(project):
        template = lock_template(project, text)
        bound = len(_select_profiles(template).values_list("pk"))
        _record_change(project, "deleted", template, profiles=bound)
        mine = ProfileTemplate.objects.within(project).filter(pk=template.pk)
        mine._raw_delete(mine.db)  # the profiles go with it, by their key
    return bound


def _record_change(project: Project, what: str, template: ProfileTemplate, **detail: int) -> None:
    action = f"profile_template.{what}"
    log.record_event(project.account, None, action, template, project=project, detail=detail)
