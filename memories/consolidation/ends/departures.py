"""Which memories end because somebody parted with something: "Josh dumped the user" ends "is going out with Josh".

A place, a person or a pursuit, in whatever words: "The bakery let the user go", "Today was their last day as verger",
"has called time on IVF". English, in the third person; the place, person or pursuit must be named by the older
statement, and be the same person's.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memories.consolidation.ends.phrases.persons import is_held
from memories.text.clauses.changing.ends import COUPLE
from memories.text.clauses.changing.habits import BESIDES, PASSING
from memories.text.clauses.wording import is_one_stem
from memories.text.en.case import fold_case
from memories.text.slots.registry import join_relation_words
from memories.text.words.tokenize import extract_keywords

_KIN = join_relation_words("en")
_WHO = rf"(?P<who>The user(?:'s (?:{_KIN})(?: [A-Z][\w'-]+)?)?|[A-Z][\w'-]+)"
_ADVERBS = (
    r"(?:(?:has|have|had to|had|also|finally|just|recently|now|already|officially|regretfully"
    r"|reluctantly) ){0,4}"
)
_OWN = r"(?:(?:the|their|her|his|my) )?"
_THING = r"(?P<what>[A-Za-z][\w'-]*(?: [A-Za-z][\w'-]*){0,3}?)"
_END = (
    r"(?= (?:after|before|because|since|when|and|but|so|two|three|last|this|yesterday|today|for good"
    r"|altogether|completely|at the end|in [A-Z]\w*|on [A-Z]\w*|to become|to go|to"
    r" spend)\b|[,.;(]|$)"
)
# What people say of giving up a pursuit, a group or a post.
_LAID_DOWN = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:called (?:time on|it (?:a day|quits) with)|bowed out (?:of|from)"
    rf"|walked away from|stepped (?:away|back) from"
    rf"|(?:drew|drawn) a line under|parted (?:ways|company) with|threw in the towel (?:on|with|at)"
    rf"|thrown in the towel (?:on|with|at)"
    rf"|hung up (?:their|his|her|my) [a-z]+ (?:with|at|for)) {_OWN}{_THING}{_END}"
)
_KNOCKED = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:knocked {_OWN}{_THING} on the head|binned "
    rf"{_OWN}{_THING.replace('what', 'what2')} off|jacked {_OWN}{_THING.replace('what', 'what3')} in)\b"
)
# "Today was the user's last day as verger", "had their last shift at the bakery on Friday".
_LAST_DAY = re.compile(
    rf"(?:^|^[^,.;]{{0,40}} (?:was|is) |^{_WHO} {_ADVERBS}(?:had|worked|did|finished"
    rf"|rang) )(?:(?P<whose>[Tt]he user|(?:[Tt]he user's (?:{_KIN})(?: [A-Z][\w'-]+)?)|[A-Z][\w-]+)'s"
    rf"|their|her|his)"
    rf" (?:very )?last (?:ever )?(?:day|shift) (?P<link>as|at|with) (?:(?:the|an?|their|her"
    rf"|his) )?{_THING}{_END}"
)
# Only what was: a last day to come has not come.
_PASSED = re.compile(r"\b(?:was|had|worked|did|finished|rang)\b")
# An employer, and what it did to whom.
_LET_GO = re.compile(
    rf"^(?:The (?!user\b)|The user's (?!(?:{_KIN})\b))?(?P<what>[A-Za-z][\w&'-]*(?: "
    rf"[A-Za-z][\w&'-]*){{0,3}}?) {_ADVERBS}"
    rf"(?:let (?P<who>the user|[A-Z][\w'-]+) go|(?:laid (?P<who2>the user|[A-Z][\w'-]+) off"
    rf"|laid off (?P<who3>the user|[A-Z][\w'-]+)|sacked (?P<who4>the user|[A-Z][\w'-]+)"
    rf"|fired (?P<who5>the user|[A-Z][\w'-]+)"
    rf"|made (?P<who6>the user|[A-Z][\w'-]+) redundant|got rid of (?P<who7>the user|[A-Z][\w'-]+)))"
    r"(?= (?:after|because|since|when|and|but|so|last|this|yesterday|today|in|on|by|with|without)\b"
    r"|[,.;(]|$)(?! (?:early|home|to)\b)"
)
_WORKS = re.compile(
    r"\b(?:works?|working|jobs?|shifts?|employed|is an? [a-z ]+ (?:at|for|in)|volunteers?|temps|does)\b"
)
# "Josh dumped the user": nobody is seeing him any more.
_DUMPED = re.compile(
    rf"^(?P<name>[A-Z][\w'-]+) {_ADVERBS}(?:dumped|jilted|chucked|ditched|walked out on"
    rf"|left(?= the user(?: for (?:an?other|[A-Z]|some|his|her|the)|[.]?$| last| yesterday| because))"
    rf"|finished with|broke up with|broken up with|split up with|ended (?:it|things) with)"
    r" (?P<who>the user|(?:the user's [a-z-]+(?: [A-Z][\w'-]+)?))(?= (?:for|by|last|yesterday|after"
    r"|because|and|so|over)\b|[,.;(]|$)"
)
# "Gave Denise the boot": she serves the user no more.
_SACKED = re.compile(
    rf"^(?P<who>The user) {_ADVERBS}(?:gave|given) (?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) the (?:push"
    rf"|boot|sack|elbow|chop|heave-ho)(?= (?:for|last|yesterday|after|because|and|so|in|on)\b|[,.;(]|$)"
)
# "The doctor has swapped the user off Madopar onto Sinemet".
_OFF_ONTO = re.compile(
    rf"\b(?:swapped|switched|moved|changed|taken|took|weaned|shifted) (?P<who>the user"
    rf"|(?:the user's (?:{_KIN})(?: [A-Z][\w'-]+)?)|[A-Z][\w'-]+) off (?:the |their |her |his )?"
    r"(?P<what>[A-Za-z][\w'-]*(?: [a-z][\w'-]*)?) (?:on ?to|to) [A-Za-z]"
)
# "Is down to three hives": so many are left of what there were more of.
_NUMBERS = {
    word: at
    for at, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}
_NUMBER = rf"(?:\d{{1,4}}|{'|'.join(_NUMBERS)})"
_SO_MANY_NOW = re.compile(
    rf"^{_WHO} (?:is|has gone|has got) (?:now )?(?:down|up) to (?:only "
    rf"|just )?(?P<number>{_NUMBER}) (?P<what>[a-z][\w'-]*)(?= (?:after|since|now|because|this|and|so"
    rf"|from|in|at)\b|[,.;(]|$)"
)
_SO_MANY = re.compile(
    rf"^{_WHO} (?:has|have|keeps?|owns?|runs?|looks after|takes|is on|breeds?"
    rf"|manages?) (?:got )?(?:about |around )?(?P<number>{_NUMBER}) (?P<what>[a-z][\w'-]*)(?= (?:on|in"
    rf"|at|and|for|now|a)\b|[,.;]|$)"
)
# Back at home, and so no more where somebody stayed meanwhile.
_HOME_AGAIN = re.compile(
    rf"^{_WHO} (?:and (?:their|her|his) [a-z]+ )?{_ADVERBS}(?:(?:got|moved|gone|went|is|are"
    rf"|been) )(?:now )?back (?:in|into|in to|at) (?:their|his|her) own (?:house|home|flat|place"
    rf"|apartment|bed)\b"
)
_STAYS = re.compile(
    r"""
    (?:\ and\ (?:others|their\ [a-z]+))?\ (?:is|are)\ (?:still\ |all\ )?(?:
        staying | living | sleeping | camping | lodging | crashing | stopping
        | in\ a\ (?:caravan|hotel|hostel|b&b|tent)\b
    )
    """,
    re.VERBOSE,
)
# A place of one's own ends the time at somebody else's.
_OWN_PLACE = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:got|found|moved into|rented|bought|has|has got) (?:their|his"
    rf"|her) own (?:place|flat|house|home|apartment|bungalow)\b"
)
_AT_SOMEBODYS = re.compile(
    rf"(?: and (?:others|their [a-z]+))? (?:is|are|lives?|is living|is staying|are living"
    rf"|are staying) (?:still |back )?(?:(?:living|staying) )?(?:[^,.;]{{0,40}} )?(?:at|with|round|in) "
    rf"(?:their|his|her|the user's) (?:(?:{_KIN})|friend|mate|parents|folks)\b"
    r"| lives (?:in (?:the|their|the user's) (?:annexe?|spare room|box room|loft|attic|granny flat"
    r"|basement|garage|garden room)|with the user|at home)\b"
)
# "Has moved their nan into a home in Wombwell".
_INTO_A_HOME = re.compile(
    rf"^The user(?: and [^,.;]{{1,30}})? {_ADVERBS}(?:moved|put|got|settled) (?:(?:their"
    rf"|the user's) )?(?P<kin>{_KIN}) (?:in|into|in to) (?:a|an) (?:[a-z]+ ){{0,2}}(?:home|hospice)\b"
)
# Alone now at what was done with somebody.
_ALONE = re.compile(
    r"""
    \b(?P<who>[Tt]he\ user)\ (?:now\ )?(?P<action>[a-z]+s)\ (?:
        alone | solo | (?:by|on)\ (?:themselves|their\ own|himself|herself|themself)
    )\ (?:now|these\ days|nowadays)\b
    """,
    re.VERBOSE,
)
_UNSURE = re.compile(
    r"""
    \b(?:
        if | unless | might | may | could | would | should | nearly | almost | hopes? | hoping | wants?
        | plans? | will | not | never | wishes | dreamt | dreamed | pretended | says? | said | thinks?
        | threatened | asked | was\ going\ to | joked | until | till | whether
    )\b
    | \?$
    """,
    re.IGNORECASE | re.VERBOSE,
)


# "The user's realtor is Denise": the one who serves, and no relative.
_SERVES = re.compile(
    rf"^The user's (?!(?:{_KIN}|friend|mate|name)\b)(?:[a-z-]+ )?[a-z-]+(?:er|or|ist|ant|ent|man|physio"
    rf"|vet|coach|nurse|solicitor|PA|GP) is [A-Z][^,;]*$"
)


def has_parted(new: str, old: str) -> bool:
    """Return whether the new statement says that the user, or whom it names, is done with what the old one tells."""
    if any(mark in old or mark in new for mark in '"“[') or not is_held(old):
        return False
    parting = _find_parting(new)
    return parting is not None and _is_of(parting[1], old) and _KINDS[parting[0]](parting[2], old)


@lru_cache(maxsize=512)
def _find_parting(new: str) -> tuple[str, str, re.Match[str]] | None:
    """Find how somebody parted, who, and the words that say it."""
    if BESIDES.search(new):
        return None
    for how, pattern in _PATTERNS.items():
        match = pattern.search(new)
        passing = PASSING if how in _HELD else _FOR_NOW
        if match is None or _UNSURE.search(new[: match.end()]) or passing.search(new):
            continue
        named = match.groupdict()
        who = next((named[key] for key in sorted(named) if key.startswith("who") and named[key]), "")
        return how, who or named.get("kin") or "The user", match
    return None


def _is_of(who: str, old: str) -> bool:
    who = who[:1].upper() + who[1:]
    if who == "The user":
        return (
            re.match(r"The user(?:'s (?:boy|girl)friend| and (?:others|their [\w-]+|[A-Z][\w-]+))? ", old)
            is not None
            or _SERVES.match(old) is not None
        )
    if who[0].isupper() and re.fullmatch(_KIN, who, re.IGNORECASE):
        return re.match(rf"The user's {re.escape(who.lower())}\b(?!')", old) is not None
    return re.match(rf"(?:The user's [a-z-]+ )?{re.escape(who)} ", old) is not None


def _names(match: re.Match[str], old: str) -> bool:
    """Return whether the older statement has every word of the thing: its names as they are written."""
    named = match.groupdict()
    what = next(named[key] for key in sorted(named) if key.startswith("what") and named[key])
    proper = [word for word in what.split() if word[0].isupper()]
    if any(re.search(rf"(?<![\w'-]){re.escape(word)}(?![\w-])", old) is None for word in proper):
        return False
    wanted, words = extract_keywords(what), extract_keywords(old)
    return bool(wanted) and all(any(_is_one(term, word) for word in words) for term in wanted)


def _is_one(term: str, word: str) -> bool:
    return term == word or is_one_stem(term, word)


def _has_laid_down(match: re.Match[str], old: str) -> bool:
    main = old.split(", ", 1)[0]  # what stands behind a comma is not all that would be lost
    return _names(match, main) and not _LIKED.search(main)


# What is liked or owned outlives that it is done.
_LIKED = re.compile(r"\b(?:likes?|loves?|enjoys?|prefers?|favou?rite|owns?|hates?)\b")


def _had_last_day(match: re.Match[str], old: str) -> bool:
    if not _PASSED.search(match.string[: match.end()]) or not _names(match, old):
        return False
    if match["link"] == "as":
        return re.search(r" (?:is|works as|serves as) ", old) is not None
    return (
        _WORKS.search(old) is not None
        or re.search(r" (?:is|plays|sings|goes|trains|studies|teaches) ", old) is not None
    )


def _was_let_go(match: re.Match[str], old: str) -> bool:
    return _WORKS.search(old) is not None and _names(match, old)


def _was_dumped(match: re.Match[str], old: str) -> bool:
    is_named = re.search(rf"\b{re.escape(match['name'])}\b(?!')", old) is not None
    return is_named and COUPLE.search(old) is not None


def _has_another_number(match: re.Match[str], old: str) -> bool:
    held = _SO_MANY.match(old)
    if held is None or _read_number(held["number"]) == _read_number(match["number"]):
        return False
    ours, theirs = match["what"], held["what"]
    return extract_keywords(ours) == extract_keywords(theirs) or (len(ours) >= 4 and theirs.endswith(ours))


def _read_number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[fold_case(word)]


def _does_alone(match: re.Match[str], old: str) -> bool:
    return (
        re.match(rf"The user (?:\w+ )?{re.escape(match['action'])} (?:[^,.;]+ )?with [A-Z]", old) is not None
    )


# What may be so for a day only; the others happen once and for all.
_HELD = frozenset({"laid down", "knocked", "so many", "alone"})
_FOR_NOW = re.compile(
    r"""
    \b(?:
        temporarily | for\ now | for\ the\ time\ being
        | for\ (?:the|a|an|this|two|three|\d+)\ (?:\w+\ )?(?:
              day | night | week | weekend | fortnight | month | summer | winter | while | bit | holidays?
              | term
          )s?
    )\b
    """,
    re.VERBOSE,
)
_PATTERNS = {
    "laid down": _LAID_DOWN,
    "knocked": _KNOCKED,
    "last day": _LAST_DAY,
    "let go": _LET_GO,
    "dumped": _DUMPED,
    "sacked": _SACKED,
    "off onto": _OFF_ONTO,
    "so many": _SO_MANY_NOW,
    "home again": _HOME_AGAIN,
    "own place": _OWN_PLACE,
    "into a home": _INTO_A_HOME,
    "alone": _ALONE,
}
_KINDS = {
    "laid down": _has_laid_down,
    "knocked": _has_laid_down,
    "last day": _had_last_day,
    "let go": _was_let_go,
    "dumped": _was_dumped,
    "sacked": lambda match, old: _SERVES.match(old) is not None and old.endswith(f" {match['name']}."),
    "off onto": _names,
    "so many": _has_another_number,
    "home again": lambda match, old: _STAYS.search(old) is not None,
    "own place": lambda match, old: _AT_SOMEBODYS.search(old) is not None,
    "into a home": lambda match, old: (
        re.search(r"'s [a-z-]+ (?:[A-Z]\w+ )?(?:still )?lives ", old) is not None
    ),
    "alone": _does_alone,
}
