"""Views of the OpenAI-compatible API: chat completions from memories, and the list of models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, replace
from functools import partial
from typing import Any

from django.db import close_old_connections
from django.http import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from console.interfaces.openai.body import (
    DEFAULT_MODEL,
    MOST_NAME,
    ChatCompletionBody,
    ChatInput,
    Controls,
)
from console.interfaces.openai.errors import ModelNotFound, answer_failure
from console.interfaces.openai.stream import ChunkFields, CompletionStream
from memories.api.chat import ChatView
from memories.api.chat_stream import End, StreamedChat, StreamSlot
from memories.chat import (
    Brief,
    Chat,
    compare_prompt,
    generate_reply,
    get_most_tokens,
    prepare_briefing,
    refuse_long,
    was_erased,
)
from memories.engine import get_answerer, list_chat_model_names
from memories.engine.answering import Briefing
from memories.engine.provider_choice import working_for
from memories.values import OwnerKind
from tenancy.api.base import ContractView
from tenancy.api.identify_sender import decode_header
from tenancy.errors import UnknownRoute
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.metering.count_tokens import count_charged_tokens
from tenancy.metering.meters import Meter
from tenancy.requests.log import MAX_SUBJECTS
from tenancy.requests.trace import trace_stage
from tenancy.storage.allowance import refuse_if_full


class OpenAIView(ContractView):
    def get_exception_handler(self) -> Any:
        return answer_failure

    @staticmethod
    def endpoint(request: Request) -> str:
        match = request._request.resolver_match
        return (match.url_name or "") if match else ""


class ChatCompletionsView(OpenAIView, ChatView):
    """One answer; the conversation comes with the request, memories come from what was remembered before."""

    # What headers and body said, once they were read.
    controls: Controls | None = None

    def post(self, request: Request) -> HttpResponseBase:
        self._note_named(request.headers)
        with working_for(Scope.of_project(self.project)):
            body = self.read(ChatCompletionBody)
            conversation = body.build_conversation(timezone.now())
            self.controls = controls = Controls.of(request.headers, body.validated_data)
            self.is_about(controls.subject.kind, controls.subject.id)
            chat = body.build_chat(conversation, controls)
        refuse_long(chat)
        tokens = self.charge(conversation.texts)
        streams = body.validated_data["stream"]
        if streams:
            self.refuse_over_quota()
        elif (before := self.find_stored_answer()) is not None:
            return Response(before, headers={"Idempotent-Replayed": "true"})
        self.bill.add({Meter.CHAT_INPUT: tokens, Meter.CHAT_OUTPUT: get_most_tokens(chat)})
        model = body.validated_data.get("model", DEFAULT_MODEL)
        completion = ChunkFields(f"chatcmpl-{self.request_id}", model, tokens)
        brief = self._build_brief(chat, conversation, recalls=controls.recalls)
        if streams:
            return self._answer_streamed(request, chat, brief, completion, wants_usage=body.wants_usage)
        return self._answer_whole(chat, brief, completion)

    def _note_named(self, headers: Mapping[str, str]) -> None:
        """Note whom headers name, so that the log knows them even if the body is refused."""
        for kind, name in ((OwnerKind.AGENT, "X-Engram-Agent"), (OwnerKind.END_USER, "X-Engram-User")):
            if who := decode_header(headers.get(name, "")):
                self.is_about(kind, who[:MOST_NAME])

    def repeated_as(self) -> str:
        """With whose conversation it is, which headers may say: under one key the same body may be another's call."""
        return json.dumps(
            [super().repeated_as().rstrip("/"), *(astuple(self.controls) if self.controls else ())]
        )

    def _subjects(self, sent: Any, refused: bytes = b"") -> list[str]:
        """The subjects of a call, the one it is about first; ids of users and agents in a body are labels here, and
        ignored."""
        about = [self.about] if self.about else []
        return list(dict.fromkeys([*about, *super()._subjects(sent, refused)]))[:MAX_SUBJECTS]

    def _build_brief(self, chat: Chat, conversation: ChatInput, *, recalls: bool) -> Brief:
        """With the conversation as the client sent it, in place of what is stored of it."""
        if recalls:
            brief = prepare_briefing(self.project, chat)
            return replace(brief, briefing=replace(brief.briefing, earlier=conversation.earlier))
        now = timezone.now()
        with trace_stage("search") as note, tenant_scope(self.project):
            note["hits"] = "not asked for"
            if chat.is_kept:
                refuse_if_full(self.project.account_id)
        return Brief(
            Briefing(
                conversation.query, (), now, conversation.earlier, conversation.instructions, chat.manner
            ),
            now,
        )

    def _answer_whole(self, chat: Chat, brief: Brief, completion: ChunkFields) -> Response:
        close_old_connections()  # its connection goes back: a model thinks for seconds
        answer = generate_reply(self.project, chat, brief.briefing)
        self.bill.used[Meter.CHAT_OUTPUT] = count_charged_tokens([answer.text])

        def keep() -> dict[str, Any]:
            self._keep_and_build_answer(chat, brief, answer.text)
            return completion.whole(answer.text, answer.ended)

        return Response(self.run_once(keep, unless=lambda: was_erased(self.project, chat, brief)))

    def _answer_streamed(
        self, request: Request, chat: Chat, brief: Brief, completion: ChunkFields, *, wants_usage: bool
    ) -> HttpResponseBase:
        slot = StreamSlot(self.project)
        engine = get_answerer(Scope.of_project(self.project))
        compare_prompt(self.project, chat, brief.briefing, engine)
        end = End(partial(self._log_answer, request), partial(self._settle_stream_price, request))
        stream = CompletionStream(
            slot, project=self.project, chat=chat, prepared=brief, traced=self.trace, end=end, engine=engine
        )
        stream.completion, stream.wants_usage = completion, wants_usage
        self.bill.is_deferred = True
        close_old_connections()
        return StreamedChat(stream)


def _build_model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "engram"}


class ModelsView(OpenAIView):
    def get(self, request: Request) -> Response:
        names = [DEFAULT_MODEL, *list_chat_model_names(Scope.of_project(self.project))]
        return Response({"object": "list", "data": [_build_model(name) for name in names]})


class ModelView(OpenAIView):
    def get(self, request: Request, name: str) -> Response:
        if name not in {DEFAULT_MODEL, *list_chat_model_names(Scope.of_project(self.project))}:
            raise ModelNotFound(f"model: {name[:100]}")
        return Response(_build_model(name))


class UnknownView(OpenAIView):
    """View for what is not served here, once the key is known."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise UnknownRoute(request.path[:100])
