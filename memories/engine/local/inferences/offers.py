"""What an assistant's message offers to choose from, and which of it somebody means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memories.text.en.case import fold_case
from memories.text.words import tokenize

_LEAD = re.compile(
    r"""
    (?:
        consider | options?\ (?:like|such\ as|are|include) | such\ as | recommend | suggest | try
        | including | like | choose\ (?:from|between) | available: | options: | how\ about | what\ about
        | between | there\ (?:are|is) | we\ (?:have|offer) | would\ you\ (?:like|prefer) | 可以考虑 | 推荐
        | 建议 | 有 | 例如 | 比如 | 包括 | 选择 | ： | :
    )\s*(?P<list>[^.!?。！？\n]{3,300})
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LINE = re.compile(
    r"^[ \t]{0,20}(?:[-*•]|\(?(?P<number>\d{1,2}|[A-Ea-e])[.)、:：])[ \t]{0,20}\**(?P<item>[^\n]{2,160})",
    re.MULTILINE,
)
_SEPARATOR = re.compile(
    r"\s?,\s?(?:and |or )?|\s(?:and|or)\s|、|，|(?<=[^、，]{2})和(?=[^、，]{2})|或者|还是|或|以及"
)
_DETAIL = re.compile(r"\*\*|\s[-–—]{1,3}\s|[:：(（]|\s(?=(?:at|for|from|with) [\d$€£¥])|\s(?=[$€£¥]\d)")
_VAGUE = re.compile(
    r"^(?:options (?:like|such as) |the |many )?(?:others?|etc\.?|more|so on|等等?|其他|例如|)$",
    re.IGNORECASE,
)
_TRIMMED = re.compile(
    r"^(?:options (?:like|such as) |the |an? |either |maybe )|(?:等等?|之类的)$|[\[\]\"“”*]", re.IGNORECASE
)
_PRICE = re.compile(
    r"[$€£¥]\s?(\d[\d,]*+(?:\.\d++)?)|(?<![\d,.])(\d[\d,]*+(?>(?:\.\d++)?))\s?(?:元|块|dollars|euros|USD|RMB)"
)
_READ = 4_000
_MOST = 12

_ORDINALS = {
    "first": 0,
    "1st": 0,
    "second": 1,
    "2nd": 1,
    "third": 2,
    "3rd": 2,
    "fourth": 3,
    "4th": 3,
    "fifth": 4,
    "5th": 4,
    "last": -1,
}
_ORDINAL = re.compile(
    r"\b(?:the )?(?P<nth>first|second|third|fourth|fifth|last|[1-5](?:st|nd|rd|th))\b(?! (?:time|thing|of all))",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:\b(?:number|no\.|option|choice|plan)\s?|#)(?P<number>\d{1,2}|[A-E])\b|^(?P<bare>\d{1,2}|[A-E])$",
    re.IGNORECASE,
)
_NUMBERED_ZH = re.compile(
    r"""
    第(?P<nth>[一二三四五六1-6])(?:个|种|家|款|项|间|本|部)? | (?P<last>最后一(?:个|种|家|款))
    | (?:方案|选项)(?P<option>[一二三四五A-Ea-e1-5]) | ^选?(?P<bare>[1-9A-Ea-e])$
    """,
    re.VERBOSE,
)
_TWO = re.compile(r"\b(?P<en>former|latter)\b|(?P<zh>前者|后者)", re.IGNORECASE)
_CHEAP = re.compile(r"\bcheap(?:er|est)\b|\bleast expensive\b|最便宜|便宜(?:的|点)", re.IGNORECASE)
_DEAR = re.compile(r"\bmost expensive\b|\bpriciest\b|最贵", re.IGNORECASE)
_TELLS_NOTHING = frozenset(
    """
        one option choice place thing hotel restaur sound good great perfect pleas thank then 那个
        这个 一个 那家 这家 酒店 餐厅
    """.split()
)


@dataclass(frozen=True, slots=True)
class OfferedOption:
    """`article` is what stood before a name that is a common noun: "a weekend trip"."""

    name: str
    detail: str = ""
    article: str = ""

    @property
    def shown(self) -> str:
        return f"the {self.name}" if self.article else self.name

    @property
    def price(self) -> float | None:
        match = _PRICE.search(self.detail)
        return float((match[1] or match[2]).replace(",", "")) if match else None


def parse_options(offer: str) -> list[OfferedOption]:
    """Return what an offer lists, by lines or within a sentence."""
    items = [match["item"] for match in _LINE.finditer(offer[:_READ])]
    if len(items) < 2:
        lists = [_SEPARATOR.split(match["list"]) for match in _LEAD.finditer(offer[:_READ])]
        items = max(lists, key=len, default=[])
        # "There are three: A, B and C"
        items = [re.sub("^[^:：]{1,60}[:：]", "", item) if at == 0 else item for at, item in enumerate(items)]
    options = [_parse_option(item.strip()) for item in items]
    return [option for option in options if not _VAGUE.match(option.name) and 1 < len(option.name) <= 60][
        :_MOST
    ]


def _parse_option(item: str) -> OfferedOption:
    item = item.removeprefix("**")
    cut = _DETAIL.search(item, 2)
    name = (item[: cut.start()] if cut else item).strip(" .*")
    article = re.match(r"(?:either |maybe )?(?:an?|the) (?=[a-z])", name, re.IGNORECASE)
    detail = item[cut.end() :] if cut else ""
    return OfferedOption(_TRIMMED.sub("", name).strip(), detail, article.group() if article else "")


def find_meant_option(text: str, options: Sequence[OfferedOption]) -> OfferedOption | None:
    """The option that a few words point to: by number, by place in the list, by price, by name or a part of it."""
    return (
        _find_option_by_place(text, options)
        or _find_option_by_price(text, options)
        or find_option_by_name(text, options)
    )


def points_at_place(text: str) -> bool:
    return any(pattern.search(text) for pattern in (_NUMBERED, _NUMBERED_ZH, _ORDINAL, _TWO))


def find_option_by_name(text: str, options: Sequence[OfferedOption]) -> OfferedOption | None:
    lowered = text.lower()
    named = [option for option in options if option.name.lower() in lowered]
    if named:
        return max(named, key=lambda option: len(option.name))
    chosen_words = set(tokenize.extract_keywords(text)) - _TELLS_NOTHING
    for part in ("name", "detail"):
        partly = [
            option
            for option in options
            if chosen_words & set(tokenize.extract_keywords(getattr(option, part)[:80]))
        ]
        if len(partly) == 1:
            return partly[0]
    return None


def _find_option_by_place(text: str, options: Sequence[OfferedOption]) -> OfferedOption | None:
    if len(text.split()) > 6:
        return None
    at = _find_offer_number(text, len(options))
    return options[at] if at is not None and -len(options) <= at < len(options) else None


def _find_offer_number(text: str, count: int) -> int | None:
    if match := _NUMBERED.search(text):
        return _get_index(match["number"] or match["bare"])
    if match := _NUMBERED_ZH.search(text):
        return -1 if match["last"] else _get_index(match["nth"] or match["option"] or match["bare"])
    if (match := _TWO.search(text)) and count == 2:
        return 0 if (match["en"] or match["zh"]).lower() in ("former", "前者") else 1
    match = _ORDINAL.search(text)
    return _ORDINALS[fold_case(match["nth"])] if match else None


def _get_index(mark: str) -> int:
    if mark.isdigit():
        return int(mark) - 1
    return "一二三四五六".index(mark) if mark in "一二三四五六" else ord(mark.upper()) - ord("A")


def _find_option_by_price(text: str, options: Sequence[OfferedOption]) -> OfferedOption | None:
    priced = [(price, option) for option in options if (price := option.price) is not None]
    if len(priced) < 2:
        return None
    if _CHEAP.search(text):
        return min(priced, key=lambda pair: pair[0])[1]
    return max(priced, key=lambda pair: pair[0])[1] if _DEAR.search(text) else None
