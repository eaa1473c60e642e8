"""An agent's steps as short notes."""

from __future__ import annotations

import json
import re
from typing import Any

from memories.text import language_detection
from memories.text.clauses.sentences import clean_message, split_sentences
from memories.text.clauses.small_talk import is_courtesy
from memories.text.clauses.statements import is_question
from memories.text.secrets import mask_secrets, mask_text
from memories.text.spacing import shorten_text
from memories.text.tools.runs import show_arguments
from memories.text.tools.verdicts import Verdict
from memories.values import ToolCall

_LONGEST_NOTE = 240
_LONGEST_ARGUMENTS = 160
# "Here is the list:" says nothing without what is on it.
_MOST_LISTED = 3
# A number begins its item, and is cut off from it like the end of a sentence.
_HEADING = re.compile(r"\s*[:：]\s*(?:\d{1,2}[.)、])?$")
_NUMBER_BEHIND = re.compile(r"[,，;；]?\s+\d{1,2}[.)、]$")


def extract_gist(text: str) -> str:
    """The first sentence in which an agent says something: "" for courtesies and mere questions."""
    sentences = [*split_sentences(clean_message(text[:4_000]))]
    for at, sentence in enumerate(sentences):
        bare = sentence.strip(" -*•")
        if is_courtesy(bare) or is_question(bare, language_detection.detect_language(bare)):
            continue
        if heading := _HEADING.search(bare):
            listed = [_NUMBER_BEHIND.sub("", item) for item in sentences[at + 1 : at + 1 + _MOST_LISTED]]
            shown = "; ".join(item.strip(" -*•;；.。,，") for item in listed)
            bare = bare[: heading.start()] + (f": {shown}" if shown else "")
        return shorten_text(mask_text(bare), _LONGEST_NOTE)
    return ""


def format_call(call: ToolCall) -> str:
    """`get_weather(city="Paris")`, cut and without secrets."""
    return (
        f"{call.name}({shorten_text(show_arguments(_parse_arguments(call.arguments)), _LONGEST_ARGUMENTS)})"
    )


def call_note(call: ToolCall, language: str) -> str:
    return f"调用 {format_call(call)}" if language == "zh" else f"Called {format_call(call)}"


def write_failure_note(call: ToolCall, verdict: Verdict, language: str) -> str:
    why = verdict.reason or verdict.error_type
    return f"{call.name} 失败：{why}" if language == "zh" else f"{call.name} failed: {why}"


def write_recovery_note(call: ToolCall, language: str) -> str:
    return f"{call.name} 重试后成功" if language == "zh" else f"{call.name} worked on another try"


def write_objection_note(text: str, language: str) -> str:
    """What the user wanted otherwise."""
    said = shorten_text(mask_text(" ".join(text.split())), _LONGEST_NOTE)
    return f"用户指出：“{said}”" if language == "zh" else f"The user objected: “{said}”"


def _parse_arguments(sent: str) -> Any:
    try:
        return mask_secrets(json.loads(sent)) if sent.strip() else {}
    except (ValueError, RecursionError):
        return mask_text(sent[:2_000])
