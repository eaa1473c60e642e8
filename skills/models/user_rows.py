"""The row of a person whom a client names."""

from __future__ import annotations

from skills.models import SpaceUser
from tenancy.models import Project

MAX_IDENTIFIER = 255


def get_or_create_person(project: Project, identifier: str | None) -> SpaceUser | None:
    """Found or made, inside the project's scope; None where nobody was named.

    Locked until the end of the transaction, so that nobody deletes the person before what is written for them is there.
    """
    if not identifier:
        return None
    locked = SpaceUser.objects.within(project).select_for_update(no_key=True).filter(identifier=identifier)
    # They may be deleted, and made anew, by others between any two of these statements.
    while (person := locked.first()) is None:
        row = SpaceUser(account_id=project.account_id, project=project, identifier=identifier)
        SpaceUser.objects.bulk_create([row], ignore_conflicts=True)
    named: SpaceUser = person
    return named
