"""Words by which a tool says that it failed, in English and Chinese, and what kind of failure they tell of."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.words.word_lists import load_alternatives

_FILE = Path(__file__).with_suffix(".toml")
_SIGNS = load_alternatives(_FILE, "explained")

# A long result may speak of errors in passing (a page about them): only plain signs count there, at its ends.
_SHORT = 300
_END = 400

_NO_COMPLAINT = re.compile(
    r"""
    \b(?:no|zero|0|without(?:\ any)?|free\ of)\ (?:errors?|failures?|exceptions?|failed|warnings?)\b
    | \berrors?[\"']?\s*[:=]\s*(?:(?:none|null|no|0|false)\b(?!\ *\w)|\[\]|\"\")
    | \b0\ (?:failed|failing)\b | \bnot?\ (?:failed|an\ error)\b
    | \berror[- ](?:free|handling|codes?|logs?|rates?)\b
    | (?:没有|无|未发现|未出现|未发生|零|0\ ?个)(?:任何)?(?:错误|异常|失败|故障)
    | (?:错误|异常|失败)(?:数|率|次数)?[：:]?\s*(?:无|0)(?!\d)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Signs that are plain wherever they stand at an end of a result.
_PLAIN = re.compile(
    r"""
    ^\W{0,3}(?:\w{1,40}\ ){0,2}(?:error|exception|failure|fatal)\b\s*(?:[:：(\[-]|\d|$)
    | ^\W{0,3}(?:failed|unable|could\ ?n[o']t|cannot|can't)\  | ^\W{0,3}(?:错误|失败|异常)
    | ^.{0,6}(?:无法|未能|不能) | Traceback\ \(most\ recent\ call\ last\)
    | ^(?:\w{1,60}\.){0,9}[A-Z]\w{0,80}(?:Error|Exception)\b\s*(?::|$)
    | \b(?:exit(?:ed)?|return(?:ed)?|terminated)(?:\ with)?(?:\ non-zero)?\ (?:code|status)
      \s*[:=]?\s*-?[1-9]
    | \bHTTP(?:/[\d.]+)?(?:\ error)?(?:\ status)?(?:\ code)?[: ]+[45]\d\d\b
    | \bstatus(?:\ code)?[: ]+[45]\d\d\b | (?:退出码|返回码|状态码)\s*[:：为]?\s*-?(?:[1-9]|[45]\d\d)
    | :\ command\ not\ found | No\ such\ file\ or\ directory | Segmentation\ fault
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
# Signs that tell of a failure when they are most of what the tool said.
_EXPLAINED = re.compile(rf"\b(?:{_SIGNS['en']})\b|{_SIGNS['zh']}", re.IGNORECASE)
# The first that fits is the kind of the failure.
_TYPES = {name: re.compile(words, re.IGNORECASE) for name, words in load_alternatives(_FILE, "types").items()}


def find_complaint(text: str) -> str:
    """The part of a text result that tells of a failure; "" when it tells of none."""
    ends = text if len(text) <= 2 * _END else f"{text[:_END]}\n{text[-_END:]}"
    ends = _NO_COMPLAINT.sub(" ", ends)
    if plain := _PLAIN.search(ends):
        return _get_line_at(ends, plain.start(), plain.end())
    short = _NO_COMPLAINT.sub(" ", text.strip()) if len(text.strip()) <= _SHORT else ""
    if explained := _EXPLAINED.search(short):
        return _get_line_at(short, explained.start(), explained.end())
    return ""


def _get_line_at(text: str, start: int, end: int) -> str:
    """The line of the sign; of a traceback the last one, which names the exception."""
    if "Traceback (most recent" in text[start:end]:
        return text.strip().rpartition("\n")[2]
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return text[first : last if last >= 0 else len(text)].strip()


def detect_error_type(words: str) -> str:
    """Return what kind of failure the words tell of; "error" when they do not say."""
    return next((name for name, pattern in _TYPES.items() if pattern.search(words[:2_000])), "error")
