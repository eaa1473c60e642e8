"""Values in a statement that may change while the statement stays the same: clock times, dates, codes, numbers.

"The meeting is at 4 on Thursday" and "The meeting has moved to 5" say the same of the same thing but for one value. Two
such statements cannot both hold, unless they speak of two things: so everything else is compared word by word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memories.text.clauses.wording import DATES, LIGHT, is_one_stem
from memories.text.tokenize import extract_keywords
from memories.text.zh.script import to_simplified

_SMALL = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty""".split()
_NUMBERS = {word: value for value, word in enumerate(_SMALL, 1)} | {
    word: value * 10
    for value, word in enumerate("thirty forty fifty sixty seventy eighty ninety hundred".split(), 3)
}
_WORD_NUMBER = rf"(?:(?:{'|'.join(_NUMBERS)})(?:[ -](?:{'|'.join(_NUMBERS)}))*)"
_ZH_DIGIT = "零一二两三四五六七八九十百千万"
_CLOCK = re.compile(
    rf"""
    \b(?P<hour>\d{{1,2}})[:.](?P<minute>\d\d)(?!\d)(?:\ ?(?P<half>[ap](?:m\b|\.m\b\.?)))?
    | \b(?P<hour2>\d{{1,2}}|{_WORD_NUMBER})(?:\ ?(?P<half2>[ap](?:m\b|\.m\b\.?))|\ o['’]?clock\b)
    | \b(?P<past>half\ past|half(?!\ past)|(?:quarter|five|ten|twenty|twenty-five)\ (?:past|to))\ (?P<hour3>\d{{1,2}}|{_WORD_NUMBER})\b
    | \b(?P<noon>noon|midday|midnight)\b
    | (?<=\bat\ )(?P<hour4>\d{{1,2}}|{"|".join(_SMALL[:12])})(?=\s*$|[,;!?]|\.(?!\d)|\ (?:now|on|in|every|tomorrow|today|instead|with|sharp|and|from)\b)
    | (?P<part>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|今晚|明早)?(?P<zh>\d{{1,2}}|[{_ZH_DIGIT}]{{1,3}})(?:点|时(?!间|候))
      (?P<zh_minute>钟|半|[一三]刻|(?:\d{{1,2}}|[{_ZH_DIGIT}]{{1,3}})分?)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Telephone numbers and the like: their groups are one value.
_LONG_NUMBER = re.compile(r"(?<![\w.])\+?\d(?:[ -]?\d){6,}(?!\w)")
_CODE = re.compile(
    r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9-]*\d)(?=[A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![A-Za-z0-9_-])"
)
_NUMBER = re.compile(
    rf"(?P<sign>[$€£¥￥] ?)?(?P<digits>(?<![A-Za-z0-9_.,])\d+(?:,\d{{3}})*(?:\.\d+)?(?!\d))"
    rf"|\b(?P<word>{_WORD_NUMBER})\b|(?P<zh>[{_ZH_DIGIT}]{{1,6}})(?=[只个条位本件台辆次岁天块元份箱张杯斤人间名层楼公米毫分段级片粒针亩头户瓶袋盒棵株盆桶碗双套节门%])",
    re.IGNORECASE,
)
# What is said of money and lengths: 两块六 is 2.6 块, 两米五六 is 2.56 米, 一百二 is 120; and 涨到十八 has no unit.
_SPOKEN_ZH = re.compile(
    r"""
    (?P<whole>\d{1,6}|[零一二两三四五六七八九十百千万]{1,6})(?P<unit>[块米])(?P<part>[一二三四五六七八九\d]{1,2})(?![十百千万点\d])
    | (?P<most>[一二两三四五六七八九十]{1,2}[百千万])(?P<tenth>[一二三四五六七八九])(?![十百千万一二三四五六七八九块元点])
    | (?<![点第初周期])(?P<bare>(?=[^，。]?[十百千万])[一二两三四五六七八九十百千万]{2,6})(?=了?(?:$|[，。；、]))
    """,
    re.VERBOSE,
)
# How often, which is one value: "three times a week", "every other day".
_FREQUENCY = re.compile(
    rf"\b(?:(?:once|twice|(?:{_WORD_NUMBER}|\d+) times) (?:an? |per |every |each )|every (?:other |second |third |fourth |fifth |sixth |seventh |eighth |ninth |tenth )?)(?:day|night|week|fortnight|month|year|term)\b"
    rf"|\bevery (?:{_WORD_NUMBER}|\d+) (?:days|nights|weeks|months|years)\b|\b(?:daily|weekly|fortnightly|monthly)\b",
    re.IGNORECASE,
)
_ONCE = re.compile(r"^every |ly$|once (?:an?|per|every|each) ")
# "4.20" is a price unless something says that it is a time.
_SAYS_CLOCK = re.compile(
    r"\b(?:at|by|from|until|till|before|after|around|(?:moved|shifted|pushed|put|brought|changed)\b[^,;]* to) $",
    re.IGNORECASE,
)
_UNIT_BEHIND = re.compile(r"[ -]?(?P<unit>[A-Za-z%°]+|[\u4e00-\u9fff]{1,2})")
_WORD_BEFORE = re.compile(r"(?P<unit>[A-Za-z]+) ?$")
# Words that say that something changed. A closed class: verbs of change, adverbs of the present, words of correction.
_CHANGE = re.compile(
    r"""
    \b(?:now|nowadays|these\ days|instead|no\ longer|any\ ?more|from\ now\ on|actually|after\ all|meanwhile)\b
    | \b(?:has|have|had|was|were|is|are|got|been|just)\ (?:\w+\ )?(?:chang|mov|reschedul|postpon|push|rais|lower|increas|reduc
        |updat|correct|switch|replac|renam|extend|shorten|delay|shift|upgrad|transferr)e?d\b
    | \b(?:went|gone|go|goes)\ (?:up|down)\b | \b(?:is|are|am)\ (?:now\ )?(?:down|up)\ to\b | \b(?:moved|changed|switched|brought\ forward|pushed\ back|put\ (?:off|back|forward)|rearranged|rebooked)\b
    | \b(?:cut|raised|dropped|lowered|increased|reduced|bumped|shifted|pushed)\b[^,.;]{0,30}\ to\b
    | \b(?:put|puts|bump(?:ed)?|mark(?:ed)?)\b[^,.;]{0,30}\ (?:up|down)\ to\b
    | \b(?:go|goes|going|went|gone|is|are|am)\ (?:\w+\ )?(?:up|down)\ to\b
    | 现在|如今|目前|不再|[只就]剩 | (?:改|换|变|挪|调|移|推|推迟|提前|延期|涨|降|减|加|升)(?:为|成|到|至|了)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Not one thing with a new value, but one thing more.
_ANOTHER = re.compile(
    r"\b(?:another|also|too|as well|second|third|extra|additional|other)\b|另|还有|也|又|第[二三四]|再"
)
# The words of a change itself say nothing about what changed.
CHANGE_WORDS = frozenset(
    extract_keywords(
        "now nowadays instead actually moved changed rescheduled postponed pushed raised lowered increased reduced updated"
        " corrected switched replaced extended shortened delayed shifted cut dropped bumped put been gone went goes from since down start begin held set scheduled rearranged rebooked takes place"
        " cost costs price priced charge charges charged"
    )
) | frozenset(
    "改 改为 改成 改到 换成 换到 变成 变为 挪到 调到 调整 移到 推迟 推迟到 提前 提前到 延期 定 到 至 涨 涨到 降到 减到 升到 说错 钟 半 卖 收 收费 要价 定价 只剩 就剩 剩 剩下 还剩 价格 价钱 租金 费用 工钱".split()
)


# Where the new value stands in a change, and since when it holds.
_SURROUNDINGS = re.compile(
    r"\b(?:since|as of|starting|effective)\b[^,.;]*|\b(?:pushed back|brought forward|put off|put back|put forward)\b"
    r"|从[^，。]{0,8}?(?:起|开始)|(?:改|定|换|变|挪|调|移|推|推迟|提前|延期|调整|涨|降|减|升)(?:为|成|到|在|至|了)+|现在|如今|目前|[在是为]",
    re.IGNORECASE,
)


# Many things are counted in these.
_UNITS = frozenset(
    extract_keywords(
        "hours minutes days weeks months years km kilometres miles metres kg kilos grams mg euros pounds dollars percent times"
        " degrees cm mm litres people euro pound dollar"
    )
) | frozenset("个 次 天 年 月 元 块 人 岁 点 分 公 斤 米 小 种 位 份 件".split())


class Sort(StrEnum):
    """What sort of value it is: only values of one sort can take each other's place."""

    TIME = "time"
    DATE = "date"
    CODE = "code"
    NUMBER = "number"
    FREQUENCY = "frequency"


@dataclass(frozen=True, slots=True)
class Value:
    """A value and where it stands. `key` is the same for "17:00" and "5 pm"; `unit` is what a number counts."""

    sort: Sort
    key: str
    unit: str
    start: int
    end: int

    def is_rival_of(self, other: Value) -> bool:
        """Another value of the same sort, of which one thing has only one."""
        if self.sort != other.sort or self.same_as(other):
            return False
        return self.sort != Sort.NUMBER or not self.unit or not other.unit or self.unit == other.unit

    def same_as(self, other: Value) -> bool:
        if self.sort == Sort.TIME and other.sort == Sort.TIME:
            return _same_time(self.key, other.key)
        if self.sort == Sort.DATE and other.sort == Sort.DATE:
            return _same_date(self.key, other.key)
        return (self.sort, self.key) == (other.sort, other.key)


def _same_time(one: str, other: str) -> bool:
    """ "4:00" may be meant by "16:00", for clocks have twelve hours."""
    (hour, minute), (their_hour, their_minute) = one.split(":"), other.split(":")
    return minute == their_minute and int(hour) % 12 == int(their_hour) % 12


def _same_date(one: str, other: str) -> bool:
    """A date with its year and the same without."""
    return one == other or one in other or other in one


@lru_cache(maxsize=4_096)
def find_values(text: str) -> tuple[Value, ...]:
    """All values, in the order in which they stand. No part of the text belongs to two of them."""
    found: list[Value] = []
    taken = bytearray(len(text))

    def take(match: re.Match[str], sort: Sort, key: str, unit: str = "") -> None:
        if not any(taken[match.start() : match.end()]):
            taken[match.start() : match.end()] = b"\x01" * (match.end() - match.start())
            found.append(Value(sort, key, unit, match.start(), match.end()))

    for match in _CLOCK.finditer(text):
        is_decimal = match["hour"] and "." in match[0] and not match["half"]
        if is_decimal and not _SAYS_CLOCK.search(text[: match.start()]):
            continue
        if key := _build_clock_key(match):
            take(match, Sort.TIME, key)
    for match in DATES.finditer(text):
        take(match, Sort.DATE, _build_date_key(match[0]))
    for match in _LONG_NUMBER.finditer(text):
        take(match, Sort.CODE, re.sub(r"[ -]", "", match[0]))
    for match in _CODE.finditer(text):
        if not re.fullmatch(
            r"\d+(?:st|nd|rd|th|s|h|m|km|kg|g|mg|mcg|iu|ml|cm|mm|l|lb|k|am|pm|min)", match[0], re.IGNORECASE
        ):
            take(match, Sort.CODE, match[0].casefold())
    for match in _FREQUENCY.finditer(text):
        take(match, Sort.FREQUENCY, _ONCE.sub("", match[0].lower()).replace("dai", "day"))
    for match in _SPOKEN_ZH.finditer(text):
        take(match, Sort.NUMBER, _build_spoken_key(match), match["unit"] or "")
    for match in _NUMBER.finditer(text):
        take(match, Sort.NUMBER, _build_number_key(match), _find_unit(text, match))
    return tuple(sorted(found, key=lambda value: value.start))


def remove_values(text: str) -> str:
    """The text with its values cut out."""
    kept, at = [], 0
    for value in find_values(text):
        kept.append(text[at : value.start])
        at = value.end
    return " ".join([*kept, text[at:]])


def _build_clock_key(match: re.Match[str]) -> str:
    if match["noon"]:
        return "0:00" if match["noon"].lower() == "midnight" else "12:00"
    if match["zh"]:
        hour = _parse_chinese_number(match["zh"])
        minute = _parse_chinese_minute(match["zh_minute"] or "")
        is_late = (match["part"] or "") in {"下午", "傍晚", "晚上", "夜里", "今晚"} and hour < 12
        return f"{hour + 12 * is_late}:{minute:02}" if hour <= 24 else ""
    raw = match["hour"] or match["hour2"] or match["hour3"] or match["hour4"]
    hour = int(raw) if raw.isdigit() else _parse_english_number(raw)
    minute = int(match["minute"] or 0)
    if match["past"]:
        count, _, side = match["past"].lower().partition(" ")
        minute = {"half": 30, "quarter": 15}.get(count) or _parse_english_number(count)
        hour, minute = (hour - 1, 60 - minute) if side == "to" else (hour, minute)
    half = (match["half"] or match["half2"] or "").lower()
    hour += 12 if half.startswith("p") and hour < 12 else 0
    return f"{hour}:{minute:02}" if hour <= 24 and minute < 60 else ""


def _parse_chinese_minute(said: str) -> int:
    if said == "半":
        return 30
    if said.endswith("刻"):
        return 45 if said[0] == "三" else 15
    return _parse_chinese_number(said.rstrip("分")) if said.rstrip("分") and said != "钟" else 0


def _parse_chinese_number(said: str) -> int:
    """Up to 9,999; what is no number is 0."""
    if said.isdigit() and said.isascii():
        return int(said)
    total, digit = 0, 0
    for character in said:
        if character in "十百千万":
            total += max(digit, 1) * {"十": 10, "百": 100, "千": 1_000, "万": 10_000}[character]
            digit = 0
        elif character in "零一二两三四五六七八九":
            digit = "零一二三四五六七八九".find(character.replace("两", "二"))
    return total + digit


def _parse_english_number(said: str) -> int:
    total = 0
    for word in re.split("[ -]", said.lower()):
        value = _NUMBERS[word]
        total = max(total, 1) * 100 if value == 100 else total + value
    return total


def _build_number_key(match: re.Match[str]) -> str:
    if match["digits"]:
        digits = match["digits"].replace(",", "")
        return digits.rstrip("0").rstrip(".") if "." in digits else digits
    return str(_parse_english_number(match["word"]) if match["word"] else _parse_chinese_number(match["zh"]))


def _build_spoken_key(match: re.Match[str]) -> str:
    if match["whole"]:
        part = "".join(str(_parse_chinese_number(digit)) for digit in match["part"])
        return f"{_parse_chinese_number(match['whole'])}.{part}"
    if match["bare"]:
        return str(_parse_chinese_number(match["bare"]))
    size = {"百": 10, "千": 100, "万": 1_000}[match["most"][-1]]
    return str(_parse_chinese_number(match["most"]) + size * _parse_chinese_number(match["tenth"]))


def _find_unit(text: str, match: re.Match[str]) -> str:
    """What is counted: the word behind the number, or else the one before it ("level 4")."""
    if match["sign"]:
        return match["sign"].strip()
    behind = _UNIT_BEHIND.match(text, match.end())
    if behind and (stem := extract_keywords(behind["unit"])) and stem[0] not in LIGHT | CHANGE_WORDS:
        return stem[0][:1] if stem[0][0] >= "\u4e00" else stem[0]
    before = _WORD_BEFORE.search(text[: match.start()])
    stems = [stem for stem in extract_keywords(before["unit"]) if stem not in CHANGE_WORDS] if before else []
    return "".join(stems[:1])


def _build_date_key(said: str) -> str:
    return " ".join(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|[,]|[日号]$", "", said.casefold()).split())


@dataclass(frozen=True, slots=True)
class Frame:
    """A statement without its values: the terms that say of what it speaks, and whether it says that it changed."""

    terms: frozenset[str]
    values: tuple[Value, ...]
    says_changed: bool
    is_another: bool


# Why it changed says nothing of what changed.
_REASON = re.compile(
    r",? (?:because|owing to|due to|so that|as (?:the|their|his|her|its?|he|she|they|there|nobody|everyone|everybody|somebody|someone)\b).*",
    re.IGNORECASE,
)


@lru_cache(maxsize=4_096)
def read_frame(text: str) -> Frame:
    text = to_simplified(text)
    if _CHANGE.search(_REASON.sub("", text)):
        text = _REASON.sub("", text)
    bare = _SURROUNDINGS.sub(" ", remove_values(text))
    terms = frozenset(extract_keywords(bare)) - LIGHT - CHANGE_WORDS
    return Frame(terms, find_values(text), bool(_CHANGE.search(text)), bool(_ANOTHER.search(bare)))


def find_missing_terms(some: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """The terms that the others do not have, not even with another ending."""
    return frozenset(term for term in some - others if not any(is_one_stem(term, other) for other in others))


def find_changed_values(new: Frame, old: Frame) -> list[tuple[Value, Value]]:
    """Each value of the new statement with the one of the old whose place it takes; what both have stays out."""
    theirs = [value for value in old.values if not any(value.same_as(one) for one in new.values)]
    shared = [value for value in new.values if any(value.same_as(one) for one in old.values)]
    # Of 周六（2026年5月16日） where both say 周六, the date in brackets is no other day.
    explained = {value.end + 1 for value in shared if value.sort == Sort.DATE}
    ours = [value for value in new.values if value not in shared and value.start not in explained]
    pairs: list[tuple[Value, Value]] = []
    for value in ours:
        rivals = [other for other in theirs if value.is_rival_of(other)]
        exact = [other for other in rivals if other.unit == value.unit]
        chosen = exact or rivals
        if value.sort == Sort.DATE and new.says_changed:
            chosen = chosen[:1]  # "on Tuesday (1 December 2026)" names one day twice
        if len(chosen) == 1:
            pairs.append((value, chosen[0]))
            theirs.remove(chosen[0])
    return pairs


def has_new_value(new_text: str, old_text: str) -> bool:
    """Whether the new statement gives a new value of the very thing that the old one gives a value of.

    Subject and polarity are the caller's to compare.
    """
    new, old = read_frame(new_text), read_frame(old_text)
    if new.is_another or not old.terms or not new.terms:
        return False
    pairs = find_changed_values(new, old)
    if len({mine.sort for mine, _ in pairs}) != 1:
        return False
    if not new.says_changed:
        is_dated = any(mine.sort == Sort.DATE for mine, _ in pairs)
        is_whole = not find_missing_terms(new.terms, old.terms) and not find_missing_terms(
            old.terms, new.terms
        )
        return is_whole and not is_dated and len(pairs) == 1
    # What says that it changed may leave out what is clear, but names nothing that the other one did not.
    return not find_missing_terms(new.terms, old.terms)


def holds_words(text: str, words: str) -> bool:
    """Whether the text has the words as whole words, or the value that they name."""
    text, bare = to_simplified(text), to_simplified(words).strip(" .,;!?。，；！？\"'“”‘’")
    if not bare:
        return False
    if re.search(rf"(?<![A-Za-z0-9]){re.escape(bare)}(?![A-Za-z0-9])", text, re.IGNORECASE):
        return True
    named = find_values(bare)
    return bool(named) and all(any(value.same_as(other) for other in find_values(text)) for value in named)


def counts_the_same(new_text: str, old_text: str) -> bool:
    """Whether a changed number counts the same things in both: "down to three translators"."""
    pairs = find_changed_values(read_frame(new_text), read_frame(old_text))
    return any(mine.unit and mine.unit == theirs.unit and mine.unit not in _UNITS for mine, theirs in pairs)


def compute_shared_part(new_text: str, old_text: str, corrected: Sequence[str] = ()) -> float:
    """The share of the shorter statement's terms that the other has too; the corrected words are left out."""
    dropped = frozenset(term for words in corrected for term in extract_keywords(words))
    ours = read_frame(new_text).terms - dropped
    theirs = read_frame(old_text).terms - dropped
    least = min(len(ours), len(theirs))
    if not least:
        return 0.0
    return (
        (len(ours) - len(find_missing_terms(ours, theirs))) / least
        if len(ours) <= len(theirs)
        else (len(theirs) - len(find_missing_terms(theirs, ours))) / least
    )
