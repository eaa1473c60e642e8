"""Which memories a later statement ends, where no slot tells: "gave up the van" ends "sells cheese from a van".

"Moved to the night shift" takes the place of "works by day". The thing must be the same by its words; what is doubtful
stays.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memories.consolidation.ends.called_off import is_on_again
from memories.consolidation.ends.changed_topics import is_of_changed_topic
from memories.consolidation.ends.departures import has_parted
from memories.consolidation.ends.discontinued_things import is_gone
from memories.consolidation.ends.ended_by_name import is_over_by_name
from memories.consolidation.ends.life_events import is_past_by_turn
from memories.consolidation.ends.other_values import has_other_value
from memories.consolidation.ends.phrases.deaths import has_died
from memories.consolidation.ends.phrases.disposals import is_disposed_of
from memories.consolidation.ends.phrases.idioms import is_over_by_idiom
from memories.consolidation.ends.phrases.removals import was_removed
from memories.consolidation.ends.phrases.sayings import is_past_by_saying
from memories.consolidation.ends.settled import is_settled
from memories.consolidation.ends.successors import is_place_taken
from memories.text.clauses.changing import ends
from memories.text.clauses.changing.habits import BESIDES, NOT_HELD, NOW, PASSING
from memories.text.clauses.clausewise import get_words
from memories.text.clauses.stated_values import ValueSort, find_values
from memories.text.clauses.wording import is_event, is_one_stem
from memories.text.en.verb_forms import find_base_of_past
from memories.text.slots.registry import join_relation_words
from memories.text.words.tokenize import extract_keywords

_PERSONS = (
    (
        re.compile(r"^(?:So |And |But |Well,? |Oh,? )*(?:I've|I have|We've|We have)\b", re.IGNORECASE),
        "The user has",
    ),
    (
        re.compile(r"^(?:So |And |But |Well,? |Oh,? )*(?:I'm|I am|We're|We are)\b", re.IGNORECASE),
        "The user is",
    ),
    (re.compile(r"^(?:So |And |But |Well,? |Oh,? )*(?:I|We)\b(?!')", re.IGNORECASE), "The user"),
    (re.compile(r"^(?:So |And |But |Well,? |Oh,? )*(?:My|Our)\b"), "The user's"),
    (re.compile(r"\band I\b"), "and the user"),
    (re.compile(r"\b(?:me|us)\b"), "the user"),
    (re.compile(r"\b(?:my|our)\b"), "their"),
)
# "Had to pull out of Chester": people leave themselves out.
_WITHOUT_SUBJECT = re.compile(
    r"""
    ^(?:
        Had(?!\ (?:I|you|we|he|she|it|they)\b) | Sold | Quit | Gave\ up | Pulled\ out | Dropped\ out
        | Ditched | Cancelled | Stopped | Started | Switched | Swapped | Went\ back
    )\b
    """,
    re.VERBOSE,
)
_FIRST_PAST = re.compile(
    r"^(?P<verb>[A-Z][a-z]{2,})(?= (?:(?:up|off|out|in|back|away|down) )?(?:my|our|the|from|on|with|it)\b)"
)
_DENIED_WITHOUT_SUBJECT = re.compile(
    r"""
    ^(?:(?P<has>Haven['’]t|Have\ not)|(?P<did>Didn['’]t|Did\ not))
    (?!\ (?:I|you|we|he|she|it|they|that|the|my)\b)
    | ^Not\ (?=(?:had|touched|been|smoked|drunk|used)\ )
    """,
    re.VERBOSE,
)
_LIGHT_EN = frozenset("new another different other bigger smaller better".split())
# What the word before them says as well.
_LIGHT_HEADS_EN = frozenset(
    "shift shifts class classes lesson lessons session sessions course courses appointments duty work stuff".split()
)
_BARE_END = re.compile(r"(?: now)?(?:[.,;!]|$)")
_LEAST_SUFFIX = 6
# "Has got a lodger" is "has a lodger".
_HAS_GOT = re.compile(r"(?:(?<=\bhas)|(?<=\bhave)) got(?= (?:an?|the|their|two|three|four|\d+)\b)")
_BEHIND_COMMA = re.compile(r", (?:mostly|mainly|usually|often|sometimes|partly|plus|with|including) .*$")
_RESULT = re.compile(r",? so (?P<said>the user(?!'s\b) .+)$")
_KIN = join_relation_words("en")


_ENDS = (
    is_over_by_name,
    is_gone,
    has_other_value,
    has_parted,
    has_died,
    was_removed,
    is_disposed_of,
    is_past_by_saying,
    is_over_by_idiom,
    is_place_taken,
    is_settled,
    is_on_again,
)


def is_outdated(new: str, old: str) -> bool:
    """Return whether the new statement says that what the old one tells is over, or holds otherwise now; both are
    English."""
    old = _HAS_GOT.sub("", old)
    return any(_is_over_by(clause, old) for clause in _find_statements(rewrite_in_third_person(new)))


@lru_cache(maxsize=512)
def _find_statements(new: str) -> tuple[str, ...]:
    """The whole, and what follows from its first clause: "New bikes, so the user has got rid of the caravan"."""
    result = _RESULT.search(new)
    if result is None or PASSING.search(new) or _is_quoted(new):
        return (new,)
    return new, f"T{result['said'][1:]}"


def _is_over_by(new: str, old: str) -> bool:
    if any(is_over(new, old) for is_over in _ENDS):
        return True
    if not _is_quoted(old) and (is_past_by_turn(new, old) or is_of_changed_topic(new, old)):
        return True
    if _is_quoted(new + old) or NOT_HELD.search(old) or is_event(old):
        return False
    if _names_what_ended(new, old) or _names_what_is_finished(new, old) or _is_handed_over(new, old):
        return True
    if _names_what_is_paid_or_allowed(new, old):
        return True
    return _is_of_changed_kind(new, old) or _is_on_another(new, old)


def _is_quoted(text: str) -> bool:
    return any(mark in text for mark in '"“[')


# A bus or a class that is cancelled takes place again.
_IS_ONE_OF_MANY = re.compile(
    r"""
    \b(?:bus|train|tram|ferry|flight|class|lesson|session|rehearsal|practice|training|service|appointment)
    \ (?:was\ |is\ |has\ |got\ |been\ ){1,3}cancelled$
    """,
    re.VERBOSE,
)


def _names_what_ended(new: str, old: str) -> bool:
    return any(
        _holds_what_ended(match, old)
        for match in _find_ends(new)
        # Who is taken off nights still drinks wine most nights.
        if not (match.re is ends.TAKEN_OFF and match["what"] in _SHIFTS) or _ON_SHIFT.search(old)
    )


_SHIFTS = frozenset("nights days earlies lates mornings afternoons evenings".split())
_ON_SHIFT = re.compile(r"\b(?:works?|working|shifts?|is on|does)\b")


# Each statement meets several older ones.
@lru_cache(maxsize=512)
def _find_ends(new: str) -> tuple[re.Match[str], ...]:
    if ends.PASSING.search(new):
        return ()
    matches = [
        pattern.match(new) for pattern in (*ends.ENDED, *ends.EXCHANGED, ends.NOT_SINCE, ends.NOT_HAD_SINCE)
    ]
    matches += [pattern.search(new) for pattern in (ends.TAKEN_OFF, *ends.NO_MORE)]
    in_place = ends.IN_PLACE.match(new)
    # "Swims instead of running" may be so this week only: what is done has to be said of now.
    if in_place and not (
        in_place["what"].endswith("ing")
        and not (NOW.search(new.replace("instead of", "")) or ends.TAKEN_UP.search(new))
    ):
        matches.append(in_place)
    return tuple(match for match in matches if match and not _IS_ONE_OF_MANY.search(match[0]))


def _names_what_is_paid_or_allowed(new: str, old: str) -> bool:
    """Return whether a debt is paid, a place left for another by name, or what was not possible is possible again."""
    paid = next((match for pattern in ends.PAID_OFF if (match := pattern.match(new))), None)
    if paid and ends.PAYS.search(old) and _holds_what_ended(paid, old):
        return True
    if (left := ends.AND_NOT.match(new)) and _holds_what_ended(left, old):
        return True
    lost = ends.LOST_PLACE.match(new)
    if lost and re.search(r" (?:is|sits|serves) (?:on|in|at|with) ", old) and _holds_what_ended(lost, old):
        return True
    if _is_done_no_more(new, old):
        return True
    moved, at = ends.MOVED_TO_NAME.match(new), ends.BELONGS_AT.search(old)
    if moved and at and ends.INSTITUTION.search(moved["place"]) and _is_about(moved["who"], old):
        return moved["place"] not in old and at["place"] not in moved["place"]
    again = ends.CAN_AGAIN.match(new)
    if again is None or not _is_about(again["who"], old):
        return False
    return (
        re.search(rf" (?:cannot|can not|is not allowed to|may not) {re.escape(again['action'])}\b", old)
        is not None
    )


def _is_done_no_more(new: str, old: str) -> bool:
    """Return whether something has not been done since some day, a couple has parted, or another train is taken now."""
    stopped = ends.NOT_DONE_SINCE.match(new)
    if stopped and _is_about(stopped["who"], old):
        return any(
            extract_keywords(word) == extract_keywords(stopped["action"])
            for word in re.findall(r"[a-z]+s\b", old)
        )
    parted = ends.PARTED_WITH.match(new)
    if parted and _is_about(parted["who"], old):
        return parted["name"] in old and ends.COUPLE.search(old) is not None
    catches, caught = ends.CATCHES.match(new), ends.CATCHES.match(old)
    is_now = NOW.search(new) is not None and not BESIDES.search(new) and not PASSING.search(new)
    return bool(
        catches and caught and is_now and catches["who"] == caught["who"] and catches["at"] != caught["at"]
    )


def _names_what_is_finished(new: str, old: str) -> bool:
    finished = ends.FINISHED.match(new)
    if finished and ends.IN_PROGRESS.search(old) and _holds_what_ended(finished, old):
        return True
    left = ends.LEFT_HOME.match(new)
    if left and re.search(rf"\b{re.escape(left['who'])}\b", old):
        return old.startswith("The user") and ends.SHARES_HOME.search(old) is not None
    to_unit = ends.TO_UNIT.match(new)
    return bool(to_unit and ends.UNIT.match(old) and to_unit["what"].split()[-1] not in old)


def _is_handed_over(new: str, old: str) -> bool:
    """Return whether the older statement says that somebody is in charge of what another has now."""
    handed, taken = _find_transfer(new)
    if not (handed or taken) or not ends.IN_CHARGE.search(old):
        return False
    if handed:
        return _holds_what_ended(handed, old)
    if taken is None or not (taken["from"] or taken["who"] != "The user"):
        return False
    thing = taken["thing"] or taken["thing2"] or taken["role"] or ""
    holder = (taken["from"] or "The user").replace("the user", "The user")
    is_of_holder = _is_about(holder, old) and not (taken["who"] == "The user" and holder == "The user")
    return is_of_holder and bool(thing) and set(extract_keywords(thing)) <= set(extract_keywords(old))


@lru_cache(maxsize=512)
def _find_transfer(new: str) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    return ends.HANDED_OVER.match(new), ends.TAKEN_OVER.match(new)


def _is_of_changed_kind(new: str, old: str) -> bool:
    changed = ends.CHANGED_KIND.match(new)
    if changed is None or not _is_about(changed["who"].removesuffix("'s"), old):
        return False
    if changed["what"] in ends.SCHOOLS and ends.ATTENDS.search(old):
        return True
    return any(_is_of_kind(changed["what"][:-1], word) for word in re.findall(r"[a-z'-]+", old.lower()))


def _is_on_another(new: str, old: str) -> bool:
    """Return whether the user has gone over to another thing of a kind: "the night shift" of "works the day shift"."""
    if match := _find_instead_of_one(new):
        words = old.lower().split()
        return old.startswith("The user") and match["mark"] in words and match["kind"] in old.lower()
    moved = _find_other_of_kind(new)
    is_of_user = re.search(rf"[Tt]he user(?!'s (?:{_KIN})\b)", new) is not None and old.startswith("The user")
    if moved is None or not is_of_user or ends.NO_STATE.search(old):
        return False
    if any(value.sort in {ValueSort.DATE, ValueSort.TIME} for value in find_values(moved["what"])):
        return False  # "10 May" is no other kind of May
    *modifiers, head = moved["what"].lower().split()
    if head[0].isdigit() and modifiers:  # "plot 22" is another plot than "plot 14"
        modifiers, head = [head], modifiers[-1]
    words = re.findall(r"[a-z0-9':-]+", old.lower())
    kinds = [word for word in words if _is_of_kind(head, word)]
    marks = [word for word in modifiers if word not in _LIGHT_EN]
    return bool(kinds and marks) and not set(marks) <= set(words)


@lru_cache(maxsize=512)
def _find_other_of_kind(new: str) -> re.Match[str] | None:
    uses = ends.USES_NOW.match(new) if not (BESIDES.search(new) or PASSING.search(new)) else None
    return uses or ends.MOVED.search(new)


@lru_cache(maxsize=512)
def _find_instead_of_one(new: str) -> re.Match[str] | None:
    return ends.INSTEAD_OF_ONE.search(new)


@lru_cache(maxsize=2_048)
def rewrite_in_third_person(text: str) -> str:
    """Return what a quotation says, in the third person; any other text as it is."""
    statement = get_words(text)
    if statement is text:
        return text
    statement = _WITHOUT_SUBJECT.sub(lambda match: f"The user {match[0].lower()}", statement)
    statement = _FIRST_PAST.sub(_add_subject, statement)
    statement = _DENIED_WITHOUT_SUBJECT.sub(
        lambda match: (
            "The user did not" if match["did"] else f"The user has not{'' if match['has'] else ' '}"
        ),
        statement,
    )
    for first, third in _PERSONS:
        statement = first.sub(third, statement)
    return statement[:1].upper() + statement[1:]


def _add_subject(match: re.Match[str]) -> str:
    verb = match["verb"].lower()
    return f"The user {verb}" if find_base_of_past(verb) else match[0]


def _holds_what_ended(ended: re.Match[str], old: str) -> bool:
    """Return whether the older statement has the thing and is about the same person, or is about the thing by its
    name."""
    named = ended.groupdict()
    what = next(filter(None, (named.get(name) for name in ("what", "what2", "what3"))))
    who = named.get("who") or "The user"
    if what[0].isupper() and re.match(rf"{re.escape(what)}\b", old):
        return True
    is_thing = re.match(rf"(?:The )?{re.escape(what)} (?:is|takes place|runs)\b", old, re.IGNORECASE)
    if who.lower() == "the user" and is_thing:  # "No more dialysis" of "Dialysis is on Mondays"
        return ended.re in ends.NO_MORE and _BARE_END.match(ended.string, ended.end()) is not None
    if not _is_about(who, old):
        return False
    if what[0].isupper():
        return re.search(rf"\b{re.escape(what)}\b", old) is not None
    *modifiers, thing = what.lower().split()
    if modifiers and thing in _LIGHT_HEADS_EN:  # "night shifts" are "nights"
        *modifiers, thing = modifiers
    # "Is a locksmith with a van, mostly call-outs": the locksmith stays, though the call-outs are over.
    words = re.findall(r"[a-z'-]+", _BEHIND_COMMA.sub("", old.lower()))
    is_named = any(_is_of_kind(thing, word) for word in words)
    return is_named and set(extract_keywords(" ".join(modifiers))) <= set(extract_keywords(old))


def _is_about(who: str, old: str) -> bool:
    """Return whether the older statement is about that person: "Agnes" may be "The user's daughter Agnes" there."""
    if who.lower() in {"the user", "the user and others"}:
        return re.match(rf"The user(?: |'s (?!(?:{_KIN})\b))", old) is not None
    return bool(re.match(rf"(?:The user's [\w-]+ )?{re.escape(who)}(?: [A-Z][\w'-]+)? ", old))


def _is_of_kind(head: str, word: str) -> bool:
    """The same noun, or one that is made of it: "dialysis", "haemodialysis"."""
    stems = extract_keywords(head), extract_keywords(word)
    is_same = bool(stems[0]) and stems[0] == stems[1]
    is_made_of = len(head) >= _LEAST_SUFFIX and word.endswith(head)
    return is_same or is_made_of or (bool(stems[0] and stems[1]) and is_one_stem(stems[0][0], stems[1][0]))
