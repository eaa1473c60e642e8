"""Statements that say how the user earns a living without a word for a job: "The user runs a bike shop", 用户跑货运.

A question for the user's job is near to none of them in words, and to few in meaning.
"""

from __future__ import annotations

import re

_SHOP = (
    r"(?:\w*shop|stall|kiosk|store|business|company|firm|agency|practice|restaurant|caf[eé]|pub|salon|farm|smallholding"
    r"|vineyard|market garden|guest ?house|hostel|hotel|food truck|start-?up)"
)
_WORKSHOP = (
    r"(?:bakery|brewery|dairy|nursery|clinic|surgery|garage|studio|gallery|gym|school|forge|foundry"
    r"|pottery|mill|orchard"
    r"|kennels|cattery|laundrette|launderette|bar|b&b|butcher['’]?s|florist['’]?s|tailor['’]?s"
    r"|barber['’]?s)"
)
_VEHICLE = (
    r"(?:bus|buses|coach|coaches|taxi|cab|minicab|lorry|lorries|tram|trams|train|trains|ambulance|forklift|crane|digger"
    r"|night bus|school bus|rickshaw)"
)
_ENGLISH = re.compile(
    r"^The user(?: and their [^.,]{2,30}?)? (?:(?:now|currently|also|still|mostly|mainly|usually) )*(?:"
    rf"(?:runs?|owns?|manages?|operates?|set up|opened) (?:[\w'’-]+ ){{1,5}}?(?:{_SHOP}|{_WORKSHOP})\b"
    rf"|(?:has|have)(?: got)? (?:an?|their own|two|three) (?:[\w'’-]+ ){{0,3}}?{_SHOP}\b"
    rf"|drives? (?:[\w'’.-]+ ){{0,4}}?{_VEHICLE}\b"
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
    "^用户(?:家里?|的?老家|自己)?(?:[跟和与][^，。]{1,8}?)?(?:一起)?(?:目前|现在|如今|平时|一直|主要"
    "|自己)?(?:在[^，。]{1,14}?)?(?:"
    "开(?:了|着)?(?:一?[家个间])?[^，。]{0,10}?(?:店|铺|馆|坊|公司|厂|摊|超市|工作室|诊所|农场|民宿"
    "|餐厅|药房|驾校)"
    "|开(?:出租|网约车|滴滴|货车|卡车|大巴|公交|地铁|高铁|挖掘机|吊车|叉车|救护车|校车)"
    "|跑(?:长途|短途|货运|运输|外卖|网约车|滴滴|快递|业务|销售|船|龙套)|送(?:外卖|快递|货)"
    "|摆(?:了|着)?个?[^，。]{0,4}摊|卖(?![掉了完出给])|经营|承?包(?:了|下)|承包|从事|上班|工作|打工"
    "|教书|任教|务农"
    f"|种(?:了|着)?{_NUMBER}+多?[亩垄棚]|养(?:了|着)?{_NUMBER}+多?[头塘箱]"
    "|修(?:车|表|手机|鞋|电脑|家电|钟表)|搞(?:装修|养殖|种植|科研|工程)|做[^，。的]{1,6}(?:生意|买卖"
    "|工作))"
)


def says_trade(text: str, language: str) -> bool:
    """Whether a statement says what the user does for a living."""
    return (_CHINESE if language == "zh" else _ENGLISH).search(text) is not None
