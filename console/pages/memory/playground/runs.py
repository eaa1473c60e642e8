"""Runs of the API's own search and chat views by a member, and what they decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponseBase
from rest_framework.response import Response

from console.pages.memory.playground.search_steps import GroupView, group_views
from console.pages.monitoring.logs.trace_words import describe_stage
from console.ui.texts.api_words import translate_answer
from console.ui.waterfall import Stage, build_stages
from memories.api.chat import ChatView
from memories.api.views import SearchView
from memories.chat import Brief, Chat
from memories.engine import get_answerer
from memories.engine.answering import Remembered
from memories.retrieval.inspect_search import inspect_search
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.search import FinishedSearch, Hit, search_memories
from tenancy.api.member_calls import MemberCall, call_as_member
from tenancy.isolation.scoping import Scope
from tenancy.models import Project
from tenancy.requests.trace import Trace

SEARCH_PATH, CHAT_PATH = "/api/openmem/v1/search/memory", "/api/openmem/v1/chat"


@dataclass(slots=True)
class Seen:
    """Results of a run for the page, beside its answer."""

    trace: Trace | None = None
    milliseconds: float = 0.0


class SeenCall(MemberCall):
    """A call that hands its trace to `seen`."""

    seen: ClassVar[Seen | None] = None

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if self.seen is not None:
            self.seen.trace, self.seen.milliseconds = self.trace, self.trace.get_milliseconds()
        return response


@dataclass(frozen=True, slots=True)
class PlaygroundRun:
    """A finished run. `refusal` says why the API refused, where it did, with its `code`."""

    request_id: str
    code: int
    refusal: str
    milliseconds: float
    stages: list[Stage]


def _run_fields(response: Response, seen: Seen) -> dict[str, Any]:
    code = int(response.data.get("code", 0))
    return {
        "request_id": str(response["X-Request-Id"]),
        "code": code,
        "refusal": translate_answer(code, str(response.data.get("message", ""))) if code else "",
        "milliseconds": seen.milliseconds,
        "stages": build_stages(seen.trace.stages, seen.milliseconds, describe_stage) if seen.trace else [],
    }


@dataclass(slots=True)
class SeenSearch(Seen):
    """The query as the API read it, and the finished search."""

    query: SearchQuery | None = None
    search: FinishedSearch | None = None


class PlaygroundSearch(SeenCall, SearchView):
    """`search/memory` that hands its search to `seen`."""

    seen: ClassVar[SeenSearch | None] = None

    def find(self, query: SearchQuery) -> list[Hit]:
        return search_memories(self.project, query, self._build_recorder(query))

    def _build_recorder(self, query: SearchQuery) -> Any:
        def note(result: FinishedSearch) -> None:
            if self.seen is not None:
                self.seen.query, self.seen.search = query, result

        return note


@dataclass(frozen=True, slots=True)
class SearchRun(PlaygroundRun):
    quota_left: int | None
    groups: list[GroupView]


def run_search_as_member(request: HttpRequest, project: Project, body: dict[str, Any]) -> SearchRun:
    """Costs one search. Outside of transactions."""
    seen = SeenSearch()
    view = PlaygroundSearch.as_view(seen=seen)
    response = call_as_member(view, request, project, SEARCH_PATH, body)
    fields = _run_fields(response, seen)
    groups = []
    if fields["code"] == 0 and seen.query is not None and seen.search is not None:
        groups = group_views(inspect_search(project, seen.query, seen.search))
    left = str(response.headers.get("X-Quota-Remaining", ""))
    return SearchRun(**fields, quota_left=int(left) if left.isdecimal() else None, groups=groups)


@dataclass(slots=True)
class SeenChat(Seen):
    """The prompt of the model, "" where none is asked, and the memories in it."""

    prompt: str = ""
    remembered: tuple[Remembered, ...] = ()


class PlaygroundChat(SeenCall, ChatView):
    """`chat` that hands its prompt to `seen`."""

    seen: ClassVar[SeenChat | None] = None

    def prepare(self, chat: Chat) -> Brief:
        brief = super().prepare(chat)
        if self.seen is not None:
            self.seen.prompt = get_answerer(Scope.of_project(self.project)).build_prompt(brief.briefing)
            self.seen.remembered = brief.briefing.remembered
        return brief


class StreamedChat(MemberCall, ChatView):
    """`chat` whose answer goes to the page as it goes to clients: word by word."""


def stream_chat_as_member(request: HttpRequest, project: Project, body: dict[str, Any]) -> HttpResponseBase:
    """Events as the API sends them, or its refusal. Outside of transactions."""
    response: HttpResponseBase = call_as_member(
        StreamedChat.as_view(), request, project, CHAT_PATH, body | {"stream": True}
    )
    return response


@dataclass(frozen=True, slots=True)
class ChatRun(PlaygroundRun):
    """`prompt` is empty where no model is asked."""

    answer: str
    prompt: str
    remembered: tuple[Remembered, ...]


def run_chat_as_member(request: HttpRequest, project: Project, body: dict[str, Any]) -> ChatRun:
    """Costs one chat and its tokens; the turn is not remembered. Outside of transactions."""
    seen = SeenChat()
    response = call_as_member(PlaygroundChat.as_view(seen=seen), request, project, CHAT_PATH, body)
    fields = _run_fields(response, seen)
    answer = "" if fields["code"] else str(response.data["data"]["response"])
    return ChatRun(**fields, answer=answer, prompt=seen.prompt, remembered=seen.remembered)
