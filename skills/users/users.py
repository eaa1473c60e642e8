"""People named by the client's own identifiers: created when first named, deleted with all their rows."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from memories.lifecycle.erase_subject import drop_empty_cube, lock_subject_cubes
from memories.values import OwnerKind, Subject
from skills.catalogue.write import delete_skills
from skills.models import LearningRecord, LearningSpace, Session, Skill, SpaceUser
from skills.paging import PageWindow, Slice, read_window
from skills.sessions.sessions import delete_rows
from tenancy.errors import NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.requests.log import MAX_SUBJECT, name_subject
from tenancy.requests.log_erasure import erase_from_logs


@dataclass(frozen=True, slots=True)
class PersonTotals:
    """Counts of what is stored for a person."""

    sessions: int
    skills: int


def list_people(project: Project, window: PageWindow) -> Slice:
    with tenant_scope(project):
        return read_window(SpaceUser.objects.within(project), window)


def count_user_resources(project: Project, identifier: str) -> PersonTotals:
    """Raises `NotFound` for somebody who was never named."""
    with tenant_scope(project):
        person = SpaceUser.objects.within(project).filter(identifier=identifier).first()
        if person is None:
            raise NotFound("user not found")
        sessions = Session.objects.within(project).filter(person=person).count()
        skills = Skill.objects.within(project.account_id).filter(person=person).count()
    return PersonTotals(sessions, skills)


def delete_person(project: Project, identifier: str) -> None:
    """With sessions, spaces and skills, and out of the request log. Nobody of this identifier is no failure."""
    with tenant_scope(project):
        erase_from_logs(project, delete_person_rows(project, identifier))


def delete_person_rows(project: Project, identifier: str) -> list[str]:
    """As `delete_person`, but for the request log: returns what the caller takes out of it, when it locks nothing more.

    Inside the project's scope.
    """
    people = SpaceUser.objects.within(project)
    person = people.filter(identifier=identifier).first()
    named = _list_log_names(identifier)
    if person is None:
        return named
    end_user = Subject(OwnerKind.END_USER, identifier)
    lock_subject_cubes(project, end_user)
    _lock_learning(project, person)
    people.select_for_update().filter(pk=person.pk).first()
    delete_skills(Skill.objects.within(project.account_id).filter(person=person))
    spaces = LearningSpace.objects.within(project).filter(person=person)
    named += [f"space:{key}" for key in spaces.values_list("pk", flat=True)]
    named += delete_rows(
        project, list(Session.objects.within(project).filter(person=person).defer("configs"))
    )
    person.delete()
    # Made for the skills that were uploaded for this person.
    drop_empty_cube(project, end_user)
    return named


def _list_log_names(identifier: str) -> list[str]:
    """List what the request log calls the person: rows of earlier releases have the beginning of a long identifier."""
    return list(dict.fromkeys([name_subject("person", identifier), f"person:{identifier[:MAX_SUBJECT]}"]))


def drop_idle_person(project_id: UUID, identifier: str) -> None:
    """Deletes the row of somebody of whom there is nothing any more. Inside the project's scope."""
    person = SpaceUser.objects.within(project_id).filter(identifier=identifier).select_for_update().first()
    if person is None:
        return
    theirs = (
        Session.objects.within(project_id).filter(person=person),
        LearningSpace.objects.within(project_id).filter(person=person),
        Skill.objects.within(person.account_id).filter(person=person),
    )
    if not any(rows.exists() for rows in theirs):
        person.delete()


def _lock_learning(project: Project, person: SpaceUser) -> None:
    """Lock spaces, then sessions, then the person: the order in which learning takes these locks."""
    theirs = LearningRecord.objects.within(project).filter(session__person=person)
    spaces = LearningSpace.objects.within(project).filter(Q(person=person) | Q(pk__in=theirs.values("space")))
    list(spaces.select_for_update(no_key=True, of=("self",)).order_by("pk"))
    list(Session.objects.within(project).filter(person=person).select_for_update(of=("self",)).order_by("pk"))
