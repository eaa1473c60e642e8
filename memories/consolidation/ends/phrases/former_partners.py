"""What stays true of somebody whom the user is no couple with any more: "the ex-girlfriend Saoirse is a radiographer".

A break-up changes whose partner somebody is, and nothing of their work, home or allergies. Statements are in the third
person, English or simplified Chinese.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from memories.consolidation.ends.phrases.sayings import find_parted_person
from memories.text.slots import find_states

_PARTNER = "girlfriend|boyfriend|partner|wife|husband|fianc[ée]+|spouse"
_OF_PARTNER = re.compile(rf"^The user's (?P<kind>{_PARTNER})(?P<name> [A-Z][\w-]*)?(?='s | [a-z])")
# What the two did, have or plan together is over, or was never said of the other alone.
_TOGETHER = re.compile(
    r"\b(?:the user|their|together|engaged|married|wedding|anniversary|dating|both|couple)\b"
)
_ALONE = re.compile(
    r"""
    ^The\ user\ (?:(?:has|have|had|and\ others|finally|just|recently|sadly|now|are|is|got|actually)\ ){0,4}
    (?:broke\ up|broken\ up|split\ up|separated|divorced|called\ it\ quits|parted\ ways)
    (?=\ (?:on|in|at|last|this|over|a|two|three|yesterday|today|after|because|and|for\ good)\b|[,.;(!]|$)
    """,
    re.VERBOSE,
)
_UNSURE = re.compile(
    r"""
    \b(?:
        if | unless | might | (?-i:may) | could | would | should | nearly | almost | hopes? | hoping | wants?
        | plans? | will | never | not(?!\ (?:together|seeing)\b)
        | dreamt | dreamed | thinks? | afraid | going\ to | until
        | back\ together | made\ up | reconciled | patched | years\ ago | used\ to
        | ex(?:-\w+)? | former
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PARTED = "分手|分开|离婚|离异|掰|散|吹|离"
_WHEN = "(?:已经|终于|还是|最后|最近|刚刚?|昨天|前天|今天|上个?(?:周|月|星期|礼拜)|前几天|正式|和平|彻底|也|都|就){0,4}"
_KINDS = {
    **dict.fromkeys(("女朋友", "女友"), "前女友"),
    **dict.fromkeys(("男朋友", "男友"), "前男友"),
    **dict.fromkeys(("老婆", "妻子", "媳妇", "太太"), "前妻"),
    **dict.fromkeys(("老公", "丈夫", "先生"), "前夫"),
    **dict.fromkeys(("爱人", "对象", "伴侣"), "前任"),
    "未婚妻": "前未婚妻",
    "未婚夫": "前未婚夫",
}
_KIND = "|".join(sorted(_KINDS, key=len, reverse=True))
_NAME = (
    f"(?:用户的)?(?:(?P<kind>{_KIND})(?P<called>[\u4e00-\u9fff]{{2,3}}?)?|(?P<name>[\u4e00-\u9fff]{{2,3}}?))"
)
_PARTED_FROM = (
    re.compile(f"^用户{_WHEN}(?:和|跟|与){_NAME}{_WHEN}(?:{_PARTED})了"),
    re.compile(f"^{_NAME}{_WHEN}(?:和|跟|与)用户{_WHEN}(?:{_PARTED})了"),
    re.compile(f"^用户(?:等人)?{_WHEN}(?:{_PARTED})了"),
    re.compile(f"^用户{_WHEN}(?:被|把){_NAME}甩了"),
)
_OF_PARTNER_ZH = re.compile(f"^用户的(?P<kind>{_KIND})")
_NAMED_ZH = re.compile("(?:名?叫[\u4e00-\u9fff]|[小阿老][\u4e00-\u9fff])")
_TOGETHER_ZH = re.compile("用户|一起|同居|结婚|订婚|婚礼|领证|纪念日|在一起|相亲|异地")
_UNSURE_ZH = re.compile(
    "差点|没有?[分离]|想|打算|准备|要[分离]|闹|如果|要是|可能|也许|别|复合|和好|又在一起|前[女男]友|前[妻夫任]|年前|以前"
)


# In the language of the database: statements that may be of a partner.
OF_PARTNER = f"^(The user's ({_PARTNER})|用[户戶]的)"


class _Parting(NamedTuple):
    """Whom the user has parted from; each is empty where it is not said."""

    name: str
    kind: str
    is_divorce: bool


def says_parting(new: str, language: str) -> bool:
    """Return whether the statement says that the user and their partner are no couple any more."""
    return _find_parting(new, language) is not None


def write_of_former_partner(new: str, old: str, language: str) -> str:
    """The older statement, of the partner, as one of the former partner; "" where the new one does not make it so."""
    parting = _find_parting(new, language)
    if parting is None or any(mark in old for mark in '"“[「'):
        return ""
    if language == "zh":
        return _write_chinese(parting, old)
    partner = _OF_PARTNER.match(old)
    if partner is None or _TOGETHER.search(old[partner.end() :]):
        return ""
    held = (partner["name"] or "").strip()
    if parting.name and held and held != parting.name:
        return ""
    if parting.kind and parting.kind != partner["kind"]:
        return ""
    is_marriage = partner["kind"] in {"wife", "husband", "spouse"}
    if parting.is_divorce and not (parting.name or is_marriage):
        return ""
    return re.sub("^The user's ", "The user's ex-", old)


def _write_chinese(parting: _Parting, old: str) -> str:
    partner = _OF_PARTNER_ZH.match(old)
    if partner is None or _TOGETHER_ZH.search(old[partner.end() :]):
        return ""
    kind = _KINDS[partner["kind"]]
    if parting.kind and _KINDS[parting.kind] != kind:
        return ""
    # Who has divorced may have another partner since.
    if parting.is_divorce and not (parting.name or kind in ("前妻", "前夫", "前任")):
        return ""
    rest = old[partner.end() :]
    # 女朋友叫小雨, 女朋友小雨是护士: another name is another person.
    named = _NAMED_ZH.match(rest)
    if parting.name and named and parting.name not in rest:
        return ""
    return f"用户的{kind}{rest}"


@lru_cache(maxsize=512)
def _find_parting(new: str, language: str) -> _Parting | None:
    if any(mark in new for mark in '"“[「'):
        return None
    if language == "zh":
        if _UNSURE_ZH.search(new):
            return None
        bare = re.sub("（[^（）]*）", "", new)
        match = next((hit for pattern in _PARTED_FROM if (hit := pattern.match(bare))), None)
        if match is None:
            return None
        named = match.groupdict()
        name = named.get("called") or named.get("name") or ""
        return _Parting(name, named.get("kind") or "", "离" in match[0])
    if _UNSURE.search(new):
        return None
    if (who := find_parted_person(new)) is None:
        ended = (
            state.value for state in find_states(new, language) if state.slot == "partner" and state.is_end
        )
        who = next(ended, None)
    is_divorce = re.search(r"\bdivorced\b", new) is not None
    if who is None:
        return _Parting("", "", is_divorce) if _ALONE.match(new) else None
    kind = re.search(rf"\b(?:{_PARTNER})$", who)
    return _Parting("", kind[0], is_divorce) if kind else _Parting(who, "", is_divorce)
