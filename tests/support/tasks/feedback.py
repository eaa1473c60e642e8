"""Feedback of an end user, and what is remembered afterwards."""

from __future__ import annotations

from typing import Any

from memories.models import Task
from tests.support.api_client import Api, Tenant


def give(api: Api, tenant: Tenant, text: str, **options: Any) -> dict[str, Any]:
    """What the task of a feedback of kim's says it did."""
    subject = {} if "agent_id" in options and "user_id" not in options else {"user_id": "kim"}
    body = {**subject, "conversation_id": "talk", "feedback_content": text, **options}
    task = api.data("add/feedback", body)["task_id"]
    assert api.wait_until_done(task) == "completed"
    result: dict[str, Any] = Task.objects.within(tenant.project).get(pk=task).result
    return result


def current(api: Api, **subject: Any) -> str:
    """Everything that is listed of kim."""
    listed = api.data("get/memory", {"size": 50, **(subject or {"user_id": "kim"})})
    facts = [memory["memory_value"] for memory in listed["memory_detail_list"]]
    return " | ".join([*facts, *(memory["preference"] for memory in listed["preference_detail_list"])])
