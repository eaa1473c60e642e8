"""Create learning spaces, attach sessions to learn from, and link skills to learn into."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from skills.catalogue.listing import find_skill, list_visible_skills
from skills.catalogue.write import PATH, NewSkill, create_skill, parse_skill_text
from skills.merge_meta import refuse_large
from skills.models import LearningRecord, LearningSpace, Skill, SpaceSkill
from skills.models.user_rows import get_or_create_person
from skills.packages.files import NewFile, sum_index_bytes
from skills.packages.ownership import SkillOwner
from skills.paging import PageWindow, Slice, count_json_octets, read_window
from skills.sessions.debounce import list_session_messages, observe_at
from skills.sessions.planning import reset_taught
from skills.sessions.records import LEFT_ALONE, record_rows, with_current_status
from skills.sessions.sessions import find_session
from skills.spaces.defaults import load_default_skills
from skills.values import SkillOrigin
from tenancy.errors import Conflict, NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.requests.log_erasure import erase_from_logs
from tenancy.storage.allowance import storage_scope

ACTOR = "space"
FIRST = PageWindow()


def create_space(project: Project, identifier: str | None, meta: dict[str, Any] | None) -> LearningSpace:
    """With the default skills, which belong to the space's person, or not at all."""
    with storage_scope(project):
        space: LearningSpace = LearningSpace.objects.create(
            account_id=project.account_id,
            project=project,
            person=get_or_create_person(project, identifier),
            meta=meta,
        )
        for text in load_default_skills():
            link_skill(space, create_skill(_build_default_skill(project, space, text)))
    return space


def _build_default_skill(project: Project, space: LearningSpace, text: str) -> NewSkill:
    return NewSkill(
        SkillOwner.of_space(project),
        parse_skill_text(text),
        [NewFile.of_text(PATH, text)],
        SkillOrigin.DEFAULT,
        ACTOR,
        "every space begins with it",
        person=space.person,
    )


def link_skill(space: LearningSpace, skill: Skill) -> SpaceSkill:
    link: SpaceSkill = SpaceSkill.objects.create(
        account_id=space.account_id, project_id=space.project_id, space=space, skill=skill
    )
    return link


def find_space(project: Project, space_id: UUID, *, is_locked: bool = False) -> LearningSpace:
    """Find a space, inside the project's tenant scope.

    Raises `NotFound`, for another project's as for an unknown one.
    """
    rows = LearningSpace.objects.within(project)
    space: LearningSpace | None = (
        (rows.select_for_update(no_key=True) if is_locked else rows).filter(pk=space_id).first()
    )
    if space is None:
        raise NotFound("learning space not found")
    return space


def load_space(project: Project, space_id: UUID) -> LearningSpace:
    with tenant_scope(project):
        return find_space(project, space_id)


def list_spaces(project: Project, window: PageWindow, identifier: str, meta: dict[str, Any]) -> Slice:
    """List spaces, of this person if one is named, whose meta contains this."""
    with tenant_scope(project):
        rows = LearningSpace.objects.within(project)
        if identifier:
            rows = rows.filter(person__identifier=identifier)
        if meta:
            rows = rows.filter(meta__contains=meta)
        return read_window(rows, window, size=count_json_octets("meta"))


def merge_meta(project: Project, space_id: UUID, changes: dict[str, Any]) -> LearningSpace:
    """The given keys replaced, the others kept; null is a value here."""
    with storage_scope(project):
        space = find_space(project, space_id, is_locked=True)
        space.meta = (space.meta or {}) | changes
        refuse_large(space.meta, "meta")
        space.updated_at = timezone.now()
        space.save(update_fields=["meta", "updated_at"])
    return space


def delete_space(project: Project, space_id: UUID) -> None:
    """With its records and links, and out of the request log; the skills and the sessions stay."""
    with tenant_scope(project):
        space = find_space(project, space_id, is_locked=True)
        space.delete()
        erase_from_logs(project, [f"space:{space_id}"])


def attach_session(project: Project, space_id: UUID, session_id: UUID) -> LearningRecord:
    """Attach a session. Raises `NotFound`, and `Conflict` when a space has it already."""
    with tenant_scope(project):
        space = find_space(project, space_id, is_locked=True)
        session = find_session(project, session_id, is_locked=True)
        try:
            with transaction.atomic():
                record: LearningRecord = LearningRecord.objects.create(
                    account_id=project.account_id, project=project, space=space, session=session
                )
        except IntegrityError:
            raise Conflict("this session is attached to a learning space already") from None
        if list_session_messages(session).exclude(state__in=LEFT_ALONE).exists():
            # What was said before is learned too: the reader hands on what has ended.
            reset_taught(session)
            observe_at(session, timezone.now())
    return record


def list_records(project: Project, space_id: UUID, window: PageWindow = FIRST) -> Slice:
    """List sessions in the order in which they were attached, with their current learning status."""
    with tenant_scope(project):
        space = find_space(project, space_id)
        row_slice = read_window(record_rows(project).filter(space=space), window)
        return Slice([with_current_status(record) for record in row_slice.rows], row_slice.next)


def load_record(project: Project, space_id: UUID, session_id: UUID) -> LearningRecord:
    """Raises `NotFound` for an unknown space, and for a session that is not attached to it."""
    with tenant_scope(project):
        space = find_space(project, space_id)
        record = record_rows(project).filter(space=space, session__public_id=session_id).first()
        if record is None:
            raise NotFound("this session is not attached to the learning space")
        return with_current_status(record)


def include_skill(project: Project, space_id: UUID, skill_id: UUID) -> SpaceSkill:
    """Raises `NotFound`, and `Conflict` when the skill or another one of its name is there: agents name skills."""
    with tenant_scope(project):
        space = find_space(project, space_id, is_locked=True)
        skill = find_skill(project, skill_id, is_locked=True)
        there = _select_skills(space)
        if there.filter(pk=skill.pk).exists():
            raise Conflict("the learning space has this skill already")
        if there.filter(name=skill.name).exists():
            raise Conflict("the learning space has another skill of this name")
        return link_skill(space, skill)


def exclude_skill(project: Project, space_id: UUID, skill_id: UUID) -> None:
    """The skill stays; one that was not there is no failure."""
    with tenant_scope(project):
        space = find_space(project, space_id, is_locked=True)
        SpaceSkill.objects.within(project).filter(space=space, skill_id=skill_id).delete()


def list_skills(project: Project, space_id: UUID, window: PageWindow = FIRST) -> Slice:
    """List skills in the order in which they were added; without those of a knowledge base that was unlinked."""
    with tenant_scope(project):
        links = SpaceSkill.objects.within(project).filter(space=find_space(project, space_id))
        seen = links.filter(skill__in=list_visible_skills(project).values("pk")).select_related(
            "skill__cube", "skill__person"
        )
        size = count_json_octets("skill__description", "skill__meta") + sum_index_bytes(
            project.account_id, "skill"
        )
        row_slice = read_window(seen.defer("skill__value"), window, size=size)
        return Slice([link.skill for link in row_slice.rows], row_slice.next)


def find_skill_in_space(project: Project, space_id: UUID, skill_id: UUID) -> Skill | None:
    """The skill, if the space has it and it is to be seen."""
    with tenant_scope(project):
        space = find_space(project, space_id)
        skill: Skill | None = list_visible_skills(project).filter(pk=skill_id, links__space=space).first()
        return skill


def list_skills_in_space(project: Project, space_id: UUID) -> QuerySet[Skill]:
    """List the skills of the space, whether they are to be seen or not. Inside the project's scope."""
    links = SpaceSkill.objects.within(project).filter(space=space_id)
    rows: QuerySet[Skill] = Skill.objects.within(project.account_id)
    return rows.filter(pk__in=links.values("skill"))


def _select_skills(space: LearningSpace) -> QuerySet[Skill]:
    rows: QuerySet[Skill] = Skill.objects.within(space.account_id)
    return rows.filter(links__space=space)
