"""Whom a question is about that names nobody: 我儿子发烧 … 有过敏史吗？"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from memories.engine.local.chinese.groups import ClauseGroup
from memories.engine.local.chinese.referents import Referent, find_kin, find_people


class Whom(Enum):
    """`OTHER` is the person whom the user's last sentence was about, `UNSURE` either of the two."""

    USER = auto()
    OTHER = auto()
    UNSURE = auto()


# What is asked of a person: of body and health, age, tastes and ways. Plans and money are whose who speaks.
_OF_PERSON = re.compile(
    r"""
    过敏 | 忌口 | 病 | 症 | 炎 | 伤 | 发烧 | 体温 | 咳 | [疼痛痒吐晕] | 舒服 | 难受 | 药 | 疫苗 | 手术
    | 住院 | 血[压糖型脂] | 孕 | 几周 | 体重 | 身高 | 多[重高大](?!的) | 几岁 | 年纪 | 年龄 | 生日 | 性别
    | 属什么 | 尺码 | 鞋码 | 视力 | 食欲 | 胃口 | 睡[眠得] | 口味 | 爱吃 | 喜欢 | 喜好 | 爱好 | 兴趣
    | 怕什么 | 相处 | 适应 | 恢复 | 身体 | 精神 | 状态 | 心情 | 习惯 | 成绩 | 听话 | 乖 | 职业 | 做什么
    | 年级 | 专业 | 学历 | 烟 | 酒 | 性格 | 脾气 | 锻炼
    """,
    re.VERBOSE,
)
_FOR = re.compile("[给帮替为]$")


@dataclass(slots=True)
class SpokenOf:
    """Whom the user's last message was about; `other` is the person of `Whom.OTHER`."""

    whom: Whom = Whom.USER
    other: Referent | None = None

    def notice(self, text: str, last: ClauseGroup | None, *, is_answer: bool) -> None:
        """The message `text`, with its last statement. A mere answer is about whom the question was."""
        if last and last.asked:
            last = None
        if last is None and is_answer and not find_people(text):
            return
        self.other = last.subject if last else None
        is_for_somebody = any(_FOR.search(text[: match.start()]) for match in find_kin(text))
        self.whom = Whom.OTHER if self.other else Whom.UNSURE if is_for_somebody else Whom.USER


# When, where and for how long somebody does what the last statement tells of them: 我女儿要去留学 … 去多久？
_OF_ACTION = re.compile(
    "什么时候|何时|哪天|几[号月点]|哪里|哪儿|什么地方|哪[个所家座][一-龥]{0,3}|多久|多长时间|几[天周年个晚]"
)
# 老人家身体好吗: whom the talk is about, by no name.
_UNNAMED = re.compile("老人家?|老爷子|老太太|孩子|宝宝|小朋友|小家伙")
_BESIDE_ACTION = re.compile(
    r"""
    平时 | 一般 | 大概 | 具体 | 一共 | 总共 | 这次 | 到时候 | 出发 | 动身 | 打算 | 准备 | 计划 | 预计
    | [去到来走回住待在要会能得想是了的过呢啊呀那就]
    """,
    re.VERBOSE,
)


def is_of_person(question: str, last: ClauseGroup | None = None) -> bool:
    """Return whether the question asks for what is somebody's own, and names nobody whose; or for more of what `last`,
    a statement about somebody else alone, tells of them."""
    question = _UNNAMED.sub("", question) if last and last.subject else question
    if re.search("[你您我咱他她它]", question) or find_people(question):
        return False
    if _OF_PERSON.search(question):
        return True
    if last is None or last.subject is None or last.subject.is_thing:
        return False
    words = last.words.removeprefix("我")
    if re.search("[我咱]|一起", words) or not _OF_ACTION.search(question):
        return False
    # 停在哪里 asks for no more of what was said before, 去哪里 and 练了几年 do.
    action = _BESIDE_ACTION.sub("", _OF_ACTION.sub("", question))
    return action in words or not action


def remove_first_person(words: str) -> str:
    """Return what was written as said of the user, without the user."""
    return re.sub("^我(?:的(?=.))?", "", words)
