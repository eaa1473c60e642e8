"""A subject's profiles: bind, fill from later conversations, edit, read.

A profile stores pointers to memories, never their words. What a field says is read from those memories that hold
today, so it follows when a memory is corrected, replaced, put away or deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from django.utils import timezone

from memories.consolidation.corrections import ENDS
from memories.consolidation.neighbours import COMPARED
from memories.cubes.access import provide_cube
from memories.models import MemCube, Memory, Profile
from memories.profiles.fields import (
    Label,
    build_field_label,
    find_field_slots,
    find_filled_fields,
    get_field_value,
    holds_many,
)
from memories.profiles.templates import Leaf, get_leaves, is_in, lock_template
from memories.values import MemoryStatus, Subject
from tenancy.audit import log
from tenancy.errors import InvalidParameters, NotFound
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project
from tenancy.storage.allowance import storage_scope

MOST_PROFILES = 20
MOST_LEAVES = 200
# Memories stored for one field, and those shown where a field holds several values.
REMEMBERED, STATED = 20, 5
LONGEST_CHAIN = 8


@dataclass(frozen=True, slots=True)
class Binding:
    subject: Subject
    template: str


@dataclass(frozen=True, slots=True)
class FieldEdit:
    """A change of one field by a person; None leaves value or flag as they are."""

    path: str
    value: Any = None
    is_updatable: bool | None = None


@dataclass(frozen=True, slots=True)
class ProfileField:
    """One field of a profile as it is today. `confidence`: 0 to 1."""

    id: UUID
    path: str
    value: Any
    is_updatable: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class ShownProfile:
    profile: Profile
    fields: list[ProfileField] = field(default_factory=list)


def bind_profiles(project: Project, bindings: Sequence[Binding]) -> None:
    """All or none; binding again keeps the profile. Raises `NotFound` for a template that the project does not hold."""
    wanted = sorted(
        set(bindings), key=lambda binding: (binding.template, binding.subject.kind, binding.subject.id)
    )
    with storage_scope(project):
        templates = {
            text: lock_template(project, text) for text in sorted({binding.template for binding in wanted})
        }
        for subject in sorted(
            {binding.subject for binding in wanted}, key=lambda subject: (subject.kind, subject.id)
        ):
            cube = provide_cube(project, subject)
            for binding in wanted:
                if binding.subject == subject:
                    _bind_template(project, cube, templates[binding.template])
            if Profile.objects.within(project).filter(cube=cube).count() > MOST_PROFILES:
                raise InvalidParameters(f"a subject has at most {MOST_PROFILES} profiles")


def _bind_template(project: Project, cube: MemCube, template: Any) -> None:
    profile, is_new = Profile.objects.within(project).get_or_create(
        project=project, cube=cube, template=template, defaults={"account_id": project.account_id}
    )
    if is_new:
        log.record_event(project.account, None, "profile.bound", profile, project=project)


def edit_profile(
    project: Project, whose: Binding, edits: Sequence[FieldEdit], removed: Sequence[str]
) -> None:
    """Raises `NotFound` for a profile or field that is not there, `InvalidParameters` for a field below a field."""
    with storage_scope(project):
        profile = _lock_profile(project, whose)
        _remove_fields(profile, removed)
        for edit in edits:
            _edit_field(profile, edit)
        _refuse_impossible(profile)
        profile.updated_at = timezone.now()
        profile.save(update_fields=["filled", "edits", "removed", "updated_at"])
        changed = {"edited": len(edits), "removed": len(removed)}
        log.record_event(project.account, None, "profile.edited", profile, project=project, detail=changed)


def delete_profile(project: Project, whose: Binding) -> None:
    """Raises `NotFound`."""
    with tenant_scope(project):
        profile = _lock_profile(project, whose)
        log.record_event(project.account, None, "profile.deleted", profile, project=project)
        profile.delete()


def _lock_profile(project: Project, whose: Binding) -> Profile:
    template = lock_template(project, whose.template)
    mine = Profile.objects.within(project).filter(
        cube__owner_kind=whose.subject.kind, cube__owner_id=whose.subject.id, template=template
    )
    profile: Profile | None = mine.select_for_update(of=("self",)).select_related("template").first()
    if profile is None:
        raise NotFound(f"{whose.template} is not bound to {whose.subject.id}")
    return profile


def _remove_fields(profile: Profile, removed: Sequence[str]) -> None:
    for branch in removed:
        gone = [leaf.path for leaf in _leaves(profile) if is_in(leaf.path, branch)]
        if not gone:
            raise NotFound(f"remove_fields: {branch[:200]}")
        of_template = {leaf.path for leaf in get_leaves(profile.template)}
        profile.removed = sorted({*profile.removed, *gone} & of_template)
        for path in gone:
            profile.filled.pop(path, None)
            profile.edits.pop(path, None)


def _edit_field(profile: Profile, edit: FieldEdit) -> None:
    """A value by hand ends what talk had filled in, unless only the flag was sent."""
    before = profile.edits.get(edit.path, {})
    if edit.value is not None:
        profile.filled.pop(edit.path, None)
    flag = before.get("is_updatable") if edit.is_updatable is None else edit.is_updatable
    value = before.get("value") if edit.value is None else edit.value
    profile.edits = profile.edits | {edit.path: {"value": value, "is_updatable": flag}}
    profile.removed = [path for path in profile.removed if path != edit.path]


def _refuse_impossible(profile: Profile) -> None:
    leaves = _leaves(profile)
    if len(leaves) > MOST_LEAVES:
        raise InvalidParameters(f"metadata: a profile has at most {MOST_LEAVES} fields")
    paths = {leaf.path for leaf in leaves}
    for path in paths:
        if any(is_in(other, path) for other in paths - {path}):
            raise InvalidParameters(f"metadata: {path[:200]}: is a field and cannot hold fields")


def _leaves(profile: Profile) -> list[Leaf]:
    """The template's fields and the edits' own. A value by hand stays, unless the person lets talk change it."""
    leaves = {leaf.path: leaf for leaf in get_leaves(profile.template)}
    for path, edit in profile.edits.items():
        known = leaves.get(path, Leaf(path))
        has_value = edit["value"] is not None
        default = known.is_updatable and not has_value
        flag = default if edit["is_updatable"] is None else edit["is_updatable"]
        leaves[path] = Leaf(path, edit["value"] if has_value else known.value, flag)
    return [leaf for path, leaf in leaves.items() if path not in profile.removed]


def load_labels(scope: Scope, cube: MemCube) -> dict[str, Label | None]:
    """Load what the fields that talk may fill mean to the model; empty at the cost of one query where nothing is
    bound."""
    with tenant_scope(scope):
        profiles = list(Profile.objects.within(scope.project).filter(cube=cube).select_related("template"))
        paths = {leaf.path for profile in profiles for leaf in _leaves(profile) if leaf.is_updatable}
    return {path: None if find_field_slots(path) else build_field_label(path) for path in sorted(paths)}


def fill_fields(cube: MemCube, written: Iterable[UUID], labels: dict[str, Label | None]) -> None:
    """Points the fields at the memories that were just written, inside their transaction."""
    if not labels:
        return
    news = Memory.objects.within(cube).current().filter(pk__in=list(written), kind__in=COMPARED, speaker="")
    memories = list(news.order_by("valid_from", "created_at", "ordinal", "pk"))
    mine = Profile.objects.within(cube.project_id).filter(cube=cube).select_related("template")
    for profile in mine.select_for_update(of=("self",)).order_by("pk") if memories else ():
        filled = _fill_fields(profile, memories, labels)
        if filled != profile.filled:
            profile.filled, profile.updated_at = filled, timezone.now()
            profile.save(update_fields=["filled", "updated_at"])


def _fill_fields(
    profile: Profile, memories: Sequence[Memory], labels: dict[str, Label | None]
) -> dict[str, Any]:
    open_paths = [leaf.path for leaf in _leaves(profile) if leaf.is_updatable]
    mine = {path: labels[path] for path in open_paths if path in labels}
    filled: dict[str, Any] = dict(profile.filled)
    for memory in memories:
        for path in find_filled_fields(memory, mine):
            key = str(memory.pk)
            filled[path] = [key, *(other for other in filled.get(path, []) if other != key)][:REMEMBERED]
    return filled


def show_profiles(project: Project, subject: Subject) -> list[ShownProfile]:
    """The subject's profiles as they are today; none for who has none."""
    with tenant_scope(project):
        mine = Profile.objects.within(project).filter(
            cube__owner_kind=subject.kind, cube__owner_id=subject.id
        )
        profiles = list(mine.select_related("template", "cube").order_by("pk"))
        pointed = {UUID(key) for profile in profiles for keys in profile.filled.values() for key in keys}
        stated = _find_stated_field(profiles[0].cube, pointed) if pointed else StatedField({}, {})
    return [
        ShownProfile(profile, [_build_field(profile, leaf, stated) for leaf in _leaves(profile)])
        for profile in profiles
    ]


@dataclass(frozen=True, slots=True)
class StatedField:
    """The memories that profiles point to: as they were pointed to, and those that say the same today."""

    then: dict[UUID, Memory]
    today: dict[UUID, Memory]


def _find_stated_field(cube: MemCube, keys: set[UUID]) -> StatedField:
    seen: dict[UUID, Memory] = {}
    wanted = keys
    for _ in range(LONGEST_CHAIN):
        mine = Memory.objects.within(cube).filter(pk__in=wanted).defer("embedding", "words", "words_vector")
        seen |= {memory.pk: memory for memory in mine}
        wanted = {m.superseded_by_id for m in seen.values() if m.superseded_by_id} - seen.keys()
        if not wanted:
            break
    ends = {key: _find_successor(seen, key) for key in keys & seen.keys()}
    today = {key: memory for key, memory in ends.items() if memory and _is_said(memory)}
    holding = {key: memory for key, memory in today.items() if memory.valid_until is None}
    return StatedField({key: seen[key] for key in keys & seen.keys() if _is_said(seen[key])}, holding)


def _is_said(memory: Memory) -> bool:
    """Return whether the memory gives its field a value: not when it says that a state is over, nor after its last
    day."""
    is_shown = memory.status in {MemoryStatus.ACTIVATED, MemoryStatus.FROZEN} and not memory.is_past_its_day
    return is_shown and ENDS not in memory.details


def _find_successor(seen: dict[UUID, Memory], key: UUID) -> Memory | None:
    memory = seen.get(key)
    for _ in range(LONGEST_CHAIN):
        if memory is None or memory.superseded_by_id is None:
            break
        memory = seen.get(memory.superseded_by_id)
    return memory


def _build_field(profile: Profile, leaf: Leaf, stated_by: StatedField) -> ProfileField:
    """A field that was closed to talk goes on saying what it said then."""
    held = stated_by.today if leaf.is_updatable else stated_by.then
    pointed = profile.filled.get(leaf.path, [])
    stated = list(dict.fromkeys(held[UUID(key)] for key in pointed if UUID(key) in held))
    stated = stated[: STATED if holds_many(leaf.path) else 1]
    key = uuid5(profile.pk, leaf.path)
    if not stated:
        return ProfileField(key, leaf.path, leaf.value, leaf.is_updatable, 1.0)
    values = "; ".join(dict.fromkeys(get_field_value(memory, leaf.path) for memory in stated))
    return ProfileField(
        key, leaf.path, values, leaf.is_updatable, min(memory.confidence for memory in stated)
    )
