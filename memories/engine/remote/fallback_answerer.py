"""Answer with a chat model, or from memories without one where it does not answer in time."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace

from memories.engine.answering import CUT_SHORT, Answer, Answerer, AnswerPiece, Briefing, Manner, PieceKind
from memories.engine.fallback_report import report_replacement
from memories.engine.protocols import MODEL_ERRORS


class FallbackAnswerer:
    """Asks `model`, and `local` in its place where the model fails before its first word.

    The local answer says in its first line that no model made it; the trace says why. Raises `AnswerTooLong`,
    `AnswerUseless` for an answer that used all its tokens, and in the middle of a stream what the model raises.
    """

    def __init__(self, model: Answerer, local: Answerer) -> None:
        self._model = model
        self._local = local

    def name(self, manner: Manner) -> str:
        return self._model.name(manner)

    def build_prompt(self, briefing: Briefing) -> str:
        return self._model.build_prompt(briefing)

    def count_left_out(self, briefing: Briefing) -> Mapping[str, int]:
        return self._model.count_left_out(briefing)

    def answer(self, briefing: Briefing) -> Answer:
        try:
            return self._model.answer(briefing)
        except MODEL_ERRORS as error:
            label = self._name_replacement(briefing, error)
        answer = self._local.answer(briefing)
        return replace(answer, note={**answer.note, "replaced_by": label})

    async def stream(self, briefing: Briefing) -> AsyncGenerator[AnswerPiece, None]:
        has_spoken, blanks = False, ""
        try:
            async with aclosing(self._model.stream(briefing)) as pieces:
                async for piece in pieces:
                    if piece.kind == PieceKind.TEXT and not has_spoken:
                        # Blanks are no first word: they wait for it.
                        piece = AnswerPiece(PieceKind.TEXT, blanks + piece.text)
                        has_spoken, blanks = bool(piece.text.strip()), piece.text
                        if not has_spoken:
                            continue
                    yield piece
            return
        except MODEL_ERRORS as error:
            if has_spoken:
                raise
            label = self._name_replacement(briefing, error)
        yield AnswerPiece(PieceKind.REPLACED, label)
        async with aclosing(self._local.stream(briefing)) as pieces:
            async for piece in pieces:
                yield piece

    def _name_replacement(self, briefing: Briefing, trouble: Exception) -> str:
        """Name who answers instead and why, as memories name their engine.

        Raises errors that only the caller can fix.
        """
        if str(trouble) == CUT_SHORT:
            raise trouble
        return report_replacement(self._local.name(briefing.manner), self.name(briefing.manner), trouble)
