"""Exchanges whole words in a text for others, in the case that each place has."""

from __future__ import annotations

import re
from collections.abc import Callable

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"


def make_replacer(old: str, new: str) -> Callable[[str], str]:
    """Replaces whole words (in Chinese the exact characters), in the case that each place has.

    Where the new words stand already, they stay: "Tom" in "Tom Smith" does not become "Tom Smith" again.
    """
    is_name = bool(re.fullmatch(r"[A-Z][a-z]+", old))
    pattern = _kept_or_old(old, new, 0 if is_name else re.IGNORECASE)
    capitals = _kept_or_old(old.upper(), new.upper(), 0) if is_name else None

    def replace(text: str) -> str:
        text = pattern.sub(lambda match: match["kept"] or _in_case(match[0], old, new), text)
        return capitals.sub(new.upper(), text) if capitals else text

    return replace


def _kept_or_old(old: str, new: str, flags: int) -> re.Pattern[str]:
    kept = _bounded(new) if re.search(_bounded(old), new, flags) else "(?!)"
    return re.compile(f"(?P<kept>{kept})|{_bounded(old)}", flags)


def _bounded(old: str) -> str:
    """No part of a longer word, and "User 1" no part of "User 10" or "User 1.5"."""
    letter = rf"(?:(?![{_UNSPACED}])\w)"
    before = rf"(?<![^\W{_UNSPACED}])" if re.match(letter, old[0]) else ""
    after = "" if re.match(f"[{_UNSPACED}]", old[-1]) else rf"(?![^\W{_UNSPACED}])"
    if old[0].isdigit():
        before += r"(?<!\d[.,])"
    if old[-1].isdigit():
        after += r"(?![.,]\d)"
    return before + r"\s+".join(re.escape(part) for part in old.split()) + after


def _in_case(found: str, old: str, new: str) -> str:
    if " ".join(found.split()) == " ".join(old.split()) or found.lower() == found.upper():
        return new
    if found.isupper() and len(found) > 1:
        return new.upper()
    if found.islower():
        return new.lower()
    return new[0].upper() + new[1:] if found[0].isupper() and old[0].islower() else new
