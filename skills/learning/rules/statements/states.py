"""What state of somebody a statement describes: of each there is one value at a time, so a later one replaces it."""

from __future__ import annotations

import re

_EN = (
    ("name", r"'s (?:full |first |last |real |preferred )?name is\b|\bis (?:called|named)\b|\bgoes by\b"),
    ("residence", (
        r"\b(?:lives?|resides?|is based|moved|relocated|settled)\b (?:now |currently |permanently )?(?:in"
        r"|to|near|at)\b(?! \d)"
    )),
    ("employer", (
        r"\b(?:works?|is employed|joined|moved to|switched to)\b (?:now |currently )?(?:at|for)? ?(?:[A-Z]"
        r"|a startup)|\bemployer is\b|\bjoined [A-Z]"
    )),
    ("age", r"\bis \d{1,3} years old\b|'s age is\b|\bturned \d{1,3}\b"),
    ("birthday", r"\bbirthday\b|\bwas born (?:on|in)\b"),
    ("email", r"\be-?mail(?: address)? is\b|[\w.+-]+@[\w-]+\.\w+"),
    ("phone", r"\b(?:phone|mobile|telephone)(?: number)? is\b"),
    ("time zone", r"\btime ?zone\b"),
    ("role", (
        r"\b(?:works? as|is|became) (?:now |currently )?(?:(?:(?:an?|the|our|their|his|her|the user's"
        r"|[A-Z][\w-]+['’]s) )(?:(?!(?:of|with|in|to|by|for|from|at)\b)[\w'’-]+ ){0,3}?)?(?:lead|engineer"
        r"|designer|manager|director|developer|analyst|officer|consultant|head|teacher|doctor|nurse|lawyer"
        r"|student|founder|scientist|architect|accountant|researcher|writer|editor|assistant|intern"
        r"|president|owner|partner|specialist|administrator|coordinator|technician|ceo|cto|cfo|coo|vp)\b"
        r"|\b(?:job title|role|position) is\b|\b(?:leads|heads|runs|manages) (?:the )?\w+"
    )),
    ("status", (
        r"\bstatus is\b|\bis (?:now )?(?:on track|delayed|blocked|finished|on hold|cancelled|canceled"
        r"|in progress|live|launched)\b"
    )),
    ("deadline", (
        r"\b(?:deadline|due date|launch(?: date)?|release(?: date)?)\b.{0,20}\b(?:is|moved|on|set)\b"
        r"|\bis due\b|\bships on\b|\blaunch(?:es|ing)? (?:on|in)\b"
    )),
    ("budget", r"\bbudget\b.{0,20}\b(?:is|of|rose|raised|cut)\b"),
)  # fmt: skip
_ZH = (
    ("name", r"(?:的名字|姓名)(?:是|叫)|^用户(?:名)?叫"),
    ("residence", r"住在|居住在|搬到|搬去|定居|常住"),
    ("employer", r"(?:在|入职|加入|跳槽到)[^，。]{1,20}(?:公司|工作|上班|任职|就职)|入职|加入了|跳槽"),
    ("age", r"\d{1,3}岁"),
    ("birthday", r"生日|出生"),
    ("email", r"邮箱|[\w.+-]+@[\w-]+\.\w+"),
    ("phone", r"(?:电话|手机)(?:号码?)?(?:是|为)"),
    ("time zone", r"时区"),
    ("role", (
        r"(?:是|担任|职位是|职务是|负责)[^，。]{0,16}(?:工程师|经理|总监|设计师|主管|负责人|老师|医生|护士"
        r"|律师|学生|创始人|科学家|架构师|会计|研究员|助理|实习生|总裁|主任|专员|顾问|开发|产品|运营)"
    )),
    ("status", r"状态(?:是|为)|(?:已|正)(?:上线|暂停|延期|完成|取消|进行中)"),
    ("deadline", r"截止|上线时间|交付(?:日期|时间)|(?:将|计划)?于.{2,12}(?:上线|交付|发布)"),
    ("budget", r"预算"),
)  # fmt: skip
_KNOWN = [
    (name, re.compile(f"{english}|{chinese}")) for (name, english), (_, chinese) in zip(_EN, _ZH, strict=True)
]
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
    """Its name; "" when the statement gives none, or not the present value."""
    if _NOT_NOW.search(text):
        return ""
    return next((name for name, known in _KNOWN if known.search(text)), "")
