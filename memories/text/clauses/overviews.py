"""Whether a question asks for all that is known of the user, or for all of one kind: "What do you know about me?"."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

from memories.text.words.word_lists import load_alternatives


class OverviewTopic(StrEnum):
    """Topics of an overview of a person."""

    EVERYTHING = "everything"
    PERSON = "person"
    PEOPLE = "people"
    WORK = "work"
    HEALTH = "health"
    PREFERENCES = "preferences"
    PLANS = "plans"


_WORDS = load_alternatives(Path(__file__).with_name("words.toml"), "overviews")
# Only the beginning is read: who pastes a page asks about the page.
_LONGEST = 400
_ME = r"(?:me|myself|the user)"
# What may stand behind "about me" without making it about something else.
_END = (
    r"(?=\s*(?:$|[?.!,;:)]|so far|now|today|already|yet|at all|right now|as a person|in|from|based|please"
    r"|until|up to|with|using|using only)(?!\w))"
)
_ABOUT_ME = re.compile(rf"\b(?:about|of|on|regarding|concerning) {_ME}{_END}", re.IGNORECASE)
_KNOWING = re.compile(rf"\b(?:{_WORDS['knowing']})\b", re.IGNORECASE)
# "What did Anna tell you about me?" asks for what somebody said.
_OF_OTHERS = re.compile(
    r"\b(?:did|does|do|has|have) (?!you\b|i\b|we\b)[\w'’ ]{1,30} (?:say|said|tell|told|think|know|mention)",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"""
    \bwho\ (?:am\ i|i\ am)\b(?!\ (?:to|going|meeting|seeing|with|working))
    | \bwhat\ (?:kind|sort|type)\ of\ (?:person|user|human)\ am\ i\b
    | \b(?:describe|summari[sz]e|introduce|sum\ up|profile)\ (?:me|myself|the\ user)
      (?!\ (?:the|a|an|what|how|this|that|to)\b)
    | \bsum\ me\ up\b | \bhow\ well\ do\ you\ know\ me\b
    | \bdo\ you\ (?:still\ |really\ |even\ )?(?:know|remember|recogni[sz]e)\ me\b
    | \bwhat\ (?:have|did)\ i\ (?:ever\ )?(?:told|tell|shared|share|said|say)(?:\ (?:with|to))?\ you
      (?:\ about\ myself)?(?:\ so\ far)?\s*[?.!]*$
    | \b(?:show|list|summari[sz]e|recap|see|read\ out|review|give)\ (?:me\ )?(?:all\ )?(?:of\ )?
      (?:my|the\ user's)\ (?:(?:stored|saved)\ )?(?:memories|profile|details|information)\b
    | \bwhat\ (?:is|are|'s)\ (?:in\ )?my\ (?:stored\ |saved\ )?(?:memories|profile)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TOPICS = {
    OverviewTopic.PEOPLE: r"(?:family|relatives|loved ones|friends|people in my life|folks|pets|animals)",
    OverviewTopic.WORK: r"(?:work|job|career|working life|studies|education|professional life)",
    OverviewTopic.HEALTH: (
        r"(?:health|medical (?:history|conditions?)|allergies|medications?|medicines?|diet(?:ary needs)?)"
    ),
    OverviewTopic.PREFERENCES: (
        r"(?:preferences?|tastes?|likes|likes and dislikes|dislikes|favou?rites|habits and preferences)"
    ),
    OverviewTopic.PLANS: (
        r"(?:plans?|goals?|upcoming (?:plans|events|appointments|trips)|appointments|schedule|future plans)"
    ),
}
_ASKS_FOR_ALL = (
    r"(?:(?:know|remember|recall|learn(?:ed|t)|noted?|stored?) (?:about|of|on)|summari[sz]e|recap"
    r"|overview of|summary of|tell me about|list|show(?: me)?"
    r"|what(?:'s| is| are)(?: all)?(?: of)?|what about|remind me (?:of|about)"
    r"|describe) (?:what you know about )?(?:all (?:of )?)?"
)
# "What is my job?" wants one thing.
_ASKS_FOR_ONE = re.compile(
    r"\bwhat(?:'s| is| are) (?:my|our|the user's) (?:work|job|career|diet)\b|的(?:工作|职业|事业|学业)是",
    re.IGNORECASE,
)
_OF_TOPIC = tuple(
    (topic, re.compile(rf"\b{_ASKS_FOR_ALL}(?:my|our|the user's) {words}\b(?! \w)(?!['’])", re.IGNORECASE))
    for topic, words in _TOPICS.items()
)
_LIKES = re.compile(
    r"""
    ^\W*(?:so,?\ )?what\ (?:all\ )?do\ i\ (?:really\ |usually\ |generally\ )?
    (?:like|love|enjoy|prefer|dislike|hate|avoid)(?:\ and\ (?:dislike|hate|not\ like))?
    (?:\ (?:in\ general|generally|most|best))?\s*[?.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_AHEAD = re.compile(
    r"""
    \bwhat\ (?:do\ i\ have|have\ i\ got|is|'s|am\ i)\ (?:planned|coming\ up|ahead|planning)\b
    (?!\ (?:for|on|with))
    | \bwhat(?:'s|\ is)\ coming\ up\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

_WO = "(?:我|用户)"
_ALL_ZH = (
    "(?:(?:什么|多少|哪些)(?=$|[\\s，。？?！!；]|事|信息|情况|东西|内容|吗|呢|呀|啊)|情况|信息|事情|事|一切"
    "|所有|全部|内容|资料|印象|东西|点)"
)
_WHOLE_ZH = re.compile(
    rf"""
    (?:{_WORDS["knowing_zh"]})(?:了|着|下|过|到)?(?:的)?(?:些|哪些|多少|什么)?(?:有?关于?|有关)?{_WO}(?:的)?
        (?:{_ALL_ZH}|吗|$|[，。？?！!；])
    | (?:关于|有关|对于?){_WO}(?:的|，|,|你|您|都|有)?(?:你|您)?(?:都)?(?:还)?(?:{_WORDS["known_zh"]})
    | (?:{_WORDS["telling_zh"]})(?:一下)?(?:你)?(?:所)?(?:知道|了解|记得|眼中|眼里|印象中|心目中)?(?:的)?{_WO}
        (?:吧|呗|这个人|的(?:情况|信息|资料|一切|全部|档案|画像)|$|[，。？?！!])
    | ^(?:那|请问|你说|所以)?[，,]?我(?:到底|究竟)?是谁
    | 我是(?:一个|个)?(?:什么样|怎样|怎么样|啥样)的?(?:一个)?人
    | (?:看|查|列出|展示|总结|告诉我|汇总|显示)(?:一下|下|看)?(?:所有|全部)?我的(?:所有|全部|个人)?
        (?:记忆|档案|画像|资料|信息)
    | 我(?:都)?(?:跟|和|对|向|给)?你?(?:说|讲|告诉|提)过(?:你)?(?:哪些|什么)(?:事|事情|信息)?(?:[？?。]|$)
    """,
    re.VERBOSE,
)
_TOPICS_ZH = {
    OverviewTopic.PEOPLE: "(?:家人|家庭|家里人|亲人|亲友|朋友|宠物|家庭情况)",
    OverviewTopic.WORK: "(?:工作|职业|事业|学业|学习|工作情况|职业经历)",
    OverviewTopic.HEALTH: "(?:健康|身体|病史|过敏|用药|健康状况|身体状况|饮食禁忌|忌口)",
    OverviewTopic.PREFERENCES: "(?:喜好|偏好|爱好|口味|习惯|兴趣|喜好和厌恶)",
    OverviewTopic.PLANS: "(?:计划|打算|安排|日程|目标|行程)",
}
_OF_TOPIC_ZH = tuple(
    (
        topic,
        re.compile(
            rf"""
            (?:{_WORDS["topic_zh"]})(?:一下|了|下)?(?:哪些|些)?(?:有?关于|有关)?{_WO}的?{words}(?:情况|方面|状况)?
                (?:的?{_ALL_ZH})?(?:吗|吧)?\s*[。？?！!]*$
            | {_WO}(?:的|有|都有|有过)?(?:哪些|什么)?{words}(?:有|是|都有|都是)?(?:哪些|什么|怎么样|怎样|如何)?
                \s*[。？?！!]*$
            """,
            re.VERBOSE,
        ),
    )
    for topic, words in _TOPICS_ZH.items()
)
_LIKES_ZH = re.compile(
    rf"^(?:那|请问)?{_WO}(?:都|最|平时|一般)?(?:喜欢|讨厌|不喜欢|爱|偏好)(?:和(?:讨厌|不喜欢))?(?:些"
    rf"|的)?(?:什么|哪些|啥)(?:东西|事物|事情)?\s*[。？?！!]*$"
)
_AHEAD_ZH = re.compile(
    rf"{_WO}(?:接下来|最近|未来|之后|以后|今后)(?:都)?(?:有|要|会)(?:什么|哪些|啥)(?:事|安排|计划|打算|做的?)?"
)


def find_overview_topic(text: str) -> OverviewTopic | None:
    """Find what the question wants all of; None for a question about something in particular."""
    text = text.strip()[:_LONGEST]
    if _WHOLE.search(text) or _WHOLE_ZH.search(text):
        return OverviewTopic.EVERYTHING
    if _ABOUT_ME.search(text) and _KNOWING.search(text) and not _OF_OTHERS.search(text):
        return OverviewTopic.EVERYTHING
    of_topic = (topic for topic, pattern in (*_OF_TOPIC, *_OF_TOPIC_ZH) if pattern.search(text))
    if not _ASKS_FOR_ONE.search(text) and (topic := next(of_topic, None)):
        return topic
    if _LIKES.search(text) or _LIKES_ZH.search(text):
        return OverviewTopic.PREFERENCES
    return OverviewTopic.PLANS if _AHEAD.search(text) or _AHEAD_ZH.search(text) else None
