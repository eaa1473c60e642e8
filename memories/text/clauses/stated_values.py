"""Values in a statement: clock times, dates, days of the week, codes, numbers and how often something is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from memories.text.clauses.wording import CHANGE_WORDS, DATES, LIGHT
from memories.text.en.case import fold_case
from memories.text.words.tokenize import extract_keywords

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
    | \b(?P<past>half\ past|half(?!\ past)|(?:quarter|five|ten|twenty|twenty-five)\ (?:past
        |to))\ (?P<hour3>\d{{1,2}}|{_WORD_NUMBER})\b
    | \b(?P<noon>noon|midday|midnight)\b
    | (?<=\bat\ )(?P<hour4>\d{{1,2}}|{"|".join(_SMALL[:12])})(?=\s*$|[,;!?]|\.(?!\d)|\ (?:now|on|in|every
        |tomorrow|today|instead|with|sharp|and|from)\b)
    | (?P<part>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|今晚|明早)?(?P<zh>\d{{1,2}}
        |[{_ZH_DIGIT}]{{1,3}})(?:点|时(?!间|候))
      (?P<zh_minute>钟|半|[一三]刻|(?:\d{{1,2}}|[{_ZH_DIGIT}]{{1,3}})分?)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
# 27号 with the date that was worked out for it; 27号楼 is none.
_DAY_OF_MONTH_ZH = re.compile(r"(?<![\d年月])\d{1,2}[号日](?=（(?P<date>\d{4}年\d{1,2}月\d{1,2}日)）)")
# Telephone numbers and the like: their groups are one value.
_LONG_NUMBER = re.compile(r"(?<![\w.])\+?\d(?:[ -]?\d){6,}(?!\w)")
_CODE = re.compile(
    r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9-]*\d)(?=[A-Za-z0-9-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![A-Za-z0-9_-])"
)
_NUMBER = re.compile(
    rf"(?P<sign>[$€£¥￥] ?)?(?P<digits>(?<![A-Za-z0-9_.,])\d+(?:,\d{{3}})*(?:\.\d+)?(?!\d))"
    rf"|\b(?P<word>{_WORD_NUMBER})\b|(?P<zh>[{_ZH_DIGIT}]{{1,6}})(?="
    rf"[只个条位本件台辆次岁天块元份箱张杯斤人间名层楼公米毫分段级片粒针亩头户瓶袋盒棵株盆桶碗双套节"
    rf"门%])",
    re.IGNORECASE,
)
# What is said of money and lengths: 两块六 is 2.6 块, 两米五六 is 2.56 米, 一百二 is 120; and 涨到十八 has no unit.
_SPOKEN_ZH = re.compile(
    r"""
    (?P<whole>\d{1,6}|[零一二两三四五六七八九十百千万]{1,6})(?P<unit>[块米])
    (?P<part>[一二三四五六七八九\d]{1,2})(?![十百千万点\d])
    | (?P<most>[一二两三四五六七八九十]{1,2}[百千万])(?P<tenth>[一二三四五六七八九])
      (?![十百千万一二三四五六七八九块元点])
    | (?<![点第初周期])(?P<bare>(?=[^，。]?[十百千万])[一二两三四五六七八九十百千万]{2,6})
      (?=了?(?:$|[，。；、]))
    """,
    re.VERBOSE,
)
# How often, which is one value: "three times a week", "every other day".
_FREQUENCY = re.compile(
    rf"\b(?:(?:once|twice|(?:{_WORD_NUMBER}|\d+) times) (?:an? |per |every |each )|every (?:other "
    rf"|second |third |fourth |fifth |sixth |seventh |eighth |ninth |tenth )?)(?:day|night|week"
    rf"|fortnight|month|year|term)\b"
    rf"|\bevery (?:{_WORD_NUMBER}|\d+) (?:days|nights|weeks|months|years)\b|\b(?:daily|weekly"
    rf"|fortnightly|monthly)\b",
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
# "Mondays and Fridays", "Tuesday evenings", 周一三五, 周三和周六下午: days of the week, with the part of the day.
_DAY_NAME = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WEEKDAYS = re.compile(
    rf"\b{_DAY_NAME}s?\b(?:(?:,? and |,? or |, | & ){_DAY_NAME}s?\b)*(?P<part> (?:mornings?|afternoons?"
    rf"|evenings?|nights?)\b)?"
    r"|(?:(?<!一)(?:上上?|下下?)个?|这个?|本)?(?:星期|周|礼拜)[一二三四五六日天](?![次回趟顿])(?:(?:[、和跟]|以及)?(?:星期|周"
    r"|礼拜)[一二三四五六日天](?![次回趟顿])|、?[二三四五六日](?!"
    r"[点十号月日天个块年百千万本次回趟顿两时分人家楼]))*"
    r"(?P<part_zh>早上|上午|中午|下午|傍晚|晚上|夜里)?",
    re.IGNORECASE,
)


class ValueSort(StrEnum):
    """Sorts of values: only values of one sort can take each other's place."""

    TIME = "time"
    DATE = "date"
    CODE = "code"
    NUMBER = "number"
    FREQUENCY = "frequency"


class StatedChange(NamedTuple):
    """Value of an older statement and the newer statement's value in its place, in the words of each."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A value and where it stands. `key` is the same for "17:00" and "5 pm"; `unit` is what a number counts.

    Weekdays that are named together are one value: what is moved away from them is moved from all. `part_of_day` are
    the last characters of theirs, as in "Tuesday evenings". 两块五 holds its unit, which stands behind other numbers.
    """

    sort: ValueSort
    key: str
    unit: str
    start: int
    end: int
    part_of_day: str = ""
    holds_unit: bool = False
    is_weekday: bool = False
    recurs: bool = False

    def is_rival_of(self, other: StatedValue) -> bool:
        """Another value of the same sort, of which one thing has only one."""
        if self.sort != other.sort or self.same_as(other):
            return False
        if self.sort == ValueSort.DATE:  # what is on Wednesdays was not moved there from the 28th of March
            return self.is_weekday == other.is_weekday or not (self.recurs or other.recurs)
        return self.sort != ValueSort.NUMBER or not self.unit or not other.unit or self.unit == other.unit

    def same_as(self, other: StatedValue) -> bool:
        if self.sort == ValueSort.TIME and other.sort == ValueSort.TIME:
            return _same_time(self.key, other.key)
        if self.sort == ValueSort.DATE and other.sort == ValueSort.DATE:
            return _same_date(self.key, other.key)
        return (self.sort, self.key) == (other.sort, other.key)


def _same_time(time: str, other: str) -> bool:
    """ "4:00" may be meant by "16:00", for clocks have twelve hours."""
    (hour, minute), (their_hour, their_minute) = time.split(":"), other.split(":")
    return minute == their_minute and int(hour) % 12 == int(their_hour) % 12


def _same_date(date: str, other: str) -> bool:
    """A date with its year and the same without; the 1st is not within the 15th."""
    return _is_within(date, other) or _is_within(other, date)


def _is_within(date: str, other: str) -> bool:
    begin, end = (r"(?<!\d)" if date[:1].isdigit() else ""), (r"(?!\d)" if date[-1:].isdigit() else "")
    return re.search(f"{begin}{re.escape(date)}{end}", other) is not None


@lru_cache(maxsize=4_096)
def find_values(text: str) -> tuple[StatedValue, ...]:
    """All values, in the order in which they stand. No part of the text belongs to two of them."""
    values: list[StatedValue] = []
    taken = bytearray(len(text))

    def take(
        match: re.Match[str], sort: ValueSort, key: str, unit: str = "", *, holds_unit: bool = False
    ) -> None:
        if not any(taken[match.start() : match.end()]):
            taken[match.start() : match.end()] = b"\x01" * (match.end() - match.start())
            values.append(StatedValue(sort, key, unit, match.start(), match.end(), holds_unit=holds_unit))

    for match in _CLOCK.finditer(text):
        is_decimal = match["hour"] and "." in match[0] and not match["half"]
        if is_decimal and not _SAYS_CLOCK.search(text[: match.start()]):
            continue
        if key := _build_clock_key(match):
            take(match, ValueSort.TIME, key)
    for match in _WEEKDAYS.finditer(text):
        value = _read_weekdays(text, match, taken)
        if not any(taken[value.start : value.end]):
            taken[value.start : value.end] = b"\x01" * (value.end - value.start)
            values.append(value)
    for match in DATES.finditer(text):
        take(match, ValueSort.DATE, _build_date_key(match[0]))
    for match in _DAY_OF_MONTH_ZH.finditer(text):
        take(match, ValueSort.DATE, _build_date_key(match["date"]))
    for match in _LONG_NUMBER.finditer(text):
        take(match, ValueSort.CODE, re.sub(r"[ -]", "", match[0]))
    for match in _CODE.finditer(text):
        if not re.fullmatch(
            r"\d+(?:st|nd|rd|th|s|h|m|km|kg|g|mg|mcg|iu|ml|cm|mm|l|lb|k|am|pm|min)", match[0], re.IGNORECASE
        ):
            take(match, ValueSort.CODE, match[0].casefold())
    for match in _FREQUENCY.finditer(text):
        take(match, ValueSort.FREQUENCY, _ONCE.sub("", match[0].lower()).replace("dai", "day"))
    for match in _SPOKEN_ZH.finditer(text):
        unit = match["unit"] or ""
        take(match, ValueSort.NUMBER, _build_spoken_key(match), unit, holds_unit=bool(unit))
    for match in _NUMBER.finditer(text):
        take(match, ValueSort.NUMBER, _build_number_key(match), _find_unit(text, match))
    return tuple(sorted(values, key=lambda value: value.start))


def _read_weekdays(text: str, match: re.Match[str], taken: bytearray) -> StatedValue:
    part = match["part"] or match["part_zh"] or ""
    if any(taken[match.end() - len(part) : match.end()]):  # of 周三下午三点 it belongs to the hour
        part = ""
    end = match.end() - len(match["part"] or match["part_zh"] or "") + len(part)
    days = re.findall(rf"{_DAY_NAME}s?|[一二三四五六日天]", fold_case(text[match.start() : end - len(part)]))
    names = [day.removesuffix("s") if day.isascii() else f"周{day}" for day in days]
    recurs = (
        len(days) > 1
        or days[0].endswith("s")
        or part.endswith("s")
        or text[: match.start()].endswith(("每", "每个", "every "))
    )
    key = " ".join([*names, fold_case(part.strip()).removesuffix("s")]).strip()
    return StatedValue(ValueSort.DATE, key, "", match.start(), end, part, is_weekday=True, recurs=recurs)


def remove_values(text: str) -> str:
    """The text with its values cut out."""
    kept, at = [], 0
    for value in find_values(text):
        kept.append(text[at : value.start])
        at = value.end
    return " ".join([*kept, text[at:]])


def _build_clock_key(match: re.Match[str]) -> str:
    if match["noon"]:
        return "0:00" if fold_case(match["noon"]) == "midnight" else "12:00"
    if match["zh"]:
        hour = _parse_chinese_number(match["zh"])
        minute = _parse_chinese_minute(match["zh_minute"] or "")
        is_late = (match["part"] or "") in {"下午", "傍晚", "晚上", "夜里", "今晚"} and hour < 12
        return f"{hour + 12 * is_late}:{minute:02}" if hour <= 24 else ""
    raw = match["hour"] or match["hour2"] or match["hour3"] or match["hour4"]
    hour = int(raw) if raw.isdigit() else _parse_english_number(raw)
    minute = int(match["minute"] or 0)
    if match["past"]:
        count, _, side = fold_case(match["past"]).partition(" ")
        minute = {"half": 30, "quarter": 15}.get(count) or _parse_english_number(count)
        hour, minute = (hour - 1, 60 - minute) if side == "to" else (hour, minute)
    half = fold_case(match["half"] or match["half2"] or "")
    hour += 12 if half.startswith("p") and hour < 12 else 0
    return f"{hour}:{minute:02}" if hour <= 24 and minute < 60 else ""


def _parse_chinese_minute(text: str) -> int:
    if text == "半":
        return 30
    if text.endswith("刻"):
        return 45 if text[0] == "三" else 15
    return _parse_chinese_number(text.rstrip("分")) if text.rstrip("分") and text != "钟" else 0


def _parse_chinese_number(text: str) -> int:
    """Up to 9,999; what is no number is 0."""
    if text.isdigit() and text.isascii():
        return int(text)
    total, digit = 0, 0
    for character in text:
        if character in "十百千万":
            total += max(digit, 1) * {"十": 10, "百": 100, "千": 1_000, "万": 10_000}[character]
            digit = 0
        elif character in "零一二两三四五六七八九":
            digit = "零一二三四五六七八九".find(character.replace("两", "二"))
    return total + digit


def _parse_english_number(text: str) -> int:
    total = 0
    for word in re.split("[ -]", fold_case(text)):
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
    """Find what is counted: the word behind the number, or else the one before it ("level 4")."""
    if match["sign"]:
        return match["sign"].strip()
    behind = _UNIT_BEHIND.match(text, match.end())
    if behind and (stem := extract_keywords(behind["unit"])) and stem[0] not in LIGHT | CHANGE_WORDS:
        return stem[0][:1] if stem[0][0] >= "\u4e00" else stem[0]
    before = _WORD_BEFORE.search(text[: match.start()])
    stems = [stem for stem in extract_keywords(before["unit"]) if stem not in CHANGE_WORDS] if before else []
    return "".join(stems[:1])


def _build_date_key(text: str) -> str:
    return " ".join(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|[,]|[日号]$", "", text.casefold()).split())
