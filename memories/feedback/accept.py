"""Accept feedback: store it with its task, which the worker does."""

from __future__ import annotations

from typing import Any

from memories.cubes.access import provide_cube, refuse_unlinked
from memories.jobs import outbox
from memories.models import Conversation, Feedback, Task
from memories.values import UNREAD_TIMES, NewFeedback, TaskKind
from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.refunds import Cost
from tenancy.models import Project
from tenancy.requests.trace import trace_stage


def add_feedback(project: Project, new: NewFeedback, cost: Cost | None = None) -> Task:
    """Stores the correction and returns its task. Raises `KnowledgeBaseNotLinked`."""
    with trace_stage("store") as note, tenant_scope(project):
        refuse_unlinked(project, new.knowledge_bases)
        cube = provide_cube(project, new.subject)
        conversation = (
            Conversation.objects.within(project).filter(cube=cube, external_id=new.conversation_id).first()
        )
        feedback = Feedback.objects.create(
            account_id=project.account_id,
            project=project,
            cube=cube,
            conversation=conversation,
            conversation_key=new.conversation_id,
            text=new.text,
            feedback_time=new.feedback_time,
            said_at=new.said_at,
            agent_id=new.agent_id,
            app_id=new.app_id,
            allow_public=new.allow_public,
            knowledge_bases=list(new.knowledge_bases),
        )
        payload: dict[str, Any] = {"feedback": str(feedback.pk), "epoch": cube.epoch}
        if new.dated_by:
            unread = [{"field": "feedback_time", "dated_by": new.dated_by}]
            payload[UNREAD_TIMES] = note[UNREAD_TIMES] = unread
        return outbox.write_task(
            cube, TaskKind.FEEDBACK, dedupe_key=str(feedback.pk), payload=payload, cost=cost
        )
