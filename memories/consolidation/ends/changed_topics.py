"""Which memories end by a change of their thing: "had the boiler replaced" ends "the boiler is a 1998 Baxi".

It was changed, replaced or mended, or is at last what it was not: "the roofer has fixed the roof" ends "the roof
leaks", and "the baby is finally sleeping through" ends "the baby is not sleeping through". English, in the third
person.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from memories.text.clauses.changing.habits import BESIDES, PASSING
from memories.text.slots.registry import join_relation_words
from memories.text.words.tokenize import extract_keywords
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("ends.toml"))
_KIN = join_relation_words("en")
_OWN = r"(?:the user's|the|their|our|my)"
_TOPIC = r"(?P<topic>[a-z][\w-]*(?: [a-z][\w-]*){0,3}?)"
_NAMED = r"(?P<topic>[A-Za-z][\w-]*(?: [a-z][\w-]*){0,3}?)"
_OTHER_OWNERS = re.compile(
    rf"(?:The user's|The|An?|Their|Some|Two|Three|One of the) (?:[a-z]+ )?(?:{_KIN}|neighbou?r|friend"
    rf"|colleague|cousin|flatmate|housemate)s?\b"
    r"|(?!The\b|They\b)[A-Z][a-z]+ (?:has|had|got)\b"
)
# What is so of a thing: "The user's boiler is a 1998 Baxi", "The roof leaks".
_HELD = re.compile(
    rf"^(?:The user's (?!(?:{_KIN})\b)|The (?!user\b)|Their )(?P<topic>[A-Za-z][\w-]*(?: "
    rf"[a-z][\w-]*){{0,3}}?) (?P<verb>is|are|has|have|runs|costs|leaks?|sticks?|needs|does not|do not"
    rf"|will not|keeps)\b(?P<value>.*)$"
)
_DEFECT = re.compile(rf"\b(?:{_WORDS['defects']})\b")
_END = (
    r"(?= (?:to|for|with|in|into|onto|by|from|last|on|at|this|since|because|and|but|so|yesterday|today"
    r"|again|after|before|out|up|down|over)\b|[,.;\"]|$)"
)
_NOW = r"(?:has |have |had |just |finally |recently |now |also |already )*"
_PLACE = re.compile(r" (?:now )?(?:at|in|by|behind|beside|next to|near|under|outside|inside)\b")
# Something in the place of the thing, or another value of it.
_REPLACED = (
    re.compile(
        rf"\b(?:{_WORDS['replacements']}) {_OWN} (?:old )?{_TOPIC}{_END}"
        r"(?! (?:in|with) (?:\d|a (?:day|week|month)))",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:re)?painted {_OWN} (?P<topic>[a-z][\w-]*(?: [a-z][\w-]*)?) (?:[a-z]+ )?"
        rf"(?:{_WORDS['colours']})\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\bhad {_OWN} (?:old )?{_TOPIC} (?:replaced|swapped|changed|converted|rebuilt|upgraded)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^(?:The user's (?!(?:{_KIN})\b)|The (?!user\b)|Their )(?:old )?{_NAMED} (?:{_NOW}(?:been )"
        rf"|was |were |is being )(?:replaced|swapped|rewritten|rebuilt|redone|converted"
        rf"|upgraded) (?:with|by|for|in|into|to)\b"
    ),
    re.compile(
        rf"\b(?:changed|(?P<moved>moved)|switched|converted) {_OWN} {_TOPIC}(?: over)?(?: up"
        rf"| down)? (?:to|onto|into)\b(?! (?:the )?(?:doctor|vet|shop|garage|park|beach)\b)",
        re.IGNORECASE,
    ),
)
_MENDED = (
    re.compile(
        rf"\b(?:fixed|mended|repaired|sorted(?: out)?|patched(?: up)?|unblocked) {_OWN} {_TOPIC}{_END}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:had|got) {_OWN} {_TOPIC} (?:fixed|mended|repaired|sorted|patched|unblocked)\b", re.IGNORECASE
    ),
    re.compile(
        rf"^(?:The user's (?!(?:{_KIN})\b)|The (?!user\b)|Their )?{_NAMED} (?:(?:has"
        rf"|have) (?:\w+ )?been|is|are|was|were) (?:now |finally |all )*(?:fixed|mended|repaired|sorted"
        rf"|working again|patched up|unblocked)\b"
    ),
)
_FAULTY = re.compile(
    r"""
    ^The\ user\ has\ (?:an?|the)\ (?:
        burst | broken | leaking | leaky | blocked | cracked | flat | faulty | dripping | jammed | smashed
    )\ (?P<what>[a-z][\w-]*)(?:\ (?:in|on|at|under|behind|upstairs|downstairs)\b|[,.]|$)
    """,
    re.VERBOSE,
)
# "The blood pressure is back to normal" of who has it high.
_NORMAL = re.compile(
    rf"^The user's (?:(?P<who>{_KIN})'s )?(?P<topic>[a-z]+(?: [a-z]+)?) (?:is|are|has been"
    rf"|have been) (?:now |finally |all )*(?:back to normal|normal(?: again| now)?|back in range"
    rf"|under control)\b"
)
_ABNORMAL = re.compile(
    rf"^The user(?:'s (?P<who>{_KIN}))? has (?:very |slightly |rather )?(?:high|low|raised|elevated"
    rf"|irregular|bad) (?P<topic>[a-z]+(?: [a-z]+)?)\.?$"
)
# "Has moved the spare keys to the shed" of who keeps them under the mat.
_MOVED = re.compile(
    rf"^The user {_NOW}(?:moved|put|hung|stored) {_OWN} {_TOPIC} (?:to|into|in|under|behind|on|at|by) ",
    re.IGNORECASE,
)
_KEPT = re.compile(
    rf"^The user (?:keeps|hides|stores|leaves) {_OWN} {_TOPIC} (?:in|under|behind|on|at|by) ", re.IGNORECASE
)
# "Is finally sleeping through", "works at last": as it was not.
_AT_LAST = re.compile(r"\b(?:finally|at last|now|again|these days)\b")
_STATED = re.compile(
    r"""
    ^(?:The\ user's\ |The\ (?!user\b)|Their\ )?(?P<topic>[A-Za-z][\w-]*(?:\ [A-Z][\w-]*)?)(?P<verb>
        's | \ is | \ are | \ can | \ does | \ do | \ will | \ has | \ have
    )(?P<not>\ not|\ no\ longer|\ never)?\ (?P<what>[^,.;]+)
    """,
    re.VERBOSE,
)
_FILLERS = re.compile(
    r"\b(?:finally|at last|now|again|these days|yet|still|any ?more|really|properly|all|quite|currently)\b"
)


def is_of_changed_topic(new: str, old: str) -> bool:
    """Return whether the thing that the old statement describes was replaced, changed or mended, or is now what it was
    not."""
    if PASSING.search(new) or BESIDES.search(new):
        return False
    moved, kept = _MOVED.match(new), _KEPT.match(old)
    if moved and kept:
        return _terms(moved["topic"]) == _terms(kept["topic"])
    return (
        _is_turned(new, old)
        or _is_replaced(new, old)
        or _is_fault_mended(new, old)
        or _is_normal_again(new, old)
    )


def _is_fault_mended(new: str, old: str) -> bool:
    """ "The burst pipe has been mended" of who has a burst pipe."""
    faulty = _FAULTY.match(old)
    if faulty is None:
        return False
    what = _terms(faulty["what"])
    return any(what and set(what) <= set(_terms(match["topic"])) for match, _ in _find_changes(new))


def _is_replaced(new: str, old: str) -> bool:
    held = _HELD.match(old)
    if held is None or re.search(r"\b(?:favou?rite|birthday|name)\b", held["topic"]):
        return False
    topic, is_defect = _terms(held["topic"]), _DEFECT.search(f"{held['verb']}{held['value']}") is not None
    for match, is_mended in _find_changes(new):
        ours = _terms(match["topic"])
        # "The card limit" is the "credit card limit"; its last word says what it is.
        is_that = (
            bool(ours) and ours[-1:] == topic[-1:] and (set(ours) <= set(topic) or set(topic) <= set(ours))
        )
        is_place = _PLACE.match(held["value"]) is not None
        if is_that and is_defect == is_mended and (is_place or not match.groupdict().get("moved")):
            return True
    return False


@lru_cache(maxsize=512)
def _find_changes(new: str) -> tuple[tuple[re.Match[str], bool], ...]:
    """The changes, each with whether it mends a defect."""
    if _is_of_somebody_else(new):
        return ()
    return tuple(
        (match, patterns is _MENDED)
        for patterns in (_REPLACED, _MENDED)
        for pattern in patterns
        if (match := pattern.search(new))
    )


def _is_of_somebody_else(new: str) -> bool:
    """Relatives and friends change their own things; tradespeople, firms and "they" the user's."""
    return _OTHER_OWNERS.match(new) is not None


def _is_normal_again(new: str, old: str) -> bool:
    ours, theirs = _NORMAL.match(new), _ABNORMAL.match(old)
    is_one = (
        bool(ours and theirs) and (ours["who"] or "") == (theirs["who"] or "") if ours and theirs else False
    )
    return bool(is_one and ours and theirs and _terms(ours["topic"]) == _terms(theirs["topic"]))


def _is_turned(new: str, old: str) -> bool:
    """The same said of the same, once denied and once not."""
    ours, theirs = _STATED.match(new), _STATED.match(old)
    if ours is None or theirs is None or ours["not"] or not theirs["not"] or not _AT_LAST.search(new):
        return False
    if _terms(ours["topic"]) != _terms(theirs["topic"]):
        return False
    # "The baby" may be "the user's baby", but "Noah" is not "the user's sister".
    terms, denied = (_terms(_FILLERS.sub(" ", match["what"])) for match in (ours, theirs))
    return bool(terms) and terms == denied


def _terms(words: str) -> tuple[str, ...]:
    return tuple(extract_keywords(words))
