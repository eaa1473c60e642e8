"""What requests and questions say besides: facts inside them, and what is required of the piece of work asked for."""

from __future__ import annotations

import re

from memories.engine.local.chinese import acts, moods
from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.segments import Sentence
from memories.engine.local.chinese.parsing.tagging import has_predicate, tag_words

_RELATIVE = re.compile(
    rf"(?:给|为|替|帮|送|陪|和|跟|带)(?:我)?(?:的)?(?P<what>[^，给为替帮]{{2,20}}?)的(?P<kin>{lexis.KIN})"
)
_FACT_ASKED = re.compile(
    rf"^(?:请问|你说|想问一?下?|那|我想(?:问|知道)一?下?)?(?P<fact>(?:我|咱|{lexis.KIN})[^，]{{3,40}}?)"
    "(?:能(?=吃|喝|用|打|做|去|坐|开)|能不能|可不可以|可以|会不会|要不要|该不该|该怎么办|怎么办|咋办"
    "|有什么(?:推荐|建议|办法|好)|适合|应该怎么|该怎么)"
)
_STATE_ASKED = re.compile("过敏|怀孕|孕|病|炎|症|岁|了$|是|有|在吃|患|得了|做过|不能|不吃|高血|低血|刚")


def find_facts_inside(clause: str) -> list[str]:
    """The statements inside a request or a question: 给对花生过敏的儿子推荐零食."""
    if match := _RELATIVE.search(clause):
        what = re.sub("^(?:我|我家)(?:的|那个)?", "", match["what"])
        if has_predicate(what) or re.search("岁|过敏", what):
            return [f"我{match['kin']}{what}"]
    match = _FACT_ASKED.match(clause)
    if match and _STATE_ASKED.search(match["fact"]) and not acts.is_question(match["fact"]):
        return [match["fact"]]
    return []


def find_supposition(sentence: Sentence) -> int | None:
    """Find where a case begins of which it is asked or not said what would follow: 要是我怀孕了，还能喝咖啡吗？"""
    at = next((place for place, clause in enumerate(sentence.clauses) if moods.is_supposed(clause)), None)
    if at is None or acts.is_standing_order(sentence.clauses[-1]):
        return None
    rest = sentence.clauses[at:]
    is_asked = sentence.is_question or any(
        acts.is_request(clause) or acts.is_question(clause) for clause in rest
    )
    return at if is_asked or moods.only_supposes(rest) else None


_WORK = re.compile(
    r"""
    (?:写|拟|起草|做|列|画|设计|出|编|整理|准备|生成|制定|定|弄|搞|改|翻译|规划|安排)(?:一?下|出|成)?
    (?:[一两]?(?:个|条|份|篇|封|张|段|套|首|则|幅|版|些|点))?(?P<what>[一-龥A-Za-z0-9]{2,14})$
    """,
    re.VERBOSE,
)
_REQUIRED = re.compile(
    r"""
    ^(?:
        但 | 而且 | 并且 | 还 | 也 | 记得 | 最好 | 尽量 | 一定 | 务必 | 必须 | 内容 | 语气 | 风格 | 字数
        | 标题 | 开头 | 结尾 | 落款 | 格式 | 每 | 全部 | 全 | 都 | 一律
    )*(?:要(?!是)|不要|别|不能|不许|必须|得|需要|用|按|写|加|标|附|控制|保持|不超过|最多|至少|最少|限)
    | 都(?:要|按|用|写|标|得) | [点些]$ | 以内$ | 最多 | 至少 | 不超过 | 为主$ | 优先$ | 双语 | 字$ | 落款
    """,
    re.VERBOSE,
)


def find_requested_work(clause: str) -> str:
    """The piece of work that a request asks for: 入住须知 of 帮我写个入住须知."""
    match = _WORK.search(clause)
    return match["what"] if match else ""


def is_event(clause: str) -> bool:
    """Return whether a clause behind a request says what has happened, and when: 暖气从周二就停了 behind
    帮我写投诉信."""
    if not (re.search(lexis.TIME, clause) and re.search("[^太很]了(?:[一-龥0-9]{1,6})?$", clause)):
        return False
    first = next(
        (word for word in tag_words(clause) if word.tag not in ("d", "t", "p", "m", "x", "zg")), None
    )
    return first is not None and first.tag.startswith("n")


def is_requirement(clause: str) -> bool:
    """Return whether a clause behind a request says what the piece of work must be like."""
    return bool(_REQUIRED.search(clause)) and not re.match(rf"^(?:我|咱|{lexis.KIN}|他|她|它)", clause)


def is_uniform_rule(clause: str) -> bool:
    """As in 统计都按自然月来: how all work of a kind is to be done."""
    return bool(
        re.match(
            "^(?:[^，我他她它你您]{0,10})(?:都|一律|统一|全部)(?:按|用|以|标|换成|改成|写成|加|附)[^，了]{2,}$",
            clause,
        )
    )
