"""Talks between named people, one of whom may be in the assistant's role: "Caroline: I went there yesterday"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from memories.text.words.places import is_place
from memories.values import Turn

_NAME = re.compile(
    r"""
    \s*((?-i:[A-Z][\w'.-]{0,20})(?:\ (?-i:[A-Z][\w'.-]{0,20})){0,2})\s?[:：]\s{0,3}(?=\S)(?!//)
    | \s*([\u4e00-\u9fff]{2,4})[:：]\s{0,3}(?=\S)
    """,
    re.VERBOSE,
)
_PERSONAL = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|my|me|we|you|your|our)\b|[我你您咱]")
# Keys of forms and heads of notes that look like names.
_NO_NAMES = frozenset(
    """
        q a q1 q2 q3 a1 a2 a3 topics interests likes height weight skills education experience
        salary company role position notes prompt code output pros cons step breakfast lunch dinner
        morning evening before after currently reading update favourite favourites favorite
        translate translation summarize write rewrite remember reminder preferences preference
        requirements requirement info information profile background name names age city country
        address location hobby hobbies note notes update question answer warning re fwd subject
        topic title date time job occupation profession email phone birthday gender language summary
        example hint tip error todo task goal goals budget diet allergies allergy favorites
        interests likes dislikes plan user assistant system human ai bot tool request response input
        output context background instructions reminder important result results monday tuesday
        wednesday thursday friday saturday sunday today tomorrow yesterday http https ps edit fact
        facts 翻译 总结 改写 润色 请 记住 姓名 名字 年龄 职业 工作 爱好 兴趣 城市 地址 电话 邮箱
        生日 性别 备注 注意 问题 答案 回答 提示 例如 比如 总结 标题 主题 时间 日期 地点 目标 预算
        喜欢 讨厌 饮食 过敏 用户 助手 系统 语言 星座 学校 专业 公司 今天 明天 昨天 天气 记一下 记住
        记下 记下来 记得 备忘 提醒 注 答 问 结果 结论 建议 说明 更新
    """.split()
)


def find_speakers(turns: Sequence[Turn]) -> list[str]:
    """Each turn's named speaker, "" where a turn is none's line."""
    prefixes = ["" if turn.speaker or _is_heading(turn) else _get_speaker_prefix(turn.text) for turn in turns]
    counts = Counter(prefix for prefix in prefixes if prefix)
    is_talk = sum(counts.values()) > 1
    return [
        turn.speaker or (prefix if prefix and (is_talk or _is_personal(turn.text)) else "")
        for turn, prefix in zip(turns, prefixes, strict=True)
    ]


def strip_speaker(text: str, speaker: str) -> str:
    """Return what was said, without the name before it."""
    match = _NAME.match(text)
    named = (match[1] or match[2]) if match else ""
    return text[match.end() :].strip() if match and named.lower() == speaker.lower() else text.strip()


def name_words(speakers: Sequence[str]) -> frozenset[str]:
    return frozenset(word for name in set(speakers) if name for word in name.lower().split())


def _get_speaker_prefix(text: str) -> str:
    match = _NAME.match(text[:80])
    name = (match[1] or match[2]) if match else ""
    return "" if not name or any(word in _NO_NAMES for word in name.lower().split()) else name


def _is_personal(text: str) -> bool:
    return bool(_PERSONAL.search(text[:2_000]))


def _is_heading(turn: Turn) -> bool:
    """Return whether what stands before the colon is a place, which somebody writes a note on."""
    match = _NAME.match(turn.text[:80])
    name = (match[1] or match[2]) if match else ""
    return is_place(name)
