"""A person's correction becomes what the cube holds."""

from __future__ import annotations

import re

from django.db import transaction

from memories import outbox
from memories.engine import embedder, extractor
from memories.models import Conversation, Feedback, MemCube, Message, Task
from memories.reconcile import Embedded, Origin, Outcome, lock_cube, reconcile
from memories.refine import embed_drafts
from memories.signals import memories_changed
from memories.values import Turn
from tenancy.scoping import Scope, tenant_scope

# Clients also send what a person wants done ("User wants to delete memories about X"): an order, not a statement.
_ORDER = re.compile(r"\b(delete|remove|forget|erase)\b|删除|删掉|忘记|忘掉|清除", re.IGNORECASE)


def correct(task: Task) -> None:
    """Takes the statements of the feedback as the newest word of the subject, superseding what they contradict."""
    scope = Scope(task.account_id, task.project_id)
    with tenant_scope(scope):
        feedback = Feedback.objects.within(task.project_id).filter(pk=task.payload["feedback"]).first()
    drafts = [] if feedback is None or _ORDER.search(feedback.text) else _drafts(feedback)
    with tenant_scope(scope):
        outcome = _write(task, feedback, drafts) if drafts and feedback else Outcome()
        outbox.complete(task, {"applied": bool(drafts), "added": [str(key) for key in outcome.added]})
        changed = [str(key) for key in outcome.added + outcome.superseded]
        transaction.on_commit(
            lambda: memories_changed.send_robust(
                None, project_id=str(task.project_id), operation="corrected", memory_ids=changed
            )
        )


def _drafts(feedback: Feedback) -> list[Embedded]:
    turn = Turn("user", feedback.text, feedback.said_at)
    return embed_drafts(extractor().extract([turn], []))


def _write(task: Task, feedback: Feedback, drafts: list[Embedded]) -> Outcome:
    # The lock first: a deletion under way must be over before the epoch is looked at.
    lock_cube(task.subject)
    outbox.require_fence(task)
    cube = (
        MemCube.objects.within(task.project_id).filter(pk=task.subject, epoch=task.payload["epoch"]).first()
    )
    if cube is None:
        return Outcome()
    return reconcile(cube, drafts, _origin(task, feedback))


def _origin(task: Task, feedback: Feedback) -> Origin:
    conversation = feedback.conversation or Conversation(external_id="")
    spoken = Message(position=conversation.message_count, text=feedback.text, said_at=feedback.said_at)
    return Origin(
        conversation,
        [spoken],
        task.pk,
        embedder().name,
        feedback.agent_id,
        feedback.app_id,
        {"source": "feedback"},
    )
