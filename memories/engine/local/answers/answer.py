"""Answers without a model: the remembered sentences that answer, quoted, and said to be no more than that."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence

from memories.engine.answering import CUT_SHORT, Answer, AnswerPiece, Briefing, Manner, PieceKind, Remembered
from memories.engine.local.answers.overview import HEADINGS, OverviewGroup, sort_into_groups
from memories.engine.local.answers.selection import (
    ABOUT_USER,
    extract_query_keywords,
    find_missing_names,
    fits_question,
    is_question,
    select_answering,
    shares_nothing,
    wants_number,
)
from memories.engine.local.answers.wording import LONGEST_QUOTE, WORDS, Quote, build_quotes
from memories.engine.metering import estimate_prompt_tokens
from memories.engine.protocols import Embedder, ProviderUnavailable
from memories.text.clauses.sentences import split_sentences
from memories.text.quotes.quotations import NOTHING, OPENINGS
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords

NAME = "local-answer-1"
# What lies so far behind the best of its kind is beside the point.
BEHIND = 0.15
MOST = {"facts": 5, "preferences": 3, "documents": 4}
# Of documents only the best passages are read closely; their sentences are compared by meaning where words tell
# nothing.
_PASSAGES, _COMPARED = 4, 16
_NEARLY_BEST, _ENOUGH_WORDS = 0.6, 0.34
_NUMBER = re.compile(
    r"""
    \d
    | \b(?:
          one | two | three | four | five | six | seven | eight | nine | ten | eleven | twelve | once
          | twice | both | dozens? | no | twins?
      )\b
    | [一二两三四五六七八九十百千双]
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Of each part of an overview so many are shown.
_OF_GROUP = 8
# Of a question for a number more is shown than of others, and what lies further behind.
_COUNTED, _BEHIND_COUNTED = 9, 0.35
# So many memories are shown that only come near the question.
_ONLY_NEAR = 3
_FULL_DATE = re.compile(r"\d{4}-\d\d-\d\d|\b\d{1,2} [A-Z][a-z]+ \d{4}\b|\d{4}年\d{1,2}月\d{1,2}[日号]")


class LocalAnswerer:
    """Quotes memories. `embedder` compares sentences where words tell nothing, as across languages; without one the
    first sentence is taken there."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder

    def name(self, manner: Manner) -> str:
        return NAME

    def build_prompt(self, briefing: Briefing) -> str:
        return ""

    def count_left_out(self, briefing: Briefing) -> Mapping[str, int]:
        return {}

    def answer(self, briefing: Briefing) -> Answer:
        lines, is_cut = _limit_lines(self._write_lines(briefing), briefing.manner.tokens)
        note = {"quotes": sum(line.startswith("- ") for line in lines)}
        return Answer("\n".join(lines), note, ended=CUT_SHORT if is_cut else "")

    async def stream(self, briefing: Briefing) -> AsyncGenerator[AnswerPiece, None]:
        answer = await asyncio.to_thread(self.answer, briefing)
        for line in answer.text.splitlines(keepends=True):
            yield AnswerPiece(PieceKind.TEXT, line)
        yield AnswerPiece(PieceKind.END, answer.ended)

    def _write_lines(self, briefing: Briefing) -> list[str]:
        language = detect_language(briefing.query)
        words = WORDS[language]
        overview = _write_overview(briefing, words)
        if overview:
            return [OPENINGS[language], *overview]
        quotes = self._choose_quotes(briefing, words)
        if not quotes:
            return [NOTHING[language]]
        remarks = _write_remarks(briefing.query, quotes, words)
        if remarks and remarks != [words["counted"]]:
            quotes = _keep_nearest(quotes)
        lines = [OPENINGS[language], *remarks]
        for name in sorted(MOST, key=lambda name: -_get_best_relativity(quotes, name)):
            own = [quote for quote in quotes if quote.section == name]
            lines += [words[name]] if own and words[name] else []
            lines += [f"- {q.text}{words['beside'].format(q.beside) if q.beside else ''}" for q in own]
        return lines

    def _choose_quotes(self, briefing: Briefing, words: dict[str, str]) -> list[Quote]:
        query = briefing.query
        wanted = extract_query_keywords(query)
        fitting = [memory for memory in briefing.remembered if fits_question(memory, wanted, query)]
        rest = [memory for memory in fitting if memory.kind not in ABOUT_USER]
        answering = select_answering(
            [memory for memory in fitting if memory.kind in ABOUT_USER], wanted, query
        )
        stated = (quote for memory in answering.facts for quote in build_quotes("facts", memory, words))
        liked = (
            quote for memory in answering.preferences for quote in build_quotes("preferences", memory, words)
        )
        behind, most = (_BEHIND_COUNTED, _COUNTED) if wants_number(query) else (BEHIND, MOST["facts"])
        return [
            *_choose_nearest(stated, behind, most),
            *_choose_nearest(liked, BEHIND, MOST["preferences"]),
            *self._choose_sentences(query, wanted, rest),
        ]

    def _choose_sentences(self, query: str, wanted: set[str], passages: Sequence[Remembered]) -> list[Quote]:
        """Of the best passages the sentences that come nearest to the question, as they stand there."""
        best = sorted(passages, key=lambda passage: -passage.relativity)[:_PASSAGES]
        read = [(passage, text) for passage in best for text in dict.fromkeys(_split_sentences(passage.text))]
        scores = _score_by_words(wanted, [text for _, text in read])
        if max(scores, default=0.0) < _ENOUGH_WORDS:
            read = read[:_COMPARED]
            scores = self._score_by_meaning(query, [text for _, text in read])
        least = _NEARLY_BEST * max(scores, default=0.0)
        chosen = sorted(range(len(read)), key=lambda at: -scores[at])[: MOST["documents"]]
        return _remove_repeated(
            Quote("documents", read[at][1][:LONGEST_QUOTE], read[at][0].source, read[at][0].relativity)
            for at in sorted(chosen)
            if scores[at] >= least
        )

    def _score_by_meaning(self, query: str, sentences: Sequence[str]) -> list[float]:
        """Cosines above the mean of them all: in their common subject they are alike.

        1 for the first sentence and 0 for the others where there is no model.
        """
        if self._embedder is None:
            return [float(at == 0) for at in range(len(sentences))]
        try:
            asked = self._embedder.embed_query(query)
            vectors = self._embedder.embed_passages(sentences)
        except ProviderUnavailable:
            return [float(at == 0) for at in range(len(sentences))]
        near = [sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in vectors]
        usual = sum(near) / len(near) if near else 0.0
        return near if len(near) == 1 else [max(0.0, score - usual) for score in near]


def _get_best_relativity(quotes: Iterable[Quote], section: str) -> float:
    return max((quote.relativity for quote in quotes if quote.section == section), default=0.0)


def _write_remarks(query: str, quotes: Sequence[Quote], words: dict[str, str]) -> list[str]:
    """Write what has to be said before the quotes: that none uses the question's words, or that nothing is counted."""
    stated = [quote for quote in quotes if quote.section != "documents"]
    if not stated or not is_question(query):
        return []
    texts = [quote.text for quote in quotes]
    missing = find_missing_names(query, texts)
    is_same_language = any(detect_language(text) == detect_language(query) for text in texts)
    if missing and is_same_language:
        return [words["unnamed"].format(words["joint"].join(missing))]
    if is_same_language and shares_nothing(query, texts):
        return [words["nearest"]]
    is_counted = not wants_number(query) or len(stated) < 2 or _NUMBER.search(stated[0].text)
    return [] if is_counted else [words["counted"]]


def _write_overview(briefing: Briefing, words: dict[str, str]) -> list[str]:
    """The lines of an overview, part by part; empty where it was not asked for or nothing is known of its topic."""
    if briefing.topic is None:
        return []
    groups = sort_into_groups(briefing.known, briefing.now, briefing.topic)
    at = ["en", "zh"].index(detect_language(briefing.query))
    lines: list[str] = []
    for group, members in groups.items():
        quotes = _remove_repeated(quote for memory in members for quote in build_quotes(group, memory, words))
        if quotes:
            lines.append(words["heading"].format(HEADINGS[group][at]))
            today = f"{briefing.now:%Y-%m-%d}"
            lines += [f"- {_add_day(quote, group, words, today)}" for quote in quotes[:_OF_GROUP]]
        if len(quotes) > _OF_GROUP:
            lines.append(words["more"].format(len(quotes) - _OF_GROUP))
    return lines


def _add_day(quote: Quote, group: OverviewGroup, words: dict[str, str], today: str) -> str:
    """What happened or is to come has its day beside it, unless it names one; a plan's day is not when it was said."""
    is_timed = group == OverviewGroup.EVENTS or (group == OverviewGroup.PLANS and quote.beside > today)
    needs_day = is_timed and quote.beside and not _FULL_DATE.search(quote.text)
    return quote.text + (words["beside"].format(quote.beside) if needs_day else "")


def _choose_nearest(quotes: Iterable[Quote], behind: float, most: int) -> list[Quote]:
    ordered = sorted(quotes, key=lambda quote: -quote.relativity)
    best = ordered[0].relativity if ordered else 0.0
    return _remove_repeated(quote for quote in ordered if quote.relativity >= best - behind)[:most]


def _keep_nearest(quotes: Sequence[Quote]) -> list[Quote]:
    """Of what only comes near the question the first few of each section."""
    return [
        quote for name in MOST for quote in [quote for quote in quotes if quote.section == name][:_ONLY_NEAR]
    ]


def _remove_repeated(quotes: Iterable[Quote]) -> list[Quote]:
    return list({quote.text: quote for quote in quotes}.values())


def _split_sentences(text: str) -> Iterator[str]:
    return (" ".join(sentence.split()) for sentence in split_sentences(text))


def _score_by_words(wanted: set[str], sentences: Sequence[str]) -> list[float]:
    """Return which share of the question's words a sentence has, 0 to 1; rare ones count more.

    Words are weighed by a smoothed inverse document frequency (Spärck Jones 1972) over these sentences.
    """
    shared = [wanted & set(extract_keywords(sentence)) for sentence in sentences]
    often = Counter(word for words in shared for word in words)
    weight = {word: math.log(1 + len(sentences) / (1 + often[word])) for word in wanted}
    whole = sum(weight.values()) or 1.0
    return [sum(weight[word] for word in words) / whole for words in shared]


def _limit_lines(lines: list[str], tokens: int) -> tuple[list[str], bool]:
    """The first lines that so many tokens hold, the very first in any case."""
    if not tokens:
        return lines, False
    kept = lines[:1]
    for line in lines[1:]:
        if sum(map(estimate_prompt_tokens, kept)) + estimate_prompt_tokens(line) > tokens:
            return kept, True
        kept.append(line)
    return kept, False
