"""Stances in Chinese that name no liking: what somebody avoids, insists on, or does only one way.

最怕跟团, 一听就烦 and 绕着走 are aversions, 住酒店我一定要高楼层 and 非现磨不喝 insist, and 能发文档解决的就别开 is a
rule of one's own. What others demand, what is due on a day and what is only so for now is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from memories.text.words.word_lists import load_alternatives

STANCE = "用户直接表明自己回避或坚持什么。"

_WORDS = load_alternatives(Path(__file__).with_name("words.toml"), "stances_chinese")
_OF_OTHERS = re.compile(_WORDS["others"])
# Only now, or only once.
_PASSING = re.compile(_WORDS["passing"])
# Fear of what may happen is no taste: 最怕孩子生病, 最怕赶不上飞机.
_WORRY = re.compile(rf"怕(?:[^，]{{0,6}}(?:{_WORDS['worries']})|是|了$)")
_AVERSION = re.compile(
    r"""
    (?:我(?:这人|这个人)?|^)(?:真的|就|也|还|是|从小|一直|其实)*(?:最|特别|超级?|尤其|顶)
    (?:怕|烦|嫌|膈应|抗拒|忌讳)(?![^，]{0,2}[的是]$)(?=[^，])
    | (?:看着|看到|看见|一看到?|一听到?|听到|想到|一想到?|闻到|一闻到?)[^，]{0,8}?就
      (?:烦|头大|头疼|来气|难受|反胃|恶心|想吐|火大|浑身难受)
    | 提不起(?:[^，]{0,4}?)(?:劲|兴趣|精神|兴致) | 敬而远之 | 敬谢不敏 | 避之不及 | 避而远之 | 能躲就躲
    | (?:都|一律|向来|总是|就|全|直接)(?:会|要)?(?:绕着?|躲着?|绕[道路])走$
    """,
    re.VERBOSE,
)
_INSISTS = re.compile(
    rf"""
    我(?:都|也|还|每次|向来|一直|一般|通常)*(?:一定|必须|坚持|死活|说什么[都也])(?:都|也)?(?:得|要|不)
    (?!是)
    | 我[住坐睡吃喝买穿看听写读跑洗点选挑逛玩](?![完了过])[^，我]{{1,5}}(?:都|也)?(?:一定|必须)(?:得|要)
      (?!是)
    | ^(?:[住坐睡吃喝买穿看听写读跑洗点选挑逛玩]|出门|旅[行游]|开车)[^，我]{{0,6}}?(?:的时候|时)?我
      (?:都|也|还)?必须(?![加打上工交][班卡课作])
    | 非(?!常|但|洲|得|要|去|他|她)[^，不]{{1,8}}不(?:{_WORDS["insisted"]})(?!可)
    | 我?(?:{_WORDS["usual"]}){{0,3}}(?<![不没])只(?:{_WORDS["chosen"]})(?!
          [了过得到剩着] | [0-9一二两三四五六七八九十几半][^，] | 药 | 能 | 会
      )(?![^，]*(?:就|[了过](?:$|，)))
    """,
    re.VERBOSE,
)
# What must be done somewhere, or to reach something, is a rule of others or a task.
_TASK = re.compile(rf"(?:必须|一定)(?:得|要)?(?:{_WORDS['tasks']})")
_OWN_RULE = re.compile(
    "^(?:我)?能(?!够)[^，]{1,12}?(?:的话|的)?(?:我)?(?:就|绝)(?:绝)?(?:别|不)(?!错|能|会|是|了|行|好)[^，]{0,9}[^，了]$"
)


def states_stance(clauses: Sequence[str]) -> bool:
    """Return whether one of the clauses, in the first person or without any, says what the user avoids or insists
    on."""
    return any(_is_stance(clause) for clause in clauses)


def _is_stance(clause: str) -> bool:
    if _PASSING.search(clause) or _OF_OTHERS.search(clause):
        return False
    if _AVERSION.search(clause):
        return not _WORRY.search(clause)
    return bool(_OWN_RULE.match(clause)) or (bool(_INSISTS.search(clause)) and not _TASK.search(clause))
