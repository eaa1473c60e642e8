"""The row of a person whom a client names."""

from __future__ import annotations

from skills.models import SpaceUser
from tenancy.models import Project

MAX_IDENTIFIER = 255


def get_or_create_person(project: Project, identifier: str | None) -> SpaceUser | None:
    """Found or made, inside the project's scope; None where nobody was named."""
    if not identifier:
        return None
    person: SpaceUser
    person, _ = SpaceUser.objects.within(project).get_or_create(
        project=project, identifier=identifier, defaults={"account_id": project.account_id}
    )
    return person
