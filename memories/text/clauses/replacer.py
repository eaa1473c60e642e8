"""Exchanges whole words in a text for others, in the case that each place has."""

from __future__ import annotations

import re
from collections.abc import Callable

_ZH_NUMBER = "零一二两三四五六七八九十百千万亿"
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"


def make_replacer(old: str, new: str) -> Callable[[str], str]:
    """Replaces whole words (in Chinese the exact characters), in the case that each place has.

    Where the new words stand already, they stay: "Tom" in "Tom Smith" does not become "Tom Smith" again.
    """
    unit = (
        re.search(f"[\\d{_ZH_NUMBER}]((?:(?![{_ZH_NUMBER}])[{_UNSPACED}]){{1,2}})$", new)
        if old[-1:].isdigit()
        else None
    )
    is_name = bool(re.fullmatch(r"[A-Z][a-z]+", old))
    pattern = _build_pattern(old, new, 0 if is_name else re.IGNORECASE, unit[1] if unit else "")
    capitals = _build_pattern(old.upper(), new.upper(), 0) if is_name else None

    def replace(text: str) -> str:
        text = pattern.sub(
            lambda match: (
                match["kept"] or _match_case(match[0].removesuffix(unit[1] if unit else ""), old, new)
            ),
            text,
        )
        return capitals.sub(new.upper(), text) if capitals else text

    return replace


def _build_pattern(old: str, new: str, flags: int, unit: str = "") -> re.Pattern[str]:
    """With a unit: "8000" for 1万元 stands for 8000元 as well, whose unit the new words bring along."""
    kept = _bound_words(new) if re.search(_bound_words(old), new, flags) else "(?!)"
    ending = f"(?:{re.escape(unit)})?" if unit else ""
    return re.compile(f"(?P<kept>{kept})|{_bound_words(old)}{ending}", flags)


def _bound_words(old: str) -> str:
    """No part of a longer word, and "User 1" no part of "User 10" or "User 1.5"."""
    letter = rf"(?:(?![{_UNSPACED}])\w)"
    before = rf"(?<![^\W{_UNSPACED}])" if re.match(letter, old[0]) else ""
    after = "" if re.match(f"[{_UNSPACED}]", old[-1]) else rf"(?![^\W{_UNSPACED}])"
    if old[0].isdigit():
        before += r"(?<!\d[.,])"
    if old[-1].isdigit():
        after += r"(?![.,]\d)"
    return before + r"\s+".join(re.escape(part) for part in old.split()) + after


def _match_case(text: str, old: str, new: str) -> str:
    if not new:
        return new
    if " ".join(text.split()) == " ".join(old.split()) or text.lower() == text.upper():
        return new
    if text.isupper() and len(text) > 1:
        return new.upper()
    if text.islower():
        return new.lower()
    return new[0].upper() + new[1:] if text[0].isupper() and old[0].islower() else new
