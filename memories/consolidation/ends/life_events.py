"""Which memories end by a turn in somebody's life: "got the visa" ends "is waiting for a visa".

What was sought is found, what was awaited has come, what was shared is had alone, what was not allowed is allowed, and
a stage of life gives way to the next. Statements are English and in the third person. The person must be the same, and
the thing must be the same by its words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from memories.text.clauses.changing.habits import PASSING
from memories.text.slots.registry import join_relation_words
from memories.text.words.tokenize import extract_keywords
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("ends.toml"))
_WHO = r"(?P<who>The user(?:'s [a-z-]+(?: [A-Z][\w'-]+)?)?(?: and (?:others|their [a-z-]+))?|[A-Z][\w'-]+)"
_ADVERBS = r"(?:has |have |had |finally |just |recently |now |also )*"
_ARTICLE = r"(?:an? |the |their |her |his |another |some |new |our )*"
_THING = r"(?P<what>[\w'-]+(?: [\w'-]+){0,3}?)"
_BOUND = (
    r"(?= (?:in|at|on|for|with|from|to|since|last|this|because|and|but|so|near|by|yesterday|today|now"
    r"|at last|of|through|via)\b|[,.;(]|$)"
)
# What is sought, awaited, or not had.
_SEEKS = re.compile(
    rf"^{_WHO} (?:now |currently |still |also |desperately )*(?:(?:is|are) (?:still |currently "
    rf"|also )*(?:looking|searching|hunting|waiting|hoping|house-hunting|saving(?: up)?|applying)"
    rf" for|(?:is|are) (?:in need of|on (?:a|the) waiting list for)|needs?(?= an? )|lacks?|(?:does"
    rf"|do) not (?:yet )?have|has no|have no|(?:is|are) (?:trying|hoping) to (?:find|get"
    rf"|buy)) {_ARTICLE}{_THING}{_BOUND}"
)
_FOUND = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:found|got|had|bought|received|been given|been offered|picked up|landed"
    rf"|adopted|secured|has got|have got) {_ARTICLE}{_THING}{_BOUND}"
)
# What is needed again and again is not found once.
_ALWAYS = re.compile(r"\b(?:every|each|daily|always|usually|per)\b")
_LENT = re.compile(r"\b(?:no|not|never|borrowed|hired|rented|nearly|almost|idea)\b|n't\b")
# "Physio started yesterday" of who waits for it.
_STARTED = re.compile(
    rf"^(?:The user's |The (?!user\b))?{_THING} {_ADVERBS}(?:started|begun|began|come through"
    rf"|came through|arrived|been delivered)\b"
)
_WAITS = re.compile(
    rf"^{_WHO} (?:is|are) (?:still |now )?(?:waiting for|on (?:a|the) waiting list for) {_ARTICLE}{_THING}{_BOUND}"
)
# "Went to Iceland in March" of who had never been there.
_NEVER_DID = re.compile(
    rf"^{_WHO} (?:has|have) never (?:been to|visited|seen|tried|eaten|flown to|ridden|driven"
    rf"|met) {_ARTICLE}(?P<what>[\w'-]+(?: [A-Z][\w'-]+)*)"
)
_DID = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:been to|went to|visited|saw|seen|tried|ate|eaten|flew to|flown to|rode"
    rf"|drove|met) {_ARTICLE}(?P<what>[\w'-]+(?: [A-Z][\w'-]+)*)"
)
# "Is out of hospital", "is off the crutches".
_OUT_OF = re.compile(
    rf"^(?:{_WHO} (?:(?:is|are|came|has come|got|has been let) (?:now |finally "
    rf"|all )*)?)?(?P<way>out of|[Oo]ff|home from|back from|done with) (?:the |their |her "
    rf"|his )?(?P<what>[a-z][\w-]*)\b(?! (?:work|duty|sick|school|milk))"
)
_IS_IN = re.compile(
    rf"^{_WHO} (?:is|are)(?: now| still| currently| back)? (?:in|on|at) (?:an? |the |their )?(?P<what>[a-z][\w-]*)\b"
)
_PASSES = frozenset(extract_keywords("bed bath town work bread milk sight order time money"))
# A higher or another office in the same body.
_ELECTED = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:is|was|has been|been|got|became|become)? ?(?:elected|appointed|made"
    rf"|promoted to|voted|named|became|become) (?:as )?(?:the |an? )?(?P<role>[a-z][a-z -]{{2,30}}?) "
    rf"(?:of|at|for|in|on) (?:the |their )?(?P<body>[\w' -]{{3,40}}?)(?=[,.;(]|$| last\b| since\b"
    rf"| this\b)"
)
_HOLDS_OFFICE = re.compile(
    rf"^{_WHO} (?:is|serves as|works as) (?:the |an? )?(?P<role>[a-z][a-z -]{{2,30}}?) (?:of|at|for|in"
    rf"|on) (?:the |their )?(?P<body>[\w' -]{{3,40}}?)(?=[,.;(]|$)"
)
# "Has got their own office now" of who shares one.
_OWN = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:got|gets|have|has) (?:an? )?(?:their |her |his )?own (?P<what>[a-z]+)\b"
)
_SHARES = re.compile(
    rf"^{_WHO} (?:shares?|is sharing|are sharing) (?:an? |the |their )?(?:[a-z]+ )??(?P<what>[a-z]+)(?= with\b|[,.]|$)"
)
# "Pets are fine now" where they were not allowed.
_ALLOWED = re.compile(
    r"""
    \b(?P<what>[A-Za-z]+)\ (?:is|are)\ (?:now\ )?(?:fine|allowed|ok|okay|permitted|welcome|all\ right)
    (?:\ now|\ again|\ after\ all)\b
    """,
    re.VERBOSE,
)
_FORBIDS = re.compile(
    r"""
    \b(?:will\ not|does\ not|do\ not|cannot|can\ not)\ (?:allow|permit|accept|take|have)\ (?P<what>[a-z]+)
    \b
    | \b(?P<what2>[A-Za-z]+)\ (?:is|are)\ (?:not\ allowed|forbidden|banned)\b
    """,
    re.VERBOSE,
)
_OF_USER = re.compile(
    r"""
    (?:
        The\ user(?:\ |$)
        | (?:The\ user's|The|Their|Her|His)\ (?:new\ )?(?:
              baby | twins | (?:first|second|third|fourth|little\ one)(?=[^.]*\ born) | cancer | disease
              | illness | leuka?emia | lymphoma | tumou?r | depression | engagement | wedding
          )\b
        | (?:Had|Got|Passed|Started|Found)\b | [A-Z][a-z]+\ and\ the\ user\b
        | .*\band\ the\ user\ (?:called|broke|split|got|are)\b
    )
    """,
    re.VERBOSE,
)
# "The line manager is back" of who is on leave.
_BACK = re.compile(
    r"""
    ^(?P<who>[^,.;]{3,60}?)\ (?:
        (?:is|are|has\ been|have\ been)\ (?:now\ |finally\ )?back
        (?:\ at\ work|\ at\ school|\ from\ [a-z -]{3,30})?
        | (?:has\ |have\ |just\ |finally\ ){0,2}(?:(?:went|gone|got)\ back|returned|come\ back|came\ back)
          \ to\ (?:work|school|the\ office|her\ post|his\ post)
    )(?:\ (?:since|from|as\ of|last|on|yesterday)\ [\w ()]{3,40})?(?=[,.;]|$)
    """,
    re.VERBOSE,
)
_AWAY = re.compile(
    r"""
    ^(?P<who>[^,.;]{3,60}?)\ (?:is|are)\ (?:
        away | abroad | off\ (?:sick|work|school) | signed\ off
        | on\ (?:\w+\ )?(?:leave|holiday|sabbatical)
    )\b
    """,
    re.VERBOSE,
)
# Stages of life of which the later ends the earlier: what begins, and what is over by it.
_STAGES = tuple(
    (re.compile(rf"\b(?:{_WORDS[begins]})\b"), re.compile(rf"\b(?:{_WORDS[over]})\b"))
    for begins, over in (
        ("births", "pregnancies"),
        ("new_couples", "single_lives"),
        ("break_ups", "engagements"),
        ("marriages", "engagements"),
        ("new_jobs", "unemployment"),
        ("relapses", "remissions"),
        ("school_starts", "nurseries"),
        ("licences", "driving_lessons"),
        ("discharges", "hospital_stays"),
        ("releases", "imprisonments"),
        ("moves_to_homes", "homes_of_ones_own"),
    )
)
_KIN = join_relation_words("en")


def is_past_by_turn(new: str, old: str) -> bool:
    """Return whether a turn that the new statement tells of leaves the old one behind; both English, in the third
    person."""
    if PASSING.search(new):
        return False
    return (
        _is_found(new, old)
        or _is_out_of(new, old)
        or _has_other_office(new, old)
        or _has_own(new, old)
        or _is_allowed(new, old)
        or _is_at_next_stage(new, old)
        or _is_back(new, old)
    )


def _is_found(new: str, old: str) -> bool:
    for sought, found_pattern in ((_SEEKS, _FOUND), (_NEVER_DID, _DID)):
        theirs, ours = sought.match(old), found_pattern.match(new)
        if theirs and ours and not _LENT.search(ours[0]) and _is_one(ours["who"], theirs["who"]):
            is_lasting = " had " not in ours[0] or "waiting" in theirs[0]
            if is_lasting and not _ALWAYS.search(old) and _is_that(ours["what"], theirs["what"]):
                # "A flat in York" is none in Leith.
                return all(place in new for place in re.findall(r"\b(?:in|to|at) ([A-Z][\w-]+)", old))
    waits, started = _WAITS.match(old), _STARTED.match(new)
    return bool(
        waits and started and _is_that(started["what"], waits["what"]) and _find_who(new) == _find_who(old)
    )


def _is_that(had: str, sought: str) -> bool:
    """ "A job interview" is no job: the last word says what it is."""
    ours, theirs = extract_keywords(had), extract_keywords(sought)
    return bool(ours and theirs) and ours[-1] == theirs[-1] and set(theirs) <= set(ours)


def _is_out_of(new: str, old: str) -> bool:
    left, held = _OUT_OF.match(new), _IS_IN.match(old)
    if left is None or held is None or not _is_one(left["who"] or "The user", held["who"]):
        return False
    what = _terms(left["what"])
    return bool(what) and what == _terms(held["what"]) and not what & _PASSES


def _has_other_office(new: str, old: str) -> bool:
    ours, theirs = _ELECTED.match(new), _HOLDS_OFFICE.match(old)
    if ours is None or theirs is None or not _is_one(ours["who"], theirs["who"]):
        return False
    return ours["role"] != theirs["role"] and _terms(ours["body"]) == _terms(theirs["body"])


def _has_own(new: str, old: str) -> bool:
    ours, theirs = _OWN.match(new), _SHARES.match(old)
    is_one = ours is not None and theirs is not None and _is_one(ours["who"], theirs["who"])
    return bool(is_one and ours and theirs and _terms(ours["what"]) == _terms(theirs["what"]))


def _is_allowed(new: str, old: str) -> bool:
    ours, theirs = _ALLOWED.search(new), _FORBIDS.search(old)
    return bool(ours and theirs and _terms(ours["what"]) == _terms(theirs["what"] or theirs["what2"]))


def _is_back(new: str, old: str) -> bool:
    back, away = _BACK.match(new), _AWAY.match(old)
    return bool(back and away and back["who"].casefold() == away["who"].casefold())


def _is_at_next_stage(new: str, old: str) -> bool:
    if not any(begins.search(new) and over.search(old) for begins, over in _STAGES):
        return False
    # "A colleague had the baby", "Two friends got married": somebody who is not named is not the user.
    is_of_somebody_known = _OF_USER.match(new) is not None or _find_who(new) != "the user"
    return is_of_somebody_known and _find_who(new) == _find_who(old)


@lru_cache(maxsize=1_024)
def _find_who(text: str) -> str:
    """Whom a statement is about: the user where nobody else is named."""
    if match := re.match(rf"The user's (?P<kin>(?:{_KIN})(?:'s (?:{_KIN})\b)?)", text):
        return match["kin"]
    named = re.match(
        r"(?!(?:The|They|Their|It|Everything|Two|All|Had|Got)\b)(?P<name>[A-Z][a-z]+)(?: and the user)?\b",
        text,
    )
    return named["name"] if named and " and the user" not in named[0] else "the user"


def _is_one(some: str, other: str) -> bool:
    return re.sub(" and .*", "", some).casefold() == re.sub(" and .*", "", other).casefold()


def _terms(words: str) -> frozenset[str]:
    return frozenset(extract_keywords(words))
