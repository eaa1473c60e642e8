"""Chat: one answer, or a stream of server-sent events."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import close_old_connections
from django.http import HttpResponseBase
from rest_framework.request import Request

from memories.api.chat_stream import ChatStream, End, StreamedChat, StreamSlot
from memories.api.serializers.chat import ChatBody
from memories.chat import (
    Brief,
    Chat,
    compare_prompt,
    generate_reply,
    get_most_tokens,
    prepare_briefing,
    refuse_long,
    store_turn,
    was_erased,
)
from memories.engine import get_answerer
from memories.engine.provider_choice import working_for
from tenancy.api.base import ContractView
from tenancy.isolation.scoping import Scope
from tenancy.metering.count_tokens import count_charged_tokens
from tenancy.metering.meters import Meter


class ChatView(ContractView):
    scope = "chat"
    meter = Meter.CHAT

    def post(self, request: Request) -> HttpResponseBase:
        with working_for(Scope.of_project(self.project)):
            body = self.read(ChatBody)
        chat = body.build_value()
        refuse_long(chat)
        tokens = self.charge([chat.search.text, chat.instructions])
        streams = body.validated_data["stream"]
        if streams:
            self.refuse_over_quota()
        elif (before := self.find_stored_answer()) is not None:
            return self.answer(before)
        self.bill.add({Meter.CHAT_INPUT: tokens, Meter.CHAT_OUTPUT: get_most_tokens(chat)})
        return self._stream_answer(request, chat) if streams else self._answer_chat(chat)

    def _answer_chat(self, chat: Chat) -> HttpResponseBase:
        listening = self.prepare(chat)
        close_old_connections()  # its connection goes back: a model thinks for seconds
        text = generate_reply(self.project, chat, listening.briefing).text
        self.bill.used[Meter.CHAT_OUTPUT] = count_charged_tokens([text])
        return self.answer(
            self.run_once(
                lambda: self._keep_and_build_answer(chat, listening, text),
                unless=lambda: was_erased(self.project, chat, listening),
            )
        )

    def prepare(self, chat: Chat) -> Brief:
        return prepare_briefing(self.project, chat)

    def _keep_and_build_answer(self, chat: Chat, listening: Brief, text: str) -> dict[str, Any]:
        if chat.is_kept:
            store_turn(self.project, chat, listening, text, self.bill.cost)
        return {"response": text}

    def _stream_answer(self, request: Request, chat: Chat) -> HttpResponseBase:
        """Refuse here, while the answer still has a status; else stream on the loop, without holding this thread."""
        slot = StreamSlot(self.project)
        listening = prepare_briefing(self.project, chat)
        engine = get_answerer(Scope.of_project(self.project))  # made here, where nobody else waits
        compare_prompt(self.project, chat, listening.briefing, engine)
        end = End(partial(self._log_answer, request), partial(self._settle_stream_price, request))
        stream = ChatStream(
            slot,
            project=self.project,
            chat=chat,
            prepared=listening,
            traced=self.trace,
            end=end,
            engine=engine,
        )
        self.bill.is_deferred = True
        close_old_connections()  # as above: a stream lasts for minutes
        return StreamedChat(stream)

    def _settle_stream_price(self, request: Request, answer: str, is_answered: bool) -> None:
        """Settle the price at the stream's end: an answer that broke off without the client's fault costs nothing."""
        if not is_answered:
            self.bill.release()
            return
        self.bill.used[Meter.CHAT_OUTPUT] = count_charged_tokens([answer]) if answer else 0
        self.bill.settle(self._about())
        self.bill.return_spare()

    def _log_answer(self, request: Request, content: dict[str, Any], is_silent: bool) -> None:
        self.log(request, 200, content, is_silent=is_silent)
