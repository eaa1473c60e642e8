"""Brings spoken word orders into the plain one: "He's been dropped, my son" and "Home is Bristol now"."""

from __future__ import annotations

import re

from memories.text.slots.registry import join_relation_words
from memories.text.words.places import is_place

_START = r"(?:(?<=[.!?;\n] )|(?<=\n)|^)"
_END = r"(?=[.!;\n]|$)"
_KIN = join_relation_words("en")
# Whom people name so, beside relatives.
_CLOSE = (
    r"(?:lad|lads|girl|boy|boys|girls|lass|kids|eldest|youngest|middle one|little one|old man|old lady"
    r"|missus|other half|better half|dog|cat|boss|manager|landlord|landlady|lodger|neighbou?r|tenants?"
    r"|twins|parents|folks)"
)
_NAMED_LAST = re.compile(
    rf"{_START}(?P<pronoun>He|She|They)(?P<verb>['’](?:s|re|ve|ll|d)"
    rf"|)(?P<rest> [^.!?;\n,]{{3,120}}), (?P<who>(?:my|our) (?:(?:{_KIN})"
    rf"|{_CLOSE})(?: [A-Z][\w-]{{1,20}})?|our [A-Z][\w-]{{1,20}}){_END}"
)
# "It's gone, the caravan": only of what has become of something, as "in Leith, the Shore" tells where.
_THING_LAST = re.compile(
    rf"{_START}(?:It['’]s|It has|It is) (?P<rest>(?:(?:finally|just|all|been|now) ){{0,3}}(?:gone|sold"
    rf"|cancelled|finished|over|broken|dead|stolen|scrapped|closed|mended|fixed)(?: (?:now|at last"
    rf"|for good))?), (?P<who>(?:the|my|our) [a-z-]{{3,20}}(?: [a-z-]{{3,20}})?){_END}"
)
# "Vegetarian now, me".
_ME_LAST = re.compile(rf"(?:(?<=[ ']now)|(?<=always)|(?<=these days)), me{_END}")
_WRITTEN_OUT = {"re": " are", "ve": " have", "ll": " will"}
_NO_THING = re.compile(r" (?:whole|lot|time|day|week|end|works|thing|bastard|swine|sod|poor|lucky)\b")


def name_subjects_said_last(text: str) -> str:
    """ "He's been dropped by the county, my son" as "My son's been dropped by the county"."""
    text = _ME_LAST.sub("", text)
    if ", my " not in text and ", our " not in text and ", the " not in text:
        return text
    text = _NAMED_LAST.sub(_name_first, text)
    return _THING_LAST.sub(_name_thing_first, text)


def _name_first(match: re.Match[str]) -> str:
    who = f"{match['who'][0].upper()}{match['who'][1:]}"
    contracted = match["verb"][1:]
    return f"{who}{_WRITTEN_OUT.get(contracted, match['verb'])}{match['rest']}"


def _name_thing_first(match: re.Match[str]) -> str:
    if _NO_THING.search(f" {match['who']}"):
        return match[0]
    verb = "has" if re.search(r"^been |\bgone\b", match["rest"]) else "is"
    return f"{match['who'][0].upper()}{match['who'][1:]} {verb} {match['rest']}"


# -- Homes
# -----------------------------------------------------------------------------------------------------------------

_PLACE = r"(?P<place>[A-Z][\w'-]{1,30}(?: [A-Z][\w'-]{1,30}){0,2}?)"
_NOW = r"(?:now|nowadays|these days|from now on)"
_HOMES = (
    re.compile(
        rf"{_START}(?:So |And )?[Hh]ome(?:['’]s| is) (?:now {_PLACE}"
        rf"|{_PLACE.replace('place', 'place2')},? {_NOW}){_END}"
    ),
    re.compile(
        rf"{_START}{_PLACE}(?:['’]s| is)(?: now)? (?:(?:my|our) (?:new home(?: for (?:me|us"
        rf"|good))?(?: {_NOW})?|home(?: for (?:me|us))? {_NOW})|where (?:I|we) live (?:now|these days"
        rf"|nowadays)|home (?:these days|nowadays)){_END}"
    ),
    re.compile(
        rf"{_START}(?:I|We)(?: now)? call {_PLACE} (?:my |our )?home(?: (?:now|these days|nowadays)){_END}"
    ),
)
# Of a person it would say that she is at home.
_AT_HOME = re.compile(rf"{_START}{_PLACE}(?:['’]s| is) (?:now home|home (?:for (?:me|us) )?now){_END}")
_NO_PLACE = re.compile(
    r"""
    (?:
        This | That | It | There | Here | He | She | What | Where | Who | Mum | Dad | Mom | Gran | Nan
        | Nana | Grandad | Grandpa | Grandma | Everyone | Everybody | Nobody
    )(?:\b|$)
    """,
    re.VERBOSE,
)


def state_homes(text: str) -> str:
    """ "Home is Bristol now" as "I live in Bristol now"."""
    if "home" not in text and "Home" not in text and "where" not in text:
        return text
    for pattern in _HOMES:
        text = pattern.sub(_live_there, text)
    return _AT_HOME.sub(lambda match: _live_there(match) if is_place(match["place"]) else match[0], text)


def _live_there(match: re.Match[str]) -> str:
    place = next(filter(None, (match.groupdict().get("place"), match.groupdict().get("place2"))))
    return match[0] if _NO_PLACE.match(place) else f"I live in {place} now"
