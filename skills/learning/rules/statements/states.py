"""The state of a person that a statement describes: it has one value at a time, so a later one replaces it."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
JOBS = _WORDS["jobs"]
_EN = {
    "name": r"'s\ (?:full\ |first\ |last\ |real\ |preferred\ )?name\ is\b | \bis\ (?:called|named)\b | \bgoes\ by\b",
    "residence": r"""
        \b(?:lives?|resides?|is\ based|moved|relocated|settled)\b\ (?:now\ |currently\ |permanently\ )?
        (?:in|to|near|at)\b(?!\ \d)
    """,
    "employer": r"""
        \b(?:works?|is\ employed|joined|(?:moved|switched)\ to)\b\ (?:now\ |currently\ )?(?:at|for)?\ ?
        (?:[A-Z]|a\ startup)
        | \bemployer\ is\b
        | \bjoined\ [A-Z]
    """,
    "age": r"\bis\ \d{1,3}\ years\ old\b | 's\ age\ is\b | \bturned\ \d{1,3}\b",
    "birthday": r"\bbirthday\b | \bwas\ born\ (?:on|in)\b",
    "email": r"\be-?mail(?:\ address)?\ is\b | [\w.+-]+@[\w-]+\.\w+",
    "phone": r"\b(?:phone|mobile|telephone)(?:\ number)?\ is\b",
    "time zone": r"\btime\ ?zone\b",
    "role": rf"""
        \b(?:works?\ as|is|became)\ (?:now\ |currently\ )?
        (?:
            (?:an?|the|our|their|his|her|the\ user's|[A-Z][\w-]+['’]s)[ ]
            (?:(?!(?:of|with|in|to|by|for|from|at)\b)[\w'’-]+\ ){{0,3}}?
        )?(?:{JOBS}|{_WORDS["other_jobs"]})\b
        | \b(?:job\ title|role|position)\ is\b
        | \b(?:leads|heads|runs|manages)\ (?:the\ )?\w+
    """,
    "status": rf"\bstatus\ is\b | \bis\ (?:now\ )?(?:{_WORDS['statuses']})\b",
    "deadline": r"""
        \b(?:deadline|due\ date|launch(?:\ date)?|release(?:\ date)?)\b.{0,20}\b(?:is|moved|on|set)\b
        | \bis\ due\b
        | \bships\ on\b
        | \blaunch(?:es|ing)?\ (?:on|in)\b
    """,
    "budget": r"\bbudget\b.{0,20}\b(?:is|of|rose|raised|cut)\b",
}
_ZH = {
    "name": r"(?:的名字|姓名)(?:是|叫) | ^用户(?:名)?叫",
    "residence": r"住在 | 居住在 | 搬到 | 搬去 | 定居 | 常住",
    "employer": r"(?:在|入职|加入|跳槽到)[^，。]{1,20}(?:公司|工作|上班|任职|就职) | 入职 | 加入了 | 跳槽",
    "age": r"\d{1,3}岁",
    "birthday": r"生日 | 出生",
    "email": r"邮箱 | [\w.+-]+@[\w-]+\.\w+",
    "phone": r"(?:电话|手机)(?:号码?)?(?:是|为)",
    "time zone": r"时区",
    "role": rf"(?:是|担任|职位是|职务是|负责)[^，。]{{0,16}}(?:{_WORDS['jobs_zh']})",
    "status": rf"状态(?:是|为) | (?:已|正)(?:{_WORDS['statuses_zh']})",
    "deadline": r"截止 | 上线时间 | 交付(?:日期|时间) | (?:将|计划)?于.{2,12}(?:上线|交付|发布)",
    "budget": r"预算",
}
_KNOWN = [(name, re.compile(f"{english} | {_ZH[name]}", re.VERBOSE)) for name, english in _EN.items()]
# What was, or is only planned, replaces nothing.
_NOT_NOW = re.compile(
    r"""
    \b(?:
        used\ to | formerly | previously | previous | former | once | plans?\ to | wants?\ to | hopes?\ to
        | would\ like | might | may | until\ \d | in\ the\ past | not
    )\b
    | 以前 | 曾经 | 曾 | 原来 | 打算 | 计划搬 | 想要? | 希望 | 可能 | 不
    """,
    re.VERBOSE,
)


def find_state_name(text: str) -> str:
    """Find the name of the state; "" when the statement gives none, or not the present value."""
    if _NOT_NOW.search(text):
        return ""
    return next((name for name, known in _KNOWN if known.search(text)), "")
