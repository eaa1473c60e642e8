"""Chat: one answer, or a stream of server-sent events."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import close_old_connections
from django.http import HttpResponseBase, StreamingHttpResponse
from rest_framework.request import Request

from memories.api.chat_stream import ChatStream, Place
from memories.api.serializers.chat import ChatBody
from memories.chat import Brief, Chat, brief, keep_turn, refuse_long, reply, was_erased
from memories.engine import answerer
from tenancy.api.base import ContractView


class ChatView(ContractView):
    scope = "chat"

    def post(self, request: Request) -> HttpResponseBase:
        body = self.read(ChatBody)
        chat = body.value()
        refuse_long(chat)
        self.charge([chat.search.text, chat.instructions])
        return self._stream(request, chat) if body.validated_data["stream"] else self._answer(chat)

    def _answer(self, chat: Chat) -> HttpResponseBase:
        before = self.answered_before()
        if before is not None:
            return self.answer(before)
        heard = brief(self.project, chat)
        close_old_connections()  # its connection goes back: a model thinks for seconds
        text = reply(self.project, chat, heard.briefing)
        return self.answer(
            self.once(
                lambda: self._kept(chat, heard, text), unless=lambda: was_erased(self.project, chat, heard)
            )
        )

    def _kept(self, chat: Chat, heard: Brief, text: str) -> dict[str, Any]:
        if chat.is_kept:
            keep_turn(self.project, chat, heard, text)
        return {"response": text}

    def _stream(self, request: Request, chat: Chat) -> HttpResponseBase:
        """What is to be refused is refused here, with a status; the rest runs on the loop, without this thread."""
        place = Place(self.project)
        heard = brief(self.project, chat)
        answerer()  # made here, where nobody else waits
        stream = ChatStream(place, self.project, chat, heard, self.trace, partial(self._log, request))
        response = StreamingHttpResponse(stream.events(), content_type="text/event-stream; charset=utf-8")
        response["Cache-Control"] = "no-cache"
        response["X-Accel-Buffering"] = "no"
        close_old_connections()  # as above: a stream lasts for minutes
        return response

    def _log(self, request: Request, told: dict[str, Any], is_silent: bool) -> None:
        self.log(request, 200, told, is_silent=is_silent)
