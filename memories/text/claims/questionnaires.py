"""Forms and lists of keys and values in one message: "Favorite movie genres: sci-fi, action" line by line."""

from __future__ import annotations

import re

from memories.text.slots import find_slot_by_label
from memories.text.slots.claim import Claim, build_slot

_LINE = re.compile(r"^\s*(?P<key>[^\W_][^:：\n=]{0,60}?)\s*[:：]\s*(?P<value>\S.{0,400})$")
_PREFERRING = re.compile(
    r"""
    favou?rite | prefer | like | love | dislike | hate | avoid | want | care | interest | taste | style
    | hobb | 喜欢 | 喜爱 | 偏好 | 偏爱 | 讨厌 | 不喜欢 | 兴趣 | 爱好 | 忌口 | 关心 | 口味 | 风格 | 想要
    | 希望
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASKING = re.compile(
    r"""
    ^(?:
        question | q | task | instruction | prompt | input | output | translate | context | example
        | warning | error | http | https | 问题 | 问 | 任务 | 指令 | 翻译 | 例如 | 比如 | 注意
    )$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OWN = re.compile(r"^(?:my|i|(?:the )?user(?:'s)?)\b\s*|^我的?|^用户的?", re.IGNORECASE)
_VERBAL_KEY = re.compile(
    r"(?:what|how|which|who|where|when|why|I)\b|最|常|喜欢|讨厌|不|想|关心|偏好|希望|擅长|经常", re.IGNORECASE
)
# Said as one would say it, so that "Where do I live?" finds it.
_SENTENCES = {
    "name": "My name is {}",
    "age": "I am {} years old",
    "residence": "I live in {}",
    "job": "I work as {}",
}
_SENTENCES_ZH = {"residence": "我住在{}", "job": "我的职业是{}"}
_LONGEST_KEY_WORDS = 8


def find_answers(text: str, language: str) -> tuple[list[Claim], str]:
    """The claims of the lines that are answers, and the text of all other lines.

    One such line may be chance ("Note: ..."); two, or one about liking, are a form.
    """
    lines = text.split("\n")
    matches = [(line, _match_answer(line)) for line in lines]
    answers = [match for _, match in matches if match]
    if not (len(answers) > 1 or any(_PREFERRING.search(match["key"]) for match in answers)):
        return [], text
    rest = "\n".join(line for line, match in matches if not match)
    return [_build_claim(match["key"].strip(), match["value"].strip(), language) for match in answers], rest


def _match_answer(line: str) -> re.Match[str] | None:
    match = _LINE.match(line) if len(line) < 500 else None
    if not match or len(match["key"].split()) > _LONGEST_KEY_WORDS or _ASKING.match(match["key"]):
        return None
    is_sentence = re.search(r"[.!?。！？，,;；]|\b(?:is|are|said|says|was)\b", match["key"])
    return (
        None
        if is_sentence or match["value"].startswith("//") or match["value"].rstrip().endswith(("?", "？"))
        else match
    )


def _build_claim(key: str, value: str, language: str) -> Claim:
    bare = _OWN.sub("", key).strip() or key
    value = value.rstrip(" .。;；,，")
    slot = find_slot_by_label(bare) or build_slot("answer", bare)
    sentence = (_SENTENCES_ZH if language == "zh" else _SENTENCES).get(slot, "")
    if sentence and (slot != "age" or value.isdigit()):
        dating = " (as of {})" if slot == "age" else ""
        return Claim(
            sentence.format(_with_article(value, slot)),
            slot,
            f"User {bare.lower()}" if language == "en" else f"用户{bare}",
            dating=dating,
        )
    if language == "zh":
        statement, title = f"用户{'' if _VERBAL_KEY.match(bare) else '的'}{bare}：{value}", f"用户{bare}"
        reasoning = f"用户在填写的内容中写明了“{bare}”一项。"
    else:
        shown = bare if bare[:2].isupper() else bare[0].lower() + bare[1:]
        owner = "" if _VERBAL_KEY.match(shown) or re.search(r"\b(?:I|we)\b", shown) else "My "
        statement, title = f"{owner}{shown}: {value}", f"User {shown}"
        reasoning = f"The user answered the point “{shown}” themselves."
    return Claim(statement, slot, title, reasoning if _PREFERRING.search(key) else "")


def _with_article(value: str, slot: str) -> str:
    if slot != "job" or not value.isascii() or re.match(r"(?:an?|the)\b", value, re.IGNORECASE):
        return value
    return (
        f"{'an' if value[:1].lower() in 'aeiou' else 'a'} "
        f"{value if value[:2].isupper() else value[:1].lower() + value[1:]}"
    )
