"""What sort of thing a statement says, and which sorts stand under a heading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from skills.learning.rules.schema import Heading
from skills.learning.rules.statements.states import find_state_name
from skills.learning.rules.statements.text_similarity import Nearness


class Sort(StrEnum):
    CONTACT = "contact"
    IDENTITY = "identity"
    TASTE = "taste"
    OPINION = "opinion"
    DECISION = "decision"
    PLAN = "plan"
    TROUBLE = "trouble"
    STATUS = "status"
    HAPPENED = "happened"
    OTHER = "other"


_SAYS: tuple[tuple[Sort, re.Pattern[str]], ...] = tuple(
    (sort, re.compile(pattern, re.IGNORECASE))
    for sort, pattern in (
        (Sort.CONTACT, (
            r"@[\w-]+\.\w|\be-?mail\b|\bphone\b|\bmobile number\b|\breach(?:ed|able)?\b|\bhandle\b|邮箱"
            r"|电话|手机|微信|联系方式"
        )),
        (Sort.DECISION, r"\bdecided\b|\bdecision\b|\bagreed\b|\bchose\b|\bapproved\b|决定|决议|敲定|商定|选定"),
        (Sort.TROUBLE, (
            r"\brisks?\b|\bproblems?\b|\bissues?\b|\bblocked\b|\bbugs?\b|\bfails?\b|\bdelay(?:ed)?\b"
            r"|\bcomplain(?:s|ed|t)?\b|风险|问题|阻塞|故障|延期|投诉"
        )),
        (Sort.OPINION, (
            r"\b(?:found (?:it|them|the)|thought (?:it|that|the)|thinks|considers?|opinions?|boring"
            r"|brilliant|recommends?|too (?:long|short|slow|hard))\b|觉得|认为|推荐|太[长短慢]"
        )),
        (Sort.TASTE, (
            r"\b(?:likes?|loves?|prefers?|hates?|dislikes?|enjoys?|favou?rites?|avoids?|allergic|fan of"
            r"|is into|interested in)\b|喜欢|偏好|爱|讨厌|过敏|感兴趣|习惯"
        )),
        (Sort.PLAN, (
            r"\b(?:plans? to|will|going to|next (?:week|month|step)|deadline|due|goal|wants? to|intends?"
            r"|scheduled|launch(?:es)? (?:on|in))\b|计划|打算|将|下周|下个月|截止|目标"
        )),
        (Sort.STATUS, (
            r"\b(?:on track|in progress|finished|completed|live|launched|status|progress|percent|on hold)\b"
            r"|\d%|进展|进度|状态|上线|完成"
        )),
        (Sort.IDENTITY, (
            r"\b(?:works? (?:at|for|as|in)|is (?:an?|the|our|their|his|her|based|from|head|married|\d)"
            r"|lives? in|joined|leads|heads|runs|manages|studied|graduated|born|speaks|role|title|team"
            r"|company|employer|owner|founded|uses|built (?:with|in)|written in|located|costs?|budget)\b|是"
            r"|负责|担任|工作|毕业|住在|来自|就职|职位|岁|位于|使用|预算"
        )),
        (Sort.HAPPENED, (
            r"\b(?:met|went|had|visited|called|discussed|happened|presented|talked|asked|told|said|gave"
            r"|sent|introduced|last (?:week|month|year)|yesterday|\w+ed)\b|了|过|见面|讨论|聊"
        )),
    )
)  # fmt: skip

_HOLDS: tuple[tuple[frozenset[Sort], re.Pattern[str]], ...] = tuple(
    (frozenset(sorts), re.compile(pattern, re.IGNORECASE))
    for sorts, pattern in (
        ((Sort.CONTACT,), r"\bcontact|\breach|联系"),
        ((Sort.TASTE,), r"\bpreferences?\b|\blikes?\b|\btastes?\b|\binterests?\b|偏好|喜好|兴趣|习惯"),
        ((Sort.OPINION,), r"\bopinions?\b|\breviews?\b|\bthoughts\b|\bimpressions?\b|\bverdict\b|看法|感想|评价|观点"),
        ((Sort.DECISION,), r"\bdecisions?\b|\bagreements?\b|\bresolutions?\b|决定|决策|决议"),
        ((Sort.TROUBLE,), r"\brisks?\b|\bissues?\b|\bproblems?\b|\bblockers?\b|\bcomplaints?\b|风险|问题|阻塞|投诉"),
        ((Sort.PLAN,), (
            r"\bnext\b|\bplans?\b|\bto-?dos?\b|\bactions?\b|\bgoals?\b|\bdeadlines?\b|\bmilestones?\b"
            r"|\bschedule\b|计划|待办|下一步|目标|里程碑|日程"
        )),
        ((Sort.STATUS,), r"\bstatus\b|\bprogress\b|\bstate\b|状态|进展|进度|现状"),
        ((Sort.HAPPENED, Sort.DECISION), (
            r"\bhistory\b|\btimeline\b|\blog\b|\bmeetings?\b|\binteractions?\b|\bevents?\b|历史|时间线|记录"
            r"|往来|互动|会议"
        )),
        ((Sort.IDENTITY, Sort.CONTACT), (
            r"\bbasics?\b|\bprofile\b|\babout\b|\boverview\b|\bsummary\b|\bbackground\b|\bfacts\b"
            r"|\bdetails\b|\bwho\b|\brole\b|\bbasic info|基本|简介|概况|概览|资料|档案|背景|信息"
        )),
    )
)  # fmt: skip
_REST = re.compile(
    r"""
    \bnotes?\b | \bother\b | \bmisc | \bremarks?\b | \bobservations?\b | \badditional\b | \bcomments?\b
    | 备注 | 其他 | 其它 | 笔记 | 补充 | 杂项
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A state is what somebody is, whatever the verb.
_OF_STATE = {"email": Sort.CONTACT, "phone": Sort.CONTACT, "status": Sort.STATUS, "deadline": Sort.PLAN}


def classify_statement(text: str) -> Sort:
    state = find_state_name(text)
    if state:
        return _OF_STATE.get(state, Sort.IDENTITY)
    return next((sort for sort, says in _SAYS if says.search(text)), Sort.OTHER)


def choose_heading(text: str, headings: Sequence[Heading], near: Nearness) -> Heading | None:
    """Where a statement stands: by the sort of thing that a heading holds, else with the rest, else by meaning."""
    if len(headings) < 2:
        return headings[0] if headings else None
    sort = classify_statement(text)
    for stated in (lambda heading: heading.text, lambda heading: f"{heading.text} {heading.note}"):
        for heading in headings:
            if sort in _get_held_sorts(stated(heading)):
                return heading
    rest = next((heading for heading in headings if _REST.search(heading.text)), None)
    if rest is not None and (
        sort is not Sort.OTHER
        or all(_get_held_sorts(heading.text) for heading in headings if heading is not rest)
    ):
        return rest
    return max(headings, key=lambda heading: near.between(text, f"{heading.text}: {heading.note}"))


def _get_held_sorts(stated: str) -> frozenset[Sort]:
    return next((sorts for sorts, known in _HOLDS if known.search(stated)), frozenset())
