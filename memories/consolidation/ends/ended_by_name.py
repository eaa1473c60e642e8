"""Which memories a later statement ends by naming what they name: "sold the ASW 20" ends "the ship is an ASW 20".

It may name a thing, a person or a habit: "Priya has retired" ends "the accountant is called Priya Nair", and "started
smoking again" ends "has stopped smoking". Names are compared as written; the person must be the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from memories.text.clauses.changing.habits import NOT_HELD, PASSING
from memories.text.clauses.wording import is_event
from memories.text.slots.registry import load_relations
from memories.text.words.tokenize import extract_keywords
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("ends.toml"))
_NAME = r"(?P<name>[A-Z][\w'&-]*(?: [A-Z0-9][\w'&-]*){0,3})"
_WHO = r"(?P<who>The user(?:'s [a-z-]+(?: [A-Z][\w'-]+)?)?(?: and others)?|[A-Z][\w'-]+)"
_ADVERBS = r"(?:has |have |had to |had |also |finally |just |recently |now |already )*"
_THE = r"(?:(?:the|their|her|his) )?"
# What somebody has parted with, or does without.
_PARTED = (
    re.compile(rf"^{_WHO} {_ADVERBS}(?:{_WORDS['partings']}) {_THE}{_NAME}"),
    re.compile(
        rf"^{_WHO} {_ADVERBS}(?:replaced|swapped|exchanged|traded) {_THE}{_NAME}(?: [a-z]+)? (?:with|for|by) "
    ),
    re.compile(
        rf"^{_WHO} {_ADVERBS}[a-z]+s (?:[a-z]+ )?(?:(?:from|with|in|on|to|at|through"
        rf"|via) )?[A-Z][\w'&-]*(?: [A-Z0-9][\w'&-]*){{0,3}}(?: now)? (?:instead"
        rf"|in place) of {_THE}{_NAME}"
    ),
    re.compile(
        rf"^{_WHO} {_ADVERBS}(?:moved|migrated|switched|gone|went|changed)(?: over"
        rf"| away)? from {_THE}{_NAME} (?:to|over to|onto) "
    ),
    re.compile(
        r"\b(?:took|has taken|have taken|weaned) (?P<who>the user|the user's [a-z-]+(?: [A-Z][\w'-]+)?"
        r"|[A-Z][\w'-]+) off "
        rf"{_THE}{_NAME}"
    ),
    re.compile(
        r"\b(?:switched|moved|changed|put|transferred|swapped) (?P<who>the user"
        r"|the user's [a-z-]+(?: [A-Z][\w'-]+)?|[A-Z][\w'-]+)"
        rf"(?: over)? from {_THE}{_NAME} (?:to|onto) "
    ),
    re.compile(
        rf"\b(?:put|switched|moved) (?P<who>the user|the user's [a-z-]+|[A-Z][\w'-]+)(?: over)? (?:on"
        rf"|onto|to) [\w' -]{{2,40}}? (?:instead|in place) of {_THE}{_NAME}"
    ),
)
# "Switched me from metformin to dapagliflozin": things that have no capital.
_SWITCHED = re.compile(
    rf"(?:^{_WHO} {_ADVERBS}switched|\b(?:switched|moved|changed|swapped) (?P<whom>the user"
    rf"|the user's [a-z-]+(?: [A-Z][\w'-]+)?|[A-Z][\w'-]+))(?: over)? from (?P<name>[a-z][a-z-]{{2,}}) "
    rf"(?:to|onto) [a-z]"
)
# What is liked outlives the thing.
_LIKED = re.compile(r"\b(?:favou?rite|dreams?|best)\b", re.IGNORECASE)
# Who takes part no more in what they prepared for.
_PULLED_OUT = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:pull(?:ed)? out of|withdr[ae]wn? from|withdrew from|drop(?:ped)? out of"
    rf"|scratch(?:ed)? from|defer(?:red)?(?: from)?|pass(?:ed)? on|miss(?:ed)?) {_THE}{_NAME}"
)
_PREPARES = re.compile(rf"\b(?:{_WORDS['preparations']})\b")
# "Finished Middlemarch" of who is reading it.
_FINISHED = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:finished|completed|passed(?! [^.]*\b(?:on|to|round|over"
    rf"|by)\b))(?: (?:reading|watching|playing))? {_THE}{_NAME}"
)
_IN_PROGRESS = re.compile(rf"\b(?:is|are) (?:\w+ )?(?:{_WORDS['pursuits']})\b")
# Who hands in their notice somewhere has no job there.
_LEFT_JOB = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:handed in (?:their|her|his) notice|resigned|been (?:laid off|let go|sacked"
    rf"|made redundant)|was (?:laid off|let go|sacked|made redundant)) (?:at|from|by) (?:the "
    rf"|an? )?(?P<name>[\w'-]+(?: [A-Z][\w'-]+)?)"
)
_HAS_JOB = re.compile(r"\b(?:jobs?|works?|working|shifts?|employed)\b")
# Whose service has ended: nobody's accountant is retired. Who only moved may still serve, unless another does now.
_GONE = re.compile(
    rf"^{_NAME}(?:,[^,.]*,)? (?:has |have |is |was |just |sadly |now )*(?:{_WORDS['departures']}|left"
    rf"(?= (?:the|their|his|her|its) (?:{_WORDS['workplaces']})"
    r"(?: (?:in|last|to|for|so|and|because|this|after)\b|[,.;]|$)| so\b|[,.;]|$))"
)
_ELSEWHERE = re.compile(
    rf"^{_NAME}(?:,[^,.]*,)? (?:has |have |is |was |just |now )*(?:{_WORDS['moves']})\b"
    r".*?(?:\bso\b.*\b(?:now|instead)\b|\b(?:the|their) new [a-z]+ is\b|\bso the user (?:sees|uses|has"
    r"|goes to)\b)"
)
_SERVES = re.compile(
    rf"^The user's (?P<role>[A-Za-z][\w -]{{1,30}}?) (?:is|are)(?: now)?(?: called"
    rf"| named)? {_NAME}[.]?$|^{_NAME.replace('name', 'name2')} is the user's (?P<role2>[a-z][\w "
    rf"-]{{1,30}})[.]?$"
    rf"|^The user has (?:got )?an? (?P<role3>(?:[a-z-]+ )?(?:{_WORDS['services']})) (?:called"
    rf"|named) {_NAME.replace('name', 'name3')}[.]?$"
)
_KIN = frozenset(word for word in load_relations() if word.isascii()) - {"boss", "manager", "supervisor"}
_TITLE = re.compile(r"^(?:Dr|Mr|Mrs|Ms|Miss|Prof|Professor|Doctor|Sir|Sister|Father)\b\.? ?")
# "Has stopped learning Welsh": the verb and its object are those of the habit.
_STOPPED = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:stopped|quit|given up|give up|gave up|packed in|packed up"
    rf"|jacked in) (?P<action>[a-z]+ing)(?: (?P<what>[A-Za-z][\w'-]*(?: [\w'-]+){{0,2}}?))?(?= (?:because"
    rf"|since|in|on|at|last|after|and|but|so|with|for|now|this|altogether|completely)\b|[,.;]|$)"
)
# What somebody does again, and had given up.
_RESUMED = re.compile(
    rf"^{_WHO} {_ADVERBS}(?:is |are )?(?:back to |back on |gone back to |went back to |started |begun "
    rf"|began |taken up |took up )?(?P<action>[a-z]+ing)(?: (?P<thing>[a-z]+(?: [a-z]+)?))? again\b"
)
_GIVEN_UP = re.compile(
    r"""
    ^(?P<who>The\ user|The\ user's\ [a-z-]+(?:\ [A-Z][\w'-]+)?|[A-Z][\w'-]+)(?:\ and\ others)?[ ]
    (?:has\ |have\ |finally\ |just\ |also\ )*(?:
        (?:stopped|quit|given\ up|gave\ up)\  | (?:does|do|did)\ not\  | no\ longer\  | is\ not[ ]
        | is\ no\ longer[ ]
    )(?P<what>[^,.;]{3,60})
    """,
    re.VERBOSE,
)
# "It's Steph Okafor now": another name of who is known by the half of it.
_CALLED_NOW = re.compile(
    r"""
    (?:^|[.!;]\ |,\ (?:so\ )?)(?:[Ii]t's|[Ii]t\ is|(?:[Tt]he\ user|I)\ (?:is|goes\ by|go\ by|am))[ ]
    (?P<first>[A-Z][\w'-]+)\ (?P<last>[A-Z][\w'-]+)\ (?:now|these\ days|from\ now\ on)\b
    """,
    re.VERBOSE,
)
_OWN_NAME = re.compile(
    r"^The user(?:'s (?:full )?name is| is(?: called)?) (?P<first>[A-Z][\w'-]+) (?P<last>[A-Z][\w'-]+)\.$"
)


def is_over_by_name(new: str, old: str) -> bool:
    """Return whether the new statement names what the old one tells of and says that it is gone; both English, in the
    third person."""
    if any(mark in old for mark in '"“['):
        return False
    return (
        _has_parted_with(new, old)
        or _has_pulled_out(new, old)
        or _serves_no_more(new, old)
        or _has_stopped(new, old)
        or _has_finished(new, old)
        or _does_again(new, old)
        or _has_another_name(new, old)
    )


@lru_cache(maxsize=512)
def _find_parted(new: str) -> tuple[re.Match[str], ...]:
    if PASSING.search(new):
        return ()
    return tuple(match for pattern in _PARTED if (match := pattern.search(new)))


def _has_parted_with(new: str, old: str) -> bool:
    if NOT_HELD.search(old) or _LIKED.search(old) or is_event(old):
        return False
    switched = None if PASSING.search(new) else _SWITCHED.search(new)
    if switched and _holds_name(switched["name"], old) and _is_of(switched["whom"] or switched["who"], old):
        return True
    return any(_holds_name(match["name"], old) and _is_of(match["who"], old) for match in _find_parted(new))


def _has_pulled_out(new: str, old: str) -> bool:
    match = _PULLED_OUT.match(new)
    if match is None or not _PREPARES.search(old):
        return False
    return _holds_name(match["name"], old) and _is_of(match["who"], old)


def _serves_no_more(new: str, old: str) -> bool:
    serves = _SERVES.match(old)
    if serves is None:
        return False
    role = (serves["role"] or serves["role2"] or serves["role3"]).lower()
    if role in _KIN or role.split()[-1] in _KIN or "friend" in role or "name" in role:
        return False
    gone = _GONE.match(new) or _ELSEWHERE.match(new)
    return gone is not None and _is_one_person(
        gone["name"], serves["name"] or serves["name2"] or serves["name3"]
    )


def _has_finished(new: str, old: str) -> bool:
    for pattern, held in ((_FINISHED, _IN_PROGRESS), (_LEFT_JOB, _HAS_JOB)):
        match = pattern.match(new)
        if match and held.search(old) and _holds_name(match["name"], old) and _is_of(match["who"], old):
            return not NOT_HELD.search(old)
    return False


def _has_stopped(new: str, old: str) -> bool:
    match = _STOPPED.match(new)
    if match is None or PASSING.search(new) or NOT_HELD.search(old) or is_event(old):
        return False
    done = extract_keywords(f"{match['action']} {match['what'] or ''}")
    return bool(match["what"]) and set(done) <= set(extract_keywords(old)) and _is_of(match["who"], old)


def _does_again(new: str, old: str) -> bool:
    match, given_up = _RESUMED.match(new), _GIVEN_UP.match(old)
    if match is None or given_up is None or not _is_of(match["who"], old) or PASSING.search(new):
        return False
    done = extract_keywords(" ".join(filter(None, (match["action"], match["thing"]))))
    left = [
        term
        for term in extract_keywords(re.sub(r"\bany ?more\b", "", given_up["what"]))
        if term not in _VAGUE
    ]
    return bool(done and left) and done[: len(left)] == left[: len(done)]


_VAGUE = frozenset(extract_keywords("at all really currently now completely entirely since in for"))


def _has_another_name(new: str, old: str) -> bool:
    known = _OWN_NAME.match(old)
    if known is None or not (match := _CALLED_NOW.search(new)):
        return False
    return (match["first"] == known["first"]) != (match["last"] == known["last"])


def _holds_name(name: str, old: str) -> bool:
    return re.search(rf"(?<![\w'-]){re.escape(name)}(?![\w-])", old) is not None


def _is_of(who: str, old: str) -> bool:
    """Return whether the old statement is of that person; of the user it may be of a thing as well: "Everything is
    deployed …"."""
    who = who[:1].upper() + who[1:]
    if who in {"The user", "The user and others"}:
        if re.match(rf"The user(?:'s (?!(?:{_KIN_WORDS})\b)| )", old):
            return True
        return _THINGS.match(old) is not None
    return re.match(rf"(?:The user's [a-z-]+ )?{re.escape(who)}\b", old) is not None


# "Backups run to …": the verb says that they are many, so it is nobody's name.
_THINGS = re.compile(
    r"""
    (?:Everything|It|All|The\ (?!user\b)[a-z]+|They)[ ]
    | [A-Z][a-z]+s\ (?:all\ |now\ |still\ |also\ )*(?!was\b|is\b|has\b|does\b)[a-z]+(?<!s)(?<!ed)[ ]
    """,
    re.VERBOSE,
)
_KIN_WORDS = "|".join(sorted(map(re.escape, _KIN), key=len, reverse=True))


def _is_one_person(name: str, full: str) -> bool:
    """ "Priya" is "Priya Nair", and "Dr Osei" is "Dr Osei" alone."""
    ours, theirs = (_TITLE.sub("", person).removesuffix("'s").split() for person in (name, full))
    return bool(ours) and (ours == theirs or (len(ours) == 1 and ours[0] in theirs))
