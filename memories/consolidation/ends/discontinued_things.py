"""Which memories end because what they tell of is gone: "the number 9 was axed" ends "takes the number 9 to work".

A service is axed, a thing thrown out, a trouble healed. English, in the third person. Nothing is gone but what the
older statement itself names.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memories.text.clauses.changing.habits import BESIDES, NOT_HELD, PASSING
from memories.text.clauses.wording import is_event
from memories.text.slots.registry import join_relation_words
from memories.text.words.tokenize import extract_keywords

_KIN = join_relation_words("en")
_ADVERBS = r"(?:has |have |is |are |was |were |had |got |now |just |finally |all |been |being )*"
# A noun with what stands before it, or a name: "number 9", "the morning ferry", "Broadwood".
_THING = (
    rf"(?P<what>(?!(?:{_KIN})\b)(?:[A-Z][\w'&-]*|[a-z][\w'-]*|\d[\d:]*)(?: (?:[A-Z][\w'&-]*|[a-z][\w'-]*"
    rf"|\d[\d:]*)){{0,3}}?)"
)
_OWN = r"^(?:The user's |The (?!user\b)|Their )?(?!The user )"
_END = (
    r"(?= (?:so|and|but|because|since|last|this|from|in|on|at|by|yesterday|now|altogether|completely"
    r"|for good)\b|[,.;(]|$)"
)
# Nobody can use any more what is no longer offered.
_AXED = re.compile(
    rf"{_OWN}{_THING} {_ADVERBS}(?:axed|discontinued|scrapped|withdrawn|abolished|shut down|closed down"
    rf"|cut(?= (?:so|and|from|because|last|altogether|completely)\b|[,.;]|$)"
    rf"|(?:closed|shut)(?: down)? (?:for good|permanently)|closed(?=,? so the user (?:has|is|goes|went"
    rf"|plays|sings|swims|trains|shops|uses|takes)\b)|no longer (?:runs?|running|made|sold|offered"
    rf"|stocked)|stopped (?:running|being (?:made|sold))){_END}"
)
_USES = re.compile(
    r"""
    ^The\ user\ (?:and\ (?:others|their\ [a-z-]+|[A-Z]\w+)\ )?(?:
        takes? | gets? | catch(?:es)? | rides? | uses? | buys? | drinks? | eats? | is\ on | goes\ to
        | go\ to | commutes? | travels? | swims? | trains? | attends? | shops? | plays? | sings? | works?
        | teaches | volunteers? | worships? | rides? | dances?
    )\b
    """,
    re.VERBOSE,
)
# What was thrown out, given away or wrecked is had no more.
_THROWN_OUT = re.compile(
    rf"{_OWN}{_THING} {_ADVERBS}(?:gone|went|(?:taken|sent|driven) away) (?:to|for|on) (?:the )?(?:tip"
    rf"|dump|skip|scrap|scrapyard|auction|eBay|knacker's yard|charity shop|recycling|an? new home)\b"
    rf"|{_OWN}{_THING.replace('what', 'what2')} {_ADVERBS}(?:scrapped|written off|rehomed|binned|stolen"
    rf"|nicked|pinched|thrown (?:out|away)|given away|sold|repossessed){_END}"
)
_HAS = re.compile(
    r"""
    ^The\ user\ (?:and\ (?:others|their\ [a-z-]+|[A-Z]\w+)\ )?(?:
        has(?:\ got)? | have(?:\ got)? | owns? | keeps? | drives? | rides? | plays? | sails? | uses?
    )\ (?:an?|the|their|two|[A-Z])
    """,
    re.VERBOSE,
)
# What ails somebody or something, and does so no more.
_HEALED = re.compile(
    rf"^(?:The user's |(?P<who>The user's (?:{_KIN})(?: [A-Z][\w'-]+)?|[A-Z][\w-]+)'s |The (?!user\b)"
    rf"|Their )(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)??) "
    rf"(?:has |have |is |are |now |finally |all |completely )*(?:(?P<healed>cleared up|healed(?: up)?)"
    rf"|gone(?: away| down)?|dried (?:out|up)|settled down|subsided)"
    r"(?= (?:so|and|since|at last|now|thanks|after|completely)\b|[,.;]|$)"
)
_AILS = re.compile(
    rf"^(?P<who>The user(?:'s (?:{_KIN})(?: [A-Z][\w'-]+)?)?|[A-Z][\w-]+) (?:has(?: got)?|have(?: got)?"
    rf"|suffers from|is (?:suffering from|troubled by|plagued by)) (?:an?|some|very bad|bad|the)? ?"
    rf"(?P<what>[a-z][\w-]*(?: [a-z][\w-]*){{0,3}}?)(?= (?:in|on|at|under|behind|from|since|for|all)\b"
    rf"|[,.;]|$)"
    r"|^(?:The user's |The |Their )(?P<what2>[a-z][\w-]*(?: [a-z][\w-]*)?)(?: (?:in|on|at|under"
    r"|behind) (?:the|their|his|her) [\w -]{2,30}?)? (?:is|are) (?P<said>.+)$"
)
_BAD = re.compile(
    r"""
    \b(?:
        headache | problem | trouble | worry | nuisance | pain | worse | bad | awful | terrible | killing
        | nightmare | itchy | sore | driving
    )\b
    """,
    re.VERBOSE,
)
# "A piano that will not stay in tune" is had all the same.
_RELATIVE = re.compile(r" (?:that|which|who) ")
# Hens settle down, and children are gone to school: only a trouble is over by that.
_AILMENT = re.compile(
    r"""
    \b(?:
        rash | cough | warts? | verrucas? | nits | lice | fleas | worms | damp | mould | mold | rot | pain
        | aches? | headaches? | migraines? | cold | flu | fever | swelling | lump | bump | bruise | smell
        | noise | mice | rats | ants | moths | wasps | infection | inflammation | itch | blisters?
        | hiccups | nausea | symptoms? | tinnitus | vertigo | cramps? | numbness | stiffness | eczema
        | spots? | acne | sore | ulcers? | stye
    )$
    """,
    re.VERBOSE,
)
_UNSURE = re.compile(
    r"\b(?:if|might|may|could|would|should|nearly|almost|hopes?|wants?|not|never|half)\b|\?$"
)


def is_gone(new: str, old: str) -> bool:
    """Return whether the new statement says that what the old one tells of is gone."""
    loss = _find_gone(new)
    if loss is None or any(mark in old for mark in '"“['):
        return False
    main = _RELATIVE.split(old, maxsplit=1)[0]
    if NOT_HELD.search(main) or is_event(main):
        return False
    how, who, what = loss
    if how in ("healed", "gone"):
        return _ails(who, what, old, how == "healed")
    held = (_USES if how == "axed" else _HAS).match(old)
    # The last word says what it is, and none of what stands before it may be another's.
    return held is not None and _names(what, old)


@lru_cache(maxsize=512)
def _find_gone(new: str) -> tuple[str, str, str] | None:
    """Find how it went, whose it was ("" for the user's), and what."""
    if (
        any(mark in new for mark in '"“[')
        or PASSING.search(new)
        or BESIDES.search(new)
        or _UNSURE.search(new)
    ):
        return None
    if match := _HEALED.match(new):
        return "healed" if match["healed"] else "gone", match["who"] or "", match["what"]
    if match := _AXED.match(new):
        return "axed", "", match["what"]
    if match := _THROWN_OUT.match(new):
        return "thrown out", "", match["what"] or match["what2"]
    return None


def _names(what: str, old: str) -> bool:
    """Return whether the older statement has every word of the thing, side by side where it has a name or a number."""
    if re.search(r"[A-Z\d]", what):
        return re.search(rf"(?<![\w'-]){re.escape(what)}(?![\w-])", old, re.IGNORECASE) is not None
    wanted, words = extract_keywords(what), extract_keywords(old)
    return bool(wanted) and set(wanted) <= set(words)


def _ails(who: str, what: str, old: str, is_healed: bool) -> bool:
    match = _AILS.match(old)
    if match is None or (match["said"] and not _BAD.search(match["said"])):
        return False
    is_one = (match["who"] or "The user") == (who or "The user")
    held = extract_keywords(match["what"] or match["what2"])
    wanted = extract_keywords(what)
    is_that = bool(wanted and held) and set(wanted) <= set(held) and wanted[-1] == held[-1]
    return is_one and is_that and (is_healed or _AILMENT.search(what) is not None)
