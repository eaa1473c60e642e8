"""Parse a question by its words, without a model or the database."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache

from memories.engine.calibration.labelled import load_intents
from memories.engine.calibration.model import is_first_person
from memories.retrieval.queries.asked_value import AskedValue, find_asked_value
from memories.retrieval.queries.mentioned_dates import (
    MentionedDate,
    find_mentioned_dates,
)
from memories.retrieval.queries.references import find_references
from memories.retrieval.queries.rivals import Rivals, find_rivals
from memories.text.slots.registry import get_words_for_relative, list_relative_words
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords, search_terms
from memories.text.zh.script import to_simplified


class TimeTarget(StrEnum):
    """Version of a changing state that a question asks for."""

    NOW = "now"
    BEFORE = "before"
    ANY = "any"


class QuestionType(StrEnum):
    WHEN = "when"
    WHERE = "where"
    WHO = "who"
    HOW_MANY = "how_many"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    language: str
    terms: tuple[str, ...]
    time_target: TimeTarget = TimeTarget.ANY
    type: QuestionType = QuestionType.OTHER
    wants_recent: bool = False
    dates: tuple[MentionedDate, ...] = ()
    references: tuple[str, ...] = ()
    is_of_nobody: bool = False
    states: tuple[str, ...] = ()
    # Of the form of "who am I?"; whether it means that is for the embedder to say.
    is_about_self: bool = False
    asks_assistant: bool = False
    # The terms by one of which a memory may mention the relative of the user that it asks about.
    relative: frozenset[str] = frozenset()
    # The past time that it asks about, as start and end.
    asked_time: tuple[datetime, datetime] | None = None
    # Whether it asks what happened at the dates, and for nothing in particular.
    asks_by_date_alone: bool = False
    # Whether the terms of a memory can hold the value that it asks for; None where it asks for none.
    asked_value: AskedValue | None = None
    # What it names of a kind of things, such as an animal, and what else there is of that kind.
    rivals: Rivals | None = None

    def names(self, person: str) -> bool:
        """Is this person called by name?"""
        name = person.strip().lower()
        if not name:
            return False
        if not name.isascii():
            return name in self.text.lower()
        return re.search(rf"\b{re.escape(name)}\b", self.text.lower()) is not None


# Every memory is about the user; the word tells nothing about which one is meant.
_EMPTY_TERMS = frozenset({"user", "用户"})
# A pasted page as a query: the longest terms are the most specific ones, and more cost time without finding more.
_MOST_TERMS = 32
# Dates and question words stand in the first lines, whatever follows them.
_LONGEST_READ = 2_000

_BEFORE = re.compile(
    r"""
    \bbefore\b(?=\s*(?:[?.!,;]|$|now\b|that\b|this\b|then\b|(?:i|we|he|she|they)\b|moving\b))
    | \b(?:previous(?:ly)?|former(?:ly)?|originally|in\ the\ past|earlier|at\ first|back\ then)\b
    | \bused\ to\b | (?:^|[我你您他她们户\s,，。])(?:之前|此前) | (?<![天月年周时日\d])以前 | 过去 | 曾经?
    | 原来 | 原先 | 从前 | 先前 | 当初 | 旧的
    """,
    re.VERBOSE,
)
# "Where did I live before Ireland?", but not "What must I do before Friday?"
_BEFORE_SOMETHING = re.compile(
    r"\b(?:did|was|were|had)\b.{0,60}\bbefore\b|\b(?:my|our|the user's) (?:old|ex|last)\b(?! name)"
)
_PAST_TENSE = re.compile(r"\b(?:did|was|were|had|used to)\b")
# What the assistant said, not the user.
_ASKS_ASSISTANT = re.compile(
    r"""
    \b(?:did|have|had|were|was)\ you\b.{0,40}\b(?:
        say | said | suggest | recommend | advis | tell | told | propos | mention | explain | list | give
        | given | answer | write | written
    )
    | \b(?:you|the\ assistant|your)\ (?:
          said | suggested | recommended | advised | told | proposed | mentioned | explained | gave
          | answered | suggestion | recommendation | advice | answer | reply
      )\b
    | (?:你|助手)(?:上次|之前|刚才|曾经|当时|给我|跟我|向我|都|以前)*
      (?:说过?|推荐|建议|提过?到?|告诉|讲过?|回答|写)(?:的|了|过|我|什么|哪|给)
    """,
    re.VERBOSE,
)
_ACCUSTOMED = re.compile(
    r"\b(?:am|is|are|was|were|be|been|get|got|getting)(?: \w+)? used to\b|'(?:m|s|re) used to\b"
)
_NOW = re.compile(
    r"""
    \b(?:
        now | nowadays | currently | current | presently | at\ present | at\ the\ moment | these\ days
        | still | anymore | any\ more | today
    )\b
    | 现在 | 目前 | 如今 | 当前 | 眼下 | 现今 | 还在 | 仍然
    """,
    re.VERBOSE,
)
# "Where have I travelled?" wants all of it, the newest first.
_RECENT = re.compile(
    r"""
    \b(?:recent(?:ly)?|lately|latest|newest|last\ time)\b | 最近 | 近来 | 近期 | 最新 | 上次 | 上一次
    | \b(?:where|what|which|who)\b.{0,40}\bha(?:ve|s)\ (?:i|we|the\ user)\b | [去看吃做玩读买住]过
    """,
    re.VERBOSE,
)
# "What is the capital of Mongolia?": a question of a world in which nobody is. English only, because Chinese leaves its
# pronouns out; and only questions: "Recommend a film" is asked for somebody. "Kim's" is somebody; "does Anna" too.
_ASKING = re.compile(
    r"^\W*(?:who(?:se|m)?|what|which|when|where|why|how|is|are|do|does|did|can|could|will|would|should)\b"
)
_NAMED = re.compile(
    r"\w['’]s\b(?<!\b[Ww]hat['’]s)(?<!\b[Ww]ho['’]s)|\b(?:[Dd]o|[Dd]oes|[Dd]id|[Ii]s|[Hh]as) [A-Z]"
)
_SOMEBODY = re.compile(
    r"\b(?:i|me|my|mine|myself|we|us|our|ours|you|your|yours|he|him|his|she|her|hers|they|them|their|theirs|users?)\b"
)
# Questions for a state of the user, by the slots in which the extractor keeps states. "The user moved to Shanghai"
# answers where they live, and is near to that in neither words nor meaning. Only the user's own: slots hold no other's.
_I = r"(?:i|we|the user)"
_MY = r"(?:my|our|the user's)"
_WO = r"(?:我|我们|用户|该用户)"
JOB = "job"
_STATES = (
    (
        "residence",
        re.compile(
            rf"\bwhere (?:do|does|did|am|are|is|was|were) {_I}(?: \w+)? (?:live|living|based|reside"
            rf"|residing)\b"
            rf"|\b(?:which|what) (?:city|town|village|country|place) (?:do|does|did|am|are|is|was"
            rf"|were) {_I}(?: \w+)? (?:live|living|based|reside)\b"
            rf"|\bwhere is {_MY} home\b(?! \w)|\b(?:which|what) (?:city|town) is {_MY} home\b"
            rf"|{_WO}(?:现在|目前|如今|平时|以前|之前|过去|原来|当时)?(?:居?住在?|生活在)(?:哪|什么|何)"
            rf"|{_WO}的(?:居住地|住址|家在哪)|(?:哪里|哪儿|哪个城市)是{_WO}的家"
        ),
    ),
    (
        JOB,
        re.compile(
            rf"\bwhat(?:'s| is| was) {_MY} (?:(?:old|last|previous|former) )?(?:job|profession"
            rf"|occupation|trade|line of work)\b"
            rf"|\bwhat (?:do|does|did) {_I} do for (?:a living|work|money)\b|\bwhat (?:do"
            rf"|does) {_I} do\W*$|\bhow (?:do|does|did) {_I} (?:earn|make) (?:a|my|our|their"
            rf"|the) living\b"
            rf"|\bwhat (?:kind|sort|type|line) of work (?:do|does|did|am|is) {_I}\b"
            rf"|{_WO}(?:现在|目前|以前|之前|过去|原来)?(?:是|都)?(?:[做干](?:什么|啥|嘛|哪行)(?:工作"
            rf"|行业|职业|营生|的(?!时候))|从事(?:什么|哪)|什么职业)"
            rf"|{_WO}(?:平时|现在|主要)?靠(?:什么|啥)(?:谋生|生活|吃饭|挣钱|赚钱|养家|过日子|为生)"
            rf"|{_WO}的(?:工作|职业)是"
        ),
    ),
    (
        "employer",
        re.compile(
            rf"\bwhere (?:do|does|did|am|is|was|were) {_I}(?: \w+)? (?:work|working|employed)\b(?! out)"
            rf"|\bwho (?:do|does|did) {_I} work for\b"
            rf"|\b(?:which|what) company (?:do|does|did) {_I} work\b|\bwho(?:'s| is"
            rf"| was) {_MY} (?:(?:old|last|previous|former) )?employer\b"
            rf"|{_WO}(?:现在|目前|如今|以前|之前|过去|原来|当时)?在哪(?:里|儿|家公司|个公司)?(?:工作"
            rf"|上班)"
        ),
    ),
    (
        "name",
        re.compile(rf"\bwhat(?:'s| is) {_MY} name\b|\bwhat am i called\b|{_WO}叫什么|{_WO}的名字是?什么"),
    ),
    (
        "age",
        re.compile(
            rf"\bhow old (?:am i|is the user)\b|\bwhat(?:'s| is) {_MY} age\b|{_WO}(?:今年)?(?:多大|几岁)"
        ),
    ),
    (
        "birthday",
        re.compile(
            rf"\bwhen(?:'s| is) {_MY} birthday\b|\bwhen was (?:i|the user) born\b|{_WO}的?生日是?(?:哪|什么|几)"
        ),
    ),
    (
        "hometown",
        re.compile(
            rf"\b(?:what|where)(?:'s| is) {_MY} hometown\b|\bwhere (?:am i|is the user) from\b"
            rf"|{_WO}的?(?:老家|家乡)是?在?(?:哪|什么)|{_WO}是哪里人"
        ),
    ),
)

# "My late father", "my kids", 我家小弟弟, but not "my brother-in-law": he is none of the listed.
_MY_RELATIVE = re.compile(
    rf"\b{_MY} (?:[\w-]+ ){{0,2}}?(?P<en>{'|'.join(list_relative_words())})s?\b(?!-)"
    rf"|我(?:们|們)?(?:的|家)?[亲大小二老]?(?P<zh>{'|'.join(list_relative_words())})"
)

_TYPES = (
    (
        QuestionType.WHEN,
        re.compile(
            r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|time)\b|什么时候|何时|几时|哪[天年月]|几[月号点]"
        ),
    ),
    (
        QuestionType.HOW_MANY,
        re.compile(r"\bhow (?:many|much|long|old|often|far|tall)\b|多少|多久|多大|多长|几[个次岁年天]"),
    ),
    (
        QuestionType.WHERE,
        re.compile(
            r"\bwhere\b|\b(?:what|which) (?:city|country|place|town|state)\b|哪里|哪儿|在哪|什么地方|哪个城市"
        ),
    ),
    (QuestionType.WHO, re.compile(r"\bwho(?:se|m)?\b|谁|哪位|什么人")),
)


def parse_question(text: str, today: datetime) -> Question:
    """Reads a question. `today` is what "yesterday" and "last year" count from."""
    text = to_simplified(text)
    low = text[:_LONGEST_READ].lower()
    mentioned = find_mentioned_dates(text[:_LONGEST_READ], today)
    asked_time = _find_asked_time(low, mentioned.dates, today)
    states = tuple(slot for slot, pattern in _STATES if pattern.search(low))
    time_target = _detect_time_target(low)
    if asked_time and time_target == TimeTarget.ANY:
        time_target = TimeTarget.BEFORE
    return Question(
        text=text,
        language=detect_language(text),
        terms=extract_content_terms(text),
        time_target=time_target,
        type=_detect_question_type(low),
        wants_recent=_RECENT.search(low) is not None,
        dates=mentioned.dates,
        references=find_references(text[:_LONGEST_READ]),
        states=states,
        is_of_nobody=_is_of_nobody(text[:_LONGEST_READ]),
        is_about_self=not states and _is_about_self(text[:_LONGEST_READ]),
        asks_assistant=_ASKS_ASSISTANT.search(low) is not None,
        asked_time=asked_time,
        asks_by_date_alone=mentioned.are_all,
        relative=_find_relative_terms(low),
        asked_value=find_asked_value(text[:_LONGEST_READ], detect_language(text)),
        rivals=find_rivals(text[:_LONGEST_READ], detect_language(text)),
    )


def _find_relative_terms(low: str) -> frozenset[str]:
    """Find the relatives a question names, as the terms of all words for them.

    "What does my older brother do?" and 我弟弟在哪里读书 give all words for a brother.
    """
    # "My son wants a pet. What would I like?" asks nothing about him.
    match = _MY_RELATIVE.search(re.split("[.!。！]\\s*(?=.)", low.strip())[-1])
    words = get_words_for_relative(match["en"] or match["zh"]) if match else ()
    return frozenset(max(search_terms(word), key=len) for word in words)


def _is_about_self(text: str) -> bool:
    """Return whether it names the one who asks and, beside that, nothing but words of "who am I?" and its like."""
    return is_first_person(text) and _load_self_terms().issuperset(extract_keywords(text))


@cache
def _load_self_terms() -> frozenset[str]:
    sentences = (sentence for texts in load_intents()["identity"].values() for sentence in texts)
    return frozenset(term for sentence in sentences for term in extract_keywords(sentence))


def _find_asked_time(
    low: str, dates: Sequence[MentionedDate], today: datetime
) -> tuple[datetime, datetime] | None:
    """The span from the first to the last of the months that a question about the past names."""
    is_past_tense = detect_language(low) == "zh" or _PAST_TENSE.search(low) is not None
    known = [(date.year, date.month) for date in dates if date.year is not None]
    if not known or not is_past_tense or _NOW.search(low):
        return None
    midnight = today.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    year, month = min((year, month or 1) for year, month in known)
    start = midnight.replace(year=year, month=month)
    year, month = max((year, month or 12) for year, month in known)
    end = midnight.replace(year=year + month // 12, month=month % 12 + 1)
    return (start, end) if end <= today else None


def _is_of_nobody(text: str) -> bool:
    low = text.lower()
    is_asking = detect_language(text) == "en" and _ASKING.search(low) is not None
    return is_asking and _SOMEBODY.search(low) is None and _NAMED.search(text) is None


def extract_content_terms(text: str) -> tuple[str, ...]:
    """The terms of a question that say what it is for, each once."""
    terms = list(
        dict.fromkeys(term for term in search_terms(text[: 4 * _LONGEST_READ]) if term not in _EMPTY_TERMS)
    )
    if len(terms) <= _MOST_TERMS:
        return tuple(terms)
    return tuple(sorted(terms, key=len, reverse=True)[:_MOST_TERMS])


def _detect_time_target(low: str) -> TimeTarget:
    # "Where did I live before, and where now?" asks for both.
    current = _ACCUSTOMED.sub("", low)
    is_before = (_BEFORE.search(current) or _BEFORE_SOMETHING.search(current)) is not None
    is_now = _NOW.search(low) is not None
    if is_before == is_now:
        return TimeTarget.ANY
    return TimeTarget.BEFORE if is_before else TimeTarget.NOW


def _detect_question_type(low: str) -> QuestionType:
    return next((kind for kind, pattern in _TYPES if pattern.search(low)), QuestionType.OTHER)
