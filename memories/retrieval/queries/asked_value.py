"""Whether a memory can hold the value that a question asks for: an amount, a place, a name.

"What do I pay for my greenhouse?" is near to all that was said of a garden, and the calibrated closeness cannot see
that none of it names an amount. The terms of a memory and the kinds of values in it (`values_held`) show that.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memories.retrieval.values_held.chinese import SURNAMES
from memories.retrieval.values_held.held import find_asked_kinds
from memories.retrieval.values_held.kinds import HeldKind
from memories.retrieval.values_held.roles import find_role_signs
from memories.text.slots.registry import list_relative_words
from memories.text.words.tokenize import search_terms

# Whether a memory can hold the value, by its search terms, separated by spaces, and the kinds of values in it.
AskedValue = Callable[[str, int], bool]

_HAN_NUMBER = "零一二两三四五六七八九十百千万俩仨几半双"
# Measures of things; people and what is counted by 个 may be named one by one instead.
_COUNT_ZH = re.compile("几(?P<measure>[辆张间亩箱套棵台头匹条栋盏级段码楼层块斤])(?![一-龥]?[半晚])")
_FAMILY_SIZE = re.compile("几口人")
_DATE_TERMS = re.compile(r"\b\d{4} 年(?: \d{1,2} 月)?(?: \d{1,2} [日号])?|\b\d{1,2} 月(?: \d{1,2} [日号])?")
# The thing or person whose name is asked for.
_NAME_ZH = re.compile(
    "(?P<who>[\u4e00-\u9fff]{2})(?:(?:现在|到底|究竟)?(?:叫|取)(?:什么|啥)|的名字(?:叫|是)(?:什么|啥)|姓什么|姓啥|姓甚)"
)
# Behind the word for somebody these begin what is said of them; anything else there may be the name.
_NO_NAME_BEHIND = frozenset(
    "说是在的给让有和去要也还很都就会想教做住今上下这那最对把被用从到没不又已来爱喜每跟"
)
# Whose number it is is always said with it; of telephones the number is long.
_CODE = re.compile(
    r"""
    \b(?P<en>
        account|licen[cs]e|passport|card|membership|policy|frequent\ fl[iy]er|student|customer|patient|staff|employee
        |national\ insurance|social\ security|serial|tracking|order|booking|reservation|registration
    )\ number\b
    | (?P<zh>账号|卡号|执照|驾照|护照|身份证|车牌)(?:的?号码|号|是多少)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PHONE = re.compile(
    r"\b(?:phone|telephone|mobile) number\b|(?:电话|手机号码?|联系方式)(?:号码)?是?(?:多少|什么)",
    re.IGNORECASE,
)
_LONG_NUMBER = re.compile(r"\d(?: ?\d){3,}")
_BIRTH = re.compile(
    r"""
    \b(?:when|what|which\ day)(?:\ is|\ was|['’]s)\ [^?.]{1,40}\b(?:birthday|date\ of\ birth)\b
    | \bwhen\ (?:was|were)\ [^?.]{1,40}\ born\b | 生日(?:是|在)?(?:哪|几|什么时候|多少)
    | 哪[天年月]出生的?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BORN = re.compile(
    r"\b(?:birth\w*|born|turn|annivers\w*)\b|生日|出生|生于|[0-9一二三四五六七八九十]岁|[日号天]生|降生"
)
_BLOOD = re.compile(r"\bblood (?:type|group)\b|血型", re.IGNORECASE)
_BLOOD_GROUP = re.compile(r"\bblood (?:type|group)\b|\b(?:posit|negat)\w*\b|血型|型血|\b(?:a|b|ab|o) 型")
_PRONOUN = re.compile("[我你您他她它们咱这那]|用户|名字|[一-龥]的姓")


def find_asked_value(text: str, language: str) -> AskedValue | None:
    """Find what memories must have to answer a question that asks for a value; None where it asks for something
    else."""
    if match := _CODE.search(text):
        what = search_terms(match["en"] or match["zh"])[0]
        return lambda terms, held: what in terms and bool(held & HeldKind.NUMBER)
    for asked, answers in ((_PHONE, _LONG_NUMBER), (_BIRTH, _BORN), (_BLOOD, _BLOOD_GROUP)):
        if asked.search(text):
            return _require_pattern(answers)
    if language == "zh" and (asked_value := _find_chinese(text)):
        return asked_value
    kinds = find_asked_kinds(text, language)
    signs = find_role_signs(text) if language == "en" else frozenset()
    if kinds is not None and signs:
        return lambda terms, held: kinds.can_be_held(terms, held) and not signs.isdisjoint(terms.split())
    # Who it is, is said with a name or a word for somebody.
    if kinds is None or kinds.kinds & HeldKind.PERSON:
        return kinds.can_be_held if kinds else None
    says_all_of = _make_subject_check(text, language)
    return lambda terms, held: kinds.can_be_held(terms, held) or says_all_of(terms)


def _make_subject_check(text: str, language: str) -> Callable[[str], bool]:
    """Return whether a memory speaks of all that a question names: "The user's locker is number 12" of "Where is my
    locker?".

    It may give the value in words that nobody thought of. Which kind is asked for belongs to what is named, as in "How
    old is my dog?", unless it is asked for by a word without content.
    """
    if language == "zh":
        named_zh = _ASKING_ZH.sub("", text)
        return lambda terms: len(named_zh) >= _LEAST_NAMED_ZH and all(sign in terms for sign in named_zh)
    named = frozenset(search_terms(text))
    return lambda terms: bool(named) and named.issubset(terms.split())


_LEAST_NAMED_ZH = 2
_ASKING_ZH = re.compile(
    r"""
    [我咱你](?:们|家)?的? | 请问 | 现在 | 到底 | [在放停]?哪(?:里|儿|天|年|个月)? | 是 | 的 | 什么时候
    | 何时 | 谁 | [了呢啊呀吗？?。，,\s]
    """,
    re.VERBOSE,
)


def _require_pattern(answers: re.Pattern[str]) -> AskedValue:
    return lambda terms, held: answers.search(terms) is not None


def _find_chinese(text: str) -> AskedValue | None:
    if match := _COUNT_ZH.search(text):
        counted = re.compile(rf"[{_HAN_NUMBER}]{match['measure']}|[0-9]")
        return lambda terms, held: counted.search(_DATE_TERMS.sub("", terms)) is not None
    if _FAMILY_SIZE.search(text):
        family = re.compile(rf"[{_HAN_NUMBER}0-9] ?口|" + "|".join(list_relative_words()))
        return lambda terms, held: family.search(terms) is not None
    if (match := _NAME_ZH.search(text)) and not _PRONOUN.search(match["who"]):
        who = match["who"]
        return lambda terms, held: bool(held & HeldKind.NAMING) or _names_it(terms, who)
    return None


def _names_it(terms: str, who: str) -> bool:
    """Return whether a name may stand beside the word for this person or thing: 教练阿凯, 吴老师."""
    for term in terms.split():
        if term[0] == who[-1] and len(term) == 2 and term not in who and term[1] not in _NO_NAME_BEHIND:
            return True
        if term[-2:-1] in SURNAMES and term[-1] == who[0]:
            return True
    return False
