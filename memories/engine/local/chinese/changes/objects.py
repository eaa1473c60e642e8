"""Another thing in the place of the one that was named: 我在吃氨氯地平, 哦不对，是硝苯地平控释片，
氨氯地平是我爸吃的."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from memories.engine.local.chinese.changes.corrections import Corrected, CorrectedWords, apply_correction
from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.tagging import tag_words

_SOMEBODY = rf"(?:我?的?(?:{lexis.KIN})|我们?家?的?(?:{lexis.KIN})|别人|人家|同事|朋友|[他她])"
# 氨氯地平是我爸吃的, 比亚迪是我哥的车: whose the thing is that was named by mistake.
_ANOTHERS = re.compile(rf"^(?P<old>[^，是]{{2,12}}?)(?:才|其实|应该)?是{_SOMEBODY}[^，]{{0,8}}$")
_VERBS = "服用|吃|喝|用|学|养|种|开|骑|穿|戴|买|订|点|报|练|弹|拉|吹|唱|看|读|玩|打|抽|涂|贴|教|带|租"
_OBJECT = re.compile(
    rf"^(?:我|用户|现在|目前|最近|平时|一直|每[天晚周]|早上|中午|晚上|正?在|想|要|打算|准备|已经|刚|都"
    rf"|也)*(?P<verb>{_VERBS})(?:着|了|过|的是|的)?"
    rf"(?:[0-9一二两三四五六七八九十半几]+[只个辆台部条种杯片款门本套件份粒颗包瓶棵])?(?P<object>"
    rf"[^，]{{2,14}}?)(?P<amount>(?:[0-9一二两三四五六七八九十半][^，]*)?)$"
)
# What is no thing: whom, when, how.
_NO_THING = re.compile(
    rf"[我你他她它这那了吗吧呢不没]|^(?:小|老|阿)[一-龥]$|老师|先生|女士|医生|(?:{lexis.KIN})$"
)
_SOMEONE = re.compile(rf"^(?:小|老|阿)[一-龥]$|老师$|先生$|女士$|医生$|(?:{lexis.KIN})$")
# 是我记错了: no value, but once more that something was wrong.
_SAYS_NO_VALUE = re.compile("^我?(?:记|说|看|搞|弄|写|打|听)(?:错|混|反)")
_NO_THING_TAGS = ("d", "t", "r", "m", "c", "a", "ns", "p")
_LONGEST = 12


class CorrectionTarget(NamedTuple):
    """The statement that a correction is of: its place among the statements, and its words put right."""

    place: int
    corrected: Corrected


def find_target(
    correction: CorrectedWords, statements: Sequence[str], after: Sequence[str]
) -> CorrectionTarget | None:
    """Find the newest statement that the correction fits.

    `after` are the clauses behind the correction: they may say whose the thing is that was named.
    """
    if _SAYS_NO_VALUE.search(correction.new):
        return None
    named = [match["old"] for clause in after if (match := _ANOTHERS.match(clause))]
    for at in range(len(statements) - 1, -1, -1):
        held = next((old for old in named if old in statements[at] and correction.new), "")
        meant = replace(correction, old=held) if held and not correction.old else correction
        applied = apply_correction(meant, statements[at])
        is_last = at == len(statements) - 1 and correction.is_cued and not meant.old
        if is_last and (not applied or _is_beside_object(applied.wrong, correction.new, statements[at])):
            applied = _put_in_place(correction, statements[at])
        if applied:
            return CorrectionTarget(at, applied)
    return None


def _is_beside_object(wrong: Sequence[str], new: str, statement: str) -> bool:
    """Return whether other words than those of the thing itself, or a thing for a person, would be replaced."""
    match = _OBJECT.match(statement.rpartition("，")[2])
    if match is None:
        return any(re.match(_VERBS, words) for words in wrong)
    return not all(words in match["object"] for words in wrong) or _SOMEONE.search(new) is not None


def _put_in_place(correction: CorrectedWords, statement: str) -> Corrected | None:
    """The last statement with the new thing as its object, where both can be things."""
    new = correction.new
    if correction.old or correction.full or not 2 <= len(new) <= _LONGEST or _NO_THING.search(new):
        return None
    if tag_words(new)[0].tag in _NO_THING_TAGS:
        return None
    *before, last = statement.split("，")
    match = _OBJECT.match(last)
    if match is None or match["object"] == new or _NO_THING.search(match["object"]):
        return None
    start, end = match.span("object")
    return Corrected("，".join([*before, f"{last[:start]}{new}{last[end:]}"]), (match["object"],))
