"""The parsed sentences and clauses of one message, each parsed once and as many as possible in one go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memories.engine.local.english.parsing.clauses import split_document
from memories.engine.local.english.parsing.message import MessageLine
from memories.engine.local.english.parsing.parser import parse_sentences
from memories.engine.local.english.parsing.repairing import repair_subjects
from memories.engine.local.english.parsing.rewriting import preparing
from memories.engine.local.english.parsing.rewriting.openers import with_contracted_verb
from memories.engine.local.english.parsing.shared_subjects import with_shared_subjects

if TYPE_CHECKING:
    from spacy.tokens import Doc


class Documents:
    """Cache of texts parsed by spaCy, kept for as long as one message is read."""

    def __init__(self) -> None:
        self._parsed: dict[str, Doc] = {}

    def clear(self) -> None:
        self._parsed.clear()

    def of(self, text: str) -> Doc:
        self._parse_texts([text])
        return self._parsed[text]

    def parse_lines(self, lines: Sequence[MessageLine]) -> None:
        """Parses sentences and then their clauses, each in one go."""
        sentences = [line.text for line in lines if line.text and preparing.is_parsed(line.text)]
        self._parse_texts(sentences)
        repaired = {
            text: fuller
            for text in sentences
            if (
                fuller := with_contracted_verb(self._parsed[text]) or with_shared_subjects(self._parsed[text])
            )
        }
        for text, doc in zip(repaired, map(repair_subjects, parse_sentences(repaired.values())), strict=True):
            self._parsed[text] = doc
        self._parse_texts(piece.text for text in sentences for piece in split_document(self._parsed[text]))

    def _parse_texts(self, texts: Iterable[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text and text not in self._parsed]
        if new:
            self._parsed.update(zip(new, map(repair_subjects, parse_sentences(new)), strict=True))
