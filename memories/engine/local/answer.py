"""Answers without a model: the remembered sentences that answer, quoted, and said to be no more than that."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from dataclasses import dataclass

from memories.engine.answering import Answer, Briefing, Manner, Piece, PieceKind, Remembered
from memories.engine.metering import estimated_tokens
from memories.engine.protocols import Embedder, ProviderUnavailable
from memories.text.clauses.sentences import split_sentences
from memories.text.quotations import NOTHING, OPENINGS
from memories.text.tokenize import extract_keywords, language_of
from memories.values import Kind

NAME = "local-answer-1"
# A search that sets no threshold brings everything: what is less relevant than this must at least share words.
FITS, SHARED = 0.45, 0.5
# What lies so far behind the best of its kind is beside the point.
BEHIND = 0.15
MOST = {"facts": 5, "preferences": 3, "documents": 4}
# Of documents only the best passages are read closely; their sentences are compared by meaning where words tell nothing.
_PASSAGES, _COMPARED = 4, 16
_NEARLY_BEST, _TELLING = 0.6, 0.34
_LONGEST_QUOTE = 500
_ABOUT_USER = {Kind.FACT, Kind.PREFERENCE}
_TOOLS = {Kind.TOOL_SCHEMA, Kind.TOOL_TRAJECTORY}
_ROUGH_LINE = re.compile(
    r"^(user|assistant|system|tool): \[\d\d:\d\d [AP]M on [^\]\n]{8,24} UTC\]: ", re.MULTILINE
)
# Whether a question is about the user; "tell me" and 告诉我 are not.
_OWN = re.compile(
    r"\b(?:i|i'm|i've|i'd|my|mine|myself|we|our|ours|user|(?:about|for|of|to|with|know|suits?) (?:me|us))\b"
    r"|(?<![诉给帮跟请])[我咱]|用户",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？]\s*$|[吗呢]\s*[。?？]?\s*$")
_WORDS = {
    "en": {
        "facts": "",
        "preferences": "Preferences that may matter:",
        "documents": "From documents:",
        "said": "The user said: “{}”",
        "beside": " ({})",
    },
    "zh": {
        "facts": "",
        "preferences": "可能相关的偏好：",
        "documents": "来自文档：",
        "said": "用户说过：“{}”",
        "beside": "（{}）",
    },
}


@dataclass(frozen=True, slots=True)
class _Quote:
    section: str
    text: str
    beside: str
    relativity: float


class LocalAnswerer:
    """Quotes memories. `embedder` compares sentences where words tell nothing, as across languages."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def name(self, manner: Manner) -> str:
        return NAME

    def answer(self, briefing: Briefing) -> Answer:
        lines, is_cut = _within(self._lines(briefing), briefing.manner.tokens)
        note = {"quotes": sum(line.startswith("- ") for line in lines)}
        return Answer("\n".join(lines), note | ({"ended": "cut short"} if is_cut else {}))

    async def stream(self, briefing: Briefing) -> AsyncGenerator[Piece, None]:
        answer = await asyncio.to_thread(self.answer, briefing)
        for line in answer.text.splitlines(keepends=True):
            yield Piece(PieceKind.TEXT, line)
        yield Piece(PieceKind.END, answer.note.get("ended", ""))

    def _lines(self, briefing: Briefing) -> list[str]:
        language = language_of(briefing.query)
        words = _WORDS[language]
        quotes = self._quotes(briefing, words)
        if not quotes:
            return [NOTHING[language]]
        sections = sorted(MOST, key=lambda name: -_best(quotes, name))
        lines = [OPENINGS[language]]
        for name in sections:
            own = [quote for quote in quotes if quote.section == name]
            lines += [words[name]] if own and words[name] else []
            lines += [f"- {q.text}{words['beside'].format(q.beside) if q.beside else ''}" for q in own]
        return lines

    def _quotes(self, briefing: Briefing, words: dict[str, str]) -> list[_Quote]:
        wanted = set(extract_keywords(briefing.query))
        fitting = [one for one in briefing.remembered if _fits(one, wanted, briefing.query)]
        preferences = [one for one in fitting if one.kind == Kind.PREFERENCE]
        facts = [one for one in fitting if one.kind == Kind.FACT]
        rest = [one for one in fitting if one.kind not in {Kind.PREFERENCE, Kind.FACT}]
        return [
            *_nearest("facts", (quote for one in facts for quote in _statements("facts", one, words))),
            *_nearest(
                "preferences", (q for one in preferences for q in _statements("preferences", one, words))
            ),
            *self._sentences(briefing.query, wanted, rest),
        ]

    def _sentences(self, query: str, wanted: set[str], passages: Sequence[Remembered]) -> list[_Quote]:
        """Of the best passages the sentences that come nearest to the question, as they stand there."""
        best = sorted(passages, key=lambda one: -one.relativity)[:_PASSAGES]
        read = [(one, text) for one in best for text in dict.fromkeys(_split(one.text))]
        scores = _by_words(wanted, [text for _, text in read])
        if max(scores, default=0.0) < _TELLING:
            read = read[:_COMPARED]
            scores = self._by_meaning(query, [text for _, text in read])
        least = _NEARLY_BEST * max(scores, default=0.0)
        chosen = sorted(range(len(read)), key=lambda at: -scores[at])[: MOST["documents"]]
        return _distinct(
            _Quote("documents", read[at][1][:_LONGEST_QUOTE], read[at][0].source, read[at][0].relativity)
            for at in sorted(chosen)
            if scores[at] >= least
        )

    def _by_meaning(self, query: str, sentences: Sequence[str]) -> list[float]:
        """Above the mean of them all: in their common subject they are alike. The first one where there is no model."""
        try:
            asked = self._embedder.embed_query(query)
            vectors = self._embedder.embed_passages(sentences)
        except ProviderUnavailable:
            return [float(at == 0) for at in range(len(sentences))]
        near = [sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in vectors]
        usual = sum(near) / len(near) if near else 0.0
        return near if len(near) == 1 else [max(0.0, one - usual) for one in near]


def _best(quotes: Iterable[_Quote], section: str) -> float:
    return max((quote.relativity for quote in quotes if quote.section == section), default=0.0)


def _fits(one: Remembered, wanted: set[str], query: str) -> bool:
    if one.kind in _TOOLS:
        return False
    shared = len(wanted & set(extract_keywords(one.text)))
    if one.relativity < FITS:
        return bool(shared) and shared >= SHARED * len(wanted)
    return bool(shared) or len(wanted) < 2 or one.kind not in _ABOUT_USER or _may_be_about_user(query, one)


def _may_be_about_user(query: str, one: Remembered) -> bool:
    """Questions about the world come near to memories too: without a word in common only those about the user may."""
    return bool(_OWN.search(query)) or language_of(query) != language_of(one.text)


def _statements(section: str, one: Remembered, words: dict[str, str]) -> Iterator[_Quote]:
    if not one.is_rough:
        yield _Quote(section, one.text[:_LONGEST_QUOTE], one.day, one.relativity)
        return
    for text in _said_by_user(one.text):
        yield _Quote(section, words["said"].format(text[:_LONGEST_QUOTE]), one.day, one.relativity)


def _said_by_user(turn: str) -> Iterator[str]:
    """What the user stated in a turn as it was spoken: questions answer nothing, nor does what others said."""
    _, *parts = _ROUGH_LINE.split(turn)
    for role, text in zip(parts[::2], parts[1::2], strict=True):
        if role == "user":
            yield from (one for one in split_sentences(text.strip()) if not _ASKS.search(one))


def _nearest(section: str, quotes: Iterable[_Quote]) -> list[_Quote]:
    ordered = sorted(quotes, key=lambda quote: -quote.relativity)
    best = ordered[0].relativity if ordered else 0.0
    return _distinct(quote for quote in ordered if quote.relativity >= best - BEHIND)[: MOST[section]]


def _distinct(quotes: Iterable[_Quote]) -> list[_Quote]:
    return list({quote.text: quote for quote in quotes}.values())


def _split(text: str) -> Iterator[str]:
    return (" ".join(sentence.split()) for sentence in split_sentences(text))


def _by_words(wanted: set[str], sentences: Sequence[str]) -> list[float]:
    """Which share of the question's words a sentence has; rare ones count more."""
    found = [wanted & set(extract_keywords(sentence)) for sentence in sentences]
    often = Counter(word for words in found for word in words)
    weight = {word: math.log(1 + len(sentences) / (1 + often[word])) for word in wanted}
    whole = sum(weight.values()) or 1.0
    return [sum(weight[word] for word in words) / whole for words in found]


def _within(lines: list[str], tokens: int) -> tuple[list[str], bool]:
    """The first lines that so many tokens hold, the very first in any case."""
    if not tokens:
        return lines, False
    kept = lines[:1]
    for line in lines[1:]:
        if sum(map(estimated_tokens, kept)) + estimated_tokens(line) > tokens:
            return kept, True
        kept.append(line)
    return kept, False
