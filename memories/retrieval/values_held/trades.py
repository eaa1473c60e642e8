"""Statements that say how the user earns a living without a word for a job: "The user runs a bike shop", 用户跑货运.

A question for the user's job is near to none of them in words, and to few in meaning.
"""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_ENGLISH = re.compile(
    r"^The user(?: and their [^.,]{2,30}?)? (?:(?:now|currently|also|still|mostly|mainly|usually) )*(?:"
    rf"(?:runs?|owns?|manages?|operates?|set up|opened) (?:[\w'’-]+ ){{1,5}}?"
    rf"(?:{_WORDS['shops']}|{_WORDS['workshops']})\b"
    rf"|(?:has|have)(?: got)? (?:an?|their own|two|three) (?:[\w'’-]+ ){{0,3}}?(?:{_WORDS['shops']})\b"
    rf"|drives? (?:[\w'’.-]+ ){{0,4}}?(?:{_WORDS['vehicles']})\b"
    r"|(?:sells?|repairs?|mends|teach(?:es)?|delivers?|translates?|restores?) (?!(?:him|her|it"
    r"|them)(?:self|selves)?\b)\w"
    r"|cleans? (?:offices|houses|homes|schools|hotels|windows|pools)\b|stacks? shelves\b"
    r"|waits? (?:on )?tables\b"
    r"|(?:does|do) (?:night |day |early |late )?shifts\b|works?\b|freelances?\b|(?:is"
    r"|are) self-employed\b|(?:earns?|makes?) (?:a|their) living\b|.{2,60} for a living\b"
    r"|(?:is|was|are|were) (?:[\w ]{1,20}, )?(?:an? )?(?:retired|former|semi-retired) [a-z])"
)
_NUMBER = "[0-9一二三四五六七八九十百千两几]"
_CHINESE = re.compile(
    rf"""
    ^用户(?:家里?|的?老家|自己)?(?:[跟和与][^，。]{{1,8}}?)?(?:一起)?(?:目前|现在|如今|平时|一直|主要|自己)?
    (?:在[^，。]{{1,14}}?)?(?:
        开(?:了|着)?(?:一?[家个间])?[^，。]{{0,10}}?(?:{_WORDS["shops_zh"]})
        | 开(?:{_WORDS["vehicles_zh"]}) | 跑(?:{_WORDS["errands_zh"]}) | 送(?:外卖|快递|货)
        | 摆(?:了|着)?个?[^，。]{{0,4}}摊 | {_WORDS["works_zh"]}
        | 种(?:了|着)?{_NUMBER}+多?[亩垄棚] | 养(?:了|着)?{_NUMBER}+多?[头塘箱]
        | 修(?:{_WORDS["mended_zh"]}) | 搞(?:装修|养殖|种植|科研|工程) | 做[^，。的]{{1,6}}(?:生意|买卖|工作)
    )
    """,
    re.VERBOSE,
)


def says_trade(text: str, language: str) -> bool:
    """Return whether a statement says what the user does for a living."""
    return (_CHINESE if language == "zh" else _ENGLISH).search(text) is not None
