"""White space and repeated marks brought down to what a reader needs, before any rule looks at a text.

Rules may step back over a run of blanks or dots, and a run in a hostile text is as long as its author likes.
"""

from __future__ import annotations

import re

# "!!!" still shouts; ratings ("★★★★★") and words are no marks of this kind.
_MARKS = re.compile(r"([.!?…。！？~～,，、;；:：=\-–—'\"“”‘’「」『』()（）\[\]{}<>|/])\1{3,}+")
_BLANKS = re.compile(r"[^\S\n]++")
_LINES = re.compile(r"\n(?: ?\n)++")


def tidy_spacing(text: str) -> str:
    """Single blanks, one empty line at most, and no mark more than three times in a row."""
    return _LINES.sub("\n\n", _BLANKS.sub(" ", _MARKS.sub(r"\1\1\1", text)))


def join_lines(text: str) -> str:
    """The same, with the lines joined: for one sentence."""
    return " ".join(_MARKS.sub(r"\1\1\1", text).split())


def shorten_text(text: str, most: int) -> str:
    """At most so many characters, of which the last stands for what was cut off."""
    return text if len(text) <= most else text[: most - 1] + "…"
