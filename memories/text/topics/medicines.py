"""Which statements name a medicine: taking one is about health, whatever verb of eating goes with it."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
# 吃药, 打胰岛素: of words such as 片 only what is done with them tells that they are medicine.
_TAKEN_ZH = "(?:吃|服用?|喝|打|注射|开了?|在用|停了?|换成?)"


@cache
def load_drugs() -> dict[str, str]:
    """Patterns of names of drugs, by language; each word is an alternative."""
    listed: dict[str, str] = tomllib.loads((_HERE / "drugs.toml").read_text(encoding="utf-8"))
    return listed


@cache
def _compile(language: str) -> re.Pattern[str]:
    words = "|".join(sorted(re.split(r"(?<!\\) ", load_drugs()[language]), key=len, reverse=True))
    if language == "en":
        return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    return re.compile(rf"{_TAKEN_ZH}[^，。]{{0,12}}?(?:{words})|用药|服药")


def names_medicine(text: str, language: str) -> bool:
    return _compile("zh" if language == "zh" else "en").search(text) is not None
