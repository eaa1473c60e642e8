"""What the rules hand to the extractor: a clause, still in the speaker's words, and what it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memories.text.slots.concepts import find_question, get_concept_name
from memories.text.words import tokenize

_GENERIC = frozenset(
    """
        food thing stuff dish cuisin meal flavor flavour tast someth kind type lot bit 东西 食物 菜
        的 口味 类 味道 食品 运动 活动
    """.split()
)
_LOOSE_ZH = frozenset(
    """
        吃 喝 看 玩 听 去 逛 用 打 做 学 读 买 太 很 非常 特别 比较 最 更 一点 点 这种 那种 各种 了
        大 多 去吃 去玩 吃点 过于
    """.split()
)
_LOOSE_EN = frozenset(
    """
        veri realli too extrem quit super eat drink have watch read play listen go do use make tast
        wear visit much mani real such so overli pretti rather most all
    """.split()
)
_DETERMINER = re.compile(
    r"^(?:(?:the|a|an|some|any|all|more|my|too|very|really|to|something|anything)\s+)+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a clause says about the user.

    `statement` is in the first person; `ending` is put behind the rewritten clause; `dating` says how to add the day
    of speaking where the clause names no time ("" for not at all); `thing` is what is liked or not.
    """

    statement: str
    slot: str
    title: str
    reasoning: str = ""
    ending: str = ""
    dating: str = ""
    thing: str = ""

    @property
    def is_preference(self) -> bool:
        return bool(self.reasoning)


def build_slot(kind: str, thing: str) -> str:
    """The same slot for "spicy food", "very spicy dishes" and "eating spicy things", and for 苹果 and "apples"."""
    known = get_concept_name([thing.strip()])
    if known != thing.strip():
        return f"{kind}:{known}"
    loose = _LOOSE_EN | _LOOSE_ZH
    every = tokenize.extract_keywords(thing)
    named = [word for word in every if word not in loose] or every
    distinctive = [word for word in named if word not in _GENERIC] or named
    return f"{kind}:{get_concept_name(distinctive[:6])}" if distinctive else ""


def build_liking_slot(thing: str, *, is_rival: bool = False) -> str:
    """The slot of a liking: that of the question which it answers, or else its own."""
    question = find_question(remove_article(thing), is_rival=is_rival)
    return f"taste:{question}" if question else build_slot("likes", thing)


def remove_article(thing: str) -> str:
    """Without the article before it."""
    return _DETERMINER.sub("", thing.strip())
