"""Whether a sentence says that a person or an animal died, or that an animal is with its people no more."""

from __future__ import annotations

import re

from memories.text.slots.registry import join_pet_words
from memories.text.slots.vocabulary import SURNAMES_ZH

ANIMALS = frozenset({"dog", "cat"})
_DIED_EN = re.compile(r"^(?:has |had |sadly |just )*(?:died|passed away|was put down|was put to sleep)\b")
_LOST_EN = re.compile(
    rf"(?:[\w-]+ )?(?P<animal>{join_pet_words('en')}) (?:(?:has|have|had|sadly|just|recently|finally"
    rf"|all) )*"
    r"(?:(?:died|passed away|(?:was|were|been) (?:put (?:down|to sleep)|rehomed|stolen|run over))\b"
    r"|(?:(?:ran|run|flew|flown) away|escaped)$)"
)
# Only when, how and where stands before it: who dies in 妈妈养的猫死了 and 爸爸的同事去世了 is another.
_DAY = "昨[天晚]|[今前]天|今[早晚]|刚刚?|刚才|[上这本]个?(?:周|星期|礼拜)[一二三四五六日天末]?|早上|下午|晚上|半夜"
_LONG_AGO = (
    "[春夏秋冬]天|(?:大?前|去|今)年(?:[春夏秋冬]天|[初底]|[0-9一二三四五六七八九十]{1,2}月)?"
    "|[0-9]{4}年(?:[0-9]{1,2}月)?(?:[0-9]{1,2}[日号])?|上个?月|前[几些]年|那年"
    "|[0-9一二三四五六七八九十两几好多]{1,4}(?:年|个月|岁)(?:之?前|以前|的?时候?|[初底])?|小时候|以前"
    "|早年"
)
_HOW = (
    "已经|早就?|就|也|都|又|还是|不幸|突然|忽然|终于|最后|后来|前后|最近|因[^，。的]{1,6}?"
    "|得[^，。的]{1,6}?|在[^，。的]{1,6}?|出[^，。的]{1,3}?|病|车祸|意外|（[^）]*）"
)
_NAME = f"(?:[小老阿{SURNAMES_ZH}](?!.?[猫狗鱼鸟龟兔鼠])[\u4e00-\u9fff]{{1,2}}?)?"
_DIED_ZH = re.compile(
    rf"^{_NAME}(?:{_LONG_AGO}|{_DAY}|{_HOW}){{0,4}}(?:去世|过世|死了|病逝|离世|病故|牺牲|遇难|殉职)"
)
# 走了 is said of the dead where they are old or animals; of anybody else it says that they left, and so may it of
# grandparents yesterday and of parents last month.
_LEFT_ZH = re.compile(rf"^{_NAME}(?:(?P<ago>{_LONG_AGO})|(?P<day>{_DAY})|{_HOW}){{0,4}}走了$")
_OLD = re.compile("grand(?:mother|father)$")
_PARENT = re.compile("(?:mother|father)$")
_YEARS = re.compile("年|岁|小时候")
_GONE_ZH = re.compile(
    rf"^(?:{_LONG_AGO}|{_DAY}|{_HOW}|被人?|自己|全|给){{0,4}}(?:走丢|走失|跑丢|丢|跑|飞走|飞|偷|送人"
    rf"|送走|送给[^，。的]{{1,8}}|卖|放生|没)(?:掉|走)?了$"
)


def has_died_in_english(rest: str) -> bool:
    """Return whether the rest of a sentence says so of its subject."""
    return _DIED_EN.match(rest) is not None


def has_died_in_chinese(subject: str, rest: str) -> bool:
    """Return whether the rest of a sentence says so of its subject, by the name of a relation or an animal."""
    if _DIED_ZH.match(rest):
        return True
    left = _LEFT_ZH.match(rest)
    if left is None:
        return False
    if subject in ANIMALS:
        return True
    if _OLD.search(subject):
        return left["day"] is None
    return _PARENT.search(subject) is not None and _YEARS.search(left["ago"] or "") is not None


def find_lost_animal(rest: str) -> str:
    """Find which of the user's animals an English sentence says died or is gone; "" for none."""
    match = _LOST_EN.match(rest)
    return match["animal"] if match else ""


def is_animal_gone(subject: str, rest: str) -> bool:
    """Return whether the rest of a Chinese sentence says that a dog or a cat was lost, given away or sold."""
    return subject in ANIMALS and _GONE_ZH.match(rest) is not None
