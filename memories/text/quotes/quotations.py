"""Openings of answers that only quote memories, so that quotes are not extracted as new statements."""

from __future__ import annotations

OPENINGS = {
    "en": "Put together from stored memories, without a language model:",
    "zh": "以下内容由已存储的记忆拼成，未使用语言模型：",
}
NOTHING = {
    "en": "No stored memory answers this. (Answers here are put together from memories, without a language model.)",
    "zh": "已存储的记忆里没有这个问题的答案。（这里的回答由记忆拼成，未使用语言模型。）",
}


def is_quotation(text: str) -> bool:
    """Return whether an assistant's message is such an answer."""
    return text.startswith((*OPENINGS.values(), *NOTHING.values()))
