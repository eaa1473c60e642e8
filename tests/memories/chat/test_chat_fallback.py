"""A model that does not answer in time is replaced by the memories, and says so; what it began to say is not taken
back."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from memories.engine.answering import AnswerPiece, Briefing, PieceKind, Remembered
from memories.engine.local.answers.answer import LocalAnswerer
from memories.engine.protocols import AnswerUseless, ProviderUnavailable
from memories.engine.remote.answerer import MarkGuard
from memories.engine.remote.fallback_answerer import FallbackAnswerer
from memories.text.quotes.quotations import is_quotation
from memories.values import MemoryKind, Turn
from tests.support.servers import own_loop
from tests.support.servers.chat_model import NOW, answerer, asking, said
from tests.support.servers.model_server import SILENT_SECONDS, Body, ModelServer, Reply, as_json, streamed

HOME = Remembered(MemoryKind.FACT, "The user lives in Porto.", 0.9, "2025-07-01")


def engine(server: ModelServer, seconds: float = 5) -> FallbackAnswerer:
    return FallbackAnswerer(answerer(server, seconds=seconds), LocalAnswerer(None))


def listen(server: ModelServer, briefing: Briefing, seconds: float = 5) -> list[AnswerPiece]:
    async def heard() -> list[AnswerPiece]:
        return [piece async for piece in engine(server, seconds).stream(briefing)]

    return own_loop.run(heard())


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (as_json({}, 401), "refused with 401"),
        (Reply(delay=SILENT_SECONDS), "timed out"),
        (streamed(" ", finish="content_filter"), "filtered"),
        (streamed(""), "empty answer"),
    ],
    ids=["401", "silent", "filtered", "empty"],
)
def test_without_a_first_word_the_memories_answer(server: ModelServer, reply: Reply, reason: str) -> None:
    server.answer = lambda body: reply
    began = time.monotonic()

    whole = engine(server, 0.7).answer(asking("Where do I live?", HOME))
    pieces = listen(server, asking("Where do I live?", HOME), 0.7)

    assert time.monotonic() - began < SILENT_SECONDS / 2
    assert "- You live in Porto. (2025-07-01)" in whole.text.split("\n")
    assert is_quotation(whole.text)
    assert whole.note["replaced_by"] == f"local-answer-1 (remote: {reason})"
    assert [piece.text for piece in pieces if piece.kind == PieceKind.REPLACED] == [whole.note["replaced_by"]]
    assert said(pieces) == whole.text


def test_a_model_that_only_thinks_is_replaced_when_its_time_is_over(server: ModelServer) -> None:
    server.answer = lambda body: streamed({"reasoning_content": "Hm."}, 3.0, "Porto.")

    whole = engine(server, 0.7).answer(asking("Where do I live?", HOME))

    assert whole.note["replaced_by"] == "local-answer-1 (remote: timed out)"


def test_after_the_first_word_the_stream_breaks_off(server: ModelServer) -> None:
    server.answer = lambda body: streamed("In Por", finish="")

    with pytest.raises(ProviderUnavailable, match="connection broke"):
        listen(server, asking("Where do I live?", HOME))


def test_who_allowed_too_few_tokens_is_told(server: ModelServer) -> None:
    server.answer = lambda body: streamed({"reasoning_content": "Hm. " * 9}, finish="length")

    with pytest.raises(AnswerUseless, match="cut short"):
        engine(server).answer(asking("Where do I live?", HOME))


def test_what_went_before_the_model_counts_into_its_time(server: ModelServer) -> None:
    server.answer = lambda body: streamed("In Porto.")
    late = Briefing("Where do I live?", (HOME,), NOW, started=time.monotonic() - 10)

    assert engine(server).answer(late).note["replaced_by"].endswith("(remote: timed out)")
    assert is_quotation(said(listen(server, late)))
    assert server.asked == []


def recited(wrap: Callable[[str], list[str]], message: int = -1) -> Callable[[Body], Reply]:
    """A model that says again what it was asked, as a small one does."""

    def answer(body: Body) -> Reply:
        return streamed(*wrap(body["messages"][message]["content"]))

    return answer


WRAPS = pytest.mark.parametrize(
    "wrap",
    [
        lambda prompt: [prompt],
        lambda prompt: [*prompt],
        lambda prompt: [prompt[at : at + 5] for at in range(0, len(prompt), 5)],
    ],
    ids=["whole", "letters", "pieces"],
)


@WRAPS
def test_a_model_that_recites_its_instructions_is_replaced(
    server: ModelServer, wrap: Callable[[str], list[str]]
) -> None:
    server.answer = recited(wrap, 0)

    whole = engine(server).answer(asking("Where do I live?", HOME))

    assert whole.note["replaced_by"] == "local-answer-1 (remote: repeated its prompt)"


@WRAPS
def test_a_model_that_recites_its_prompt_is_replaced(
    server: ModelServer, wrap: Callable[[str], list[str]]
) -> None:
    server.answer = recited(wrap)

    whole = engine(server).answer(asking("Where do I live?", HOME))

    assert whole.note["replaced_by"] == "local-answer-1 (remote: repeated its prompt)"
    assert said(listen(server, asking("Where do I live?", HOME))) == whole.text


def test_words_that_only_begin_like_the_mark_are_passed_on() -> None:
    guard = MarkGuard("abcdef")

    assert [guard.pass_on(text) for text in ("In a", "b", "x ab", "cd")] == ["In ", "", "abx ", ""]
    assert guard.rest() == "abcd"
    with pytest.raises(AnswerUseless):
        guard.pass_on("abcdef")


def test_what_has_no_place_in_the_prompt_is_counted(server: ModelServer) -> None:
    many = tuple(
        Remembered(MemoryKind.FACT, f"The user owns the book {n} " + "of many " * 30, 0.5) for n in range(40)
    )
    talk = tuple(Turn("user" if n % 2 else "assistant", "long " * 300, NOW) for n in range(12))
    small = answerer(server, known=1_000)

    left = small.count_left_out(Briefing("Which books?", many, NOW, talk))

    assert 0 < left["memories_left_out"] < 40
    assert 0 < left["messages_left_out"] <= 12
    assert small.count_left_out(asking("Where do I live?", HOME)) == {}
