"""Numbers with their units, as people write them: "800 yuan", "¥800", "1,000 CNY", "800元", "15%", "30 days"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_UNITS = {
    "yuan": "yuan rmb cny ¥ ￥ 元 块 块钱 人民币",
    "dollar": "dollar dollars usd $ 美元",
    "euro": "euro euros eur € 欧元",
    "pound": "pound pounds gbp £ 英镑",
    "percent": "% percent ％",
    "day": "day days 天 日",
    "hour": "hour hours h 小时",
    "minute": "minute minutes min 分钟",
    "week": "week weeks 周",
    "month": "month months 个月 月",
    "year": "year years 年",
    "person": "person persons people 人",
    "piece": "piece pieces 台 件",
    "metre": "m km metre metres 米 公里",
    "size": "mb gb tb kb",
}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_MONEY = frozenset({"yuan", "dollar", "euro", "pound"})
_NAMES = "|".join(sorted((re.escape(word) for word in _UNIT_OF), key=len, reverse=True))
# Nothing is given back: a number that goes on would only be tried again one digit shorter, each time to the end of
# the text. What has more digits than these is no amount. Groups are atomic, not possessive: in Python up to 3.11.4 the
# dot that ends a sentence became part of the number (CPython's issue 106052).
_NUMBER = re.compile(
    r"(?P<sign>[$€£¥￥]\s?)?(?<![\w.,/-])(?P<number>\d{1,3}+(?>(?:,\d{3}){1,10})(?>(?:\.\d{1,30}+)?)"
    r"|\d{1,30}+(?>(?:\.\d{1,30}+)?))"
    rf"(?![\w/-]*\w/)(?:\s?(?P<unit>{_NAMES})(?![A-Za-z]))?(?!\d|[.,]\d|-\d)",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: where its digits are and (`whole`) where its unit ends, what it says, and of what."""

    start: int
    end: int
    whole: int
    digits: str
    number: Decimal
    unit: str

    @property
    def is_money(self) -> bool:
        return self.unit in _MONEY

    def says_the_same(self, other: Quantity) -> bool:
        """ "800" may be meant by "800 yuan", but not by "800 days" where yuan were named."""
        return self.number == other.number and self._may_be_of(other)

    def is_rival_of(self, other: Quantity) -> bool:
        """Another value of the same sort."""
        if self.number == other.number:
            return False
        if other.unit:
            return self.unit == other.unit
        return self.is_money or (not self.unit and not 1900 <= self.number <= 2100)

    def written_as(self, right: Quantity) -> str:
        """The other number the way this one is written."""
        if "," in self.digits or (right.number >= 10_000 and "," in right.digits):
            return f"{right.number:,}"
        return right.digits.replace(",", "")

    def _may_be_of(self, other: Quantity) -> bool:
        return not self.unit or not other.unit or self.unit == other.unit


def find_quantities(text: str) -> list[Quantity]:
    return [_build_quantity(match) for match in _NUMBER.finditer(text)]


def parse_only_quantity(value: str) -> Quantity | None:
    """The number of a value that is nothing but one."""
    quantities = find_quantities(value)
    if len(quantities) != 1:
        return None
    left = value[: quantities[0].start] + value[quantities[0].end :]
    rest = re.sub(r"[$€£¥￥\s]", "", left)
    return quantities[0] if not rest or rest.casefold() in _UNIT_OF else None


def _build_quantity(match: re.Match[str]) -> Quantity:
    sign = (match["sign"] or "").strip()
    unit = _UNIT_OF.get((match["unit"] or sign).casefold(), "")
    digits = match["number"]
    number = Decimal(digits.replace(",", ""))
    return Quantity(match.start("number"), match.end("number"), match.end(), digits, number, unit)
