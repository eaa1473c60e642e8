"""Whether a memory can hold the value that a question asks for: an amount, a count, a name.

"What do I pay for my greenhouse?" is near to all that was said of a garden, and the calibrated closeness cannot see
that none of it names an amount. The terms of a memory show whether it has a number, counts by the same measure, or
names somebody. What is written as a date is no such number.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memories.text.tokenize import search_terms

# Whether the terms of a memory, separated by spaces, can hold the value.
AskedValue = Callable[[str], bool]

_HAN_NUMBER = "零一二两三四五六七八九十百千万俩仨几半双"
# 一 alone is an article as often as a number.
_HAN_AMOUNT = frozenset(_HAN_NUMBER) - {"一"}
_NUMBER_WORDS = frozenset(
    search_terms(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
        " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen couple"
        " both single twice once pair twins half quarter free unpaid nothing teens twenties thirties forties fifties"
    )
)
_AMOUNT_EN = re.compile(
    r"\bhow much (?:is|are|was|were|do|does|did)\b(?![^?]*\b(?:like|love|enjoy|matter|care|know|sleep|trust|miss)\b)"
    r"|\bhow (?:old|tall|heavy)\b"
    r"|\bwhat (?:is|was|are|were) (?:my|our|his|her|their|the|[\w-]+['’]s) (?:[\w'’-]+ ){0,3}"
    r"(?:salary|wages?|pension|rent|price|cost|fee|rate|rating|score|height|weight|budget|footage)\b"
    r"|\bwhat (?:do|does|did) [^?]{1,40} (?:cost|charge|earn|weigh|pay)\b",
    re.IGNORECASE,
)
_AMOUNT_ZH = re.compile(
    "多少(?:钱|块|元|分|斤|公斤|度|米|岁|平|亩|[？?]|$)|(?:工资|月薪|身高|体重|房租|学费|利率)是?多少|多大(?:年纪|岁数)|多高|多重"
)
# Measures of things; people and what is counted by 个 may be named one by one instead.
_COUNT_ZH = re.compile("几(?P<measure>[辆张间亩箱套棵台头匹条栋盏岁级段码楼层块斤])(?![一-龥]?[半晚])")
# The thing or person whose name is asked for.
_NAME_ZH = re.compile("(?P<who>[\u4e00-\u9fff]{2})(?:叫什么|叫啥|姓什么|姓啥|姓甚)")
_NAMING = re.compile("[叫姓名]")
# Whose number it is is always said with it; of telephones the number is long.
_CODE = re.compile(
    r"\b(?P<en>account|licen[cs]e|passport|card|membership|policy) number\b"
    r"|(?P<zh>账号|卡号|执照|驾照|护照|身份证|车牌)(?:的?号码|号|是多少)",
    re.IGNORECASE,
)
_PHONE = re.compile(
    r"\b(?:phone|telephone|mobile) number\b|(?:电话|手机号码?|联系方式)(?:号码)?是?(?:多少|什么)",
    re.IGNORECASE,
)
_LONG_NUMBER = re.compile(r"\d(?: ?\d){3,}")
_BIRTH = re.compile(
    r"\b(?:when|what|which day)(?: is| was|['’]s) [^?.]{1,40}\b(?:birthday|date of birth)\b"
    r"|\bwhen (?:was|were) [^?.]{1,40} born\b|生日(?:是|在)?(?:哪|几|什么时候|多少)|哪[天年月]出生的?",
    re.IGNORECASE,
)
_BORN = re.compile(
    r"\b(?:birth\w*|born|turn|annivers\w*)\b|生日|出生|生于|[0-9一二三四五六七八九十]岁|[日号天]生|降生"
)
_PRONOUN = re.compile("[我你您他她它们咱这那的]|用户|名字")
_DATE = re.compile("[年月周号日]|星期|第")
_MONTHS = frozenset(
    search_terms("January February March April May June July August September October November December")
)


def find_asked_value(text: str, language: str) -> AskedValue | None:
    """What memories must have to answer a question that asks for a value; None where it asks for something else."""
    if match := _CODE.search(text):
        what = search_terms(match["en"] or match["zh"])[0]
        return lambda terms: what in terms
    if _PHONE.search(text):
        return lambda terms: _LONG_NUMBER.search(terms) is not None
    if _BIRTH.search(text):
        return lambda terms: _BORN.search(terms) is not None
    if language == "zh":
        return _find_chinese(text)
    return _has_number if _AMOUNT_EN.search(text) else None


def _find_chinese(text: str) -> AskedValue | None:
    if match := _COUNT_ZH.search(text):
        counted = re.compile(rf"[{_HAN_NUMBER}]{match['measure']}|[0-9]")
        return lambda terms: counted.search(terms) is not None
    if _AMOUNT_ZH.search(text):
        return _has_number
    if (match := _NAME_ZH.search(text)) and not _PRONOUN.search(match["who"]):
        who = match["who"]
        return lambda terms: who[-1] in terms or _NAMING.search(terms) is not None
    return None


def _has_number(terms: str) -> bool:
    listed = terms.split()
    for before, term, behind in zip(["", *listed], listed, [*listed[1:], ""], strict=False):
        is_number = term[0].isdigit() or term in _NUMBER_WORDS or not _HAN_AMOUNT.isdisjoint(term)
        if is_number and not _DATE.search(term) and _MONTHS.isdisjoint((before, behind)):
            return True
    return False
