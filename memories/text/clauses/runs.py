"""Cuts a message that mixes languages into runs of one language each."""

from __future__ import annotations

import re
from typing import NamedTuple

from memories.text.clauses.sentences import split_sentences
from memories.text.words import language_detection

_LONGEST_REPLY = 30
_ENGLISH_SENTENCE = re.compile(
    r"\b(?:i|i'm|my|we|our|the|is|are|was|yes|no|not|ok|okay|thanks?|please|what|how|do|does)\b",
    re.IGNORECASE,
)


def answers_chinese_question(text: str, asked: str) -> bool:
    """Return whether a message is no more than a number or a name, by which it answers a question in Chinese."""
    reply = text.strip()
    if not asked.rstrip().endswith(("？", "?")) or language_detection.detect_language(asked) != "zh":
        return False
    is_short = 0 < len(reply) <= _LONGEST_REPLY and "\n" not in reply
    is_bare = language_detection.detect_language(reply) == "en" and not _ENGLISH_SENTENCE.search(reply)
    return is_short and is_bare


class LanguageRun(NamedTuple):
    """A part of a message in one language ("en" or "zh")."""

    language: str
    text: str


def split_language_runs(text: str) -> list[LanguageRun]:
    """The runs in order.

    A line in one language stays as it was written, and blank lines are left out. Of a line that mixes languages the
    sentences are kept: those of one language that follow each other are joined by one space.
    """
    runs: list[LanguageRun] = []
    for line in text.split("\n"):
        parts = [
            (language_detection.detect_language(sentence), sentence) for sentence in split_sentences(line)
        ]
        languages = {language for language, _ in parts}
        if len(languages) == 1:
            parts = [(languages.pop(), line)]
        for at, (language, part) in enumerate(parts):
            if runs and runs[-1].language == language:
                runs[-1] = LanguageRun(language, f"{runs[-1].text}{' ' if at else chr(10)}{part}")
            else:
                runs.append(LanguageRun(language, part))
    return runs
