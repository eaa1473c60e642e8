"""Which memories end by a new club, workplace, client or number: "has transferred to Exeter" ends "plays for Bristol".

"Teaches cookery at a college now" ends "works as a chef", and "the largest customer is now Novartis" ends "the biggest
client is Roche". English, in the third person.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memories.text.clauses.changing.habits import BESIDES, NOT_HELD, NOW, PASSING
from memories.text.slots.states import find_states
from memories.text.words.tokenize import extract_keywords
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("ends.toml"))
_WHO = r"(?P<who>The user(?:'s [a-z-]+(?: [A-Z][\w'-]+)?)?|[A-Z][\w'-]+)"
_NAME = r"(?:the )?(?P<name>[A-Z][\w'&-]*(?: [A-Z0-9][\w'&-]*){0,4})"
_ADVERBS = r"(?:has |have |just |recently |finally |now |also |officially ){0,4}"
# What is done for one club, choir or crew at a time.
_BELONGS = re.compile(
    rf"^{_WHO} (?:now )?(?P<action>plays|rows|swims|runs|sings|dances|skates|cycles|races|boxes|fences|drums|sails"
    r"|competes|bowls|bats|wrestles|climbs|paddles|shoots|throws)"
    rf"(?P<what>(?: [a-z]+){{0,2}}) (?P<by>for|with) {_NAME}\b(?! and\b)"
)
# Who switches to a name may have another bank, and who moves there another home.
_TRANSFERRED = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:(?:transferred|defected)(?: over)? to|signed for) (?P<club>{_NAME})"
)
# Where one works or studies, and no club.
_NO_CLUB = re.compile(
    r"""
    \b(?:
        office | branch | ward | department | division | headquarters | team | university | college
        | school | hospital | campus | account
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Who teaches at a college now what they lived by before.
_TEACHES = re.compile(
    r"""
    ^The\ user\ (?:now\ )?(?:teaches|lectures|tutors|instructs|trains\ (?!at\b)[a-z]+s\b)[^,.;]*\ at[ ]
    (?!home\b|church\b)(?:an?\ |the\ |their\ )?[\w'&-]+
    """,
    re.VERBOSE,
)
_ON_DAYS = re.compile(
    r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|weekends?|evenings?|once|twice|every|part-time|volunteer\w*)\b"
)
_FOREMOST = re.compile(
    r"""
    ^The\ user's\ (?P<how>biggest|largest|main|top|principal|primary|most\ important|best|closest)[ ]
    (?P<what>[a-z]+(?:\ [a-z]+)?)\ (?:
        (?:is|are)\ (?P<value>[^,.;]+) | (?:these\ days|nowadays|now)\ (?:is|are)\ (?P<later>[^,.;]+)
    )
    """,
    re.VERBOSE,
)
_NEAREST = frozenset({"best", "closest"})
_BUYERS = frozenset(extract_keywords("client customer buyer account"))
_NUMBERED = re.compile(
    r"""
    ^The\ (?:user's\ )?(?P<what>(?:[a-z-]+\ ){0,3}?(?:number|phone|line))
    (?:\ for\ (?:the\ |their\ )?(?P<of>[a-z]+))?\ is\ (?:now\ )?(?P<number>\+?[\d ()-]{5,}\d)
    """,
    re.VERBOSE,
)
_PHONE = frozenset(extract_keywords("phone telephone number line contact"))


_PERSON = (
    r"(?:(?:Dr|Mr|Mrs|Ms|Miss|Prof|Professor|Coach|Father)\.? )?(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?"
    r"(?![\w'-]| (?:and|or)\b))"
)
_ROLE = rf"(?P<role>(?:[a-z][\w-]* ){{0,2}}?(?:{_WORDS['offices']}))"
_OF = r"(?: (?:of|at|for) (?P<of>[^,.;]{2,40}?))?"
_NOW_OR_END = r"(?= now\b|,| these days\b|\.?$| since\b| from\b)"
# One is named by the office, or the office by who holds it. "Has taken over as" begins.
_HOLDERS = (
    re.compile(rf"^(?:The |(?P<owner>The user(?:'s [a-z]+)?)'s )(?:new )?{_ROLE}{_OF} is (?:now )?{_PERSON}"),
    re.compile(
        rf"^{_PERSON} is (?:now )?(?:the |(?P<owner>the user(?:'s [a-z]+)?)'s )(?:new )?{_ROLE}{_OF}{_NOW_OR_END}"
    ),
    re.compile(
        rf"^{_PERSON} (?:has |have |just |now |recently )*"
        r"(?P<begun>taken over as|took over as|become|became|been (?:made|elected|appointed)) "
        rf"(?:the |(?P<owner>the user(?:'s [a-z]+)?)'s )?(?:new )?{_ROLE}{_OF}{_NOW_OR_END}"
    ),
    re.compile(
        rf"^(?P<owner>The user(?:'s [a-z]+)?) (?:has|have|got)(?: got)? a (?P<begun>new) {_ROLE}(?:, | called | named "
        rf"|, called ){_PERSON}"
    ),
)
_USER = frozenset(extract_keywords("user the's"))


def is_place_taken(new: str, old: str) -> bool:
    """Return whether the new statement names what has taken the place of what the old one names; both English."""
    if any(mark in new + old for mark in '"“[') or PASSING.search(new) or BESIDES.search(new):
        return False
    return (
        _belongs_elsewhere(new, old)
        or _teaches_now(new, old)
        or _is_foremost_now(new, old)
        or _is_reached_otherwise(new, old)
        or _is_held_by_another(new, old)
    )


def write_with_new_club(new: str, old: str) -> str:
    """Write what is done for the club that somebody has transferred to; "" for other statements."""
    if not (joined := _find_transfer(new, old)) or not (held := _BELONGS.match(old)):
        return ""
    return f"{held['who']} {held['action']}{held['what']} {held['by']} {joined['club']}."


def _find_transfer(new: str, old: str) -> re.Match[str] | None:
    held, joined = _BELONGS.match(old), _TRANSFERRED.match(new)
    if held is None or joined is None or joined["who"] != held["who"] or _NO_CLUB.search(new):
        return None
    is_same = set(extract_keywords(joined["name"])) & set(extract_keywords(held["name"]))
    return None if is_same or NOT_HELD.search(old) else joined


def _belongs_elsewhere(new: str, old: str) -> bool:
    if _find_transfer(new, old):
        return True
    held, ours = _BELONGS.match(old), _BELONGS.match(new)
    if held is None or ours is None or not NOW.search(new) or NOT_HELD.search(old):
        return False
    if (ours["who"], ours["action"], ours["what"]) != (held["who"], held["action"], held["what"]):
        return False
    return not set(extract_keywords(ours["name"])) & set(extract_keywords(held["name"]))


def _teaches_now(new: str, old: str) -> bool:
    if not _TEACHES.match(new) or not NOW.search(new) or _ON_DAYS.search(new):
        return False
    return any(state.slot == "job" and not state.is_end for state in find_states(old, "en"))


def _is_foremost_now(new: str, old: str) -> bool:
    ours, theirs = _FOREMOST.match(new), _FOREMOST.match(old)
    if ours is None or theirs is None or not NOW.search(new):
        return False
    if (ours["how"] in _NEAREST) != (theirs["how"] in _NEAREST) or _name_buyer(ours["what"]) != _name_buyer(
        theirs["what"]
    ):
        return False
    keywords, held = (set(extract_keywords(match["value"] or match["later"])) for match in (ours, theirs))
    return not keywords & held


def _name_buyer(what: str) -> list[str]:
    """A client is a customer."""
    return ["client" if term in _BUYERS else term for term in extract_keywords(what)]


def _is_reached_otherwise(new: str, old: str) -> bool:
    """ "The office phone number is now 0161 496 0999" of an office number."""
    ours, theirs = _NUMBERED.match(new), _NUMBERED.match(old)
    if ours is None or theirs is None or not NOW.search(new):
        return False
    keywords, held = (
        set(extract_keywords(f"{match['what']} {match['of'] or ''}")) - _PHONE for match in (ours, theirs)
    )
    return bool(keywords) and keywords == held and _digits(ours["number"]) != _digits(theirs["number"])


def _is_held_by_another(new: str, old: str) -> bool:
    """ "Sam is the captain of the football team now" of a team whose captain is Joe."""
    ours, theirs = _read_holder(new), _read_holder(old)
    if ours is None or theirs is None or not (ours.is_new or NOW.search(new)) or NOT_HELD.search(old):
        return False
    return ours.office == theirs.office and not ours.names & theirs.names


@dataclass(frozen=True, slots=True)
class _Holder:
    """Who holds an office, and the words for it with those of its place: captain, football, team."""

    names: frozenset[str]
    office: frozenset[str]
    is_new: bool


@lru_cache(maxsize=1_024)
def _read_holder(text: str) -> _Holder | None:
    match = next((hit for pattern in _HOLDERS if (hit := pattern.match(text))), None)
    if match is None:
        return None
    groups = match.groupdict()
    owner = (groups.get("owner") or "").removeprefix("The user")
    place = groups.get("of") or ""
    office = frozenset(extract_keywords(f"{owner} {match['role']} {place}".replace("'s", " "))) - _USER
    return _Holder(frozenset(extract_keywords(match["name"])), office, "begun" in groups)


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number)
