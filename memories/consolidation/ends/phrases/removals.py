"""Which memories end because somebody left a body: "got voted off the committee" ends "is on the committee".

"The county has dropped him", "got voted off the committee", "stepped off the council", "has been turfed out by Mrs
Hanley", "handed her notice in at Halfords". English, in the third person. The body, the post or the landlord must be
named by the older statement, which says that the same person belongs to it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from memories.consolidation.ends.phrases.persons import PERSON, is_held, is_of_person, names_thing
from memories.text.clauses.changing.habits import BESIDES, PASSING
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_ADVERBS = (
    r"(?:(?:has|have|had|also|finally|just|recently|now|already|all|both|sadly|unceremoniously"
    r"|officially) ){0,4}"
)
_OWN = r"(?:(?:the|an?|their|her|his|its) )?"
_THING = (
    r"(?P<what>(?!(?:the|at|in|on|with|for|to|of|from|by)\b)[A-Za-z\d][\w&'-]*(?: [A-Za-z\d][\w&'-]*){0,3}?)"
)
_END = (
    r"(?= (?:after|before|because|since|when|and|but|so|last|this|yesterday|today|for good|altogether"
    r"|over|in|on|at|with"
    r"|without|by|as|now|again|anyway|too)\b|[,.;(]|$)"
)
# Something is done to somebody: verbs that end a belonging, each with the particle behind which the body or the post
# stands.
_THROWN = (
    rf"(?:(?:{_WORDS['expulsions']}) (?:out of|off|out by|out|from)"
    rf"|(?:{_WORDS['dismissals']}) (?:by|from|at|as|off)|(?:{_WORDS['deletions']}) off"
    r"|ousted (?:as|from|by)|stood down (?:as|from|by)|replaced (?:as|on|in)|relieved of"
    r"|stripped of)(?: as| by| from)?"
)
_REMOVED = re.compile(
    rf"^{PERSON} {_ADVERBS}(?:been|was|were|got|is|are) {_ADVERBS}{_THROWN} {_OWN}{_THING}{_END}"
)
# "The county dropped the user's son", "They kicked Ana off the rota".
_OBJECT = PERSON.replace("The user", "[Tt]he user").replace("(?P<who>", "(?P<who2>")
_THEY_THREW = re.compile(
    rf"^(?:They|The [\w' -]{{2,30}}?|[A-Z][\w&' -]{{1,30}}?) {_ADVERBS}(?:{_WORDS['ejections']})"
    rf" {_OBJECT} (?:out of|off|from|as) {_OWN}{_THING}{_END}"
)
# "Bristol City released the user's son".
_BODY_DROPPED = re.compile(
    rf"^(?:The |Their )?(?P<what>(?!user\b|They\b)[A-Za-z][\w&'-]*(?: [A-Za-z][\w&'-]*){{0,3}}?) "
    rf"{_ADVERBS}(?:dropped|released|axed|expelled|evicted|turfed out|kicked out|dismissed|deselected)"
    rf" {_OBJECT}(?= (?:after|before|because|since|when|and|but|so|last|this|yesterday|today|in|on|over"
    rf"|without|as)\b|[,.;(]|$)"
)
# Somebody leaves: "stepped off the council", "dropped off the rota", "walked out of the choir".
_LEFT = re.compile(
    rf"^{PERSON} {_ADVERBS}(?:(?:stepped|stood|rotated|rolled|come|came|dropped|resigned|bowed|gone"
    rf"|went) off|(?:walked|bowed|dropped|opted|pulled|backed|bailed) out (?:of|on)"
    rf"|(?:stood|stepped) (?:aside|down|back|away) (?:from|as)|bailed on|walked away from"
    rf"|lost (?:the|their|her|his) (?:job|post|role|position|place|spot|seat|captaincy"
    rf"|licen[cs]e) (?:at|with|on|in|as)) {_OWN}{_THING}{_END}"
)
# "Handed their notice in at Halfords".
_GAVE_NOTICE = re.compile(
    rf"^{PERSON} {_ADVERBS}(?:(?:handed|given|gave|put) (?:(?:in )?(?:their|her|his|the) (?:notice"
    rf"|resignation)(?: in)?|notice|in (?:their|her|his) notice)|handed back (?:their|her|his) (?:pass"
    rf"|badge|uniform|keys)"
    rf"|jacked it in|quit|packed it in) (?:at|with|from) {_OWN}{_THING}{_END}"
)
_MADE_BY = re.compile(
    rf"""
    \b(?:for|in)\ (?:the|this|that|one|two|three|next|an?)\ (?:\w+\ )?(?:{_WORDS["occasions"]})\b
    | \bfor\ (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b
    """,
    re.VERBOSE,
)
_UNSURE = re.compile(rf"\b(?:{_WORDS['unsure']})\b|\?$", re.IGNORECASE)
# What is said of a vehicle, a day's work or somebody's mind is no belonging.
_NO_BODY = frozenset(
    """
        bus train tram plane boat bike horse ladder phone call list subject internet work school
        shift bed sofa market shelf hook ground menu map table radar grid rails wall roof
    """.split()
)
# Whom a hospital discharges does not work there.
_AS_PATIENT = re.compile(r"\b(?:discharged|released|dismissed) from\b")
_AT_WORK = re.compile(r" (?:works?|volunteers?|is an? |teaches|visits|helps?) ")
# Who pulls out of a town lives there still; who is turfed out of a flat does not.
_HOME = re.compile(r" (?:lives?|living|rents?|renting|lodges?|lodging|boards?) ")
_PUT_OUT = re.compile(
    r"\b(?:evicted|turfed out|kicked out|thrown out|booted out|chucked out|threw|kicked|turfed|chucked)\b"
)
# What the older statement must say: that somebody is on it, at it, with it, plays for it, lodges there.
_BELONGS = re.compile(
    rf"""
    \ (?:{_WORDS["belongings"]})(?:\ [\w'-]+){{0,8}}?\ (?:on|at|in|for|with|of|to|from)\b
    | \ (?:plays|captains|chairs|coaches|drives|is)[ ]
    | \ has\ (?:an?\ |the\ |their\ )?(?:[a-z-]+\ )?(?:{_WORDS["posts"]})\b
    """,
    re.VERBOSE,
)


def was_removed(new: str, old: str) -> bool:
    """Return whether the new statement says that somebody belongs no more to what the old one says they belong to."""
    removal = _find_removal(new)
    if removal is None or any(mark in old for mark in '"“[') or not is_held(old):
        return False
    who, what = removal
    main = old.split(", ", 1)[0]
    if _AS_PATIENT.search(new) and _AT_WORK.search(main):
        return False
    if _HOME.search(main) and not _PUT_OUT.search(new):
        return False
    return is_of_person(who, main) and _BELONGS.search(main) is not None and names_thing(what, main)


@lru_cache(maxsize=512)
def _find_removal(new: str) -> tuple[str, str] | None:
    """Find who was removed or left, and from what."""
    if PASSING.search(new) or BESIDES.search(new) or _MADE_BY.search(new):
        return None
    for pattern in (_REMOVED, _THEY_THREW, _BODY_DROPPED, _LEFT, _GAVE_NOTICE):
        match = pattern.match(new)
        if match is None or _UNSURE.search(new[: match.end()]):
            continue
        if match["what"].split()[-1].lower() in _NO_BODY:
            return None
        named = match.groupdict()
        return named.get("who") or named["who2"], match["what"]
    return None
