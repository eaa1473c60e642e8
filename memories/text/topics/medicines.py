"""Which statements name a medicine: taking one is about health, whatever verb of eating goes with it."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
# These are other things, too (a drawing tablet, 薯片, 鱼丸, 山药), unless somebody takes them.
_DOUBTFUL = {
    "en": frozenset(
        ("eye\\ drops", "iron\\ tablets?", "lithium", "pills?", "steroids?", "supplements?", "tablets?")
    ),
    "zh": frozenset("药片丸") | {"胶囊", "激素"},
}
_TAKEN_EN = r"\b(?:takes?|took|taken|taking|swallow\w*|prescribed|(?:is|are|was|were|been|went) on)\b"
# Printing, and what else begins with 打, gives nobody an injection.
_TAKEN_ZH = "(?:吃|服用?|喝|打(?![印扫算球车工包折听])|注射|开了?|在用|停了?|换成?)"
_DOSE_ZH = r"[半一二两三四五六\d]+[片丸粒]"


@cache
def load_drugs() -> dict[str, str]:
    """Patterns of names of drugs, by language; each word is an alternative."""
    listed: dict[str, str] = tomllib.loads((_HERE / "drugs.toml").read_text(encoding="utf-8"))
    return listed


@cache
def _compile_names(language: str) -> re.Pattern[str]:
    words = sorted(re.split(r"(?<!\\) ", load_drugs()[language]), key=len, reverse=True)
    certain = "|".join(word for word in words if word not in _DOUBTFUL[language])
    if language == "en":
        doubtful = "|".join(sorted(_DOUBTFUL["en"], key=len, reverse=True))
        return re.compile(rf"\b(?:{certain})\b|{_TAKEN_EN}[^,.;]{{0,25}}?\b(?:{doubtful})\b", re.IGNORECASE)
    return re.compile(
        rf"{_TAKEN_ZH}[^，。]{{0,12}}?(?:{certain}|激素)|(?:吃|服用?|喝|开了?"
        rf"|停了?)[^，。]{{0,8}}?(?:(?<!山)药(?![店膳酒])|胶囊)"
        rf"|(?:吃|服用?)[^，。]{{0,8}}?{_DOSE_ZH}(?=[，。、]|$)|一[天日次](?:吃"
        rf"|服)?{_DOSE_ZH}(?=[，。、]|$)|用药|服药"
    )


def names_medicine(text: str, language: str) -> bool:
    return _compile_names("zh" if language == "zh" else "en").search(text) is not None
