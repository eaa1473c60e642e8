"""One run: the API's own search view, called by the member, and what its search decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponseBase

from console.pages.memory.playground.gates import GroupView, group_views
from console.pages.monitoring.logs.trace_words import describe_stage
from console.ui.waterfall import Stage, stages_of
from memories.api.chat import ChatView
from memories.api.views import SearchView
from memories.chat import Brief, Chat
from memories.engine import answerer
from memories.engine.answering import Remembered
from memories.retrieval.inspection import inspect_search
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.search import Found, Hit, search_memories
from tenancy.api.member_calls import MemberCall, call_as_member
from tenancy.isolation.scoping import Scope
from tenancy.models import Project
from tenancy.requests.trace import Trace

SEARCH_PATH, CHAT_PATH = "/api/openmem/v1/search/memory", "/api/openmem/v1/chat"


@dataclass(slots=True)
class Seen:
    """What a run leaves for the page: the query as the API read it, the finished search, its trace."""

    query: SearchQuery | None = None
    found: Found | None = None
    trace: Trace | None = None
    milliseconds: float = 0.0


class PlaygroundSearch(MemberCall, SearchView):
    """`search/memory` that hands its search to `seen`."""

    seen: ClassVar[Seen | None] = None

    def find(self, query: SearchQuery) -> list[Hit]:
        return search_memories(self.project, query, self.pay_meanwhile, self._note(query))

    def _note(self, query: SearchQuery) -> Any:
        def note(found: Found) -> None:
            if self.seen is not None:
                self.seen.query, self.seen.found = query, found

        return note

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if self.seen is not None:
            self.seen.trace, self.seen.milliseconds = self.trace, self.trace.milliseconds()
        return response


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run. `refusal` is the API's message where it refused, with its `code`."""

    request_id: str
    code: int
    refusal: str
    milliseconds: float
    quota_left: str
    groups: list[GroupView]
    stages: list[Stage]


def run_search_as_member(request: HttpRequest, project: Project, body: dict[str, Any]) -> Run:
    """Costs one search. Outside of transactions."""
    seen = Seen()
    view = PlaygroundSearch.as_view(seen=seen)
    response = call_as_member(view, request, project, SEARCH_PATH, body)
    code = int(response.data.get("code", 0))
    groups = []
    if code == 0 and seen.query is not None and seen.found is not None:
        groups = group_views(inspect_search(project, seen.query, seen.found))
    return Run(
        request_id=str(response["X-Request-Id"]),
        code=code,
        refusal=str(response.data.get("message", "")) if code else "",
        milliseconds=seen.milliseconds,
        quota_left=str(response.headers.get("X-Quota-Remaining", "")),
        groups=groups,
        stages=stages_of(seen.trace.stages, seen.milliseconds, describe_stage) if seen.trace else [],
    )


@dataclass(slots=True)
class SeenChat:
    """What a chat leaves for the page: the prompt of the model ("" where none is asked) and the trace."""

    prompt: str = ""
    remembered: tuple[Remembered, ...] = ()
    trace: Trace | None = None
    milliseconds: float = 0.0


class PlaygroundChat(MemberCall, ChatView):
    """`chat` that hands its prompt to `seen`."""

    seen: ClassVar[SeenChat | None] = None

    def prepare(self, chat: Chat) -> Brief:
        brief = super().prepare(chat)
        if self.seen is not None:
            self.seen.prompt = answerer(Scope.of_project(self.project)).prompt(brief.briefing)
            self.seen.remembered = brief.briefing.remembered
        return brief

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if self.seen is not None:
            self.seen.trace, self.seen.milliseconds = self.trace, self.trace.milliseconds()
        return response


class StreamedChat(MemberCall, ChatView):
    """`chat` whose answer goes to the page as it goes to clients: word by word."""


def stream_chat_as_member(request: HttpRequest, project: Project, body: dict[str, Any]) -> HttpResponseBase:
    """Events as the API sends them, or its refusal. Outside of transactions."""
    response: HttpResponseBase = call_as_member(
        StreamedChat.as_view(), request, project, CHAT_PATH, body | {"stream": True}
    )
    return response


@dataclass(frozen=True, slots=True)
class ChatRun:
    """A finished chat, as `Run`; `prompt` is empty where no model is asked."""

    request_id: str
    code: int
    refusal: str
    milliseconds: float
    answer: str
    prompt: str
    remembered: tuple[Remembered, ...]
    stages: list[Stage]


def run_chat_as_member(request: HttpRequest, project: Project, body: dict[str, Any]) -> ChatRun:
    """Costs one chat and its tokens; the turn is not remembered. Outside of transactions."""
    seen = SeenChat()
    response = call_as_member(PlaygroundChat.as_view(seen=seen), request, project, CHAT_PATH, body)
    code = int(response.data.get("code", 0))
    return ChatRun(
        request_id=str(response["X-Request-Id"]),
        code=code,
        refusal=str(response.data.get("message", "")) if code else "",
        milliseconds=seen.milliseconds,
        answer="" if code else str(response.data["data"]["response"]),
        prompt=seen.prompt,
        remembered=seen.remembered,
        stages=stages_of(seen.trace.stages, seen.milliseconds, describe_stage) if seen.trace else [],
    )
