"""Writes the items of a list: each is a memory of its own, under the heading that says what it is."""

from __future__ import annotations

import re

from memories.text.clauses.statements import is_request

_OWNER = re.compile(r"^(?:here(?:'s| is| are) |these are |this is )?(?:my |our |the )?", re.IGNORECASE)
_SPEAKER = re.compile(r"\b(?:I|I'\w+|my|we|our|me)\b|^(?:what|how|when|before|after|if)\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Z]\w*[A-Z]|I\b")
_LONGEST_HEADING_WORDS = 8
# "What's in my toolbox" is a list of what the toolbox holds.
_HELD_IN = re.compile(
    r"""
    ^(?:here(?:'s|\ is)\ )?what(?:'s|\ is|\ we\ have|\ I\ have|\ I've\ got|\ we've\ got)(?:\ left)?[ ]
    (?:in|on)\ (?:my|our|the)\ (?P<place>[\w' -]{2,40})$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def write_item(heading: str, item: str) -> str:
    """As in "The user's goals this year include: learn to swim."; "" where the heading is no name of a list."""
    if held := _HELD_IN.match(heading.strip()):
        return f"The user's {_lower_first(held['place'])} holds: {item.rstrip('.')}."
    heading = _OWNER.sub("", heading.strip()).split(",")[0]
    if (
        len(heading.split()) > _LONGEST_HEADING_WORDS
        or is_request(heading, "en")
        or not re.search("[a-z]", heading)
        or _SPEAKER.search(heading)
    ):
        return ""
    named = heading.split(" for ")[0]
    is_many = bool(re.match(r"[\w' -]*?\w+s\b", named)) and not heading.lower().endswith("ss")
    return f"The user's {_lower_first(heading)} {'include' if is_many else 'includes'}: {item.rstrip('.')}."


def _lower_first(text: str) -> str:
    return text if _NAME.match(text) else text[0].lower() + text[1:]
