"""Signals that other apps may receive. Sent with `send_robust` after commit; receivers only notify or broadcast."""

from __future__ import annotations

from django.db import transaction
from django.dispatch import Signal

from skills.models import Skill

# account_id, project_id ("" for a knowledge base's), skill_id, operation.
skill_changed = Signal()
# skill. Sent with `send` inside the transaction that deletes it: a receiver that fails undoes the deletion.
skill_deleting = Signal()


def announce_skill(skill: Skill, operation: str) -> None:
    arguments = {
        "account_id": str(skill.account_id),
        "project_id": str(skill.project_id or ""),
        "skill_id": str(skill.pk),
        "operation": operation,
    }
    transaction.on_commit(lambda: skill_changed.send_robust(None, **arguments))
