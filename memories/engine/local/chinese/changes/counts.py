"""A bare number that takes the place of one that was said before: 小王走了，就剩两个了; 现在十二个."""

from __future__ import annotations

import re
from collections.abc import Sequence

NUMBER = "[0-9]{1,4}|[零一二两三四五六七八九十百千]{1,6}"
# Things and people; of lengths of time, prices and lengths there are many in a talk.
CLASSIFIER = "[个只条本张台部间头匹口棵株箱亩辆位名人套篇户]"
_COUNT = re.compile(
    rf"^(?:所以|就|那|这样|等于)*(?:我们?|咱们?)?(?P<sign>现在|如今|目前|这下)?(?:我们?|咱们?)?(?:就|只|还|一共|总共)*"
    rf"(?P<left>剩下?|变成|减到|加到)?(?:有|是)?了?(?P<number>{NUMBER})(?P<classifier>{CLASSIFIER})人?了?$"
)


def find_count(clause: str) -> tuple[str, str] | None:
    """The number and the classifier of what a clause counts anew without naming it; None where it counts nothing."""
    match = _COUNT.match(clause)
    return (match["number"], match["classifier"]) if match and (match["sign"] or match["left"]) else None


def count_anew(words: Sequence[str], number: str, classifier: str) -> tuple[int, str, str] | None:
    """The newest words that count by this classifier once: their place, with the new number, and the old number."""
    counting = re.compile(
        rf"(?<![第每0-9零一二两三四五六七八九十百千])(?P<number>{NUMBER})(?={classifier})(?!个月)"
    )
    for at in range(len(words) - 1, -1, -1):
        matches = list(counting.finditer(words[at]))
        if len(matches) == 1:
            start, end = matches[0].span("number")
            now = "" if "现在" in words[at] else "现在"
            return at, f"{now}{words[at][:start]}{number}{words[at][end:]}", words[at][start:end]
    return None
