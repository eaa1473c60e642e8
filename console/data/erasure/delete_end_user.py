"""Delete an end user on behalf of a member: counts before, deletion, receipt."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy

from memories.lifecycle.erase_subject import erase_subject_rows, find_subject_cube
from memories.models import Attachment, Conversation, Feedback, MemCube, Memory, Message, Profile
from memories.models.trash_visibility import seeing_trash
from memories.retrieval.browse.bounded_count import count_up_to
from memories.values import MemoryKind, OwnerKind, Subject
from skills.models import Skill, SpaceUser
from skills.spaces.console_lists import load_people_figures
from skills.users.users import delete_person_rows
from tenancy.audit.log import record_event
from tenancy.models import Project, User
from tenancy.requests.log_erasure import erase_from_logs

# Of each kind there are so many counted at most; one more says that there were others.
MOST_COUNTED = 10_000
# In the order in which they are shown.
KINDS: dict[str, Any] = {
    "memories": gettext_lazy("Memories"),
    "messages": gettext_lazy("Messages"),
    "conversations": gettext_lazy("Conversations"),
    "files": gettext_lazy("Files"),
    "feedback": gettext_lazy("Feedback"),
    "profiles": gettext_lazy("Profiles"),
    "skills": gettext_lazy("Skills"),
    "sessions": gettext_lazy("Sessions"),
    "spaces": gettext_lazy("Learning spaces"),
}
OF_AGENTS = ("sessions", "spaces")


@dataclass(frozen=True, slots=True)
class Holdings:
    """Counts of what a project holds of an end user, by kind; `agent_side` is what agents keep under the same id."""

    counts: dict[str, int]
    agent_side: dict[str, int] = field(default_factory=dict)

    def list_lines(self, *, with_agents: bool) -> list[tuple[Any, int]]:
        shown = self.counts | (self.agent_side if with_agents else {})
        return [(KINDS[kind], shown[kind]) for kind in KINDS if shown.get(kind)]


@dataclass(frozen=True, slots=True)
class Receipt:
    """Counts of what was deleted, and how many of its memories a search could still find afterwards."""

    holdings: Holdings
    with_agents: bool
    recallable: int
    at: datetime


def count_end_user_rows(project: Project, user_id: str) -> Holdings:
    """Counts of all that is stored of an end user, the trash included. Raises `EndUserUnknown`."""
    cube = find_subject_cube(project, Subject(OwnerKind.END_USER, user_id))
    with seeing_trash():
        counts = {kind: count_up_to(rows, MOST_COUNTED) for kind, rows in _select_rows(project, cube).items()}
    named = SpaceUser.objects.within(project).filter(identifier=user_id).first()
    if named is None:
        return Holdings(counts)
    figures = load_people_figures(project, [named])[named.pk]
    return Holdings(counts, {"sessions": figures.sessions, "spaces": figures.spaces})


def _select_rows(project: Project, cube: MemCube) -> dict[str, QuerySet[Any]]:
    return {
        "memories": Memory.objects.within(cube).exclude(kind=MemoryKind.SKILL),
        "messages": Message.objects.within(project).filter(conversation__cube=cube),
        "conversations": Conversation.objects.within(project).filter(cube=cube),
        "files": Attachment.objects.within(project).filter(cube=cube),
        "feedback": Feedback.objects.within(project).filter(cube=cube),
        "profiles": Profile.objects.within(project).filter(cube=cube),
        "skills": Skill.objects.within(project.account_id).filter(cube=cube, project=project),
    }


def delete_end_user(project: Project, user_id: str, actor: User, *, with_agents: bool) -> Receipt:
    """Deletes all that the project holds of an end user, as `delete/memory` with a `user_id` does.

    `with_agents`: what agents keep under the same id (sessions, learning spaces and their skills) goes too. Inside the
    project's scope: all of it or nothing. Raises `EndUserUnknown`.
    """
    subject = Subject(OwnerKind.END_USER, user_id)
    cube = find_subject_cube(project, subject)
    before = count_end_user_rows(project, user_id)
    detail = {"with_sessions": with_agents, "memories": before.counts["memories"]}
    record_event(project.account, actor, "end_user.deleted", cube, project=project, detail=detail)
    named = delete_person_rows(project, user_id) if with_agents else []
    # A cube that held nothing but a person's skills is gone with them.
    if MemCube.objects.within(project).filter(pk=cube.pk).exists():
        named += erase_subject_rows(project, subject)
    erase_from_logs(project, named)
    return Receipt(before, with_agents, _count_recallable(cube.pk), timezone.now())


def _count_recallable(cube: UUID) -> int:
    """Count the memories that searches can find, whatever became of the cube."""
    with seeing_trash():
        return Memory.objects.within(cube).count()
