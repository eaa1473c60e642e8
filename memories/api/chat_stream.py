"""Stream an answer to a client as server-sent events.

Runs on the server's loop and holds neither a thread nor a connection while the model speaks. Once some of the answer
was sent, the turn is stored: at the end, and as far as it came when the model breaks off or the client hangs up.
Who reads too slowly is hung up on.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from contextvars import copy_context
from dataclasses import dataclass
from threading import Lock
from typing import Any
from weakref import WeakSet

from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError, close_old_connections
from django.http import StreamingHttpResponse
from psycopg_pool import PoolTimeout

from memories.chat import Brief, Chat, store_turn, stream_reply, was_erased
from memories.engine.answering import Answerer, AnswerPiece, PieceKind
from tenancy.api.failures import as_catalogue, log_fault
from tenancy.api.rendering import build_refusal, wrap_success
from tenancy.errors import CatalogueError, OperationFailed, RateLimited
from tenancy.models import Project
from tenancy.requests import trace
from tenancy.runtime.shutdown import get_seconds_since_stop

PING_SECONDS = 10.0
# Each stream looks this often whether its process was asked to stop, and then has so long to come to its end.
LOOK_SECONDS, LAST_SECONDS = 1.0, 8.0
# Streams last for minutes: a rate of requests alone would let one account open thousands.
MAX_STREAMS = 100
# With whatever time the client took to read. Longer than a model may speak, and shorter than `REMEMBERED`.
STREAM_SECONDS = 570.0
PING = b": ping\n\n"
# Ends of lines for some readers, and for JSON ordinary letters.
_LINE_ENDS = str.maketrans({"\u0085": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"})
# Pieces that wait for a client which reads slowly; the model waits too, then.
_WAITING = 256


class StreamSlot:
    """One of the streams that an account may have open in this process; free when it is released or collected.

    Raises `RateLimited`.
    """

    def __init__(self, project: Project) -> None:
        self._account_id = project.account_id
        with _lock:
            if sum(slot._account_id == self._account_id for slot in _taken) >= MAX_STREAMS:
                raise RateLimited(f"at most {MAX_STREAMS} streams at once", retry_after=PING_SECONDS)
            _taken.add(self)

    def release(self) -> None:
        with _lock:
            _taken.discard(self)


_taken: WeakSet[StreamSlot] = WeakSet()
_lock = Lock()


def write_event(kind: str, data: str) -> bytes:
    """One event, its JSON in one line."""
    event_json = json.dumps({"type": kind, "data": data}, ensure_ascii=False, separators=(",", ":"))
    return f"event: message\ndata: {event_json.translate(_LINE_ENDS)}\n\n".encode()


async def _complete_work(work: Coroutine[Any, Any, None]) -> None:
    """Do all of the work, and only then be cancelled: many clients hang up as soon as they have read the last event.

    A process that stops waits for it, because its request lasts as long.
    """
    task, cancelled = asyncio.create_task(work), None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as why:
            cancelled = why
    task.result()
    if cancelled is not None:
        raise cancelled


@dataclass(frozen=True, slots=True)
class End:
    """Callbacks for the end of a stream. `log` gets what was answered, and whether it must keep it to itself;
    `settle`, in a thread, the words and whether they were all there was to say."""

    log: Callable[[dict[str, Any], bool], None]
    settle: Callable[[str, bool], None]


class ChatStream:
    def __init__(
        self,
        slot: StreamSlot,
        *,
        project: Project,
        chat: Chat,
        prepared: Brief,
        traced: trace.Trace,
        end: End,
        engine: Answerer,
    ) -> None:
        self._slot = slot
        self._project = project
        self._chat = chat
        self._prepared = prepared
        self._trace = traced
        self._end = end
        self._engine = engine
        self._sent: list[str] = []
        self._pieces: asyncio.Queue[AnswerPiece | None] = asyncio.Queue(_WAITING)
        self._trouble: CatalogueError | None = None
        self._is_kept = False
        self._is_cut = False
        self._is_read = False
        # Why the answer came to its end early, as the last piece says.
        self._ended = ""

    def encode(self, kind: str, data: str) -> bytes:
        """One event as this contract's clients read it."""
        return write_event(kind, data)

    async def stream_events(self) -> AsyncGenerator[bytes, None]:
        self._is_read = True
        trace.resume_trace(self._trace)
        loop = asyncio.get_running_loop()
        cutting = loop.call_later(STREAM_SECONDS, self._abandon_stream, asyncio.current_task())
        listening = asyncio.create_task(self._listen_to_model())
        try:
            yield PING  # at once, so that nobody on the way gives up waiting
            async with aclosing(self._iterate_chunks(listening)) as chunks:
                async for chunk in chunks:
                    yield chunk
            await _complete_work(self._keep_conversation())
            if self._trouble:
                yield self.encode("error", self._trouble.text)
            yield self.encode(PieceKind.END, "")
        finally:
            cutting.cancel()
            self._slot.release()
            await _complete_work(self._close_stream(listening))

    def abandon(self) -> None:
        """End a stream that nobody began to read, because the client hung up before: the model was not asked, so it
        costs nothing. For a thread; of a stream that was begun, `stream_events` does all that is to be done."""
        if self._is_read:
            return
        self._is_read = True
        self._slot.release()
        with trace.trace_stage("model") as note:
            note["ended"] = "not asked: the client hung up before"
        self._settle_price(is_answered=False)
        self._end.log(wrap_success({"response": ""}), self._was_erased())

    def _abandon_stream(self, sending: asyncio.Task[Any] | None) -> None:
        """Abandon a stream whose client reads too slowly: nothing else would end its waiting."""
        self._trouble, self._is_cut = OperationFailed("the client reads too slowly"), True
        if sending is not None:
            sending.cancel()

    async def _iterate_chunks(self, listening: asyncio.Task[None]) -> AsyncGenerator[bytes, None]:
        quiet = 0.0
        while not self._must_stop():
            if listening.done() and self._pieces.empty():
                self._note_fault(listening.exception())
                return
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    piece = await self._pieces.get()
            except TimeoutError:
                quiet += LOOK_SECONDS
                if quiet >= PING_SECONDS:
                    quiet = 0.0
                    yield PING
                continue
            if piece is None:
                await asyncio.wait([listening])
                continue
            quiet = 0.0
            if piece.kind == PieceKind.END:
                self._ended = piece.text
                continue
            if piece.kind == PieceKind.TEXT:
                self._sent.append(piece.text)
            yield self.encode(piece.kind, piece.text)

    def _must_stop(self) -> bool:
        if get_seconds_since_stop() > LAST_SECONDS:
            self._trouble = OperationFailed("the server is being restarted")
        return self._trouble is not None

    async def _listen_to_model(self) -> None:
        """All of the model's words in one task: who cancels it ends the request to the model."""
        try:
            async with aclosing(self._stream_speech()) as pieces:
                async for piece in pieces:
                    await self._pieces.put(piece)
        finally:
            if self._pieces.empty():
                self._pieces.put_nowait(None)  # wakes who waits for more

    def _stream_speech(self) -> AsyncGenerator[AnswerPiece, None]:
        return stream_reply(self._project, self._chat, self._prepared.briefing, self._engine)

    def _note_fault(self, fault: BaseException | None) -> None:
        if isinstance(fault, Exception):
            self._trouble = as_catalogue(fault)
            if not isinstance(fault, CatalogueError):
                log_fault(fault, None)

    async def _keep_conversation(self) -> None:
        """Once, if the client got anything of the answer: who got nothing asks again."""
        if self._is_kept or not self._chat.is_kept or not "".join(self._sent).strip():
            return
        self._is_kept = True
        faults = await asyncio.gather(sync_to_async(self._store_turn)(), return_exceptions=True)
        self._note_fault(faults[0])

    def _store_turn(self) -> None:
        try:
            store_turn(self._project, self._chat, self._prepared, "".join(self._sent))
        finally:
            close_old_connections()

    async def _close_stream(self, listening: asyncio.Task[None]) -> None:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        await self._keep_conversation()
        is_silent = await sync_to_async(self._was_erased)()
        answer: Any = {"response": "".join(self._sent)}
        # Who takes words and lets the rest wait until it is cut off has had an answer.
        is_answered = self._trouble is None or (self._is_cut and bool(self._sent))
        await sync_to_async(self._settle_price)(is_answered)
        if self._trouble is None:
            self._end.log(wrap_success(answer), is_silent)
        else:
            self._end.log(
                {**build_refusal(self._trouble.code, self._trouble.text), "data": answer}, is_silent
            )

    def _settle_price(self, is_answered: bool) -> None:
        try:
            self._end.settle("".join(self._sent), is_answered)
        except (CatalogueError, OperationalError, InterfaceError, PoolTimeout) as error:
            # Everything was said already: it goes back with what calls of dead processes held.
            with trace.trace_stage("settle") as note:
                note["trouble"] = type(error).__name__
        finally:
            close_old_connections()

    def _was_erased(self) -> bool:
        try:
            return was_erased(self._project, self._chat, self._prepared)
        except (OperationalError, InterfaceError, PoolTimeout):
            with trace.trace_stage("log") as note:
                note["words"] = "left out: the database did not say whether they were erased"
            return True
        finally:
            close_old_connections()


class StreamedChat(StreamingHttpResponse):
    """The stream as an answer. Made in the thread of its request, and closed when that is over, read or not."""

    def __init__(self, stream: ChatStream) -> None:
        super().__init__(stream.stream_events(), content_type="text/event-stream; charset=utf-8")
        self["Cache-Control"] = "no-cache"
        self["X-Accel-Buffering"] = "no"
        # Who closes an answer that nobody read knows nothing of the request.
        self._stream, self._context = stream, copy_context()

    def close(self) -> None:
        try:
            self._context.run(self._stream.abandon)
        finally:
            super().close()
