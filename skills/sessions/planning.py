"""The hidden planning task of a session: plans, preferences and facts outside of its tasks.

Its `data` holds the preferences, which of them were handed on to be learned (`taught`), and up to which position its
messages were looked through for facts (`taught_until`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from skills.models import Session, SessionTask
from skills.sessions.debounce import list_session_messages

DESCRIPTION = "Plans and preferences"
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Planning:
    """`row` is None as long as there is nothing to keep."""

    row: SessionTask | None

    @property
    def preferences(self) -> list[str]:
        return self._copy_list("user_preferences")

    @property
    def untaught(self) -> list[str]:
        taught = set(self._copy_list("taught"))
        return [text for text in self.preferences if text not in taught]

    @property
    def taught_until(self) -> int:
        return int(self.row.data.get("told_to", NOWHERE)) if self.row else NOWHERE

    def _copy_list(self, name: str) -> list[str]:
        return [*self.row.data.get(name, [])] if self.row else []


def load_planning(session: Session) -> Planning:
    rows = SessionTask.objects.within(session.project_id)
    return Planning(rows.filter(session=session, is_planning=True).first())


def write_planning(session: Session, preferences: Sequence[str], planned: Sequence[UUID]) -> None:
    """Write preferences and planning messages under the session's lock. New messages are to be searched for facts."""
    known = load_planning(session)
    if not planned and [*preferences] == known.preferences:
        return
    row = known.row or SessionTask(
        account_id=session.account_id,
        project_id=session.project_id,
        session=session,
        order=0,
        is_planning=True,
        data={"task_description": DESCRIPTION},
    )
    row.data = {**row.data, "user_preferences": [*preferences]}
    row.updated_at = timezone.now()
    if planned:
        row.distilling = ""
    row.save()
    list_session_messages(session).filter(pk__in=planned).update(task=row)


def mark_taught(row: SessionTask) -> None:
    row.data = {**row.data, "taught": row.data.get("user_preferences", [])}
    row.save(update_fields=["data"])


def reset_taught(session: Session) -> None:
    """Another space is to learn from the session than the one that may have before."""
    rows = SessionTask.objects.within(session.project_id).filter(session=session)
    rows.update(distilling="")
    planning = load_planning(session).row
    if planning is not None:
        kept = {name: value for name, value in planning.data.items() if name not in {"taught", "told_to"}}
        planning.data = kept
        planning.save(update_fields=["data"])
