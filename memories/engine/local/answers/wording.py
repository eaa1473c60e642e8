"""How an answer without a model says a memory: to the user where that is certain, else word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.engine.answering import Remembered
from memories.engine.local.answers.overview import VIEW
from memories.text.clauses.sentences import split_sentences
from memories.text.en.second_person import address_user as address_in_english
from memories.text.words.language_detection import detect_language
from memories.text.zh.second_person import address_user as address_in_chinese

LONGEST_QUOTE = 500
_NAMES_USER = re.compile(r"\bthe user\b|用户", re.IGNORECASE)
_ROUGH_LINE = re.compile(
    r"^(user|assistant|system|tool): \[\d\d:\d\d [AP]M on [^\]\n]{8,24} UTC\]: ", re.MULTILINE
)
_ASKS = re.compile(r"[?？]\s*$|[吗呢]\s*[。?？]?\s*$")
WORDS = {
    "en": {
        "facts": "",
        "preferences": "Preferences that may matter:",
        "documents": "From documents:",
        "quoted": "“{}”",
        "said": "You said: “{}”",
        "assistant": "The assistant said: “{}”",
        "past": "No longer so since {}: “{}”",
        "counted": "How many there are is not counted here; these memories bear on it:",
        "nearest": "No stored memory says it in these words. The nearest are:",
        "unnamed": "No stored memory names {}. The nearest are:",
        "joint": ", ",
        "more": "… and {} more.",
        "heading": "{}:",
        "beside": " ({})",
    },
    "zh": {
        "facts": "",
        "preferences": "可能相关的偏好：",
        "documents": "来自文档：",
        "quoted": "“{}”",
        "said": "你说过：“{}”",
        "assistant": "助手说过：“{}”",
        "past": "自{}起不再如此：“{}”",
        "counted": "这里不计算数量，以下记忆与此有关：",
        "nearest": "没有记忆用这些词说过这件事，最接近的是：",
        "unnamed": "没有记忆提到{}，最接近的是：",
        "joint": "、",
        "more": "……另有{}条。",
        "heading": "{}：",
        "beside": "（{}）",
    },
}


@dataclass(frozen=True, slots=True)
class Quote:
    """One line of an answer; `beside` is its day or its source, "" for none. `relativity`: 0 to 1."""

    section: str
    text: str
    beside: str
    relativity: float


def build_quotes(section: str, memory: Remembered, words: dict[str, str]) -> Iterator[Quote]:
    """The memory as one line; of a turn as it was spoken one for each statement of the user's."""
    if not memory.is_raw:
        yield Quote(
            section, _address_memory(memory, words), "" if memory.until else memory.day, memory.relativity
        )
        return
    for text in _iterate_user_statements(memory.text):
        yield Quote(section, words["said"].format(text[:LONGEST_QUOTE]), memory.day, memory.relativity)


def _address_memory(memory: Remembered, words: dict[str, str]) -> str:
    """The memory as it is said to the user; word for word where it cannot be turned to them with certainty."""
    text = memory.text[:LONGEST_QUOTE]
    if text.startswith(VIEW):
        return words["assistant"].format(text.removeprefix(VIEW).strip())
    is_chinese = detect_language(text) == "zh"
    if not memory.speaker and _NAMES_USER.search(text):
        addressed = address_in_chinese(text) if is_chinese else address_in_english(text)
        text = addressed or (text if memory.until else words["quoted"].format(text))
    return words["past"].format(memory.until, text) if memory.until else text


def _iterate_user_statements(turn: str) -> Iterator[str]:
    """Return what the user stated in a turn as it was spoken: questions answer nothing, nor does what others said."""
    _, *parts = _ROUGH_LINE.split(turn)
    for role, text in zip(parts[::2], parts[1::2], strict=True):
        if role == "user":
            yield from (sentence for sentence in split_sentences(text.strip()) if not _ASKS.search(sentence))
