"""Whom or what a statement is about: the user, a person by name, or a thing of some kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memories.text.words.word_lists import load_alternatives
from skills.learning.lesson import USER, Fact
from skills.learning.rules.naming import singularize
from skills.learning.rules.statements.states import JOBS
from skills.reading.messages.entities import (
    SURNAMES,
    find_people_zh,
    find_proper_names,
    find_statement_subject,
)

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_USER = re.compile(r"^(?:the\s+)?(?:user|client|human|me|i|self)(?:'s)?$|^用户$|^本人$|^我$", re.IGNORECASE)
_WORD = r"[A-Z][a-zà-öø-ÿ'’]+(?:-[A-Z][a-zà-öø-ÿ]+)?"
_SURNAMES = SURNAMES
_HAN_NAME = re.compile(
    rf"""
    (?:
        ^ | (?<=[，。、；：和与跟及\ 是叫]) | (?<={_WORDS["colleagues_zh"]}|客户)
    )((?:欧阳|司马|上官|诸葛|[{_SURNAMES}])[\u4e00-\u9fff]{{1,2}}?)(?=
        {_WORDS["after_name_zh"]} | {_WORDS["after_opening_name_zh"]} | [，、。] | $
    )
    """,
    re.VERBOSE,
)
_NOT_NAMES = frozenset(
    """
        The This That These Those It He She They We You I User Users His Her Their Its My Our Your
        Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May
        June July August September October November December In On At For With And But Or If When
        While After Before Project Company Team English Chinese French German Spanish Japanese
        Python Java Excel Slack Google Microsoft Postgres PostgreSQL Kubernetes Docker GitHub Linux
        Mr Mrs Ms Dr CEO CTO API
    """.split()
)
_HUMAN = re.compile(
    rf"""
    \b(?:{_WORDS["pronouns"]}|{_WORDS["relations"]}|{_WORDS["single_relations"]}|{JOBS}|{_WORDS["doings"]})\b
    | {_WORDS["colleagues_zh"]} | {_WORDS["family_zh"]} | {_WORDS["persons_zh"]}
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Nouns of things, each with the words by which texts call them.
_NOUNS: dict[str, frozenset[str]] = {
    noun: frozenset(words.split())
    for noun, words in {
        "project": "project initiative programme program workstream 项目 工程",
        "company": (
            "company corporation firm startup business employer enterprise organisation organization inc "
            "ltd gmbh 公司 企业 集团"
        ),
        "customer": "customer client account 客户 顾客",
        "supplier": "supplier vendor provider 供应商",
        "product": "product app application 产品 应用",
        "service": "service api microservice backend 服务 接口",
        "team": "team squad department group 团队 部门 小组",
        "repository": "repository repo codebase 仓库 代码库",
        "city": "city town 城市",
        "country": "country nation 国家",
        "book": "book novel 书 小说",
        "movie": "movie film 电影",
        "restaurant": "restaurant cafe bistro 餐厅 餐馆 饭店",
        "recipe": "recipe dish 菜谱 食谱 菜",
        "event": "event conference meetup workshop 活动 会议",
        "server": "server machine host cluster 服务器 主机 集群",
        "device": "device machine 设备",
        "tool": "tool library framework 工具 框架",
        "course": "course class 课程",
        "pet": "pet dog cat 宠物 狗 猫",
        "place": "place location venue 地点 场所",
        "student": "student pupil 学生",
        "patient": "patient 患者 病人",
        "candidate": "candidate applicant 候选人",
        "incident": "incident outage 事故 故障",
        "dataset": "dataset data set 数据集",
        "plant": "plant 植物",
        "game": "game 游戏",
    }.items()
}
_ORGANISATION = re.compile(rf"\b(?:{_WORDS['organisations']})\b|{_WORDS['organisations_zh']}")
_AND = re.compile(r"\s*(?:,|，|、|\band\b|&|和|与|及)\s*")


def get_words_for(noun: str) -> frozenset[str]:
    """The words by which texts call a kind of thing; the noun itself where nothing else is known."""
    bare = singularize(noun.casefold())
    known = next((words for name, words in _NOUNS.items() if bare == name or bare in words), frozenset[str]())
    return known | {bare}


@dataclass(frozen=True, slots=True)
class StatementSubject:
    """Named by `name`. `is_person` where the words say so."""

    name: str
    is_person: bool


class Cast:
    """The people of a batch of statements, so that "Alice" is known as Alice Chen."""

    def __init__(self, facts: Sequence[Fact], known: Iterable[str] = ()) -> None:
        self._texts = [fact.text for fact in facts]
        self._known = list(known)
        stated = [name for fact in facts for name in self._list_names(fact)]
        full = {name for name in stated if " " in name}
        self._full = [*full, *(name for name in self._known if " " in name)]

    def list_subjects(self, fact: Fact) -> list[StatementSubject]:
        """List the subjects of a statement; empty when it is about the user only."""
        names = [self._get_whole_name(name) for name in self._list_names(fact)]
        kept = [
            name
            for name in dict.fromkeys(names)
            if not any(name != other and name in other.split() for other in names)
        ]
        return [StatementSubject(name, self._is_person(name, fact)) for name in kept]

    def _list_names(self, fact: Fact) -> list[str]:
        return _list_stated_subjects(fact) or self._list_known_in(fact.text)

    def list_things(self, fact: Fact, noun: str) -> list[str]:
        """Names of things of this kind: what is called so, and what the statement is about."""
        names = [*find_proper_names(fact.text), find_statement_subject(fact.text)]
        named = [name for name in dict.fromkeys(names) if name and is_called(name, noun, self._texts)]
        subject = find_statement_subject(fact.text)
        kept = named or ([subject] if subject and not is_user(subject) else [])
        return [remove_kind(name, noun) for name in kept]

    def _list_known_in(self, text: str) -> list[str]:
        """List the known names in a statement: whole, or by the word that distinguishes them."""
        return [name for name in self._known if _mentions_name(text, name)]

    def _get_whole_name(self, name: str) -> str:
        """The full name where just one person of the batch, or known before, is called so."""
        if " " in name:
            return name
        fitting = {full for full in self._full if name.casefold() in full.casefold().split()}
        return fitting.pop() if len(fitting) == 1 else name

    def _is_person(self, name: str, fact: Fact) -> bool:
        texts = [fact.text, *(text for text in self._texts if _shorten_name(name) in text)]
        if any(name in find_people_zh(text) for text in texts):
            return True
        if _ORGANISATION.search(name) or any(
            is_called(name, noun, texts) for noun in _NOUNS if noun not in _PEOPLE
        ):
            return False
        return any(_HUMAN.search(text) for text in texts)

    def is_a(self, subject: StatementSubject, noun: str) -> bool:
        """Return whether some statement calls it so: "the Aurora project", "Acme, a customer"."""
        if is_called(subject.name, noun, self._texts):
            return True
        return any(_says_what(subject.name, noun, text) for text in self._texts)


_PEOPLE = frozenset({"customer", "supplier", "student", "patient", "candidate"})


def _shorten_name(name: str) -> str:
    return name.split()[0] if name.isascii() else name


def is_called(name: str, noun: str, texts: Iterable[str]) -> bool:
    """The noun stands right beside the name, or in it: "Project Aurora", "Aurora项目"."""
    words = "|".join(sorted(map(re.escape, get_words_for(noun)), key=len, reverse=True))
    if re.search(rf"(?:^|\b)(?:{words})(?:\b|$)" if name.isascii() else f"(?:{words})", name, re.IGNORECASE):
        return True
    bare = re.escape(name)
    beside = re.compile(
        rf"\b(?:{words})s?[ ,:]+(?:called |named )?[\"“']?{bare}|{bare}[\"”']?[ ]?(?:{words})"
        rf"|(?:{words})[ “\"「]?{bare}",
        re.IGNORECASE,
    )
    return any(beside.search(text) for text in texts)


def _mentions_name(text: str, name: str) -> bool:
    if not name.isascii():
        return name in text
    words = [
        word for word in name.split() if word[:1].isupper() and singularize(word.casefold()) not in _NOUNS
    ]
    return any(re.search(rf"\b{re.escape(word)}\b", text) for word in [name, *words[-1:]])


def remove_kind(name: str, noun: str) -> str:
    """ "Helios project" -> "Helios", 极光项目 -> 极光; what is left must be a name."""
    for word in sorted(get_words_for(noun), key=len, reverse=True):
        if not name.isascii() and name.endswith(word) and len(name) - len(word) > 1:
            return name.removesuffix(word)
        bare = re.sub(rf" {re.escape(word)}$", "", name, flags=re.IGNORECASE)
        if bare != name and bare[:1].isupper():
            return bare
    return name


def _says_what(name: str, noun: str, text: str) -> bool:
    """ "Acme is our largest customer", "Aurora是一个新项目"."""
    words = "|".join(map(re.escape, get_words_for(noun)))
    stated = (
        rf"{re.escape(name)}[,]?(?: is| are| was|,)[^.;]{{0,40}}?\b(?:{words})\b|{re.escape(name)}(?:是"
        rf"|为)[^。，]{{0,16}}?(?:{words})"
    )
    return re.search(stated, text, re.IGNORECASE) is not None


def is_user(subject: str) -> bool:
    return _USER.match(subject.strip()) is not None


def _list_stated_subjects(fact: Fact) -> list[str]:
    """The names that it is said to be about; where that is the user, those of people whom it says something of."""
    if fact.subject != USER and not is_user(fact.subject):
        return [name for name in _AND.split(fact.subject.strip()) if name and not is_user(name)]
    return [name for name in _find_related_people(fact.text) if name]


_OF_USER = re.compile(
    rf"""
    \b(?:user's|his|her|their|our|a|the|an\ old|new)\ (?:[\w-]+\ ){{0,3}}?
    (?:{_WORDS["relations"]}|{_WORDS["named_relations"]})(?:\ is|\ are|\ named|\ called|,)?[ ]
    (?P<name>{_WORD}(?:\ {_WORD}){{0,2}})
    | \b(?:{_WORDS["meetings"]})\ (?P<met>{_WORD}(?:\ {_WORD}){{0,2}})
    | ^(?P<first>{_WORD}\ {_WORD}(?:\ {_WORD})?)(?:'s\b|\ and\ |(?=\ [a-z]))
    """,
    re.VERBOSE,
)
_OF_USER_ZH = re.compile(
    rf"""
    (?:{_WORDS["colleagues_zh"]}|{_WORDS["family_zh"]}|{_WORDS["named_relations_zh"]})(?:是|叫|名叫)?
    (?P<name>[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}?)(?={_WORDS["after_name_zh"]}|[，、。]|$)
    """,
    re.VERBOSE,
)


def _find_related_people(text: str) -> list[str]:
    names = [next(filter(None, match.groups())) for match in _OF_USER.finditer(text)]
    names += [match.group("name") for match in _OF_USER_ZH.finditer(text)]
    names += [match.group(1) for match in _HAN_NAME.finditer(text) if not text.startswith("用户")]
    names += [
        name for name in find_people_zh(text) if not any(name in other or other in name for other in names)
    ]
    bare = [re.sub("['’]s$", "", name) for name in names]
    return [name for name in dict.fromkeys(bare) if name.split()[0] not in _NOT_NAMES]
