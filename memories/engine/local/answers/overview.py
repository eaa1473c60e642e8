"""Sorts what is remembered of a user into the groups of an overview: who they are, people, work, health and so on.

The state that a memory holds (its slot) decides first, then its time, then general words of each field; what fits
nowhere is said under "More".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from functools import partial

from memories.engine.answering import Remembered
from memories.text.clauses.overviews import OverviewTopic
from memories.text.clauses.sentences import clean_message, split_sentences
from memories.text.clauses.statements import is_question, is_request
from memories.text.topics.topics import find_topics, get_topic_name
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords
from memories.values import MemoryKind


class OverviewGroup(StrEnum):
    """A part of an overview; they are shown in this order."""

    PERSON = "person"
    HEALTH = "health"
    PEOPLE = "people"
    WORK = "work"
    PREFERENCES = "preferences"
    PLANS = "plans"
    EVENTS = "events"
    MORE = "more"


HEADINGS = {
    OverviewGroup.PERSON: ("Who you are", "关于你"),
    OverviewGroup.HEALTH: ("Health and safety", "健康与安全"),
    OverviewGroup.PEOPLE: ("Family, friends and animals", "家人、朋友和宠物"),
    OverviewGroup.WORK: ("Work and studies", "工作和学习"),
    OverviewGroup.PREFERENCES: ("What you like and want", "喜好与要求"),
    OverviewGroup.PLANS: ("Plans", "计划"),
    OverviewGroup.EVENTS: ("What happened", "发生过的事"),
    OverviewGroup.MORE: ("More", "其他"),
}
# Of a question for one topic these groups are shown.
OF_TOPIC = {
    OverviewTopic.PEOPLE: {OverviewGroup.PEOPLE},
    OverviewTopic.WORK: {OverviewGroup.WORK},
    OverviewTopic.HEALTH: {OverviewGroup.HEALTH},
    OverviewTopic.PREFERENCES: {OverviewGroup.PREFERENCES},
    OverviewTopic.PLANS: {OverviewGroup.PLANS},
    OverviewTopic.PERSON: {OverviewGroup.PERSON},
    OverviewTopic.EVERYTHING: set(OverviewGroup),
}
VIEW = "[assistant view]"
_SLOTS = {
    "name": OverviewGroup.PERSON,
    "residence": OverviewGroup.PERSON,
    "housing": OverviewGroup.PERSON,
    "pronouns": OverviewGroup.PERSON,
    "household": OverviewGroup.PEOPLE,
    "age": OverviewGroup.PERSON,
    "birthday": OverviewGroup.PERSON,
    "hometown": OverviewGroup.PERSON,
    "nationality": OverviewGroup.PERSON,
    "native language": OverviewGroup.PERSON,
    "speaks": OverviewGroup.PERSON,
    "religion": OverviewGroup.PERSON,
    "address": OverviewGroup.PERSON,
    "e-mail": OverviewGroup.PERSON,
    "phone number": OverviewGroup.PERSON,
    "time zone": OverviewGroup.PERSON,
    "marital status": OverviewGroup.PEOPLE,
    "name of": OverviewGroup.PEOPLE,
    "partner": OverviewGroup.PEOPLE,
    "children": OverviewGroup.PEOPLE,
    "siblings": OverviewGroup.PEOPLE,
    "pet": OverviewGroup.PEOPLE,
    "job": OverviewGroup.WORK,
    "employer": OverviewGroup.WORK,
    "school": OverviewGroup.WORK,
    "major": OverviewGroup.WORK,
    "salary": OverviewGroup.WORK,
    "work city": OverviewGroup.WORK,
    "allergy": OverviewGroup.HEALTH,
    "allergies": OverviewGroup.HEALTH,
    "medication": OverviewGroup.HEALTH,
    "condition": OverviewGroup.HEALTH,
    "blood type": OverviewGroup.HEALTH,
    "diet": OverviewGroup.HEALTH,
    "height": OverviewGroup.HEALTH,
    "weight": OverviewGroup.HEALTH,
    "likes": OverviewGroup.PREFERENCES,
    "favourite": OverviewGroup.PREFERENCES,
    "taste": OverviewGroup.PREFERENCES,
    "hobby": OverviewGroup.PREFERENCES,
    "goal": OverviewGroup.PLANS,
    "dream": OverviewGroup.PLANS,
    "deadline": OverviewGroup.PLANS,
}
# General words of illness and care, in both languages; names of illnesses and medicines are not listed.
_HEALTH = re.compile(
    r"""
    \b(?:
        allerg\w+ | intoleran\w+ | diagnos\w+ | medic(?:ine|ines|ation|ations|al) | prescri\w+
        | pregnan\w+ | surger\w+ | symptoms? | disease | illness | disabilit\w+ | wheelchair
        | blood\ (?:pressure|sugar|type) | doctor's\ orders | vegan | vegetarian | injur\w+ | pills?
        | dose
    )\b
    | 过敏 | 不耐受 | 确诊 | 服药 | 吃药 | 用药 | 病史 | 怀孕 | 手术 | 血压 | 血糖 | 血型 | 忌口 | 素食
    | 受伤 | 症
    """,
    re.IGNORECASE | re.VERBOSE,
)
_KIN = (
    "mothers?|mums?|moms?|fathers?|dads?|parents?|brothers?|sisters?|siblings?|sons?|daughters?|child"
    "|children|kids?|baby|babies"
    "|twins?|wife|husband|spouse|partner|girlfriend|boyfriend|fianc[ée]e?|grand(?:mother|father|ma|pa"
    "|son|daughter|child|children|parents)"
    "|uncles?|aunts?|cousins?|nephews?|nieces?|friends?|neighbou?rs?|roommates?|flatmates?"
    "|[a-z]+-in-law"
)
_PEOPLE = re.compile(
    rf"\b(?:{_KIN})\b|妈|爸|父亲|母亲|父母|哥哥|姐姐|弟弟|妹妹|儿子|女儿|孩子|宝宝|双胞胎|妻子|丈夫"
    rf"|老婆|老公|对象|男友|女友|男朋友|女朋友|未婚"
    r"|爷爷|奶奶|外公|外婆|姥姥|姥爷|叔|舅|姑|姨|侄|外甥|表[哥姐弟妹]|堂[哥姐弟妹]|朋友|邻居|室友|岳父"
    r"|岳母|公公|婆婆",
    re.IGNORECASE,
)
# Who is named beside a word of kinship: later memories about them belong to the family too.
_NAMED = re.compile(
    rf"\b(?:{_KIN})(?:,| called| named| (?:is|are) (?:called|named)|['’]s name is"
    rf"|s['’] names are)? ((?:[A-Z]\w+)(?:(?:, | and |, and )[A-Z]\w+)*)"
)
_NAMED_ZH = re.compile(r"叫(?:做)?([\u4e00-\u9fff]{2,3}?)(?=[，。；、和的今]|$)")
_DATED = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_AS_OF = re.compile(r"\(as of [^)]*\)|（截至[^）]*）")
_LIKING = re.compile(
    r"""
    \b[Tt]he\ user\ (?:\w+\ )?(?:likes|loves|prefers|enjoys|hates|dislikes|avoids)\b
    | 用户(?:更|最|很|不|也|非常|特别)*(?:喜欢|爱|偏好|讨厌)
    """,
    re.VERBOSE,
)
_PLANS = re.compile(
    r"""
    \b(?:
        plans?\ to | is\ planning | intends?\ to | is\ going\ to | hopes?\ to | wants?\ to
        | would\ like\ to | aims?\ to | is\ saving | will | wishes\ to | dreams?\ of
        | is\ (?:flying|moving|travelling|starting|getting\ married)
        | has\ (?:an?\ )?(?:appointment|meeting|interview|exam)
    )\b
    | 打算 | 计划 | 准备 | 想(?:要|去|学|换|买|找|做) | 要去 | 预约 | 约了 | 梦想
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FIELDS = (
    ("health", OverviewGroup.HEALTH),
    ("family", OverviewGroup.PEOPLE),
    ("pets", OverviewGroup.PEOPLE),
    ("relationships", OverviewGroup.PEOPLE),
    ("work", OverviewGroup.WORK),
    ("education", OverviewGroup.WORK),
    ("business", OverviewGroup.WORK),
)


def asks_something(text: str) -> bool:
    """Return whether a message that nothing was made of yet only asks for something, as for this overview."""
    sentences = split_sentences(clean_message(text))
    languages = [(sentence, detect_language(sentence)) for sentence in sentences]
    return all(
        is_question(sentence, language) or is_request(sentence, language) for sentence, language in languages
    )


def find_overview_group(
    memory: Remembered, now: datetime, names: frozenset[str] = frozenset()
) -> OverviewGroup | None:
    """Find where an overview shows it; None for what only an assistant said. `names` are those of the user's people."""
    if memory.speaker == "assistant" or memory.text.startswith(VIEW):
        return None
    if memory.is_raw and asks_something(memory.text):
        return None
    if memory.speaker or memory.is_raw:
        return OverviewGroup.EVENTS
    by_slot = _SLOTS.get(memory.slot.partition(":")[0])
    fields = _find_topic_names(memory.text)
    if is_about_health(memory.text) or (by_slot is None and fields[:1] == ["health"]):
        return OverviewGroup.HEALTH
    if by_slot is not None:
        return by_slot
    if says_liking(memory):
        return OverviewGroup.PREFERENCES
    is_dated = _DATED.search(_AS_OF.sub("", memory.text)) is not None
    is_ahead = memory.event_time is not None and memory.event_time > now
    if (is_dated and is_ahead) or (not is_dated and _PLANS.search(memory.text)):
        return OverviewGroup.PLANS
    if is_about_people(memory, names):
        return OverviewGroup.PEOPLE
    if is_dated:
        return OverviewGroup.EVENTS
    return next((group for name, group in _FIELDS if name in fields[:2]), OverviewGroup.MORE)


def is_about_health(text: str) -> bool:
    return _HEALTH.search(text) is not None


def is_food_or_health(query: str) -> bool:
    """Return whether allergies and illnesses have to be thought of in what is asked for."""
    return not {"food", "health"}.isdisjoint(_find_topic_names(query)[:2])


def is_about_answers(text: str) -> bool:
    """Return whether it says how the assistant is to answer, which is nothing that a question asks for."""
    return _find_topic_names(text)[:1] == ["answer style"]


def says_liking(memory: Remembered) -> bool:
    return memory.kind == MemoryKind.PREFERENCE or _LIKING.search(memory.text) is not None


def _find_topic_names(text: str) -> list[str]:
    return [get_topic_name(topic, "en") for topic in find_topics(extract_keywords(text))]


def is_about_people(memory: Remembered, names: frozenset[str]) -> bool:
    """Return whether it names somebody of the user's, or a word of kinship."""
    return _PEOPLE.search(memory.text) is not None or any(name in memory.text for name in names)


def find_people_names(remembered: Sequence[Remembered]) -> frozenset[str]:
    """The names of those who are called the user's wife, sons, friends or the like."""
    names: set[str] = set()
    for memory in remembered:
        if memory.slot != "name" and not memory.speaker and _PEOPLE.search(memory.text):
            for match in _NAMED.finditer(memory.text):
                names.update(re.split(r", and |, | and ", match[1]))
            names.update(_NAMED_ZH.findall(memory.text))
    return frozenset(names)


def sort_into_groups(
    remembered: Sequence[Remembered], now: datetime, topic: OverviewTopic
) -> dict[OverviewGroup, list[Remembered]]:
    """Return what is to be shown of each group: states first, then the newest; groups in their order, none empty."""
    groups: dict[OverviewGroup, list[Remembered]] = {}
    names = find_people_names(remembered)
    for memory in remembered:
        group = find_overview_group(memory, now, names)
        if topic == OverviewTopic.PEOPLE and group is not None and is_about_people(memory, names):
            group = OverviewGroup.PEOPLE
        if group in OF_TOPIC[topic]:
            groups.setdefault(group, []).append(memory)
    return {
        group: sorted(groups[group], key=partial(_build_sort_key, group=group))
        for group in OverviewGroup
        if group in groups
    }


_SLOT_ORDER = {slot: place for place, slot in enumerate(_SLOTS)}


def _build_sort_key(memory: Remembered, group: OverviewGroup) -> tuple[float, str]:
    """What is next first among plans, what is newest among events, states in their order elsewhere."""
    at = memory.event_time.timestamp() if memory.event_time else 0.0
    if group == OverviewGroup.PLANS:
        return (at if _DATED.search(memory.text) else float("inf")), memory.day
    if group == OverviewGroup.EVENTS:
        return -at, memory.day
    return _SLOT_ORDER.get(memory.slot.partition(":")[0], len(_SLOT_ORDER)), ""
