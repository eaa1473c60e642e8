"""The clause of a message that a proposition comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.text.clauses.sentences import clean_message, split_clauses, split_sentences
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords

_MARKS = re.compile(r"[\s\"'“”‘’「」.,!?;:，。！？；：、…（）()\-–—*_`]+")
# Words with which a clause stands by itself; without one it goes on from the clause before.
_SUBJECT = re.compile(
    r"\b(?:i|im|ive|we|you|he|she|it|they|my|our|his|her|their|this|that|there|the)\b|[我咱你他她它们]",
    re.IGNORECASE,
)
_PART = re.compile(
    r"[,;]\s+|[，；]|\s(?:but|so|because|and(?=\s(?:i|we|he|she|they|it|my|our)\b))\s", re.IGNORECASE
)
_MOST_PARTS = 12
# Of a message only so many sentences are compared with a proposition.
_MOST_SENTENCES = 400


def find_clause(quote: str, message: str) -> str:
    """The whole clause of the message in which these words stand; "" where they do not stand in it.

    Marks and spaces do not count, nor does case. A clause that leaves its subject out takes the clause before along, so
    that nobody can cut a "not" off.
    """
    wanted = _normalise_text(quote)
    if not wanted:
        return ""
    for sentence in _iterate_sentences(message):
        if wanted not in _normalise_text(sentence):
            continue
        return _find_shortest_run(wanted, sentence)
    return message.strip() if wanted in _normalise_text(message) and len(message) <= 400 else ""


def _find_shortest_run(wanted: str, sentence: str) -> str:
    """The shortest run of parts of the sentence that has these words, from where its subject stands."""
    bounds = [0, *(cut.end() for cut in _PART.finditer(sentence)), len(sentence)]
    runs = [
        (first, last)
        for first in range(len(bounds) - 1)
        for last in range(first + 1, min(len(bounds), first + _MOST_PARTS))
        if wanted in _normalise_text(sentence[bounds[first] : bounds[last]])
    ]
    if not runs:
        return sentence
    first, last = min(runs, key=lambda run: run[1] - run[0])
    while first > 0 and not _SUBJECT.search(sentence[bounds[first] : bounds[last]]):
        first -= 1
    return sentence[bounds[first] : bounds[last]].strip(" ,，;；")


def find_closest_clause(text: str, message: str) -> str:
    """The clause of the message that shares most words with the text; "" where none shares two, or half of its own."""
    claimed = set(extract_keywords(text))
    best, most = "", 0.0
    for sentence in _iterate_sentences(message):
        shared = claimed & set(extract_keywords(sentence))
        clauses = split_clauses(sentence, detect_language(sentence))
        # A clause that has all that the sentence shares says it alone; else they belong together.
        for clause in [part for part in clauses if shared <= set(extract_keywords(part))][:1] or [sentence]:
            words = set(extract_keywords(clause))
            share = len(shared) / len(words) if words else 0.0
            if share > most and (len(shared) >= 2 or share >= 0.5):
                best, most = clause, share
    return best


def _iterate_sentences(message: str) -> Iterator[str]:
    for at, sentence in enumerate(split_sentences(clean_message(message))):
        if at == _MOST_SENTENCES:
            return
        yield sentence


def _normalise_text(text: str) -> str:
    return _MARKS.sub("", text).lower()
