"""Chinese sentences that leave out whom they are of, which the talk has said: a baby just born, a role that another
has.

Behind 昨天生啦 the next sentence, 女孩，6斤4两, is of the baby, and behind a holder of a role who left, 换成了她师妹
is of the role.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.engine.local.chinese.replies import own_choices
from memories.values import Turn

_HAN = "[\u4e00-\u9fff]"
_WHEN = (
    "(?:终于|已经|刚刚?|[今昨前]天|[今昨]晚|今早|凌晨|早上|上午|中午|下午|晚上|夜里|半夜"
    "|上周[一二三四五六日天]?|[0-9一二三四五六七八九十]+[月日号点半]|真的|提前|顺利|就){0,5}"
)
_MOTHER = (
    "(?:老婆|妻子|媳妇儿?|太太|爱人|女朋友|[大二小]?姐姐?|[大二小]?妹妹?|[表堂][姐妹]|嫂子|弟妹|弟媳"
    "|儿媳妇?|闺蜜|女儿|家的?(?:猫咪?|狗狗?|母猫|母狗))"
)
_EXPECTING = re.compile(
    f"(?P<who>我的?{_MOTHER}|(?<![\u4e00-\u9fff]){_MOTHER})[^，。！？]{{0,10}}?(?:怀孕|怀了|快生|要生"
    f"|待产|预产期|产检|临产)"
)
_BORN = re.compile(
    f"(?P<start>^|[，。！!\\n])(?P<who>我的?{_MOTHER}|{_MOTHER}|我)?(?P<when>{_WHEN})(?:生(?:下来"
    f"|出来)?[了啦咯]|生了啦)(?P<stop>[，。！!~～\\s]+)"
)
_CHILD = re.compile(
    "(?:是?个?)(?P<child>(?:大胖)?(?:女孩|男孩|女儿|儿子|闺女|千金|女宝|男宝|小子|丫头|双胞胎|龙凤胎"
    "|女娃|男娃)儿?)(?=[，。！!\\s]|$)|(?P<weight>[0-9一二三四五六七八九十]+(?:\\.[0-9]+)?斤)"
)


def fill_in(text: str, before: Sequence[Turn]) -> str:
    """The text with what it leaves out; as it is, where the talk does not say that."""
    messages = [turn.text[:400] for turn in before if turn.role == "user"]
    return _name_role(_name_baby(own_choices.restate_choice(text, before), messages), messages)


def _name_baby(text: str, messages: Sequence[str]) -> str:
    born = _BORN.search(text[:200])
    if born is None:
        return text
    expecting = next(
        (match["who"] for message in reversed(messages) if (match := _EXPECTING.search(message))), ""
    )
    who = born["who"] or expecting
    child = _CHILD.match(text, born.end())
    if not who and child is None:
        return text
    is_users = who.removeprefix("我").removeprefix("的") in _USERS
    whose = "我的孩子" if is_users else f"{who}的孩子"
    of_child = f"{whose}{'是' if child['child'] else ''}" if child else ""
    behind = text[born.end() :].removeprefix("是") if child else text[born.end() :]
    mother = f"我{who}" if who and not who.startswith("我") else who
    return (
        f"{text[: born.start()]}{born['start']}{mother}{born['when']}生"
        f"了{'。' if child else born['stop']}{of_child}{behind}"
    )


_USERS = frozenset(("", *"老婆 妻子 媳妇 媳妇儿 太太 爱人 女朋友".split()))
_OFFICE = "(?:老师|教练|医生|大夫|经理|主管|[组队班店]长|主任|保姆|阿姨|月嫂|家教|助理|司机|师傅)"
_SUCCEEDED = re.compile(
    f"^(?P<name>{_HAN}{{2,4}}?)(?P<left>(?:怀孕|离职|调走|走|辞职|退休|毕业|回老家|请假|生病|搬走|不干"
    f"|不教|不带|休产假)了?)，(?:现在|所以|就|后来)?换成?了(?:(?P<pronoun>[他她])的?)?"
    f"(?P<who>{_HAN}{{2,10}})(?=[，。！]|$)"
)


def _name_role(text: str, messages: Sequence[str]) -> str:
    """邵老师怀孕了，换成了她师妹: where the talk has said that she is the piano teacher, of that."""
    match = _SUCCEEDED.match(text)
    if match is None:
        return text
    holder = re.compile(f"(?P<role>{_HAN}{{0,6}}?{_OFFICE})(?:是|叫|姓){match['name']}(?!{_HAN}{{2}})")
    role = next(
        (role_match["role"] for message in reversed(messages) if (role_match := holder.search(message))), ""
    )
    if not role or "以前" in role:
        return text
    owner = f"{match['name']}的" if match["pronoun"] else ""
    return f"{match['name']}{match['left']}，{role}换成了{owner}{match['who']}{text[match.end() :]}"
