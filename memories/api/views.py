"""The MemOS Cloud contract's core: parse, call one verb, answer."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memories.add import add_messages
from memories.api import answers
from memories.api.serializers.messages import (
    AddFeedbackBody,
    AddMessageBody,
    GetMessageBody,
    GetStatusBody,
)
from memories.api.serializers.recall import DeleteBody, GetMemoryBody, SearchBody
from memories.browse import list_memories
from memories.feedback import add_feedback
from memories.forget import forget_filtered, forget_kinds, forget_memories, forget_subject
from memories.history import last_messages
from memories.progress import find_task, wait_for
from memories.search import search
from tenancy.api.base import ContractView


class AddMessageView(ContractView):
    scope = "write"

    def post(self, request: Request) -> Response:
        body = self.read(AddMessageBody)
        new = body.value()
        self.charge([message.text for message in new.messages])
        data = self.once(lambda: answers.task_answer(add_messages(self.project, new)))
        if body.waits:
            data["status"] = wait_for(self.project, data["task_id"])
        return self.answer(data)


class AddFeedbackView(ContractView):
    scope = "write"

    def post(self, request: Request) -> Response:
        new = self.read(AddFeedbackBody).value()
        self.charge([new.text])
        return self.answer(self.once(lambda: answers.task_answer(add_feedback(self.project, new))))


class GetStatusView(ContractView):
    def post(self, request: Request) -> Response:
        task = find_task(self.project, self.read(GetStatusBody).validated_data["task_id"])
        return self.answer({"task_id": str(task.pk), "status": task.public_status})


class SearchView(ContractView):
    def post(self, request: Request) -> Response:
        query = self.read(SearchBody).value()
        self.charge([query.text])
        return self.answer(answers.search_answer(search(self.project, query)))


class GetMemoryView(ContractView):
    def post(self, request: Request) -> Response:
        page = self.read(GetMemoryBody).value()
        listing = list_memories(self.project, page)
        return self.answer(
            {
                "memory_detail_list": [answers.with_sources(answers.fact(m), m) for m in listing.facts],
                "preference_detail_list": [
                    answers.with_sources(answers.preference(m), m) for m in listing.preferences
                ],
                "tool_memory_detail_list": [],
                "total": listing.total,
                "size": page.size,
                "current": page.number,
                "pages": -(-listing.total // page.size),
            }
        )


class GetMessageView(ContractView):
    def post(self, request: Request) -> Response:
        sent = self.read(GetMessageBody).validated_data
        messages = last_messages(
            self.project, sent["subject"], sent["conversation_id"], sent.get("message_limit_number", 6)
        )
        return self.answer({"message_detail_list": [answers.message_item(m) for m in messages]})


class DeleteMemoryView(ContractView):
    scope = "delete"
    logs_subjects = False

    def post(self, request: Request) -> Response:
        sent = self.read(DeleteBody).validated_data
        return self.answer(self.once(lambda: self._forget(sent)))

    def _forget(self, sent: dict[str, Any]) -> dict[str, Any]:
        if "memory_ids" in sent:
            forget_memories(self.project, sent["memory_ids"])
        elif "filter" in sent:
            forget_filtered(self.project, sent["filter"], sent.get("memory_type", ()))
        elif "memory_type" in sent:
            forget_kinds(self.project, sent["subject"], sent["memory_type"])
        else:
            forget_subject(self.project, sent["subject"])
        return {"success": True}


class PingView(ContractView):
    """A key check for clients that test their connection."""

    def get(self, request: Request) -> Response:
        return self.answer({"success": True})
