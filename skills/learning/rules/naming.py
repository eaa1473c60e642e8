"""Build file names from names, and fill the placeholders of a schema's file names."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

LONGEST_SLUG = 80

_PERSON = frozenset(
    """
        first last firstname lastname full person people contact contacts colleague colleagues
        friend friends member members teammate teammates coworker coworkers employee human
        individual 姓名 人名 人物 联系人 同事 朋友 名字 成员 人 姓 名 个人 队友 家人 亲友
    """.split()
)
# What somebody is to the one who writes: a fact must say so before a name is one of these.
_BOUND = frozenset(
    "customer client student patient candidate supplier vendor lead guest tenant".split()
) | frozenset("客户 顾客 学生 患者 病人 候选人 供应商 租客 客人".split())
_TOPIC = frozenset(
    """topic category subject theme area kind type tag section domain field genre
    主题 类别 分类 话题 领域 类型 种类 科目""".split()
)
_DAY, _MONTH, _YEAR, _WEEK = (
    frozenset("date day today 日期 日 天 年月日".split()),
    frozenset("month 月份 月 年月".split()),
    frozenset("year 年份 年".split()),
    frozenset("week 周 星期".split()),
)
# What says nothing of the kind of thing: "project name" is a project.
_EMPTY = frozenset("name names title id slug the a an of each 名称 名 标题 编号 的".split())
# 客户名称 is a 客户; 姓名 is a name.
_TITLED = re.compile(r"(?<=[\u4e00-\u9fff]{2})(?:的?名称|姓名|名字|名|编号)$")
_NUMBERS = re.compile(r"^[-ymd_./ 年月日]+$", re.IGNORECASE)
_WORDS = re.compile(r"[a-z]+|[\u4e00-\u9fff]+", re.IGNORECASE)
_HAN = re.compile(r"[\u4e00-\u9fff]")
# Two of these begin a surname of two signs.
_LONG_SURNAMES = frozenset(
    "欧阳 司马 上官 诸葛 司徒 东方 独孤 南宫 夏侯 皇甫 尉迟 公孙 慕容 令狐 端木".split()
)


class HoleKind(StrEnum):
    DATE = "date"
    PERSON = "person"
    TOPIC = "topic"
    THING = "thing"


@dataclass(frozen=True, slots=True)
class Hole:
    """A placeholder. `noun` is the kind of thing it names ("project"), "" for a person's own name and for dates."""

    text: str
    kind: HoleKind
    noun: str = ""

    @property
    def joint(self) -> str:
        return "_" if "_" in self.text else "-"

    def dated(self, day: date) -> str:
        """The day in the form that the placeholder shows."""
        stated = self.text.casefold().strip()
        if _NUMBERS.match(stated) and re.search("[ymd]", stated):
            for sign, form in (("yyyy", "%Y"), ("yy", "%y"), ("mm", "%m"), ("dd", "%d")):
                stated = stated.replace(sign, day.strftime(form))
            return stated
        words = set(_WORDS.findall(stated))
        if words & _WEEK:
            return day.strftime("%G-w%V")
        if words & _MONTH:
            return day.strftime("%Y-%m")
        return day.strftime("%Y") if words & _YEAR else day.isoformat()

    def named(self, name: str) -> str:
        """A name in the order that the placeholder asks for; "" when it has not the parts."""
        words = [word.casefold() for word in _WORDS.findall(self.text)]
        if self.kind is HoleKind.PERSON:
            first, last = split_name(name)
            wanted = [
                _get_name_part(word, first, last)
                for word in words
                if _get_name_part(word, first, last) is not None
            ]
            if wanted:
                return build_slug(" ".join(map(str, wanted)), self.joint) if all(wanted) else ""
        return build_slug(name, self.joint)


def _get_name_part(word: str, first: str, last: str) -> str | None:
    """The part of a person's name that a word of a placeholder stands for; None for a word that stands for none."""
    if word in {"first", "firstname", "given", "名"}:
        return first
    return last if word in {"last", "lastname", "family", "surname", "姓"} else None


def split_name(name: str) -> tuple[str, str]:
    """First and last name; the last is "" when only one is known."""
    if _HAN.search(name):
        bare = name.replace(" ", "")
        length = 2 if bare[:2] in _LONG_SURNAMES and len(bare) > 2 else 1
        return (bare[length:], bare[:length]) if 1 < len(bare) <= 4 else (bare, "")
    first, _, last = name.strip().partition(" ")
    return first, last.strip()


def build_slug(text: str, joint: str = "-") -> str:
    """Lower case, without accents, marks and spaces; Chinese stays as it is."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    words = re.findall(r"[^\W_]+", plain.replace("'", "").casefold())
    return unicodedata.normalize("NFC", joint.join(words))[:LONGEST_SLUG].strip(joint)


def parse_hole(text: str, context: str) -> Hole:
    """Return what is to be put in for this placeholder; `context` is what its schema says around it."""
    stated = text.casefold().strip()
    words = _WORDS.findall(stated)
    if (_NUMBERS.match(stated) and re.search("[ymd年月日]", stated)) or (
        words and set(words) <= _DAY | _MONTH | _YEAR | _WEEK | _EMPTY and set(words) - _EMPTY
    ):
        return Hole(text, HoleKind.DATE)
    named = [_TITLED.sub("", word) or word for word in words]
    distinctive = [word for word in named if word not in _EMPTY] or find_per_file_nouns(context)
    return Hole(text, *_detect_hole_kind(distinctive))


def _detect_hole_kind(words: list[str]) -> tuple[HoleKind, str]:
    for word in words:
        bare = singularize(word)
        if bare in _TOPIC:
            return HoleKind.TOPIC, ""
        if bare in _PERSON or word in _PERSON:
            return HoleKind.PERSON, ""
        if bare in _BOUND:
            return HoleKind.PERSON, bare
    return HoleKind.THING, singularize(words[0]) if words else ""


_PER = re.compile(
    r"""
    \b(?:one|a|each|its\ own|single)\s+(?:markdown\s+)?(?:file|page|note|document)\s+
    (?:per|for\ (?:each|every))\s+(?P<en>[a-z]+)
    | (?:每个|每位|每名|每一个|每家|每本|每部|每座|每一位|一个|每)(?P<zh>[\u4e00-\u9fff]{1,4}?)
      (?:对应|各|单独|建|用|写|有)?(?:一个|一份|一篇)(?:\s*markdown\s*)?(?:文件|页面|文档|笔记)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def find_per_file_nouns(context: str) -> list[str]:
    """Find the nouns of which each has a file: "one file per project", 每个客户一个文件."""
    words = [match.group("en") or match.group("zh") for match in _PER.finditer(context)]
    return [word.casefold() for word in words if word.casefold() not in _EMPTY]


def singularize(word: str) -> str:
    if word.isascii() and len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]
    return word
