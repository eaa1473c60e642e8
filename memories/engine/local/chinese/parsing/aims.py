"""A list of aims on one line: 今年目标：学游泳、考驾照."""

from __future__ import annotations

import re

from memories.engine.local.chinese import acts
from memories.engine.local.chinese.parsing.tagging import has_predicate

_INLINE = re.compile("^(?P<header>[^：:，]{2,16})[：:](?P<items>.{4,})$")
_ITEM_END = re.compile("[、；，]|和(?=学|考|读|跑|去|把|做|攒|减)")
_AIMS = re.compile("目标|计划|打算|愿望|想做|要做|待办|清单|flag|Flag|心愿")
_LONGEST = 200


def split_aims(text: str) -> tuple[str, list[str]]:
    """The words above the list and its items; none of them where the text is no such list."""
    match = _INLINE.match(text)
    if not match or acts.is_request(match["header"]) or len(text) > _LONGEST:
        return "", []
    items = [item for item in _ITEM_END.split(match["items"]) if item]
    if not _AIMS.search(match["header"]) or len(items) < 2 or not all(map(has_predicate, items)):
        return "", []
    return match["header"], items
