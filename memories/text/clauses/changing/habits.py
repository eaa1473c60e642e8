"""Which habits, places and tasks a later statement says are others now.

"Bracken sleeps indoors these days" takes the place of "The user's dog Bracken sleeps outside in the kennel": the same
subject does the same, and one question about it (where, with whom, how to get there, who does it) has another answer.
What is so for a while, or beside the other, takes no place.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memories.text.clauses.changing.frames import Clause, is_on_other_day_elsewhere, read_clauses, share_terms
from memories.text.clauses.stated_values import ValueSort, find_values
from memories.text.clauses.wording import is_event
from memories.text.en.verb_forms import find_base_of_gerund
from memories.text.en.verbs import inflect_third_person
from memories.text.words.tokenize import extract_keywords

NOW = re.compile(r"\b(?:now|nowadays|these days|from now on|instead|since|for good|permanently)\b")
BESIDES = re.compile(
    r"""
    \b(?:
        also | too | as\ well | second | another | on\ the\ side | besides | part-time | sometimes
        | occasionally | now\ and\ (?:then|again) | some\ days
    )\b
    """,
    re.VERBOSE,
)
PASSING = re.compile(
    r"""
    \b(?:
        today | tonight | this\ (?:week|weekend|fortnight|month|morning|afternoon|evening|once|time)
        | temporarily | for\ now | just\ now | until | till | at\ the\ moment | meanwhile
        | (?:for|over)\ (?:the|a|an|this|two|three|\d+)\ (?:\w+\ )?(?:
              day | night | week | weekend | fortnight | month | summer | winter | change | while | bit
              | holidays? | term
          )s?
        | if | would | might | may | could | wish\w* | wants? | plans? | hopes? | thinking | considering
        | nearly | almost | going\ to | will
    )\b
    """,
    re.VERBOSE,
)
# What is liked, wished for, denied or past is no habit that holds.
NOT_HELD = re.compile(
    r"""
    \b(?:
        likes? | loves? | enjoys? | prefers? | hates? | wants? | plans? | hopes? | would | will | used\ to
        | not | never | no\ longer | without | met | bought | learned | learnt
    )\b
    | n't\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Verbs of getting somewhere, and of being in charge of something or somebody; as they are stemmed.
_TRAVEL = frozenset(
    extract_keywords(
        "walks cycles drives bikes runs commutes rides takes gets catches goes travels flies sails rows"
    )
) | {"go", "get", "take"}
_CHARGE = frozenset(
    extract_keywords(
        "runs leads manages chairs captains conducts coaches organises organizes handles does has "
        "looks minds takes feeds keeps heads"
        " edits directs hosts"
    )
) | {"do", "does", "ha", "has", "have", "take", "keep", "look"}
# What is done for a living, if it is done to things of no one in particular: of that, people say one at a time.
_TRADES = frozenset(
    extract_keywords(
        "drives fits installs lays repairs fixes delivers welds cleans builds teaches guards loads"
    )
)
_TIMES = frozenset({ValueSort.TIME, ValueSort.DATE, ValueSort.FREQUENCY})
_NEW = re.compile(r"\bnew\b")
_NEW_HOLDER = (
    re.compile(
        r"""
        ^(?P<own>The\ user's\ |The\ (?!user\b)|[A-Z][\w-]+'s\ )(?P<mark>new\ )?
        (?P<role>[a-z-]+(?:'s)?(?:\ [a-z-]+){0,2}?)\ (?:is|are)(?P<now>\ now)?\ (?P<value>.+)$
        """,
        re.VERBOSE,
    ),
    re.compile(
        r"""
        ^(?P<own>The\ user|The\ user's\ [a-z-]+(?:\ [A-Z]\w+)?|[A-Z]\w+)\ (?:has|have|got)(?:\ got)?[ ]
        (?:an?|their|her|his)\ (?P<mark>new\ )(?P<role>[a-z-]+(?:\ [a-z-]+){0,2}?)
        (?=,|\ called|\ named|\ now|\ in|\ from|\ since|$)(?P<now>)(?P<value>.*)$
        """,
        re.VERBOSE,
    ),
    re.compile(
        r"""
        ^(?P<value>[A-Z][\w-]+(?:\ [A-Z][\w-]+)?)\ (?:is|has\ become|became)(?P<now>\ now)?[ ]
        (?P<own>the\ user's\ |the\ )(?P<mark>new\ )?(?P<role>[a-z-]+(?:\ [a-z-]+){0,2}?)
        (?=\ now|\ of|\ at|\ in|[,.]|$)
        """,
        re.VERBOSE,
    ),
)
# What may stand before a role that is the same one: a work number is another than "the number".
_SAME = r"(?:(?:new|old|current|present|regular|usual|main|own|first|local|family|favou?rite) )?"
_MOVED_THERE = frozenset(
    extract_keywords("moves moved shifted shifts puts put keeps kept stores stored brought relocated")
)


# "Has started cycling to work", "has been getting up at seven since May": what is done now.
_BEGUN = re.compile(
    r"""
    ^(?P<who>The\ user(?:'s\ [\w-]+)?|[A-Z][\w'-]+)\ (?:has\ |have\ |had\ )?(?:just\ |recently\ |now\ )?
    (?:
        started | begun | began | taken\ to | took\ to | been(?=[^.]*\ since\b)
    )\ (?P<verb>[a-z]+ing)\b(?P<rest>[^,.;]*?)(?:\ since\b[^.]*)?(?=[,.;]|$)
    """,
    re.VERBOSE,
)
_ONLY = re.compile(r"^(?P<who>The user(?:'s [\w-]+)?|[A-Z][\w'-]+) only (?=[a-z]+s\b)")


def replaces_habit(new: str, old: str) -> bool:
    """Return whether the new statement tells of another habit, place or person in charge where the old one tells of
    one.

    Both are English and in the third person.
    """
    is_only = _ONLY.match(new) is not None
    new = _ONLY.sub(r"\g<who> ", _BEGUN.sub(_write_as_habit, new))
    if not _may_replace(new) or any(mark in old for mark in '"“[') or NOT_HELD.search(old) or is_event(old):
        return False
    if _names_new_holder(new.strip(" .!"), old.strip(" .!")):
        return True
    held = read_clauses(old)
    return any(
        (is_only and _is_on_fewer_days(new_clause, old_clause))
        or _is_moved(new_clause, old_clause)
        or (NOW.search(new_clause.text) is not None and _is_other_habit(new_clause, old_clause))
        for new_clause in read_clauses(new)
        for old_clause in held
    )


def _write_as_habit(begun: re.Match[str]) -> str:
    base = find_base_of_gerund(begun["verb"])
    return f"{begun['who']} {inflect_third_person(base)}{begun['rest']} now" if base else begun[0]


@lru_cache(maxsize=512)
def _may_replace(new: str) -> bool:
    is_said = (
        NOW.search(new)
        or _NEW.search(new)
        or any(clause.verb in _MOVED_THERE for clause in read_clauses(new))
    )
    return bool(is_said) and not BESIDES.search(new) and not PASSING.search(new)


def _is_other_habit(new: Clause, old: Clause) -> bool:
    if not new.is_of_one_with(old):
        return _is_done_by_another(new, old)
    if _gets_there_otherwise(new, old):
        return True
    if _has_another_trade(new, old):
        return True
    is_same_verb = new.verb == old.verb and new.is_being == old.is_being
    if not is_same_verb or not new.season <= old.season or is_on_other_day_elsewhere(new, old):
        return False
    others = [
        group
        for group in new.groups.keys() & old.groups.keys()
        if _differ(new.groups[group], old.groups[group]) and not (group == "goal" and new.verb in _TRAVEL)
    ]
    shared = [
        group
        for group in new.groups.keys() & old.groups.keys()
        if share_terms(new.groups[group], old.groups[group])
    ]
    if new.is_being and "user" in new.who:
        # Somebody is at a school and on a medicine at once: only of one kind there is one, as of shifts.
        others = [group for group in others if share_terms(new.groups[group], old.groups[group])]
    if _is_lacking(new.object, old.object):
        # "Plays padel with Dermot now": another thing of the same with the same people.
        is_whole = bool(new.object and old.object) and not share_terms(new.object, old.object)
        return is_whole and bool(shared) and not others and not new.is_being
    # Who buys at the market may buy clothes in charity shops.
    if (
        old.object
        and not new.object
        and not shared
        and not new.is_being
        and not _is_at_another_time(new, old)
    ):
        return False
    is_other = bool(others) or _is_at_another_time(new, old)
    return is_other and not (new.is_being and new.object != old.object)


def _is_on_fewer_days(new: Clause, old: Clause) -> bool:
    """ "Only swims on Fridays now" and "swims on Tuesdays and Fridays"."""
    days = [
        {
            day
            for value in find_values(clause.text)
            if value.sort == ValueSort.DATE
            for day in value.key.split()
        }
        for clause in (new, old)
    ]
    is_same = new.is_of_one_with(old) and new.verb == old.verb and not _is_lacking(new.object, old.object)
    return is_same and bool(days[0]) and days[0] < days[1]


def _is_at_another_time(new: Clause, old: Clause) -> bool:
    """ "Swims on Sundays now" and "swims on Saturdays"."""
    times = [
        {value.sort: value for value in find_values(clause.text) if value.sort in _TIMES}
        for clause in (new, old)
    ]
    return any(times[0][sort].is_rival_of(times[1][sort]) for sort in times[0].keys() & times[1].keys())


def _differ(some: frozenset[str], others: frozenset[str]) -> bool:
    return _is_lacking(some, others) and _is_lacking(others, some)


def _is_lacking(some: frozenset[str], others: frozenset[str]) -> bool:
    return any(not share_terms(frozenset({term}), others) for term in some)


def _gets_there_otherwise(new: Clause, old: Clause) -> bool:
    """ "Cycles to college now" and "takes the 46 bus to college"."""
    goals = new.groups.get("goal", frozenset()), old.groups.get("goal", frozenset())
    is_there = bool(goals[0]) and share_terms(*goals) and not _is_lacking(goals[0], goals[1])
    is_other = new.verb != old.verb or _differ(new.object, old.object)
    return is_there and is_other and new.verb in _TRAVEL and old.verb in _TRAVEL


def _has_another_trade(new: Clause, old: Clause) -> bool:
    """ "Ravi fits solar panels now" and "Ravi drives a school bus in Cork"; not of the user, who tells of each thing
    done."""
    is_of_another_person = "user" not in new.who and new.verb != old.verb
    is_trade = {new.verb, old.verb} <= _TRADES and bool(new.object and old.object)
    is_at_large = not (
        new.is_certain_object or old.is_certain_object or re.search(r"\bdrives? an? [A-Z]", old.text)
    )
    return is_of_another_person and is_trade and is_at_large


def _is_done_by_another(new: Clause, old: Clause) -> bool:
    """ "A childminder has the kids on Wednesdays now" and "The user's mum looks after the kids on Wednesdays"."""
    if not (new.verb in _CHARGE and old.verb in _CHARGE and new.is_certain_object and old.is_certain_object):
        return False
    days = [
        {
            day
            for value in find_values(clause.text)
            if value.sort == ValueSort.DATE
            for day in value.key.split()
        }
        for clause in (new, old)
    ]
    is_same_day = not (days[0] and days[1]) or bool(days[0] & days[1])
    return is_same_day and bool(new.object) and not _is_lacking(new.object, old.object)


def _is_moved(new: Clause, old: Clause) -> bool:
    """ "The user shifted the hives to the heather" and "The user's hives are in the orchard"."""
    goal = new.groups.get("goal") or new.groups.get("place") or frozenset()
    place = old.groups.get("place", frozenset())
    named = frozenset(extract_keywords(" ".join(old.who)))
    is_of_it = bool(new.object) and new.object == named and "user" in new.who
    return (
        is_of_it
        and new.verb in _MOVED_THERE
        and old.is_being
        and bool(goal and place)
        and _differ(goal, place)
    )


def _names_new_holder(new: str, old: str) -> bool:
    """Return whether somebody or something else has a role now of which there is one: "The user's dentist is Dr Ode
    now"."""
    for pattern in _NEW_HOLDER:
        match = pattern.match(new)
        if match is None or not (match["mark"] or match["now"] or re.search(r" (?:now|these days)$", new)):
            continue
        role = re.escape(match["role"])
        own = match["own"].strip().removesuffix("'s")
        holder = re.search(
            rf"^(?P<own>The user's |The |[A-Z][\w-]+'s ){_SAME}{role} (?:is|are)(?: called| named)? (?P<value>[^,]+)|"
            rf"^(?P<value2>[A-Z][\w-]+(?: [A-Z][\w-]+)?) is (?P<own2>the user's |the ){_SAME}{role}\b",
            old,
        )
        if holder is None:
            continue
        held = frozenset(extract_keywords(holder["value"] or holder["value2"]))
        owner = (holder["own"] or holder["own2"]).strip().removesuffix("'s").lower()
        value = frozenset(extract_keywords(match["value"]))
        return (not value or _differ(value, held)) and (owner == own.lower() or "the" in (own.lower(), owner))
    return False
