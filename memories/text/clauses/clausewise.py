"""New values that one clause of a statement gives, where its other clauses say something else.

"Oil has gone up, it is 150 now" and "The user has a garage, oil is 120, tyres 30": as whole sentences they speak of
different things. Clause by clause the second one says what the first one changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from memories.text.clauses.changed_values import (
    Frame,
    are_of_one_change,
    find_changed_values,
    find_missing_terms,
    read_frame,
)
from memories.text.clauses.changing.frames import is_on_other_day_elsewhere, read_clauses
from memories.text.clauses.changing.journeys import find_moved_journey
from memories.text.clauses.changing.readings import find_new_readings
from memories.text.clauses.changing.renames import find_new_name
from memories.text.clauses.stated_values import StatedChange, StatedValue, ValueSort, find_values
from memories.text.clauses.wording import is_event
from memories.text.en.case import fold_case

# The shell of a quotation says only who spoke and when: The user said on 3 May 2025: "…"
_SHELL = re.compile(
    r"^(?:The user said[^\"“]*|用户在[^“]*说)[:：] ?[\"“](?P<said>.+)[\"”][.。]?$", re.IGNORECASE
)
_CLAUSES = re.compile(r"[，。；;]|, (?!\d)|\. |(?: and| but| so)(?= (?:\w+ ){1,3}(?:is|are|costs?)\b)")
# A clause that says only that something changes, and leaves the value to the next one.
_ANNOUNCES = re.compile(
    r"""
    \b(?:prices?|rates?|fees?|rents?|hours|times?)\b.*\b(?:up|down|changed|changing|moved|rose|risen|fell)
    \b
    | (?:涨|降|调|变|改)(?:价|期|时间|名)?了?$
    """,
    re.VERBOSE,
)
# 换了新银行卡，尾号是2319: the number is that of the card.
_REPLACED_ZH = re.compile(
    "^(?:用户)?[^，不没想打]{0,6}?换了(?:一?[张个部台块把辆])?新的?(?P<what>[\u4e00-\u9fff]{1,6})$"
)
# Where something happens may change with it.
_PLACE = re.compile(
    r"\b(?:in|at) (?:the |their |an? )?[\w'-]+(?: [a-z][\w'-]*)?(?= on\b| at\b| from\b| now\b|$)"
)
# 跳远到两米五六了: a value that was reached.
_REACHED = re.compile("到[零一二两三四五六七八九十百千万0-9][^，。]{0,8}了$")
# 换一次 and 一斤 name what a price is for, and no value.
_ONE_EACH = re.compile("[每一][次个天斤份张晚碗杯盒瓶袋串盘桶箱间升小里平套](?![块元毛])")
# 房东把房租涨到两千五: who did it is not what it is about; nor is 用户 behind the topic, 鲜奶用户减到一瓶.
_AGENT_ZH = re.compile(
    "^[\u4e00-\u9fff]{1,4}把(?=[\u4e00-\u9fff]{2})|(?<=[\u4e00-\u9fff])用户(?:等人)?(?=[改换减加增调挪推涨降])"
)
# What a landlord puts up or down is the rent, and what a boss gives somebody more of is the wage:
# 房东给用户等人降到七千五了, 老板说从下个月起给用户涨到九千五.
_PAYER = re.compile(
    r"""
    (?:^|(?<=，))(?:用户的?)?(?:(?P<landlord>房东)|(?P<estate>物业)|(?P<bank>银行)|老板|公司|单位|领导|厂里)
    (?:说|通知(?:用户)?|告诉用户|宣布|决定|同意|答应)?(?:从[^，]{1,18}?(?:起|开始))?
    (?:又|这次|突然|[今明]年(?:（[^（）]*）)?|(?P<given>给用户(?:等人)?))*
    (?P<verb>[涨降减加提调升])(?:薪|工资|额度?)?(?=[到了至])
    """,
    re.VERBOSE,
)
_NO_TOPIC = re.compile(
    r"""
    给?[加减涨降升调提][到成为] | [改延][期时]了? | [涨降调变]价?了 | [每一][次个天斤] | \bas\ well\b
    | \b(?:because|due\ to|thanks\ to|had\ to)\b(?:\ of\ .*)? | 今年 | 去年 | 上次 | 这次 | 上午 | 下午
    | 早上 | 晚上 | 中午 | 傍晚
    """,
    re.VERBOSE,
)
# How a value came to be known says nothing of what it is of: 体检查出来尿酸520, 复查尿酸降到410了.
_MEASURING = frozenset("体检 复查 复测 复检 检查 查 查出来 测 量 称 化验 抽血 验血 体 出来 结果 报告".split())
_MEASURED_AGAIN = re.compile(
    "^(?P<when>(?:用户)?(?:上周|这周|上个?月|这个?月)?(?:（[^（）]*）)?)(?:去)?(?:复查|复检|复测)"
)
_FROM_NOW_ON = re.compile(r"\b(?:from now on|these days|nowadays|now)\b")
_PLANNED = re.compile(
    r"\b(?:would|might|may|if|wants?|plans?|hopes?|should|could)\b|打算|计划|想|可能|也许|如果|要是|暂时|今[天晚]|明天"
)
# Whose value it is, where that is not the user.
_OWNER = re.compile(
    r"""
    (?i:the\ user's)\ (?P<own>[\w-]+)
    | 用户的(?!
          [腰腿脚肩颈胃] | 眼睛 | [\u4e00-\u9fff][就只也都又已现剩走死的] | 膝盖 | 身体 | 嗓子 | 公司
          | 团队 | 学校 | 单位 | 小区 | 村里 | 店里
      )(?P<zh>[\u4e00-\u9fff]{2})
    | (?!(?:The|They|It|We|From|In|On|At)\b)(?P<name>[A-Z][a-z]+)(?:'s)?\ (?=[a-z])
    """,
    re.VERBOSE,
)
# What was arranged is still to come.
_ARRANGES = re.compile(
    r"\b(?:booked|scheduled|reserved|arranged)\b|[约订挂](?:好|上|号)?了|报(?:好|上|名)?了"
)
_LEAST_HAN = 2
_PERIODS = frozenset("月 年 天 周 次 晚 季".split())


def get_words(text: str) -> str:
    """Return what a quotation says, without the words that say who said it and when."""
    match = _SHELL.match(text)
    return match["said"] if match else text


def says_new_value(new_text: str, old_text: str) -> bool:
    """Return whether a clause that says that something changed gives a new value of what a clause of the old one
    values."""
    return bool(find_new_values(new_text, old_text))


@lru_cache(maxsize=4_096)
def find_new_values(new_text: str, old_text: str) -> tuple[StatedChange, ...]:
    """Find what the old statement says for a value, and what the new one says for it, in the words of each."""
    if moved := _find_moved_hour(get_words(new_text), get_words(old_text)):
        return (moved,)
    if journey := find_moved_journey(new_text, old_text):
        return (journey,)
    new_text = _PAYER.sub(_name_what_is_paid, _AGENT.sub(_leave_agent_out, new_text))
    new, old = get_words(new_text), get_words(old_text)
    if not is_of_one_owner(new_text, old_text):
        return ()
    if renamed := find_new_name(new, old):
        return (StatedChange(*renamed),)
    if readings := find_new_readings(new_text, old_text):
        return readings
    changing = list(_iterate_changes(new))
    return tuple(
        dict.fromkeys(
            StatedChange(older[theirs.start : theirs.end], clause.text[mine.start : mine.end])
            for older in _split_clauses(old)
            for clause in changing
            for mine, theirs in _find_pairs(clause, older, old)
        )
    )


# "The user's doctor raised their lisinopril to 20 mg": who did it is not what it is about.
_AGENT = re.compile(
    r"""
    ^(?:The\ user\ said[^\"]*\")?(?:
        (?:The\ user's|My)\ [a-z-]+(?:\ [A-Z]\w+)? | (?P<stranger>They(?:'ve)? | The\ (?!user\b)[a-z-]+)
        | The\ user | Dr\.?\ [A-Z]\w+
    )\ (?:has\ |have\ |just\ |now\ |already\ )*(?:
        raised | increased | upped | bumped | lowered | reduced | cut | dropped | put | changed | moved
        | adjusted | set | pushed | shifted | switched | postponed | rescheduled | brought
    )\ (?:(?:the\ user's|their|my|our)\ | (?(stranger)(?:the\ )?|(?!)))(?P<what>
        [a-z][\w' -]{1,40}?
    )(?:\ (?:up|down|back|over))?\ to[ ]
    (?P<value>[^ ,;\"]+(?:\ [^ ,;\"]+){0,5}?)(?=[\".,;]|$)
    """,
    re.VERBOSE,
)


def _leave_agent_out(match: re.Match[str]) -> str:
    return f"The user's {match['what']} was changed to {match['value']}"


def _name_what_is_paid(match: re.Match[str]) -> str:
    if match["landlord"]:
        return f"用户的房租{match['verb']}"
    if match["estate"]:
        return f"物业费{match['verb']}"
    if not match["given"]:  # 公司涨到一百人了
        return match[0]
    return f"用户的{'额度' if match['bank'] else '工资'}{match['verb']}"


# "They moved my start to five": the hour at which "The user's shift starts at six".
_MOVED_HOUR = re.compile(
    r"""
    \b(?:moved|shifted|changed|pushed|brought|put)(?:\ back|\ forward)?\ (?:the\ user's|my|our|their)[ ]
    (?P<what>(?:[a-z]+\ ){0,2})(?P<edge>start|finish)(?:\ times?)?(?:\ back|\ forward|\ up)?
    (?:\ from\ [\w:. ]{1,12}?)?\ (?P<at>to\ )(?P<hour>[\w:.]+(?:\ ?[ap]m\b)?)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_EDGES = {"start": r"start(?:s|ing)?|begins?", "finish": r"finish(?:es)?|ends?|knocks? off"}


def _find_moved_hour(new: str, old: str) -> StatedChange | None:
    match = _MOVED_HOUR.search(new)
    if match is None or _PLANNED.search(new):
        return None
    edge = _EDGES[fold_case(match["edge"])]
    if not re.match(
        rf"(?i)The user(?:'s (?:[a-z]+ )*?(?:shifts?|work|job|day))?(?: [a-z]+ly| now)? (?:{edge})\b", old
    ):
        return None
    held = [value for value in find_values(old) if value.sort == ValueSort.TIME]
    given = [value for value in find_values(f"at {match['hour']}") if value.sort == ValueSort.TIME]
    is_of_it = all(word in old.lower() for word in match["what"].lower().split())
    if len(held) != 1 or len(given) != 1 or not is_of_it or not given[0].is_rival_of(held[0]):
        return None
    return StatedChange(old[held[0].start : held[0].end], match["hour"].rstrip("."))


def find_exchanges(new_text: str, old_text: str) -> tuple[StatedChange, ...]:
    """The same where everything else in the old statement still holds: nothing but the value is another."""
    if not is_of_one_owner(new_text, old_text):
        return ()
    if journey := find_moved_journey(new_text, old_text):
        return (journey,)
    new, old = get_words(new_text), get_words(old_text)
    known = read_frame(old).terms
    is_known = all(not find_missing_terms(change.whole, known) for change in _iterate_changes(new))
    return find_new_values(new_text, old_text) if is_known else ()


def is_of_one_owner(new_text: str, old_text: str) -> bool:
    """False where one is about something of the user, or somebody by name, that the other one does not mention."""
    if _name_one_thing(get_words(new_text), get_words(old_text)):
        return True
    matches = [match for text in (new_text, old_text) if (match := _OWNER.match(get_words(text)))]
    owners = {(match["own"] or match["zh"] or match["name"]).casefold() for match in matches}
    return all(who in new_text.casefold() and who in old_text.casefold() for who in owners)


# "They raised the limit" is of "the user's credit card limit", and of no "sister's limit".
_CHANGED_THING = re.compile("The user's (?P<words>[a-z-]+(?: [a-z-]+){0,2}) was changed to ")
_OWN_THING = re.compile("The user's (?P<words>[a-z-]+(?: [a-z-]+){1,3}) (?:is|are|was|were) ")


def _name_one_thing(new: str, old: str) -> bool:
    """Return whether what somebody changed is named by the end of the name that it has in the older statement."""
    ours, theirs = _CHANGED_THING.match(new), _OWN_THING.match(old)
    return bool(ours and theirs and theirs["words"].endswith(f" {ours['words']}"))


class _Change(NamedTuple):
    """A clause that gives a changed value, the terms of what it speaks of (its own, or those before it), and all its
    terms, with those of the place."""

    text: str
    frame: Frame
    topic: frozenset[str]
    whole: frozenset[str]


@lru_cache(maxsize=2_048)
def _split_clauses(text: str) -> tuple[str, ...]:
    return tuple(part.strip(" .。") for part in _CLAUSES.split(text) if part.strip(" .。"))


def _iterate_changes(text: str) -> Iterator[_Change]:
    before: frozenset[str] = frozenset()
    is_announced, replaced = False, ""
    for part in _split_clauses(text):
        clause = _AGENT_ZH.sub("", _ONE_EACH.sub(" ", part))
        if again := _MEASURED_AGAIN.match(clause):
            clause = clause[again.end("when") :]
        frame = read_frame(clause)
        bare = _NO_TOPIC.sub(" ", _PLACE.sub(" ", clause) if _FROM_NOW_ON.search(clause) else clause)
        terms = _leave_measuring_out(term for term in read_frame(bare).terms if not _is_light(term))
        is_reached = bool(again or _REACHED.search(clause))
        is_changed = is_announced or frame.says_changed or is_reached
        if replaced and frame.values:
            terms = (terms | {replaced}) - {"新"}
        if frame.values and is_changed and not frame.is_another and not _PLANNED.search(clause):
            own = read_frame(_NO_TOPIC.sub(" ", clause)).terms
            whole = _leave_measuring_out(term for term in own if not _is_light(term))
            yield _Change(clause, frame, terms or before, whole | terms if replaced else whole)
        renewed = _REPLACED_ZH.match(clause)
        replaced = renewed["what"] if renewed else ""
        is_announced = (frame.says_changed and bool(frame.values)) or bool(
            renewed or _ANNOUNCES.search(clause)
        )
        before = terms or before


def _find_pairs(new: _Change, older: str, old_text: str) -> list[tuple[StatedValue, StatedValue]]:
    """The values with those whose place they take; none of what happened once."""
    old = read_frame(_ONE_EACH.sub("  ", older))  # as long as it was: values keep their places
    pairs = find_changed_values(new.frame, old)
    is_once = is_event(older) and not old.says_changed and not _ARRANGES.search(older)
    if is_once or not are_of_one_change(pairs):
        return []
    if any(
        is_on_other_day_elsewhere(new_clause, held)
        for new_clause in read_clauses(new.text)
        for held in read_clauses(older)
    ):
        return []
    # 租了个工位，一个月九百五: of what the amount is, the clause before it says.
    units = {value.unit for value in old.values}
    is_amount_only = bool(new.topic) and old.terms - units <= _PERIODS and older != old_text
    is_about_it = is_amount_only or bool(new.topic - find_missing_terms(new.topic, old.terms))
    is_known = not find_missing_terms(new.topic, read_frame(old_text).terms)
    return pairs if is_about_it and is_known else []


def _leave_measuring_out(terms: Iterable[str]) -> frozenset[str]:
    """The terms of what is measured; a check-up that is moved to Friday is the thing itself."""
    known = frozenset(terms)
    return known - _MEASURING or known


def _is_light(term: str) -> bool:
    """One Chinese character alone is mostly a verb or a measure, which go with many things."""
    return not term.isascii() and len(term) < _LEAST_HAN
