"""Whom a memory is about: a correction about the user leaves memories about others alone."""

from __future__ import annotations

import re

from memories.text.clauses.clausewise import get_words
from memories.text.slots.registry import load_relations


def _join_words(words: list[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


# An animal is the user's own.
_ANIMALS = frozenset("cat dog kitten puppy 猫 狗 猫咪 狗狗 小猫 小狗".split())
_PEOPLE = [word for word in load_relations() if word not in _ANIMALS]
_KIN = _join_words([word for word in _PEOPLE if word.isascii()])
_KIN_ZH = _join_words([word for word in _PEOPLE if not word.isascii()])
_VIEW = r"(?:\[assistant view\] )?"
_OF_RELATIVE = re.compile(
    rf"^{_VIEW}(?:the user's|my|our) (?P<who>{_KIN})\b|^{_VIEW}(?:用户|我们?)的?(?P<zh>{_KIN_ZH})",
    re.IGNORECASE,
)
_OF_NAME = re.compile(rf"^{_VIEW}(?P<who>(?!The\b|My\b|Our\b|User\b)[A-Z][\w-]+)'s ")
_OWN = re.compile(r"^(?:I|my|we|our)\b|^[我咱]", re.IGNORECASE)
# What somebody has, of which a name may have been written down wrongly.
_HAS = re.compile(
    r"""
    ^The\ user(?:\ and\ [\w ]{2,20})?\ (?:now\ |also\ |already\ |just\ |recently\ |has\ (?=bought|got))*
    (?:
        has | have | owns? | drives? | rides? | uses? | keeps? | wears? | plays? | takes? | leases?
        | rents? | bought | got
    )\b
    | ^用户(?:等人|家)?(?:现在|已经|在)?(?:有|养|开|骑|用|戴|穿|买|租|吃|喝|弹)
    """,
    re.VERBOSE,
)
_SPECIFIC = re.compile(r"[A-Z]|\d|[\u4e00-\u9fff]{2}")


def is_of_same_person(statement: str, held: str) -> bool:
    """Return whether both are about one person: False when only one is about a relative or somebody named."""
    return _find_owner(statement) == _find_owner(held)


def _find_owner(text: str) -> str:
    if relative := _OF_RELATIVE.match(text):
        return (relative["who"] or relative["zh"]).lower()
    named = _OF_NAME.match(text)
    return named["who"].lower() if named else ""


def says_that_user_has(held: str, wrong: str, statement: str) -> bool:
    """Return whether the memory says that the user has the very thing that a statement of what is theirs calls
    wrong."""
    return bool(_SPECIFIC.search(wrong) and _OWN.match(statement) and _HAS.match(held)) and not _find_owner(
        statement
    )


def is_quotation(held: str) -> bool:
    """Return whether the memory is what the user said, word for word."""
    return get_words(held) != held


def quotes_more(held: str) -> bool:
    """Return whether it quotes more than one sentence."""
    return is_quotation(held) and re.search(r"[.!?] [A-Z]|[。！？][^”]", get_words(held)) is not None
