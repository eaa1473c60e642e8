"""Which appointments, bookings and plans are off: "the dinner at Luigi's is off" ends "booked a table at Luigi's".

Sentences are in the third person, as the engine writes them. What is called off must be named by a word of the
arrangement, everything else that names it must be said of the arrangement too, and it must be the same person's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memories.text.clauses.wording import DATES, is_one_stem
from memories.text.slots.registry import join_relation_words
from memories.text.words.tokenize import extract_keywords
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("ends.toml"))
_KIN = join_relation_words("en")
# What is asked, supposed, nearly done or only wished for calls nothing off; nor does what happens to others' plans.
_UNSURE = re.compile(rf"\b(?:{_WORDS['doubts']})\b|\bnot (?:been )?(?:cancel|call)|\?$", re.IGNORECASE)
_WHO = r"(?P<who>The user(?:'s [\w-]+(?: [A-Z][\w'-]+)?)?(?: and (?:others|their [\w-]+|[A-Z][\w'-]+))?|[A-Z][\w'-]+)"
_HAS = r"(?: has| have| had to| just| already| now| also| finally| (?:has |have )?(?:decided|agreed|chosen) to){0,4}"
# A noun with what stands before it.
_NOUNS = r"(?:(?:[\w'-]+ ){0,3}?[\w'-]+)"
_OWN = r"(?:(?:the|their|his|her|this|that|my|our) |(?=[A-Z]))"
_WORD = r"(?!(?:because|since|and|but|so|as)\b)[^\s,.;(]+"
_ABOUT = rf"(?P<about>(?: (?:with|at|to|for|of|in|on)(?: {_WORD}){{1,6}}?){{0,3}})"
_STOP = (
    r"(?= ?(?:because|since|and|but|so|as|after|before|when|yesterday|today|this|last|already|altogether"
    r"|entirely|completely)\b|[,;(]| ?[.!]?$)"
)
_CANCELS = (
    r"(?:cancell?ed|cancel|call(?:ed)? off|is cancell?ing|are cancell?ing|is calling off|are calling off)"
)
_BY_SOMEBODY = (
    # Also by somebody else: what was cancelled is the user's.
    re.compile(
        rf"^(?:The (?!user\b)[a-z-]+|They|[A-Z][\w&'-]+(?: [A-Z][\w&'-]+)?){_HAS} (?P<verb>{_CANCELS}) "
        rf"(?:the user's |the (?=[^,.;]*[A-Z])(?P<who>))(?P<what>{_NOUNS}){_ABOUT}{_STOP}"
    ),
    re.compile(rf"^{_WHO}{_HAS} (?P<verb>{_CANCELS}) {_OWN}(?P<what>{_NOUNS}){_ABOUT}{_STOP}"),
    re.compile(rf"^{_WHO}{_HAS} (?P<verb>called|calls|call) {_OWN}(?P<what>{_NOUNS}){_ABOUT} off{_STOP}"),
    re.compile(rf"^{_WHO}{_HAS} (?P<leaves>{_WORDS['withdrawals']}) {_OWN}(?P<what>{_NOUNS}){_ABOUT}{_STOP}"),
)
_IS_OVER = (
    r"(?: (?:is|are|was|were|has been|have been|got|has|had to be|is being)(?: now| just| all| also| been)*"
    r" (?:cancell?ed|called off|scrapped|shelved|axed|off(?! (?:to|for|by|the|work|school|season|limits)\b))"
    r"|(?: is| are| was| were) (?:not|no longer) (?:happening|going ahead|taking place|on)\b(?! (?:the|a|my|their)\b)"
    r"|(?: has| have)? (?:fell|fallen) through\b)"
)
_BY_ITSELF = re.compile(
    rf"^(?:(?P<who>The user's [a-z-]+(?: [A-Z]\w+)?|[A-Z][\w-]+)'s (?=[a-z])|The user's |The |Their "
    rf"|(?=[A-Z][a-z]+ ))(?P<what>{_NOUNS}){_ABOUT}{_IS_OVER}"
)
# "The user is not going to Japan any more", "is not running the marathon after all".
_NOT_DONE = re.compile(
    rf"^{_WHO} (?:is|are|will be) (?:no longer|not) (?P<verb>[a-z]+ing) "
    rf"(?P<rest>[^,;]{{2,80}}?)(?P<end> (?:after all|any ?more|any longer))?(?= because\b| since\b"
    rf"| so\b|[,;(]|[.!]?$)"
)
_DECIDED_NOT = re.compile(
    rf"^{_WHO}{_HAS} decided (?:not to|against) (?P<verb>[a-z]+) (?P<rest>[^,;]{{2,80}}?)(?= because\b"
    rf"| since\b|[,;(]|[.!]?$)"
)
# What somebody has arranged, booked or is going to do.
_ARRANGED = re.compile(
    rf"""
    ^(?:
        The\ user(?:'s\ [\w-]+(?:\ [A-Z][\w'-]+)?)?(?:\ and\ (?:others|their\ [\w-]+|[A-Z][\w'-]+))?
        | [A-Z][\w'-]+
    )(?:\ (?:also|now|already|just|both))*\ (?:
        (?:has|have)(?:\ got)?\ (?:
            an? | the | their | his | her | two | three | another | tickets | plans | [A-Z]
            | [a-z]+\ (?:on|at|every|this|next|tomorrow)\b
        )
        | (?:subscribes?|belongs?|is\ subscribed)\ to
        | (?:has\ |have\ )?(?:{_WORDS["arrangements"]})
        | (?:is|are|was|were)\ (?:
              {_WORDS["plans"]}
              | (?:having|taking|doing|getting|running|starting|giving|playing|running\ in|playing\ in)[ ]
                (?:an?|the|their|his|her)
          )
        | (?:will|plans?|hopes?|wants?|intends?|would\ like)(?:\ to)?
    )\b
    """,
    re.VERBOSE,
)
_IS_SET = re.compile(
    r"""
    ^(?:The\ user's\ |The\ |Their\ |[A-Z][\w-]+'s\ )[^,;]{2,60}?\ (?:is|are|has\ been|was)\ (?:now\ )?(?:
        on | at | in | this | next | tomorrow | scheduled | booked | set | planned | due | arranged
        | fixed
    )\b
    """,
    re.VERBOSE,
)
# These need nothing of their name to be said: what they are called with tells which is meant.
_GENERAL = frozenset(
    extract_keywords(
        "appointment appointments booking bookings reservation reservations visit session plan plans "
        "thing slot meeting trip"
    )
)
_MEALS = frozenset(
    extract_keywords("dinner lunch breakfast brunch supper meal table reservation booking drinks")
)
_JOURNEYS = frozenset(extract_keywords("trip holiday holidays vacation journey getaway tour break visit"))
_MEMBERSHIPS = frozenset(extract_keywords("subscription membership"))
_FLIGHTS = frozenset(extract_keywords("flight plane"))
_LIGHT = frozenset(
    extract_keywords(
        "the user their his her my our whole entire day time booking go going trip do doing take taking"
    )
)


# What is longer says more than what it calls off.
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class CalledOff:
    """Appointment or plan that is called off: whose it is, its noun, what else names it, and the days that the
    statement names."""

    who: str
    head: str
    others: frozenset[str]
    days: frozenset[str]
    # Whether it is only one of what comes again and again: "physio this Monday".
    is_once: bool = False
    # "Dropped" is said of the thing itself only; "cancelled the dentist" of the visit to him.
    is_thing: bool = False
    # What is not done any more, where no noun is called off.
    action: str = ""

    def spares(self, old: str) -> bool:
        """Return whether the older statement tells of what goes on after this one time, or of something else, too."""
        return _SAYS_MORE.search(old) is not None or (self.is_once and _RECURS.search(old) is not None)

    def is_of(self, old: str) -> bool:
        """Return whether the older statement tells of just this, and of nothing else that would be lost with it."""
        return _is_called_off(self, old)

    def names_day_of(self, old: str) -> bool:
        """Return whether both name the same day."""
        return bool(self.days & _find_days(old))


@lru_cache(maxsize=512)
def read_calling_off(new: str) -> CalledOff | None:
    """Return what a statement in the third person calls off; None where it calls off nothing for certain."""
    if len(new) > _LONGEST or _UNSURE.search(new) or any(mark in new for mark in '"“['):
        return None
    for pattern in _BY_SOMEBODY:
        if match := pattern.match(new):
            return _build_called_off(
                match["who"] or "", match["what"], match["about"], new, "leaves" in match.groupdict()
            )
    if match := _BY_ITSELF.match(new):
        return _build_called_off(match["who"] or "", match["what"], match["about"], new)
    if match := _NOT_DONE.match(new) or _DECIDED_NOT.match(new):
        is_certain = match.re is _DECIDED_NOT or match["end"] or " no longer " in match[0]
        terms = _extract_naming_words(match["rest"])
        if is_certain and terms:
            return CalledOff(match["who"], "", terms, _find_days(new), _is_once(new), action=match["verb"])
    return None


_BACK_ON = re.compile(
    rf"^(?:(?P<who>The user's [a-z-]+(?: [A-Z]\w+)?|[A-Z][\w-]+)'s (?=[a-z])|The user's |The |Their "
    rf"|(?=[A-Z][a-z]+ ))(?P<what>{_NOUNS}){_ABOUT} (?:is|are|was|has been)(?: now| all)? "
    r"(?:back on|on again|on after all|going ahead(?: again| after all)?|happening after all|reinstated)\b"
    r"(?! (?:the|an?|my|their)\b)"
)


def is_on_again(new: str, old: str) -> bool:
    """Return whether what the old statement calls off takes place after all: "the Rome trip is back on"."""
    match, called = _BACK_ON.match(new), read_calling_off(old)
    if match is None or called is None or _UNSURE.search(new):
        return False
    again = _build_called_off(match["who"] or "", match["what"], match["about"], new)
    if again is None or (again.who or "The user") != (called.who or "The user"):
        return False
    is_journey = called.action and again.head in _JOURNEYS and bool(again.others)
    is_one = again.head == called.head or is_journey
    return bool(is_one) and (again.others <= called.others or called.others <= again.others)


def _build_called_off(who: str, what: str, about: str, new: str, is_thing: bool = False) -> CalledOff | None:
    words = extract_keywords(DATES.sub(" ", what))
    if not words:
        return None
    others = frozenset(words[:-1]) | _extract_naming_words(about)
    return CalledOff(who, words[-1], others - _LIGHT, _find_days(new), _is_once(new), is_thing)


def _is_once(new: str) -> bool:
    return _ONCE.search(new) is not None


def _extract_naming_words(words: str) -> frozenset[str]:
    """The words that name something, without days, years and amounts."""
    bare = re.sub(
        r"\([^)]*\)|\b(?:next|last|this|tomorrow|today|tonight|week|weekend|month|year|at|on|in)\b|\d\S*",
        " ",
        DATES.sub(" ", words),
    )
    return frozenset(extract_keywords(bare)) - _LIGHT


def _find_days(text: str) -> frozenset[str]:
    return frozenset(day.casefold() for day in DATES.findall(text))


def _is_called_off(called: CalledOff, old: str) -> bool:
    if (
        called.spares(old)
        or any(mark in old for mark in '"“[')
        or not (_ARRANGED.match(old) or _IS_SET.match(old))
    ):
        return False
    if not _is_of(called.who, old):
        return False
    words = extract_keywords(DATES.sub(" ", old))
    if not all(_is_among(term, words) for term in called.others):
        return False
    if called.action:
        is_by_name = any(_is_among(term, _find_names(old)) for term in called.others)
        return is_by_name or _is_among(extract_keywords(called.action)[0], words)
    if _is_head(called, old, words):
        return True
    # "The Japan trip" is what "is going to Japan" tells of.
    kinds = next((kind for kind in (_MEALS, _JOURNEYS) if called.head in kind), frozenset())
    if called.head in _MEMBERSHIPS and re.search(r"\b(?:subscribe[sd]?|belongs?) to\b", old):
        return bool(called.others)
    if called.head in _FLIGHTS and re.search(r"\b(?:fly|flying|flies)\b", old):
        return bool(called.others)
    is_kind = any(word in kinds for word in words) or (
        kinds is _JOURNEYS and _TRAVELS.search(old) is not None
    )
    return bool(called.others) and is_kind


_ONCE = re.compile(
    r"""
    \b(?:this|next|today|tonight|tomorrow|yesterday|last)\b | \(\d{1,2}\ [A-Z] | \b\d{1,2}\ [A-Z][a-z]+
    | \b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b
    """,
    re.VERBOSE,
)
_RECURS = re.compile(
    r"""
    \b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days\b
    | \b(?:every|each|weekly|monthly|daily|regular|standing|twice|once\ a|times\ a)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TRAVELS = re.compile(
    r"\b(?:go(?:ing)?|fly(?:ing)?|travel(?:l?ing)?|driv(?:e|ing)|visit(?:ing)?) (?:to )?(?=[A-Z])"
)
# Something else beside it: what is called off is not all that it tells.
_SAYS_MORE = re.compile(
    r"\band (?:an?|the|their|his|her|two|three|is|has|will|plans|wants) |, (?:and|but|which|who|where|so) |; |\. [A-Z]"
)


def _is_head(called: CalledOff, old: str, words: list[str]) -> bool:
    if not called.is_thing:
        is_named = _is_among(called.head, words)
        is_general = called.head in _GENERAL and bool(called.others) and _BOOKED.search(old) is not None
        return is_named or is_general
    before = re.split(r" (?:with|at|to|for|of|in|on|from|before|after) ", old, maxsplit=2)
    return any(_is_among(called.head, extract_keywords(part)) for part in before[:2])


def _find_names(old: str) -> list[str]:
    return extract_keywords(" ".join(re.findall(r"(?<= )[A-Z][\w'-]*", DATES.sub(" ", old))))


_BOOKED = re.compile(
    r"\b(?:booked|reserved|seeing|meeting|visiting|scheduled|signed up|registered|enrolled|appointment)\b"
)


def _is_among(term: str, words: list[str]) -> bool:
    return any(term == word or is_one_stem(term, word) for word in words)


def _is_of(who: str, old: str) -> bool:
    """Return whether the older statement is of that person; of what ends by itself, the user's or of nobody in
    particular."""
    if who in ("", "The user") or who.startswith("The user and "):
        return re.match(rf"(?:The user(?: |'s (?!(?:{_KIN})\b))|The (?!user\b)|Their )", old) is not None
    return re.match(rf"(?:The user's [\w-]+ )?{re.escape(who)}(?:'s)? ", old) is not None
