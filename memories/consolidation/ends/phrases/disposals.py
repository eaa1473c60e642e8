"""Which memories end with a thing given back, lost or finished: "gave the studio back" ends "rents a studio in Leith".

"Gave the studio back", "did not renew the season ticket", "the fox got all the hens", "the braces came off", "the
thesis is in". English, in the third person; the thing must be named by the older statement, which says that the user
has it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from memories.consolidation.ends.phrases.persons import PERSON, is_held, is_of_person, names_thing
from memories.text.clauses.changing.habits import BESIDES, PASSING
from memories.text.words.tokenize import extract_keywords
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_ADVERBS = r"(?:(?:has|have|had to|had|also|finally|just|recently|now|already|all|both) ){0,4}"
_CERTAIN = r"(?:all (?:of )?)?(?:the|their|her|his) (?:old )?"
_THING = r"(?P<what>[A-Za-z\d][\w&'-]*(?: [A-Za-z\d][\w&'-]*){0,3}?)"
_END = (
    r"(?= (?:after|before|because|since|when|and|but|so|last|this|yesterday|today|for good|altogether|in|on"
    r"|at|by|here|as|now|months?|years?|two|three|weeks?|to|for)\b|[,.;(]|$)"
)
# Certain things only: who binned "a pizza box" has others.
_DISPOSED = (
    re.compile(
        rf"^{PERSON} {_ADVERBS}(?:{_WORDS['disposals']})"
        rf" (?:the keys (?:to|of|for) )?{_CERTAIN}{_THING}{_END}"
    ),
    re.compile(
        rf"^{PERSON} {_ADVERBS}(?:gave|given|handed|sent|took|taken|put) {_CERTAIN}{_THING} (?:back|in"
        rf"|out to pasture)(?= (?:to|last|on|in|at|because|and|yesterday)\b|[,.;(]|$)"
    ),
    re.compile(
        rf"^{PERSON} (?:did not|has not|have not|decided not to|chose not to) (?:renew|renewed|extend"
        rf"|extended|keep up) {_CERTAIN}{_THING}{_END}"
    ),
    re.compile(
        rf"^{PERSON} {_ADVERBS}let {_CERTAIN}{_THING} (?:lapse|expire|run out|go(?= (?:last|on|in"
        rf"|because|and|for)\b|[,.;]|$))"
    ),
    # Foxes, thieves and storms take what somebody had.
    re.compile(
        rf"^(?:The |An? |Some )?(?:{_WORDS['takers']})(?P<who>) (?:(?:has|have) )?(?:{_WORDS['takings']})"
        rf" (?:all (?:of )?)?(?:the user's |the |their ){_THING}{_END}"
    ),
    re.compile(
        rf"^{PERSON} {_ADVERBS}lost (?:all (?:of )?)(?:the|their) {_THING}(?= (?:to|in|last|on|when)\b|[,.;(]|$)"
    ),
    re.compile(
        rf"^(?P<who>)(?:The user's |The (?!user\b)|Their )?(?!The user ){_THING} (?:(?:has|have|is|was"
        rf"|were|are|been|got|just|finally|now|all) ){{0,4}}(?:{_WORDS['losses']})(?: here)?{_END}"
    ),
    re.compile(
        rf"^(?P<who>)(?:The user's |The (?!user\b)|Their )?(?!The user )(?P<what>(?:[A-Za-z\d][\w&'-]* "
        rf"){{0,3}}?(?:{_WORDS['memberships']})) (?:(?:has|have|just|finally|now|is|was) ){{0,3}}(?:lapsed|expired"
        rf"|run out|ran out|not (?:been )?renewed|void|up(?=[,.;]|$))\b"
    ),
)
_HAS = re.compile(
    rf"""
    ^(?P<who>The\ user(?:'s\ [a-z-]+(?:\ [A-Z][\w-]+)?)?|[A-Z][\w-]+)
    (?:\ and\ (?:others|their\ [a-z-]+|[A-Z]\w+))?\ (?:still\ |also\ |now\ )?(?:
        {_WORDS["holdings"]}
    )[ ]
    """,
    re.VERBOSE,
)
# "No more N29 for me": by its name, whatever is done with it.
_NO_MORE = re.compile(
    r"""
    (?:^|,\ |\bso\ )(?:[Aa]nd\ |[Ss]o\ |[Ww]ell,?\ )?[Nn]o\ more\ (?:of\ )?(?:the\ )?
    (?P<what>(?:[A-Z]|\d)[\w'&-]*(?:\ [A-Z\d][\w'&-]*){0,2})\ for\ (?:the\ user|(?P<who>[A-Z][\w-]+))
    (?=[,.;!]|$)
    """,
    re.VERBOSE,
)
_DOES = re.compile(
    r"""
    ^[^,.;]{3,60}?\ (?:
        [a-z]{2,}s | is\ (?:on|in|at|with|learning|doing|taking|playing|reading|watching|using|studying)
    )\b
    """,
    re.VERBOSE,
)
_WORN = f"(?:{_WORDS['dressings']})"
_CAME_OFF = re.compile(
    rf"^(?P<who>[A-Z][\w-]+(?='s )|The user's [a-z]+(?: [A-Z][\w-]+)?(?='s ))?(?:'s |The user's "
    rf"|The (?!user\b)|Their )?(?:[a-z]+ )?(?P<what>(?i:{_WORN})) (?:(?:finally |just |all )?came "
    rf"|(?:(?:has|have|is|are|was|were|just|finally|now|all) ){{1,4}}(?:(?:come|taken"
    rf"|been taken) )?)(?:off|out)(?= (?:yesterday|today|on|last|this|at last|finally|now|in|and|so"
    rf"|after|a|two|three)\b|[,.;!(]|$)"
)
_GOT_OFF = re.compile(
    rf"^{PERSON} {_ADVERBS}(?:had|got) (?:the|their|her|his) (?:[a-z]+ )?(?P<what>(?i:{_WORN})) "
    rf"(?:taken |whipped )?(?:off|out|removed)\b"
)
_WEARS = re.compile(
    rf"^(?P<who>The user(?:'s [a-z-]+(?: [A-Z][\w-]+)?)?|[A-Z][\w-]+) (?:still |now )?(?:has|wears"
    rf"|is in|is wearing|has got|is on|walks with|needs) (?:an? |the |their |her "
    rf"|his )?(?:[a-z-]+ ){{0,2}}?(?P<what>(?i:{_WORN}))\b"
)
# What somebody makes or goes through, and what is said when it is done.
_DONE = re.compile(
    rf"""
    ^(?:The\ user's\ |The\ (?!user\b)|Their\ )?(?!The\ user\ )
    (?P<what>[A-Za-z][\w'-]*(?:\ [a-z][\w'-]*){{0,2}}?)\ (?:
        (?:has|have|is|are|was|been|all|finally|now|just|officially)[ ]
    ){{0,4}}(?:
        {_WORDS["completions"]}
    )(?=\ (?:at\ last|now|on|last|yesterday|today|and)\b|[,.;!(]|$)
    """,
    re.VERBOSE,
)
_MAKES = re.compile(
    rf"""
    ^The\ user\ (?:is|are)\ (?:still\ |currently\ |now\ |busy\ )*(?:
        {_WORDS["makings"]}
    )(?:\ up)?\ (?:an?|the|their|her|his)\ (?P<what>[^,.;]+?)
    (?=\ (?:on|about|for|in|at|with|of)\b|[,.;]|$)
    """,
    re.VERBOSE,
)
# "Proper crown has been fitted" of who has a temporary one.
_PERMANENT = re.compile(
    r"""
    ^(?:The\ user's\ |The\ (?!user\b)|Their\ )?(?:
        [Nn]ew\  | [Pp]roper\  | [Pp]ermanent\  | [Rr]eal\  | [Ff]inal\  | [Pp]roper\ new[ ]
    ){1,2}(?P<what>[a-z]+(?:\ [a-z]+)?)\ (?:(?:is|are|has|have|been|now|finally|was|were|got)\ ){1,4}(?:
        fitted | in | on | installed | delivered | put\ in | fixed | up\ and\ running
    )(?=[,.;!]|$|\ (?:yesterday|last|on|now)\b)
    """,
    re.VERBOSE,
)
_TEMPORARY = re.compile(
    r"""
    ^The\ user\ (?:has|is\ on|uses|wears|is\ using|is\ driving|drives)\ (?:got\ )?(?:an?\ |the\ |their\ )
    (?:
        temporary | provisional | interim | stopgap | loan | courtesy | stand-in
    )\ (?P<what>[a-z]+(?:\ [a-z]+)?)(?=[,.;]|$|\ (?:in|on|at|from|while|for)\b)
    """,
    re.VERBOSE,
)
# "Flat found in Leith" of who is looking for one.
_FOUND = re.compile(
    r"""
    ^(?:The\ user's\ |The\ (?!user\b)|An?\ )?(?!The\ user\ )
    (?P<what>[A-Za-z][\w'-]*(?:\ [a-z][\w'-]*){0,2}?)\ (?:(?:has|have|is|are|was|been|finally|now)\ ){0,3}
    (?:found|sorted|secured|bagged|in\ the\ bag)(?=
        \ (?:in|at|on|near|last|yesterday|today|at\ last|now|for)\b | [,.;!(] | $
    )
    """,
    re.VERBOSE,
)
_LOOKS = re.compile(
    r"""
    ^The\ user\ (?:and\ (?:others|their\ [a-z-]+)\ )?(?:is|are)[ ]
    (?:still\ |currently\ |now\ |desperately\ )*(?:looking|searching|hunting)\ for[ ]
    (?:an?\ |another\ |some\ |the\ )?(?P<what>[a-z][\w'-]*(?:\ [a-z][\w'-]*){0,3}?)(?=
        \ (?:in|at|near|with|for|from|to|on|by|around|close)\b | [,.;] | $
    )
    """,
    re.VERBOSE,
)
_PLACE = re.compile(r"\b(?:in|to|at|near) ([A-Z][\w-]+)")
_UNSURE = re.compile(rf"\b(?:{_WORDS['unsure']})\b|\?$", re.IGNORECASE)


def is_disposed_of(new: str, old: str) -> bool:
    """Return whether the new statement says that the user has no more what the old one says they have."""
    if any(mark in old for mark in '"“[') or not is_held(old):
        return False
    disposal = _find_disposed(new)
    if disposal is None:
        return False
    how, who, what = disposal
    main = old.split(", ", 1)[0]
    if how == "disposed":
        return _HAS.match(main) is not None and is_of_person(who, main) and names_thing(what, main)
    if how == "no more":
        return _DOES.match(main) is not None and is_of_person(who, main) and names_thing(what, main)
    if how == "off":
        worn = _WEARS.match(main)
        return worn is not None and worn["who"] == who and _is_that(what, worn["what"])
    held = {"done": _MAKES, "found": _LOOKS, "permanent": _TEMPORARY}[how].match(main)
    if held is None or not _is_that(what, held["what"]):
        return False
    return how != "found" or all(place in new for place in _PLACE.findall(old))


@lru_cache(maxsize=512)
def _find_disposed(new: str) -> tuple[str, str, str] | None:
    """Find how it went, whose it was, and what."""
    if any(mark in new for mark in '"“[') or PASSING.search(new) or BESIDES.search(new):
        return None
    for pattern in _DISPOSED:
        match = pattern.match(new)
        if match and not _UNSURE.search(new[: match.end()]):
            return "disposed", match["who"] or "The user", match["what"]
    if (match := _NO_MORE.search(new)) and not _UNSURE.search(new):
        return "no more", match["who"] or "The user", match["what"]
    for pattern in (_CAME_OFF, _GOT_OFF):
        match = pattern.match(new)
        if match and not _UNSURE.search(new[: match.end()]):
            return "off", match["who"] or "The user", match["what"]
    for how, pattern in (("permanent", _PERMANENT), ("found", _FOUND), ("done", _DONE)):
        match = pattern.match(new)
        if match and not _UNSURE.search(new):
            return how, "The user", match["what"]
    return None


def _is_that(what: str, held: str) -> bool:
    """ "The thesis" is "a PhD thesis on peat": the last word says what it is."""
    ours, theirs = extract_keywords(what), extract_keywords(held)
    return bool(ours and theirs) and ours[-1] == theirs[-1] and set(ours) <= set(theirs)
