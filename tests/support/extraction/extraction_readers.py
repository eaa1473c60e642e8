"""The readers of the extractor, and how long the slowest takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from time import process_time

from memories.consolidation.ends import called_off
from memories.consolidation.ends.chinese import called_off as called_off_chinese
from memories.engine.local.assistant import extract_substance
from memories.engine.local.extractor import LocalExtractor
from memories.engine.local.inferences.offers import parse_options
from memories.feedback.parse_orders import read_feedback
from memories.feedback.praise_and_blame import is_judgement
from memories.text.claims.interviews import find_interview
from memories.text.claims.notes import find_note
from memories.text.claims.preferences import find_english_preferences
from memories.text.claims.preferences_chinese import find_chinese_preferences
from memories.text.claims.reading import read_message
from memories.text.claims.restating import restate_changes
from memories.text.clauses.contrast import find_contrast
from memories.text.clauses.sentences import split_clauses, split_sentences
from memories.text.clauses.small_talk import is_courtesy
from memories.text.clauses.wording import read_wordings
from memories.text.secrets import mask_text
from memories.text.tools.complaints import detect_error_type, find_complaint
from memories.text.tools.schemas import find_schemas_in_text
from memories.text.tools.verdicts import judge_result
from memories.values import Turn

DAY = datetime(2025, 6, 10, 9, 0, tzinfo=UTC)
# What a pattern may begin with, and what it may then go over again and again.
_BEGINNINGS = ("", "Q:", "that not", "把", "I like", "replace ", "¥")
# The whole extractor takes milliseconds for anything, and two parts put beginnings of their own before it.
_FEW_BEGINNINGS = {
    "extract": ("", "I like"),
    "extract a choice": ("",),
    "restate_changes": ("",),
    "read_calling_off": ("",),
}
_BLANKS_AND_MARKS = (
    " ",
    "\t",
    "\n",
    " \n",
    "\u3000",
    ".",
    ". ",
    "?!",
    ",",
    ", ",
    "，",
    "、",
    "：",
    "；",
    '"',
    "“",
    "(",
    "-",
)
_WORDS = (
    "not ",
    "not a but ",
    "Q: ",
    "A: ",
    "a",
    "a ",
    "a, ",
    "a.",
    "and I ",
    "I like ",
    "to ",
    "the ",
    "my ",
    "all ",
)
_WORDS_ZH = ("把", "不是", "改成", "是", "和", "的", "忘记", "密码是", "请记住", "从a到")
_CODES = ("1", "1,", "1.", "$1", "bearer ", "password", "{", "://", "on Monday ")
_PUMPED = (*_BLANKS_AND_MARKS, *_WORDS, *_WORDS_ZH, *_CODES)
_CHANGES = (
    "I changed my number. It's ",
    "I changed my email from a to ",
    "Let's cancel the ",
    "Let's call the ",
)
_CHANGES_ZH = ("我换号了，现在", "邮箱换了", "地址改成1", "搬家了，新地址是", "那就")
_CALLING_OFF = ("The user cancelled the dinner with ", "The dinner with ", "The user is not going ")
_CALLING_OFF_ZH = ("用户把", "用户的妈妈的", "去")


def _extract(text: str) -> object:
    return LocalExtractor().extract([Turn("user", text, DAY)], [])


def _extract_choice(text: str) -> object:
    turns = [
        Turn("assistant", f"You can try A, B or C. {text}", DAY),
        Turn("user", f"I take B. {text[:900]}", DAY),
    ]
    return LocalExtractor().extract(turns, [])


READERS: dict[str, Callable[[str], object]] = {
    "extract": _extract,
    "extract a choice": _extract_choice,
    "read_message": read_message,
    "read_feedback": read_feedback,
    "find_contrast": find_contrast,
    "extract_substance": extract_substance,
    "find_interview": lambda text: (find_interview(text, "en"), find_interview(text, "zh")),
    "find_note": lambda text: (find_note(text, "en"), find_note(text, "zh")),
    "split_sentences": lambda text: list(split_sentences(text)),
    "split_clauses": lambda text: (split_clauses(text, "en"), split_clauses(text, "zh")),
    "find_english_preferences": lambda text: find_english_preferences(text[:600], text[:600]),
    "find_chinese_preferences": lambda text: find_chinese_preferences(text, text),
    "parse_options": lambda text: [(option.name, option.price) for option in parse_options(text)],
    "is_judgement": is_judgement,
    "is_courtesy": is_courtesy,
    "wordings": lambda text: read_wordings(text[:2_000]),
    "judge": judge_result,
    "find_complaint": lambda text: (find_complaint(text), detect_error_type(text)),
    "mask_text": mask_text,
    "find_schemas_in_text": find_schemas_in_text,
    "restate_changes": lambda text: (
        [restate_changes(f"{begins}{text}", "en") for begins in _CHANGES],
        [restate_changes(f"{begins}{text}", "zh") for begins in _CHANGES_ZH],
    ),
    "read_calling_off": lambda text: (
        [called_off.read_calling_off(f"{begins}{text}"[:300]) for begins in _CALLING_OFF],
        [called_off_chinese.read_calling_off(f"{begins}{text}"[:120]) for begins in _CALLING_OFF_ZH],
    ),
}


def _hostile(name: str, size: int) -> Iterator[str]:
    for beginning in _FEW_BEGINNINGS.get(name, _BEGINNINGS):
        for piece in _PUMPED:
            yield f"{beginning}{(piece * size)[:size]}x"


def slowest(name: str, size: int) -> tuple[float, str]:
    """The longest computing time that the reader takes for one text, and the beginning of that text."""
    read, took = READERS[name], []
    read("Hello, I like tea. 我喜欢茶。")  # what is loaded at the first call is not counted
    for text in _hostile(name, size):
        began = process_time()
        read(text)
        took.append((process_time() - began, text[:30]))
    return max(took)
