"""Of whom or whose thing a Chinese statement tells: of the user, of somebody around them, or of others."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.slots.registry import join_relation_words
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("ends.toml"))
_HAN = "[\u4e00-\u9fff]"
_KIN = join_relation_words("zh")
COUPLE = re.compile(_WORDS["couples"])
_COLLEAGUES = _WORDS["colleagues"]
_WHO = re.compile(
    rf"用户的(?P<kin>{_KIN}|{_COLLEAGUES})|^(?P<user>用户)|^(?P<name>{_HAN}{{2,3}}?)(?=也|都|就|现在"
    rf"|已经|上个?月|不|从|把|在|去年|今年|改(?:成|上|为|回)?(?:全|半|兼|走|住|寄))"
)
# 用户的老婆的同事: whom only somebody else knows.
_FURTHER = re.compile(rf"用户的(?:{_KIN}|{_COLLEAGUES})家?的(?:{_KIN}|{_COLLEAGUES})")
# 隔壁的鞋店转让了, 老王的摩托车卖了: another's, of another place.
_OF_ANOTHER = re.compile(
    rf"^(?:用户)?(?P<whose>(?:{_WORDS['strangers']}|{_COLLEAGUES}"
    rf"|[老小阿](?![区家的店屋房车])){_HAN}{{0,5}}?)的(?={_HAN}{{2}})"
)


def find_subject(clause: str) -> str:
    """Whom the statement is about: "" where it names nobody but the thing itself."""
    match = _WHO.search(clause)
    return (match["kin"] or match["user"] or match["name"]) if match else ""


def is_of_one(who: str, clause: str, held: str) -> bool:
    """Return whether the clause is about whom the older statement is about."""
    if (another := _OF_ANOTHER.match(clause)) and another["whose"] not in held:
        return False
    who = find_subject(clause) if "用户的" in clause else who
    is_users = bool(re.match(f"用户(?!的(?:{_KIN}))", held))
    if who in ("", "用户"):
        return is_users
    is_theirs = re.match(f"用户的(?:{_KIN}){who}(?!的)", held) is not None
    return (
        is_theirs
        or held.startswith((f"用户的{who}", who))
        or f"叫{who}" in held
        or (is_users and who in held)
    )


def is_of_further_person(new: str, old: str) -> bool:
    """Return whether the new statement is about somebody whom only a relative of the user's knows, and the old one is
    not."""
    further = _FURTHER.match(new)
    return further is not None and not old.startswith(further[0])
