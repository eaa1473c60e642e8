"""Which memories end by an idiom: "the nanny share fell through" ends "has a nanny share with the Lowes".

It names what ends, what somebody ends, or who ends it: "The nanny share fell through", "has torn up their Labour card",
"the shoe shop gave the user the elbow", "the divorce put paid to the choir". English, in the third person, of the same
person. An idiom of its own says that it is for good, so the older statement needs no more than to name the thing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from memories.consolidation.ends.phrases.persons import PERSON, is_held, is_of_person, names_thing
from memories.text.clauses.changing.ends import COUPLE
from memories.text.clauses.changing.habits import BESIDES, PASSING
from memories.text.slots.registry import join_relation_words
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_KIN = join_relation_words("en")
_ADVERBS = (
    r"(?:(?:has|have|had to|had|also|finally|just|recently|now|already|all|both|well and truly|is|are|got"
    r"|been) ){0,4}"
)
_OWN = r"(?:(?:the|their|her|his|its|all the|all their|the user's) )?(?:old )?"
_WORD = r"[A-Za-z\d][\w&'-]*"
_THING = rf"(?P<what>(?!(?:the|their|at|in|on|with|for|to|of|from|by|early|late|up|back)\b){_WORD}(?: {_WORD}){{0,5}}?)"
_OWNED = r"^(?:The user's |The (?!user\b)|Their |That )?(?!The user )"
_END = (
    r"(?= (?:after|before|because|since|when|and|but|so|last|this|yesterday|for good|altogether|over|in|on"
    r"|at|by|as|now|months?|years?|two|three|weeks?|to|for|with|round|during|from)\b|[,.;!(]|$)"
)
# Of a time as something, what was done is what counts: "the term as governor ended".
_TIME_AS = (
    r"(?:(?:term|time|stint|spell|days|years|contract|placement|secondment|career|run|reign|tenure|stretch"
    r"|shift|job|membership|lessons|sessions|course) (?:as|at|with|in|on|of) (?:an? |the |their )?)"
)
_ENDED = re.compile(rf"{_OWNED}(?:{_TIME_AS})?{_THING} {_ADVERBS}(?:{_WORDS['ended']}){_END}")
_TERM_ENDED = re.compile(
    rf"^(?:The user's |Their |(?P<who>[A-Z][\w-]+|The user's (?:{_KIN}))'s ){_TIME_AS}{_THING} "
    rf"{_ADVERBS}(?:over|up|done|ended|finished|expired|ran out|run out){_END}"
)
# Verbs of which somebody is the doer, and the thing the object.
_ENDS_IT = re.compile(
    rf"^{PERSON} {_ADVERBS}(?:{_WORDS['ends']}"
    r"|(?:kissed|waved|said|bid|bade) (?:goodbye|farewell|so long|good riddance|adieu) to(?= [a-z])"
    rf"(?! (?:their|her|his|the user's) (?:{_KIN})\b)"
    rf"|hung up (?:their|her|his) (?:{_WORDS['hung_up']}) (?:at|with|as|on)) {_OWN}(?:an? )?{_THING}"
    rf"(?P<light> (?:cards?|membership|badge|uniform|kit|pass|keys|apron|contract|papers))?{_END}"
)
# What stands behind it is part of the idiom: "put the allotment behind them".
_PUT_BEHIND = re.compile(
    rf"^{PERSON} {_ADVERBS}(?:knocked|put|kicked|left|given|gave) {_OWN}{_THING} (?:on the head|to bed"
    rf"|out to grass|behind (?:them|her|him|the user)|into touch|the (?:elbow|boot|heave-ho|chop|push"
    rf"|sack)){_END}"
)
# Who or what does it to the user: an employer, a body, bad knees.
_GAVE_ELBOW = re.compile(
    rf"^(?:The (?!user\b)|Their |The user's (?!(?:{_KIN})\b))?(?!They )(?P<what>(?!The\b){_WORD}(?: "
    rf"{_WORD}){{0,3}}?) {_ADVERBS}"
    r"(?:(?:gave|given|handed|showed|shown) (?P<who>the user|[A-Z][\w-]+) (?:the (?:elbow|boot|push"
    r"|sack|chop|heave-ho|bullet|door|red card)|(?:their|her|his) (?:cards|marching orders|P45|notice"
    r"|pink slip))|sent (?P<who2>the user|[A-Z][\w-]+) packing"
    rf"|dispensed with (?P<who3>the user|[A-Z][\w-]+)(?:'s services)?|terminated (?P<who4>the user"
    rf"|[A-Z][\w-]+)(?:'s (?:contract|placement))?)(?= (?:last|after|because|yesterday|this|on|over|for"
    rf"|and|so|by|in (?:January|February|March|April|May|June|July|August|September|October|November"
    rf"|December|the (?:spring|summer|autumn|new year)))\b|[,.;!(]|$)"
)
_PUT_PAID = re.compile(
    rf"^(?!The user's (?:{_KIN})\b|The user )(?:The user's |The "
    rf"|Their )?{_WORD}(?: {_WORD}){{0,3}}? (?:(?:has|have|had|just|finally) ){{0,3}}(?:called time on"
    rf"|put paid to|put an end to|put a stop to|put the kibosh on|done for|did for|killed off"
    rf"|finished off) (?:the user's (?!(?:{_KIN})\b)|their |the )?{_THING}{_END}"
)
_RECLAIMED = re.compile(
    rf"^(?!The user )(?:The |Their )?{_WORD}(?: {_WORD}){{0,3}}? (?:(?:has|have|had|just"
    rf"|finally) ){{0,3}}(?:took|taken|clawed|pulled|wanted) (?:the user's |their "
    rf"|the )(?P<what>(?!the\b){_WORD}(?: {_WORD}){{0,3}}?) (?:back|away|off)(?: (?:off"
    rf"|from))? (?P<who>the user|[A-Z][\w-]+)(?= (?:last|because|and|in|on|after|so)\b|[,.;(]|$)"
)
# Winters, frosts and divorces take what one had.
_LOST = re.compile(
    rf"^{PERSON} {_ADVERBS}lost (?:all )?(?:the|their|her|his|all (?:the|their)) {_THING} (?:over|to|in) (?:the )?"
    rf"(?:{_WORDS['takers']})\b"
)
_MOVED_MONEY = re.compile(
    rf"^{PERSON} {_ADVERBS}(?:moved|switched|transferred|shifted|taken|took) (?:everything|all of it"
    rf"|it all|the lot|the whole lot|(?:the|their) (?:account|accounts|savings|custom|business|banking"
    rf"|mortgage|pension|money))(?: over| across| away)? (?:from"
    rf"|out of) (?P<what>[A-Z][\w&'-]*(?: [A-Z][\w&'-]*){{0,2}})(?= to\b| in\b| over\b|[,.;]|$)"
)
_NOT_BEEN = re.compile(
    rf"^{PERSON} (?:has|have) not (?:been|gone|played|trained|sung|set foot)(?: back)? (?:to|in|at|with"
    rf"|for) (?P<what>[A-Z][\w&'-]*(?: [A-Z][\w&'-]*){{0,3}}) (?:since|in (?:months|years|ages))\b"
)
_DONE_WITH = re.compile(
    rf"^(?:That|It)(?:['’]s| is| was) {_THING} (?:(?:all )?done with|over and done with|finished with"
    rf"|done and dusted|finished for good)\b"
)
# "Someone else drives the minibus these days".
_SOMEONE_ELSE = re.compile(
    rf"^(?:Someone|Somebody|Another [a-z]+|One of the others) (?:else )?(?P<action>[a-z]+s) (?:the "
    rf"|their )?{_THING} (?:now|these days|nowadays|instead)\b"
)
_UNSURE = re.compile(
    rf"""
    \b(?:
        {_WORDS["unsure"]}
    )\b
    | \?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WORKS = re.compile(
    r" (?:works?|has (?:got )?an? (?:[\w-]+ )*job|is an? [\w -]+ (?:at|for|in)|volunteers?|temps|plays|sings|coaches) "
)
# "Got their P45 from the estate agent", "Selma bought the user out of the bakery".
_GOT_SACK = re.compile(
    rf"^{PERSON} {_ADVERBS}(?:got|had|been given|given|received|handed|collected) (?:the|their|her"
    rf"|his) (?:sack|boot|push|elbow|chop|cards|P45|marching orders|redundancy|heave-ho)(?: (?:letter"
    rf"|notice))? (?:from|at|by) {_OWN}(?:an? )?{_THING}{_END}"
)
_BOUGHT_OUT = re.compile(
    rf"^[A-Z][\w-]+(?: [A-Z][\w-]+)? {_ADVERBS}(?:bought|edged|squeezed|forced|frozen|froze|pushed"
    rf"|voted) (?P<who>the user|[A-Z][\w-]+) out of {_OWN}{_THING}{_END}"
)
_NO_NEED = re.compile(
    rf"^(?:(?:The user has )?[Nn]o (?:need|use|call) (?:for|of)|(?:The user (?:does not"
    rf"|has no) )?(?:need|use) (?:for )?) {_OWN}{_THING} (?:any ?more|any longer|now|these days)\b"
)
_NO_LONGER = re.compile(rf"^{_THING} no (?:longer|more)(?=[,.;!]|$)")
# What is paid to somebody may be stopped for good; a train that is cancelled runs tomorrow.
_STOPPED = re.compile(
    rf"{_OWNED}{_THING} (?:(?:has|have|is|been|just|finally|now) ){{1,4}}(?:stopped|cancelled|withdrawn"
    rf"|suspended|discontinued|terminated|revoked|cut off|switched off)(?= (?:since|because|as|now"
    rf"|altogether|completely|for good|after|and)\b|[,.;!(]|$)"
)
_GETS = re.compile(
    r"""
    \ (?:
        gets\ (?!an?\ |the\ |to\ |up\ |out\ ) | receives | claims | is\ signed\ up\ to
        | is\ signed\ up\ for | subscribes\ to | is\ subscribed\ to | is\ on | pays\ for
        | has\ (?:an?\ |the\ )?(?:[\w-]+\ )?(?:
              subscription | account | grant | allowance | contract | benefit | pension | bursary
              | licen[cs]e | pass
          )
    )\ ?
    """,
    re.VERBOSE,
)
# An animal goes home to those who lent it.
_TO_OWNER = re.compile(
    r"""
    ^(?P<what>[A-Z][\w-]+)\ (?:(?:has|just|finally)\ ){0,2}(?:went|gone|goes?)\ (?:back\ |home\ ){1,2}to[ ]
    (?:her|his|its|their)\ (?:owners?|breeder|previous\ owner|real\ owners?)\b
    """,
    re.VERBOSE,
)
# Those who lived with the user, and left: by who they are to them.
_LODGERS = (
    r"(?:au pair|lodger|flatmate|housemate|roommate|tenants?|nanny|live-in carer|carer|exchange student"
    r"|foster child)"
)
_FLOWN = re.compile(
    rf"^The user's (?P<kin>(?:(?:step)?(?:son|daughter)|{_KIN}|{_LODGERS}))(?: (?P<name>[A-Z][\w-]+))? "
    rf"(?:(?:has|have|is|are|just|finally|now) ){{0,3}}(?:flown (?:the nest|home)|flew (?:the nest"
    rf"|home)|left home|moved out(?! of (?!the (?:flat|house)\b))|gone back to (?:[A-Z]\w+|uni\w*"
    rf"|(?:his|her|their) own)|cleared off|done a runner)(?= (?:last|in|on|to|yesterday|for good|and"
    rf"|after)\b|[,.;!(]|$)"
)
_RETIRED = re.compile(
    rf"^{PERSON} (?:(?:has|have|just|finally|officially|now|is) ){{0,3}}retired(?= (?:last|in|on|this"
    rf"|at|after|from (?:work|teaching|nursing)|early|aged|now|two|three|yesterday)\b|[,.;!(]"
    rf"|$)(?! hurt)"
)
_TRADE = re.compile(
    r"""
    \ (?:
        works?(?:\ full-time|\ part-time)?\ (?:at|for|in|as|on) | teaches\ (?:at|in)
        | drives\ (?:the\ \w+\ |an?\ )(?:bus|lorry|taxi|tram|train|van)
        | is\ an?\ (?:[a-z-]+\ ){1,3}?(?:at|for|with|in|on)
    )\b
    """,
    re.VERBOSE,
)
_FELL_OUT = re.compile(
    r"""
    ^(?:The\ user\ and\ (?P<what>[A-Z][\w-]+)|(?P<name>[A-Z][\w-]+)\ and\ the\ user)\ (?:have\ |has\ )?(?:
        fallen\ out\ for\ good | fell\ out\ for\ good
        | (?:are\ )?(?:no\ longer|not)\ (?:speak|speaking|on\ speaking\ terms|friends|in\ touch)
          (?:\ any\ ?more)?
    )\b
    """,
    re.VERBOSE,
)
# Somebody of whom nothing more is said than that it is over: "Rafa is history".
_EX = re.compile(
    r"""
    ^(?P<name>[A-Z][\w-]+)(?:'s|\ is)(?:\ now|\ all)?\ (?:
        history | toast | out\ of\ the\ picture | yesterday's\ news | an\ ex | the\ user's\ ex | the\ ex
        | ancient\ history | long\ gone
    )(?:\ now)?\.?$
    | ^(?P<name2>[A-Z][\w-]+)\ (?:has\ |just\ )*(?:
          walked\ out | moved\ out | upped\ and\ left | packed\ (?:his|her|their)\ bags
      )(?=
          (?:\ and\ left)?(?:
              \ (?:
                  in\ (?:
                      January | February | March | April | May | June | July | August | September
                      | October | November | December | the\ (?:night|spring|summer|autumn|winter)
                  )
                  | on\ \w+day | last | yesterday | at\ \w+
              )\b
              | [,.;] | $
          )
      )
    """,
    re.VERBOSE,
)
_PARTNER = re.compile(
    r"""
    \ (?:partner|boyfriend|girlfriend|husband|wife|fianc[ée]+)\ (?:is\ (?:called\ )?)?[A-Z]
    | \ married\ to\  | \ lives\ with\ [A-Z] | \ is\ (?:with|seeing|dating)[ ]
    """,
    re.VERBOSE,
)


_PATTERNS = (
    _TERM_ENDED,
    _ENDED,
    _ENDS_IT,
    _PUT_BEHIND,
    _GAVE_ELBOW,
    _PUT_PAID,
    _RECLAIMED,
    _LOST,
    _MOVED_MONEY,
    _NOT_BEEN,
    _DONE_WITH,
    _SOMEONE_ELSE,
    _GOT_SACK,
    _BOUGHT_OUT,
    _NO_NEED,
    _NO_LONGER,
    _STOPPED,
    _TO_OWNER,
)
_NEEDED = {
    _GAVE_ELBOW: _WORKS,
    _GOT_SACK: _WORKS,
    _STOPPED: _GETS,
    _RECLAIMED: re.compile(r" (?:has|have|rents?|keeps?|owns?|leases?|uses?|digs?|tends?) "),
    _BOUGHT_OUT: re.compile(
        r" (?:co-)?(?:runs?|owns?|has|have|manages?|founded|is (?:an? )?(?:partner|co-owner|director)) "
    ),
    _TO_OWNER: re.compile(r" (?:has|looks after|keeps|rides|is looking after|fosters) "),
    _NO_LONGER: re.compile(r" (?:is|works as|has a job as) "),
}


def is_over_by_idiom(new: str, old: str) -> bool:
    """Return whether the new statement says by an idiom that what the old one tells is over."""
    if any(mark in old for mark in '"“['):
        return False
    if not (_find_ex(new) or _find_idioms(new) or _is_about_somebody(new)) or not is_held(old):
        return False
    if (ex := _find_ex(new)) and (COUPLE.search(old) or _PARTNER.search(old)):
        return old.startswith("The user") and re.search(rf"\b{re.escape(ex)}\b(?!')", old) is not None
    main = old.split(", ", 1)[0]
    if _has_left_home(new, main) or _has_retired(new, main) or _has_fallen_out(new, main):
        return True
    return any(
        is_of_person(idiom.who, main)
        and names_thing(idiom.what, main)
        and (idiom.needed is None or idiom.needed.search(main) is not None)
        and (not idiom.action or f" {idiom.action} " in main)
        for idiom in _find_idioms(new)
    )


@lru_cache(maxsize=512)
def _find_ex(new: str) -> str:
    if PASSING.search(new) or BESIDES.search(new) or _UNSURE.search(new):
        return ""
    match = _EX.match(new)
    return (match["name"] or match["name2"]) if match else ""


class _Idiom(NamedTuple):
    """End of a thing: whose it is, what it is, what the older statement must say beside it, and what was done with
    it."""

    who: str
    what: str
    needed: re.Pattern[str] | None
    action: str


@lru_cache(maxsize=512)
def _find_idioms(new: str) -> tuple[_Idiom, ...]:
    """The idioms by which a statement says that something is over."""
    if any(mark in new for mark in '"“[') or BESIDES.search(new):
        return ()
    idioms = []
    for pattern in _PATTERNS:
        match = pattern.match(new)
        if match is None or _UNSURE.search(new[: match.end()]):
            continue
        if PASSING.search(new[match.end() :] if pattern is _LOST else new):
            continue  # who lost the bees "over the winter" has none after it
        named = match.groupdict()
        who = next((named[key] for key in sorted(named) if key.startswith("who") and named[key]), "The user")
        idioms.append(_Idiom(who, match["what"], _NEEDED.get(pattern), named.get("action") or ""))
    return tuple(idioms)


@lru_cache(maxsize=512)
def _is_about_somebody(new: str) -> bool:
    if PASSING.search(new) or BESIDES.search(new) or _UNSURE.search(new):
        return False
    return any(pattern.match(new) is not None for pattern in (_FLOWN, _RETIRED, _FELL_OUT))


def _has_left_home(new: str, old: str) -> bool:
    """Return whether a relative or a lodger who lives with the user has left."""
    left = _FLOWN.match(new) if _is_about_somebody(new) else None
    if left is None:
        return False
    kin = re.escape(left["kin"])
    name = f"(?: {re.escape(left['name'])})?" if left["name"] else ""
    lives = (
        rf"The user's {kin}{name} (?:still )?(?:lives|lodges|is living|is staying|stays"
        rf"|boards) (?:with the user|at home|in the (?:annexe?|spare room|loft|basement))\b"
    )
    shares = (
        rf"The user (?:lives with|shares (?:an?|the|their) (?:flat|house) with) their {kin}{name}(?=[,.;]|$)"
    )
    has = (
        rf"The user has (?:got )?an? (?:[a-z]+ )?{kin}\b(?! (?:who|in|at)\b)"
        if re.fullmatch(_LODGERS, left["kin"])
        else r"(?!)"
    )
    return re.match(f"(?:{lives}|{shares}|{has})", old) is not None


_IN_A_YEAR = re.compile(r"\b(?:in (?:19|20)\d\d|years ago)\b")


def _has_retired(new: str, old: str) -> bool:
    retired = _RETIRED.match(new) if _is_about_somebody(new) else None
    if retired is None or not is_of_person(retired["who"], old) or _TRADE.search(old) is None:
        return False
    # Who retired from the tax office may teach since.
    place = re.search(r"\bfrom (?:the |an? )?(?P<what>[\w&'-]+(?: [\w&'-]+){0,3})", new[retired.end() - 5 :])
    return _IN_A_YEAR.search(new) is None and (place is None or names_thing(place["what"], old))


def _has_fallen_out(new: str, old: str) -> bool:
    parted = _FELL_OUT.match(new) if _is_about_somebody(new) else None
    name = (parted["what"] or parted["name"]) if parted else ""
    return (
        bool(name)
        and re.match(rf"The user (?:[^,.;]{{3,60}} )?with {re.escape(name)}\b(?!')", old) is not None
    )
