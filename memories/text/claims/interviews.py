"""Questions with their answers in one message, as forms and interviews give them: "Q: Favourite cuisine? A: Thai"."""

from __future__ import annotations

import re

from memories.text.slots import find_slot_by_label
from memories.text.slots.claim import Claim, build_slot

_QUESTION = re.compile(
    r"^\s*+(?:q(?:uestion)?|问题?)\s?\d{0,3}\s?[:：.．]\s*+(?P<asked>\S.{1,300})$", re.IGNORECASE
)
_ANSWER = re.compile(
    r"^\s*+(?:a(?:nswer)?|答案?)\s?\d{0,3}\s?[:：.．]\s*+(?P<said>\S.{0,400})$", re.IGNORECASE
)
_ON_ONE_LINE = re.compile(r"(?<!\s)\s++(?=(?:A(?:nswer)?|Q(?:uestion)?|[答问])\s?\d{0,3}\s?[:：])")
_WHAT_IS_EN = re.compile(
    r"^(?:what|which|who|where|how old|how tall)(?:'s| is| are) your (?P<what>[\w' -]{2,60})$", re.IGNORECASE
)
_WHAT_IS_ZH = re.compile(
    "^(?:请问)?您?你?的?(?P<what>[^什哪谁多几吗]{1,20})(?:是|叫)(?:什么|哪里|哪个|谁|多少)"
)
_PREFERRING = re.compile(
    r"favou?rite|prefer|like|love|enjoy|dislike|hate|avoid|喜欢|偏好|爱吃|讨厌|兴趣|爱好", re.IGNORECASE
)
_EMPTY = re.compile(
    r"^(?:n/?a|none|-+|\?+|skip|not (?:sure|applicable)|无|没有|不知道|暂无)\.?$", re.IGNORECASE
)


def find_interview(text: str, language: str) -> tuple[list[Claim], str]:
    """The claims of the answers that stand behind their questions, and the rest of the text."""
    if not re.search(r"[:：.．]", text):
        return [], text
    lines = [part for line in text.split("\n") for part in _ON_ONE_LINE.split(line)]
    claims: list[Claim] = []
    rest: list[str] = []
    asked = ""
    for line in lines:
        question, answer = _QUESTION.match(line), _ANSWER.match(line)
        if question and not answer:
            asked = question["asked"].strip()
        elif answer and asked:
            claims += _build_claims(asked, answer["said"].strip(" .。"), language)
            asked = ""
        else:
            rest.append(line)
    return (claims, "\n".join(rest)) if claims else ([], text)


def _build_claims(asked: str, answer: str, language: str) -> list[Claim]:
    bare = asked.rstrip(" ?？.")
    if _EMPTY.match(answer):
        return []
    what = (_WHAT_IS_ZH if language == "zh" else _WHAT_IS_EN).match(bare)
    about = what["what"] if what else bare
    favourite = _FAVOURITE.match(about)
    text, reasoning = (_write_chinese if language == "zh" else _write_english)(
        bare, answer, about if what else ""
    )
    slot = (
        build_slot("favourite", favourite["what"])
        if favourite
        else find_slot_by_label(about) or build_slot("answer", about)
    )
    is_preference = bool(_PREFERRING.search(bare))
    return [Claim(text, slot, about[:50], reasoning if is_preference else "")]


def _write_english(asked: str, answer: str, what: str) -> tuple[str, str]:
    text = f"My {what} is {answer}" if what else f"Asked “{asked}?”, the user answered “{answer}”"
    return text, f"The user said so in answer to “{asked}?”."


def _write_chinese(asked: str, answer: str, what: str) -> tuple[str, str]:
    owned = what if what.startswith(("最", "的")) else f"的{what}"
    text = f"我{owned}是{answer}" if what else f"对于“{asked}？”这个问题，用户回答：“{answer}”"
    return text, f"用户在回答“{asked}？”时说明了这一点。"


_FAVOURITE = re.compile(r"^(?:favou?rite|最喜欢(?:吃|喝|看|玩|听)?的)\s*(?P<what>.+)$", re.IGNORECASE)
