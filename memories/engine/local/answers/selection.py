"""Selects, of what a search found, the memories that answer a question without a model.

By words alone: whether the question is about the user at all, whether it asks for a fact, for likings, for the past or
for a number, and which memories share its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memories.engine.answering import Remembered
from memories.engine.local.answers.overview import (
    is_about_answers,
    is_about_health,
    is_food_or_health,
    says_liking,
)
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords
from memories.values import MemoryKind

# A search that sets no threshold brings everything: what is less relevant than this must at least share words.
FITS, SHARED = 0.45, 0.5
ABOUT_USER = {MemoryKind.FACT, MemoryKind.PREFERENCE}
_TOOLS = {MemoryKind.TOOL_SCHEMA, MemoryKind.TOOL_TRAJECTORY}
# Whether a question is about the user; "tell me" and 告诉我 are not.
_OWN = re.compile(
    r"""
    \b(?:i|i'm|i've|i'd|my|mine|myself|we|our|ours|user|(?:about|for|of|to|with|know|suits?)\ (?:me|us))\b
    | (?<![诉给帮跟请])[我咱] | 用户
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Whether it asks what somebody likes: then preferences are the answer, and not only beside it.
_FOR_LIKING = re.compile(
    r"""
    \b(?:
        likes? | loves? | prefers? | preferences? | favou?rites? | enjoys? | hates? | dislikes? | avoids?
        | fond\ of | tastes?
    )\b
    | 喜欢 | 爱[吃喝看听玩去] | 偏好 | 喜好 | 讨厌 | 最爱 | 口味 | 习惯
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FOR_NUMBER = re.compile(
    r"\bhow (?:many|often)\b|[多几][少]?[个只位名条本辆次家种件部口间套份杯场]|多少", re.IGNORECASE
)
_FOR_PAST = re.compile(
    r"""
    \b(?:before|previous(?:ly)?|former(?:ly)?|used\ to|originally|in\ the\ past|earlier)\b | 以前 | 之前
    | 过去 | 曾经? | 原来 | 原先 | 从前
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FOR_PRESENT = re.compile(r"\b(?:now|currently|nowadays|today|these days)\b|现在|目前|如今", re.IGNORECASE)
# Questions for a fact, in contrast to requests such as "Recommend a hotel".
_QUESTION = re.compile(
    r"""
    ^\W*(?:and\ |so\ |but\ )?(?:
        who(?:se|m)? | what | which | when | where | why | how | am | is | are | was | were | do | does
        | did | have | has | can | could | will | would | should
    )\b
    | 谁 | 什么 | 哪 | 何时 | 几 | 多少 | 怎么 | 有没有 | (\w)不\1 | [？?]\s*$ | 吗\s*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REQUEST = re.compile(
    r"^\W*(?:can|could|would|will) you\b|\b(?:recommend|suggest)\b|推荐|建议", re.IGNORECASE
)
# The words of wanting themselves are shared by all that anybody wants.
_OF_LIKING = frozenset(
    extract_keywords("like love prefer preference favourite favorite enjoy hate dislike 喜欢 爱 偏好 讨厌")
)
# Courtesy is shared by all that is asked for.
_COURTESY = frozenset(extract_keywords("please thanks thank hello hi 请 谢谢 你好 您好 麻烦"))
# Behind another word, so that the first word of a sentence is not taken for a name.
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w'’-]+")
# What held before and shares no word with the question must come this near to the best.
_AS_NEAR = 0.05
# Words that begin with the same five letters are taken for forms of one.
_BEGINNING = 5


def extract_query_keywords(query: str) -> set[str]:
    """Return what the question is about, in keywords."""
    return set(extract_keywords(query)) - _COURTESY


def wants_number(query: str) -> bool:
    return _FOR_NUMBER.search(query) is not None


def fits_question(memory: Remembered, wanted: set[str], query: str) -> bool:
    if memory.kind in _TOOLS:
        return False
    shared = len(wanted & set(extract_keywords(memory.text)))
    if memory.relativity < FITS:
        return bool(shared) and shared >= SHARED * len(wanted)
    if is_about_health(memory.text) and is_food_or_health(query):
        return True
    return (
        _shares(wanted, memory.text)
        or len(wanted) < 2
        or memory.kind not in ABOUT_USER
        or _may_be_about_user(query, memory)
    )


def _may_be_about_user(query: str, memory: Remembered) -> bool:
    """Questions about the world come near to memories too: without a word in common only those about the user may."""
    return bool(_OWN.search(query)) or detect_language(query) != detect_language(memory.text)


class Answering(NamedTuple):
    """Memories that answer a question, and the preferences that may matter beside it."""

    facts: list[Remembered]
    preferences: list[Remembered]


def select_answering(fitting: Sequence[Remembered], wanted: set[str], query: str) -> Answering:
    """Select the memories of an answer about the user.

    A question for a fact is answered by what shares its words, where anything does; a request is not.
    """
    asked = wanted - _OF_LIKING
    sharing = [memory for memory in fitting if _shares(asked, memory.text)]
    if _FOR_PAST.search(query) and not _FOR_PRESENT.search(query):
        best = max((memory.relativity for memory in fitting), default=0.0)
        over = [memory for memory in fitting if memory.until]
        past = [memory for memory in over if memory in sharing or memory.relativity >= best - _AS_NEAR]
        if past:
            return Answering([memory for memory in past if memory in sharing] or past, [])
    if _FOR_LIKING.search(query):
        liked = [memory for memory in fitting if says_liking(memory) and not is_about_answers(memory.text)]
        stated = [memory for memory in fitting if memory not in liked and (memory in sharing or not liked)]
        return Answering([*liked, *stated], [])
    facts = [memory for memory in fitting if memory.kind == MemoryKind.FACT or memory in sharing]
    preferences = [memory for memory in fitting if memory not in facts]
    if not is_question(query):
        return Answering(facts, preferences)
    names = {key for name in _NAME.findall(query) for key in extract_keywords(name)}
    naming = [memory for memory in sharing if not names.isdisjoint(extract_keywords(memory.text))]
    if sharing:
        # Another language shares no words, and may answer all the same.
        closest = naming or sharing
        answering = [
            memory
            for memory in facts
            if memory in closest or detect_language(memory.text) != detect_language(query)
        ]
        return Answering(answering, [])
    return Answering([*facts, *(memory for memory in preferences if is_about_health(memory.text))], [])


def is_question(query: str) -> bool:
    return _QUESTION.search(query) is not None and _REQUEST.search(query) is None


def _shares(asked: set[str], text: str) -> bool:
    """Return whether the text has one of these keywords; of a long English one its beginning is enough ("allergy",
    "allergic")."""
    has = extract_keywords(text)
    if not asked.isdisjoint(has):
        return True
    beginnings = {word[:_BEGINNING] for word in has if len(word) >= _BEGINNING and word.isascii()}
    return any(
        word[:_BEGINNING] in beginnings if word.isascii() else len(word) > 1 and word in text
        for word in asked
    )


def find_missing_names(query: str, texts: Sequence[str]) -> list[str]:
    """Names in the question that none of these texts has; in English only, whose names begin with a capital."""
    shown = {keyword for text in texts for keyword in extract_keywords(text)}
    names = dict.fromkeys(_NAME.findall(query))
    return [name for name in names if extract_keywords(name) and shown.isdisjoint(extract_keywords(name))]


def shares_nothing(query: str, texts: Sequence[str]) -> bool:
    """Return whether none of these texts has a word of the question."""
    asked = set(extract_keywords(query)) - _OF_LIKING
    if detect_language(query) == "zh":
        # Words are cut differently in another sentence, so single characters are looked for.
        return not any(character in text for word in asked for character in word for text in texts)
    return not any(_shares(asked, text) for text in texts)
