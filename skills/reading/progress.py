"""An agent's steps as short notes."""

from __future__ import annotations

import json
import re
from typing import Any

from memories.text.clauses.sentences import clean_message, split_sentences
from memories.text.clauses.small_talk import is_courtesy
from memories.text.clauses.statements import is_question
from memories.text.secrets import mask_secrets, mask_text
from memories.text.tools.runs import show_arguments
from memories.text.tools.verdicts import Verdict
from memories.text.words import language_detection
from memories.text.words.spacing import shorten_text
from memories.text.words.tokenize import extract_keywords
from memories.values import ToolCall
from skills.reading.messages.signs import is_problem

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
        if _is_empty(bare) or is_question(bare, language_detection.detect_language(bare)):
            continue
        if heading := _HEADING.search(bare):
            listed = [_NUMBER_BEHIND.sub("", item) for item in sentences[at + 1 : at + 1 + _MOST_LISTED]]
            shown = "; ".join(item.strip(" -*•;；.。,，") for item in listed)
            bare = bare[: heading.start()] + (f": {shown}" if shown else "")
        elif _needs_next(bare, following := " ".join(sentences[at + 1 : at + 2]).strip(" -*•")):
            bare = f"{_SEMICOLON.sub(',', bare)} {following}"
        return shorten_text(mask_text(bare), _LONGEST_NOTE)
    return ""


def _is_empty(sentence: str) -> bool:
    return is_courtesy(sentence) or _ACKNOWLEDGES.fullmatch(sentence) is not None


def _needs_next(sentence: str, following: str) -> bool:
    """ "I called;" says nothing without what came of it, and a failure nothing without what was done about it."""
    if not following:
        return False
    is_short = sentence.endswith((";", "；")) and len({*extract_keywords(sentence)}) < _LEAST_SAID
    return is_short or (is_problem(sentence) and _THEN_DID.match(following) is not None)


_LEAST_SAID = 2
_SEMICOLON = re.compile("[;；]$")
_ACKNOWLEDGES = re.compile(
    r"""
    (?:(?:ok(?:ay)?|sure|sorry|yes|thanks)[,.!]?\ )*(?:
        will\ do | noted | understood | got\ it | makes\ sense
        | i(?:'ll|\ will)\ (?:remember|keep|bear)\ (?:that|it|this)(?:\ in\ mind)?
    )[.!]*
    | (?:好的?|嗯|行|明白|收到|抱歉)?[，,。！!]?
      (?:我?(?:会|已经)?(?:记住|记下|明白|知道|了解|收到)[了啦]?)(?:，下次(?:会|一定)?注意)?[。！!]*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_THEN_DID = re.compile(r"(?:(?:so|then|after that),? )?(?:I|we)\b|(?:于是|所以)?我", re.IGNORECASE)


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
    """Write what the user wanted otherwise."""
    objection = shorten_text(mask_text(" ".join(text.split())), _LONGEST_NOTE)
    return f"用户指出：“{objection}”" if language == "zh" else f"The user objected: “{objection}”"


def _parse_arguments(sent: str) -> Any:
    try:
        return mask_secrets(json.loads(sent)) if sent.strip() else {}
    except (ValueError, RecursionError):
        return mask_text(sent[:2_000])
