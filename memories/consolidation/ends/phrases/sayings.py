"""Which memories end by sayings of couples, habits and children: "fell off the vegan wagon" ends "is vegan".

"Priya and the user are done", "fell off the vegan wagon", "has not touched a cigarette since", "has gone up to
secondary", "the penicillin allergy was never real". English, in the third person, of the same person.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from memories.consolidation.ends.phrases.persons import PERSON, is_of_person
from memories.text.clauses.changing.ends import COUPLE
from memories.text.clauses.changing.habits import BESIDES, NOT_HELD, PASSING
from memories.text.clauses.wording import is_event
from memories.text.slots.registry import join_relation_words
from memories.text.words.tokenize import extract_keywords

_KIN = join_relation_words("en")
_ADVERBS = (
    r"(?:(?:has|have|had|are|is|were|was|also|finally|just|recently|now|already|officially|all|both"
    r"|decided to|got|been) ){0,5}"
)
_END = (
    r"(?= (?:in|on|at|since|last|this|after|because|for good|and|but|so|over|two|three|a|now|ages|months?"
    r"|years?)\b|[,.;!(]|$)"
)
# What two people say of themselves when they are no couple any more.
_OVER = (
    rf"(?:done|over|finished|through|history|no more|split(?: up)?(?! (?:the|a|it|our|their)\b)"
    rf"|parted(?: ways)?|broken up|broke up|separated|divorced|estranged|no longer (?:together|an item"
    rf"|a couple|seeing each other|engaged|married)|not (?:together|seeing each other) any ?more|(?:called"
    rf"|calling) it (?:a day|quits|off)|gone (?:their|our) separate ways|went (?:their|our) separate ways"
    rf"|drifted apart){_END}(?! (?:on|in|at|over|for|with) the (?:bill|cost|rent|way|work|shopping))"
)
_BOTH = (
    re.compile(
        rf"^The user and (?P<name>[A-Z][\w'-]+|their (?:husband|wife|partner|boyfriend|girlfriend"
        rf"|fianc[ée]+)) {_ADVERBS}{_OVER}"
    ),
    re.compile(rf"^(?P<name>[A-Z][\w'-]+) and the user {_ADVERBS}{_OVER}"),
    re.compile(
        rf"^The user {_ADVERBS}(?:(?:called|ended|broken|broke|finished) (?:it|things|the engagement"
        rf"|the wedding|the relationship)(?: off)? with|no longer (?:with|seeing|dating|together with"
        rf"|engaged to|married to)|split(?: up)? (?:from|with)|separated from|divorced(?: from)?"
        rf"|done with|finished with|through with|over with|chucked|dumped|jilted"
        rf"|left) (?P<name>[A-Z][\w'-]+){_END}"
    ),
    re.compile(
        rf"^(?:It|Things|That) (?:is|are) (?:now |all )?(?:over|done|finished) (?:with"
        rf"|between the user and) (?P<name>[A-Z][\w'-]+){_END}"
    ),
)
_MARRIED = re.compile(r"\bmarried to\b|\b(?:husband|wife) is\b|'s (?:husband|wife) [A-Z]")
_MARRIED_IS_OVER = re.compile(
    r"""
    \b(?:
        split | separated | divorced | over | done | finished | through | history | broke | broken
        | parted | left | no\ longer | called | ended
    )\b
    """,
    re.VERBOSE,
)
# Off the wagon: what was kept to is kept to no more.
_WAGON = re.compile(
    rf"^{PERSON} (?:(?:has|have|well and truly|completely|sadly|rather|just) ){{0,3}}(?:fell|fallen"
    rf"|tumbled|jumped|come|came) off the (?:(?P<what>[a-z-]+) )?wagon\b"
)
_KEEPS_TO = re.compile(
    r"""
    \ (?:is|are|has\ gone|went|eats|lives|follows|keeps)\ (?:\w+\ )?(?:an?\ )?(?P<what>
        vegan | vegetarian | veggie | teetotal(?:ler)? | sober | dry | pescatarian | plant-based
        | gluten-free | sugar-free | dairy-free | keto | paleo | low-carb | on\ the\ wagon | in\ recovery
        | alcohol-free
    )\b
    """,
    re.VERBOSE,
)
_SAME = {"veggie": "vegetarian", "teetotaller": "teetotal", "booze": "dry", "alcohol": "dry"}
_SOBER = frozenset({"teetotal", "sober", "dry", "on the wagon", "in recovery", "alcohol-free"})
# What smokers and drinkers have not had since some day.
_NOT_TOUCHED = re.compile(
    rf"^{PERSON} (?:has|have) (?:not|never) (?:had|touched|smoked|lit|bought|been near|vaped|drunk"
    rf"|drank|so much as (?:looked at|touched)) (?:so much as )?(?:an?|any|the|one|another"
    rf"|a single) (?P<what>[a-z]+)(?: of (?:alcohol|beer|wine|booze|drink))? (?:since|in (?:weeks"
    rf"|months|years|over a|\w+ (?:weeks|months|years)))\b"
)
_NICOTINE = re.compile(r"^(?:cigarettes?|fags?|ciggies?|smokes?|vapes?|roll-?ups?|ciggy|cigars?)$")
_DRINK = re.compile(r"^(?:drop|drink|beer|wine|pint|booze|alcohol)$")
_SMOKES = re.compile(r" (?:smokes|vapes|is (?:still )?(?:smoking|vaping|a smoker))\b")
_DRINKS = re.compile(
    r"""
    \ drinks\ (?!(?:tea|coffee|water|milk|juice|decaf|green)\b)(?:
        .*\b(?:wine|beer|whisky|gin|pints?|cider|vodka|lager|alcohol|rum)\b | too\ much | heavily | a\ lot
        | every
    )
    """,
    re.VERBOSE,
)
# Years and kinds of school, of which a child is in one.
_STAGE = (
    r"(?:nursery|pre-?school|reception|playgroup|kindergarten|LKG|UKG|KG|[Yy]ear (?:\d{1,2}|one|two"
    r"|three|four|five|six|seven|eight|nine|ten|eleven)|(?:[Cc]lass|[Gg]rade|[Ss]tandard) \d{1,2}"
    r"|\d(?:st|nd|rd|th) grade|(?:first|second|third|fourth|fifth|sixth|seventh|eighth) (?:grade|form"
    r"|class)"
    r"|P[1-7]|S[1-6]|(?:the )?(?:infants|juniors|seniors|upper school|lower school|middle school"
    r"|big school)|(?:primary|secondary|junior|senior|high|elementary)(?: school)?|(?:the )?sixth form"
    r"|comp|college|uni(?:versity)?)"
)
_OF_CHILD = (
    rf"(?P<who>The user's (?:(?:step|foster |god)?(?:son|daughter|boy|girl|child)|lad|lass|youngest|eldest"
    rf"|{_KIN})(?: [A-Z][\w-]+)?|(?!The\b)[A-Z][\w-]+)"
)
_MOVED_UP = re.compile(
    rf"^{_OF_CHILD} (?:(?:has|have|just|now|finally) ){{0,3}}(?:(?:gone|went|moved|been moved"
    rf"|stepped) (?:up|on|across) (?:in)?to|graduated to|started(?: in| at)?|starting(?: in| at)?"
    rf"|is (?:now )?in(?=.*\bnow\b)|is now (?:in|at)|is (?:in|at)(?=.*\bnow\b)) "
    rf"(?P<what>{_STAGE})(?=[,.;!(]|$| (?:on|in|last|this|at|now|yesterday|today|and|since|school)\b)"
)
_IN_STAGE = re.compile(
    rf"^{_OF_CHILD} (?:is|goes|attends|started|is going|has started)(?: still| currently)?(?: (?:in|at"
    rf"|to))?(?: the)? (?P<what>{_STAGE})(?=[ ,.;]|$)(?! teacher| assistant)"
)
# Who has left school is in no year of it.
_LEFT_SCHOOL = re.compile(
    rf"^{_OF_CHILD} (?:(?:has|have|just|now|finally) ){{0,3}}(?:left|finished|graduated from|done with"
    rf"|finished with) (?P<what>school|high school|secondary|sixth form|college|uni(?:versity)?|primary"
    rf"|nursery)(?= (?:last|in|on|this|now|for good|and)\b|[,.;!]|$)"
)
_LEVELS = {
    "nursery": re.compile(r"^(?:nursery|pre-?school|playgroup)"),
    "primary": re.compile(r"^(?:reception|infants|juniors|primary|P\d|[Yy]ear [1-6]$)"),
    "college": re.compile(r"^college"),
    "uni": re.compile(r"^uni"),
    "university": re.compile(r"^uni"),
}
_SCHOOL = re.compile(r"^(?!nursery|pre|play|uni|college|reception|[Yy]ear [1-9]$)")
# A diagnosis that was none.
_DISPROVED = re.compile(
    rf"^(?:(?:It )?[Tt]urn(?:s|ed) out (?:that )?)?(?P<who>[Tt]he user's (?:(?:{_KIN})'s )?"
    rf"|[Tt]he (?!user)|[A-Z][\w-]+'s )(?P<what>[a-z]+(?: [a-z]+){{0,2}}?)(?: (?P<kind>allergy"
    rf"|intolerance|diagnosis))? (?:was never (?:real|right|true)|was a (?:mistake|misdiagnosis"
    rf"|false alarm|wrong diagnosis)|has been ruled out|was ruled out|is not real|turned out (?:to be"
    rf"|not to be) (?:wrong|nothing|a (?:mistake|misdiagnosis)|real)|was (?:wrong|misdiagnosed))"
)
_SUFFERS = re.compile(
    rf"^(?P<who>The user(?:'s (?:{_KIN})(?: [A-Z][\w-]+)?)?|[A-Z][\w-]+) (?:is (?:allergic"
    rf"|intolerant) to|has (?:an? |been diagnosed with )?|was diagnosed with) ?(?P<what>[^,.;]+)"
)
# Who was struck off a register practises no more.
_STRUCK_OFF = re.compile(
    rf"^{PERSON} (?:(?:has|have|just|finally|now) ){{0,3}}(?:been|was"
    rf"|got) struck off(?! (?:the (?!register)|a |his |her |their ))"
)
_PRACTISES = re.compile(
    r"""
    \ (?:is|works\ as)\ an?\ (?:[a-z-]+\ ){0,2}?(?:
        nurse | midwife | doctor | GP | surgeon | dentist | vet | solicitor | barrister | lawyer
        | pharmacist | physio(?:therapist)? | paramedic | social\ worker | teacher | architect | optician
        | radiographer | psychologist | osteopath | accountant | conveyancer | anaesthetist | psychiatrist
        | consultant
    )\b
    """,
    re.VERBOSE,
)
# Foster children go home.
_WENT_HOME = re.compile(
    r"""
    ^(?P<name>[A-Z][\w-]+)(?:\ and\ (?P<name2>[A-Z][\w-]+))?[ ]
    (?:(?:has|have|just|now|finally|both)\ ){0,3}(?:gone|went|moved|been\ moved|returned|been\ adopted)
    (?:\ home|\ back)*(?:
        \ (?:to|with|by)\ (?:
            (?:his|her|their)\ [a-z]+(?:\ [a-z]+)? | a\ forever\ family | a\ new\ family | family
            | permanent\ \w+
        )
    )?(?=\ (?:on|last|in|yesterday|this)\b|[,.;(]|$)
    """,
    re.VERBOSE,
)
_UNSURE = re.compile(
    r"""
    \b(?:
        if | unless | might | (?-i:may) | could | would | should | nearly | almost | hopes? | hoping
        | wants? | plans? | will | wishes | dreamt | dreamed | says? | said | thinks? | threatened | asked
        | going\ to | until | whether | being | about\ to | for\ (?:the|an?)\ \w+
    )\b
    | \?$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_past_by_saying(new: str, old: str) -> bool:
    """Return whether the new statement says in other words that what the old one tells of somebody is over."""
    if any(mark in old for mark in '"“[') or is_event(old):
        return False
    saying = _find_saying(new)
    return saying is not None and _KINDS[saying[0]](saying[1], old)


def find_parted_person(new: str) -> str | None:
    """Whom the user is no couple with any more, by name or as "their wife"; None where it does not say so."""
    saying = _find_saying(new)
    return saying[1]["name"] if saying is not None and saying[0] == "couple" else None


@lru_cache(maxsize=512)
def _find_saying(new: str) -> tuple[str, re.Match[str]] | None:
    if any(mark in new for mark in '"“[') or PASSING.search(new) or BESIDES.search(new):
        return None
    for how, patterns in _PATTERNS.items():
        for pattern in patterns:
            match = pattern.match(new)
            if match and not _UNSURE.search(new):
                return how, match
    return None


def _is_of_couple(match: re.Match[str], old: str) -> bool:
    if not re.match(
        r"The user(?:'s (?:(?:boy|girl)friend|partner|fianc[ée]+|husband|wife) (?:is (?:called )?)?[A-Z]| )",
        old,
    ):
        return False
    is_couple = (
        COUPLE.search(old)
        or (_MARRIED.search(old) and _MARRIED_IS_OVER.search(match[0]))
        or re.search(r" (?:is with|lives with) [A-Z]\w+\.$", old)
    )
    return bool(is_couple) and _is_named(match["name"], old) and not NOT_HELD.search(old)


def _is_named(name: str, old: str) -> bool:
    if name.startswith("their "):
        kind = name.removeprefix("their ")
        return re.search(rf"\b{kind}\b", old) is not None or (
            kind in ("husband", "wife") and " married" in old
        )
    return re.search(rf"\b{re.escape(name)}\b(?!'s)", old) is not None


def _is_kept_to(match: re.Match[str], old: str) -> bool:
    kept = _KEEPS_TO.search(old)
    if kept is None or not is_of_person(match["who"], old):
        return False
    held, habit = (_SAME.get(word, word) for word in (kept["what"], match["what"] or ""))
    return held == habit or (habit in ("", "dry", "sober") and held in _SOBER)


def _is_left_off(match: re.Match[str], old: str) -> bool:
    if not is_of_person(match["who"], old) or NOT_HELD.search(old):
        return False
    is_smoke = _NICOTINE.match(match["what"]) and _SMOKES.search(old)
    return bool(is_smoke or (_DRINK.match(match["what"]) and _DRINKS.search(old)))


def _is_other_stage(match: re.Match[str], old: str) -> bool:
    held = _IN_STAGE.match(old)
    if held is None or NOT_HELD.search(old):
        return False
    ours, theirs = (re.sub(r"^the | school$", "", stage["what"].lower()) for stage in (match, held))
    # A son in Year 11 is another one than he who started reception.
    later = _rank_school_stage(ours) - _rank_school_stage(theirs)
    return 0 < later <= _MOST_LATER and is_of_person(match["who"], old)


_RANKS = (
    (re.compile(r"^(?:nursery|pre-?school|playgroup)"), 0),
    (re.compile(r"^(?:reception|lkg|kg|kindergarten)"), 1),
    (re.compile(r"^(?:ukg|infants|big school|primary|elementary|p1)"), 2),
    (re.compile(r"^(?:juniors?)"), 4),
    (re.compile(r"^(?:middle school)"), 7),
    (re.compile(r"^(?:secondary|seniors?|comp$|high|upper school|s1)"), 8),
    (re.compile(r"^(?:sixth form|college)"), 13),
    (re.compile(r"^uni"), 15),
)
_YEARS = "one two three four five six seven eight nine ten eleven".split()
_MOST_LATER = 6


def _rank_school_stage(stage: str) -> int:
    """Return how many years after nursery a stage of school begins, about."""
    for pattern, rank in _RANKS:
        if pattern.match(stage):
            return rank
    word = stage.split()[-1]
    number = re.search(r"\d+", stage)
    years = int(number[0]) if number else _YEARS.index(word) + 1 if word in _YEARS else 0
    return years + 1


def _has_left_school(match: re.Match[str], old: str) -> bool:
    held = _IN_STAGE.match(old)
    if held is None or NOT_HELD.search(old) or not is_of_person(match["who"], old):
        return False
    return _LEVELS.get(match["what"], _SCHOOL).match(held["what"]) is not None


def _is_disproved(match: re.Match[str], old: str) -> bool:
    suffers = _SUFFERS.match(old)
    if suffers is None or NOT_HELD.search(old):
        return False
    owner = re.sub(r"^[Tt]he user's |^[Tt]he |'s $| $", "", match["who"])
    whose = re.sub(r"^The user(?:'s )?", "", suffers["who"])
    wanted = [term for term in extract_keywords(match["what"]) if term not in _VAGUE]
    return owner == whose and bool(wanted) and set(wanted) <= set(extract_keywords(suffers["what"]))


_VAGUE = frozenset(extract_keywords("allergy diagnosis test result intolerance"))


def _has_gone_home(match: re.Match[str], old: str) -> bool:
    is_fostered = re.match(
        r"The user (?:and (?:others|their [a-z]+) )?(?:fosters?|is fostering|are fostering) ", old
    )
    names = re.findall(r"\b[A-Z][a-z]+\b", old.removeprefix("The user"))
    gone = {match["name"], match["name2"] or match["name"]}
    return is_fostered is not None and bool(names) and set(names) <= gone


_PATTERNS = {
    "couple": _BOTH,
    "wagon": (_WAGON,),
    "left off": (_NOT_TOUCHED,),
    "stage": (_MOVED_UP,),
    "left school": (_LEFT_SCHOOL,),
    "disproved": (_DISPROVED,),
    "home": (_WENT_HOME,),
    "struck off": (_STRUCK_OFF,),
}
_KINDS: dict[str, Callable[[re.Match[str], str], bool]] = {
    "couple": _is_of_couple,
    "wagon": _is_kept_to,
    "left off": _is_left_off,
    "stage": _is_other_stage,
    "left school": _has_left_school,
    "disproved": _is_disproved,
    "home": _has_gone_home,
    "struck off": lambda match, old: is_of_person(match["who"], old) and _PRACTISES.search(old) is not None,
}
