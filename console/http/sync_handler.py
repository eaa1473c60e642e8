"""Django's ASGI handler with one change of threads before an answer instead of two for each middleware."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import django
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.core.signals import request_started
from django.db import close_old_connections, reset_queries
from django.http import HttpRequest, HttpResponse

from console.http.fair_turns import RequestTurn, Turns
from tenancy.errors import CatalogueError

# So many threads wait for the next requests; more are begun when they are needed, and end with their request.
KEPT_THREADS = 32
# Says whether the process can serve, when all turns are taken too.
ALWAYS_ANSWERED = "/readyz"
# In the ASGI scope of a request: its answer, once a thread has made it.
ANSWER = "engram.answer"

AnswerRefusal = Callable[[HttpRequest, CatalogueError], HttpResponse | None]


def _leave_to_caller(request: HttpRequest, refusal: CatalogueError) -> None:
    return None


class SyncHandler(ASGIHandler):
    """All middleware and views here are synchronous: they run as one chain, in one thread.

    Django would adapt each middleware by itself, which costs more than all of them do, and under load each change of
    threads waits for the interpreter's lock anew. It would also begin a thread for each request, and go there once
    before for what is done at the beginning of a request. A call of the API takes half the processor's time of one by
    Django's handler (`benchmarks.requests.handler_cost`).

    A request waits for its turn before it has a thread: `settings.WEB_THREADS` work at once, half of them for one
    account or member, or for one address where neither is known. An answer that streams has no turn any more.
    """

    def __init__(self, answer_refusal: AnswerRefusal = _leave_to_caller) -> None:
        """`answer_refusal` makes the answer where no turn came; the refusal is raised where it makes none."""
        super().__init__()
        self._answer_refusal = answer_refusal
        self.turns = Turns(settings.WEB_THREADS)
        self._idle: list[ThreadPoolExecutor] = []
        for receiver in (close_old_connections, reset_queries):
            request_started.disconnect(receiver)

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, thread_name_prefix="request")
        # Entered and not left: what outlives its request, as a stream that is being stopped, still ends in its thread.
        await ThreadSensitiveContext(executor=thread).__aenter__()
        try:
            await super().__call__(scope, receive, send)
        finally:
            # By itself, after all it was given: who hangs up leaves it at work.
            thread.submit(self._rest_thread, thread, scope)

    def _rest_thread(self, thread: ThreadPoolExecutor, scope: Any) -> None:
        answer = scope.pop(ANSWER, None)
        try:
            if answer is not None and not answer.closed:
                answer.close()  # the client hung up before it was there: Django knows nothing of it
        finally:
            close_old_connections()  # of a stream that broke, nobody else does
            if len(self._idle) < KEPT_THREADS:
                self._idle.append(thread)
            else:
                thread.shutdown(wait=False)

    async def get_response_async(self, request: Any) -> Any:
        if request.path == ALWAYS_ANSWERED:
            return await sync_to_async(self._build_response, thread_sensitive=True)(request)
        try:
            turn = await self.turns.acquire(_get_sender(request))
        except CatalogueError as refusal:
            page = await sync_to_async(self._answer_refusal, thread_sensitive=True)(request, refusal)
            if page is None:
                raise
            return page
        try:
            return await sync_to_async(self._respond_in, thread_sensitive=True)(turn, request)
        finally:
            turn.cancel()

    def _respond_in(self, turn: RequestTurn, request: Any) -> Any:
        if not turn.begin():
            return HttpResponse(status=503)  # to nobody: the client hung up before
        try:
            return self._build_response(request)
        finally:
            turn.end()

    def _build_response(self, request: Any) -> Any:
        reset_queries()
        close_old_connections()
        answer = request.scope[ANSWER] = self.get_response(request)
        return answer


def _get_sender(request: ASGIRequest) -> str:
    """The sender who shares turns: the account of a known key, the person of a known session, or else the client's
    address."""
    # They need the apps, which `build_application` loads.
    from console.sign_in.session_lifetime import find_seen_person
    from tenancy.keys.keys import find_cached_account

    words = request.META.get("HTTP_AUTHORIZATION", "").split(maxsplit=1)
    account = find_cached_account(words[1].strip()) if len(words) == 2 else None
    if account is not None:
        return str(account)
    person = find_seen_person(request.COOKIES.get(settings.SESSION_COOKIE_NAME, ""))
    return f"person {person}" if person else str(request.META.get("REMOTE_ADDR", ""))


def build_application(answer_refusal: AnswerRefusal) -> SyncHandler:
    django.setup(set_prefix=False)
    return SyncHandler(answer_refusal)
