"""Lines of behaviour logs: "Clicked 'Retirement Finance' ad" hints at an interest."""

from __future__ import annotations

import re

_LOG_EN = re.compile(
    r"^(?:(?:frequently|repeatedly|often|recently) )?(?:clicked|browsed|bookmarked|viewed|searched|favou?rited|subscribed)"
    r"(?: and (?:clicked|browsed|bookmarked|viewed|saved|purchased))? (?:on |for |to )?(?P<thing>.+)$",
    re.IGNORECASE,
)
_LOG_ZH = re.compile(
    r"^(?:用户)?(?:频繁|多次|经常|最近)?(?:点击|浏览|收藏|搜索|关注|加购|订阅)(?:并(?:点击|浏览|收藏|购买))?了?(?P<thing>.+)$"
)
_QUOTED = re.compile("['\"“‘「『]([^'\"”’」』]{2,60})['\"”’」』]")
_ENDS = re.compile(
    r"\s+(?:to enter|in the|on the|from|for|at|page|pages|ad|ads|three times|twice|\d+ times)\b|[,，。;]|(?:广告|页面|详情|进入)"
)


def find_interest(sentence: str, language: str) -> tuple[str, str] | None:
    """The interest that a log line hints at, and why."""
    bare = sentence.rstrip(" .。!")
    match = (_LOG_ZH if language == "zh" else _LOG_EN).match(bare) if len(bare) < 200 else None
    if not match:
        return None
    quoted = _QUOTED.search(match["thing"])
    thing = quoted[1] if quoted else _ENDS.split(match["thing"])[0].strip()
    if language == "zh":
        return f"用户可能对{thing}感兴趣。", f"由用户的行为推断：{bare}。"
    return (
        f"The user may be interested in {thing}.",
        f"Inferred from what the user did: {bare[0].lower()}{bare[1:]}.",
    )
