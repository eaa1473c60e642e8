"""Which memories are somebody else's: 用户的儿子体重15公斤，不是用户 ends 用户体重15公斤."""

from __future__ import annotations

import re
from functools import lru_cache

from memories.text.slots.registry import join_relation_words
from memories.text.zh.script import to_simplified

_KIN = join_relation_words("zh")
_PERSON = f"用户(?:的(?:{_KIN}))?"
_NOT_OF = re.compile(rf"^[^，。]{{4,40}}(?P<behind>)，不是(?P<other>{_PERSON})。$")
_WHO = re.compile(f"^(?:用户(?:{_KIN})?|[\u4e00-\u9fff]{{2,3}}?(?=[对有会吃喝用学养开住得患]))")
_HOW_OFTEN = re.compile("每[天晚周月日]|早上|晚上|也|都|一直")
_LIGHT = re.compile("（[^（）]*）|正在|[的在是正了]|现在|目前|最近")


@lru_cache(maxsize=512)
def _read_denial(new: str) -> tuple[str, str] | None:
    """Of whom it is denied, and the clause that says of whom it is so."""
    match = _NOT_OF.match(new)
    return (match["other"], new[: match.start("behind")]) if match else None


def denies_of_somebody(new: str) -> bool:
    """Return whether the statement says of whom something is not so."""
    return _read_denial(to_simplified(new)) is not None


def is_of_another(new: str, old: str) -> bool:
    """Return whether the older statement says of somebody just what the new one says is not theirs."""
    new, old = to_simplified(new), to_simplified(old)
    read = _read_denial(new)
    if read is None or "，" in old or not old.startswith(read[0]):
        return False
    other, stated = read
    if other == "用户" and re.match(f"用户的(?:{_KIN})", old):
        return False
    held = _LIGHT.sub("", old.removeprefix(other).rstrip("。"))
    clause = _LIGHT.sub("", stated)
    action = _WHO.sub("", clause)
    before = held.removesuffix(action)
    return bool(action) and held.endswith(action) and (not before or _HOW_OFTEN.fullmatch(before) is not None)
