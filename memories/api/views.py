"""The MemOS Cloud contract's core: parse, call one function, answer."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import answers
from memories.api.one_memory import build_memory_answer
from memories.api.profiles import build_profile_items, build_profile_trees
from memories.api.serializers.amend import UpdateMemoryBody
from memories.api.serializers.messages import (
    AddFeedbackBody,
    AddMessageBody,
    GetMessageBody,
    GetStatusBody,
    MessagesParser,
)
from memories.api.serializers.recall import DeleteBody, GetMemoryBody, SearchBody
from memories.consolidation.tool_memories import load_success_rates
from memories.feedback.accept import add_feedback
from memories.files.message_files import receive_files
from memories.files.storage import UncommittedFiles, delete_uncommitted_files
from memories.ingest.accept_messages import add_messages
from memories.ingest.read_messages import load_last_messages
from memories.jobs.status import build_remarks, combine_status_with_files, find_task, wait_for
from memories.lifecycle.delete import delete_filtered, delete_kinds, delete_memories
from memories.lifecycle.edit import Amendment, amend_memory, embed_wording
from memories.lifecycle.erase_subject import erase_subject
from memories.profiles.bindings import show_profiles
from memories.profiles.recall import recall_profiles
from memories.retrieval.browse.listing import find_memory, find_owner_cube, list_memories
from memories.retrieval.content_registry import build_shapes
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.search import Hit, search_memories
from memories.text.content import list_texts_in
from memories.values import NewMessages
from tenancy.api.base import ContractView
from tenancy.metering.meters import Meter


class AddMessageView(ContractView):
    scope = "write"
    meter = Meter.ADD
    parser_classes = [MessagesParser]

    def post(self, request: Request) -> Response:
        body = self.read(AddMessageBody)
        new = body.build_value()
        self.charge([text for message in new.messages for text in list_texts_in(message)])
        data = self.find_stored_answer() or self._receive(new)
        if body.waits:
            data["status"] = wait_for(self.project, data["task_id"])
        return self.answer(data)

    def _receive(self, new: NewMessages) -> dict[str, Any]:
        with delete_uncommitted_files() as kept:
            received = receive_files(self.project, new, kept)
            return self.run_once(lambda: self._add_messages(received, kept))

    def _add_messages(self, new: NewMessages, kept: UncommittedFiles) -> dict[str, Any]:
        task = add_messages(self.project, new, self.bill.cost)
        kept.keep_on_commit()
        return answers.build_task_answer(task)


class AddFeedbackView(ContractView):
    scope = "write"
    meter = Meter.FEEDBACK

    def post(self, request: Request) -> Response:
        new = self.read(AddFeedbackBody).build_value()
        self.charge([new.text])
        return self.answer(
            self.run_once(lambda: answers.build_task_answer(add_feedback(self.project, new, self.bill.cost)))
        )


class GetStatusView(ContractView):
    def post(self, request: Request) -> Response:
        task = find_task(self.project, self.read(GetStatusBody).validated_data["task_id"])
        return self.answer(
            {"task_id": str(task.pk), "status": combine_status_with_files(task), **build_remarks(task)}
        )


class SearchView(ContractView):
    meter = Meter.SEARCH

    def post(self, request: Request) -> Response:
        body = self.read(SearchBody)
        query = body.build_value()
        self.charge([query.text])
        hits = self.find(query)
        memories = [hit.memory for hit in hits]
        rates, shapes = load_success_rates(self.project, memories), build_shapes(self.project, memories)
        wanted = "profile" in body.validated_data["include_memory_view"]
        profiles = recall_profiles(self.project, query.subject, query.text) if wanted else None
        return self.answer(answers.search_answer(hits, rates, shapes) | build_profile_items(profiles))

    def find(self, query: SearchQuery) -> list[Hit]:
        return search_memories(self.project, query)


class GetMemoryView(ContractView):
    def post(self, request: Request) -> Response:
        body = self.read(GetMemoryBody)
        page = body.build_value()
        listing = list_memories(self.project, page)
        rates = load_success_rates(self.project, listing.tools)
        wanted = "profile" in body.validated_data["include_memory_view"]
        profiles = show_profiles(self.project, page.subject) if wanted else None
        return self.answer(
            build_profile_trees(profiles)
            | {
                "memory_detail_list": [answers.with_sources(answers.build_fact(m), m) for m in listing.facts],
                "preference_detail_list": [
                    answers.with_sources(answers.build_preference(m), m) for m in listing.preferences
                ],
                "tool_memory_detail_list": [
                    answers.with_sources(answers.build_tool(m, rates), m) for m in listing.tools
                ],
                "total": listing.total,
                "size": page.size,
                "current": page.number,
                "pages": -(-listing.total // page.size),
            }
        )


class OneMemoryView(ContractView):
    def get(self, request: Request, memory_id: str) -> Response:
        memory = find_memory(self.project, memory_id)
        self.is_about(memory.cube.owner_kind, memory.cube.owner_id)
        return self.answer(build_memory_answer(memory))

    post = get


class UpdateMemoryView(ContractView):
    scope = "write"

    def post(self, request: Request) -> Response:
        # First of all, so that the log row of a refused body has its subject too.
        sent = request.data
        owner = find_owner_cube(self.project, str(sent.get("memory_id"))) if isinstance(sent, dict) else None
        if owner is not None:
            self.is_about(owner.owner_kind, owner.owner_id)
        wanted = self.read(UpdateMemoryBody).build_value()
        self.charge([wanted.text or ""])
        # Here, because no model is called inside a transaction.
        vector = embed_wording(wanted.text)
        return self.answer(self.run_once(lambda: self._amend_memory(wanted, vector)))

    def _amend_memory(self, wanted: Amendment, vector: list[float] | None) -> dict[str, Any]:
        amend_memory(self.project, wanted, vector)
        return {"success": True}


class GetMessageView(ContractView):
    def post(self, request: Request) -> Response:
        sent = self.read(GetMessageBody).validated_data
        messages = load_last_messages(
            self.project, sent["subject"], sent["conversation_id"], sent.get("message_limit_number", 6)
        )
        return self.answer({"message_detail_list": [answers.build_message_item(m) for m in messages]})


class DeleteMemoryView(ContractView):
    scope = "delete"
    logs_subjects = False

    def post(self, request: Request) -> Response:
        sent = self.read(DeleteBody).validated_data
        return self.answer(self.run_once(lambda: self._delete_memories(sent)))

    def _delete_memories(self, sent: dict[str, Any]) -> dict[str, Any]:
        if "memory_ids" in sent:
            delete_memories(self.project, sent["memory_ids"])
        elif "filter" in sent:
            delete_filtered(self.project, sent["filter"], sent.get("memory_type", ()))
        elif "memory_type" in sent:
            delete_kinds(self.project, sent["subject"], sent["memory_type"])
        else:
            erase_subject(self.project, sent["subject"])
        return {"success": True}


class PingView(ContractView):
    """A key check for clients that test their connection."""

    def get(self, request: Request) -> Response:
        return self.answer({"success": True})
