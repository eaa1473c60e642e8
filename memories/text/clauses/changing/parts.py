"""Statements that give values of several things, of which a later one changes one: "Starter is £9, Pro is £25".

"Pro is £29 now" puts the second value right and leaves the first one alone. Of which thing a value is, the words of
its own part say, and those before the first value where a part names no subject ("… until 8 pm on weekdays and until 5
pm on Saturdays"). A new statement must name the thing by its whole name, and name nothing that the old one does not;
else nobody knows whether it is of one of them. English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memories.text.clauses.changed_values import find_missing_terms, read_frame
from memories.text.clauses.changing.differences import says_difference
from memories.text.clauses.clausewise import is_of_one_owner
from memories.text.clauses.stated_values import StatedValue, ValueSort, find_values
from memories.text.clauses.wording import CHANGE_WORDS, LIGHT, is_event
from memories.text.words.tokenize import extract_keywords

_LONGEST = 400
_SPLIT = re.compile(r";|, (?!\d)| (?=(?:and|or|but|while) )")
_PERIOD = re.compile(
    r"\b(?:an?|per|each|every) (?P<period>hour|day|night|week|fortnight|month|quarter|term|year)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w'-]+|[^\w\s]")
_COPULA = frozenset("is are was were".split())
# Words that name nothing.
_NO_NAME = (LIGHT | CHANGE_WORDS) - {"shift"}
_HAN = re.compile("[\u4e00-\u9fff]")
# One thing more, or one for a while. Ordinals name things: "the second floor".
_BESIDES = re.compile(
    r"""
    \b(?:
        another | also | too | as\ well | extra | additional | other | today | tonight
        | this\ (?:week|month|weekend|once) | until | till | if | would | might | could | wants
        | (?:plan|hope|want)s?\ to | should | not | no\ longer | never
    )\b
    | n't\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "Paid users", "is paid at": no payment that happened once.
_PAID = re.compile(r"(?<!user )\bpaid\b")
# Of a thing: people pay, take and have.
_OF_THING = re.compile(r"^The user's [a-z][\w -]{1,30}? (?:is|are|costs?) ")
_OWN_SUBJECT = re.compile(r"^(?:and |but |while |or )?(?:their|the user's)\b")
_UNTIL_TIME = re.compile(r"\b(?:until|till) (?=\d|noon|midnight|half|quarter)", re.IGNORECASE)
# Of these, a statement may have several that are of different things.
_NOT_SO = re.compile(
    r"\b(?:used to|wants|if|would|might|could|was|were|(?:plan|hope|want)s? to)\b", re.IGNORECASE
)
_COUNTABLE = frozenset({ValueSort.TIME, ValueSort.NUMBER, ValueSort.CODE, ValueSort.DATE})


@dataclass(frozen=True, slots=True)
class _Part:
    """The values of one thing, with the terms before the first one and behind it.

    `names` are words that stand together and so are one name; a verb at the end is none of them.
    """

    text: str
    values: tuple[StatedValue, ...]
    before: frozenset[str]
    behind: frozenset[str]
    names: tuple[frozenset[str], ...]

    @property
    def terms(self) -> frozenset[str]:
        return self.before | self.behind


@dataclass(frozen=True, slots=True)
class Exchange:
    """The place of a value in the old statement, and the words that stand there from now on."""

    start: int
    end: int
    right: str

    def apply(self, text: str) -> str:
        return text[: self.start] + self.right + text[self.end :]


@lru_cache(maxsize=2_048)
def find_changed_part(new: str, old: str) -> tuple[Exchange, ...]:
    """The values of one thing among several of the old statement that the new one changes; none where that is not
    certain. Later places stand first, so that they can be written one after the other."""
    if (
        not _may_compare(new, old)
        or _BESIDES.search(_UNTIL_TIME.sub("", new))
        or not read_frame(new).says_changed
    ):
        return ()
    if says_difference(new) or _NOT_SO.search(old):
        return ()
    ours, theirs = find_values(new), find_values(old)
    fresh = tuple(value for value in ours if not any(value.same_as(other) for other in theirs))
    if (
        len({value.sort for value in fresh}) != 1
        or fresh[0].sort not in _COUNTABLE
        or is_event(_PAID.sub(" ", old))
    ):
        return ()
    named = frozenset(other for other in theirs if any(value.same_as(other) for value in ours))
    parts = _read_parts(old, fresh[0].sort, named)
    chosen = _choose_part(_read_part(new, 0, len(new), fresh).terms, parts) if len(parts) > 1 else None
    if chosen is None or len(chosen.values) != len(fresh) or not _is_of_one_owner(new, old, chosen, parts):
        return ()
    pairs = list(zip(fresh, chosen.values, strict=True))
    counted = frozenset(value.unit for value in parts[0].values) if not chosen.before else frozenset()
    if not all(
        mine.is_rival_of(held) and (mine.unit in counted or _have_one_unit(mine, held, new))
        for mine, held in pairs
    ):
        return ()
    return tuple(Exchange(held.start, held.end, new[mine.start : mine.end]) for mine, held in pairs[::-1])


def exchange_part(new: str, old: str) -> str:
    """The old statement with what the new one changes of it; "" where that is nothing, or not certain."""
    text = old
    for exchange in find_changed_part(new, old):
        text = exchange.apply(text)
    return "" if text == old else text


def _have_one_unit(new: StatedValue, old: StatedValue, text: str) -> bool:
    """ "Port 443" and "the port is now 8081" count the same."""
    return new.unit == old.unit or (not new.unit and old.unit in extract_keywords(text))


def _is_of_one_owner(new: str, old: str, part: _Part, parts: tuple[_Part, ...]) -> bool:
    """Return whether both are about the same somebody's: the words of a part may name another than those of the first
    one."""
    if is_of_one_owner(new, old):
        return True
    if part is parts[0]:
        return False
    if old.startswith("The user's "):
        is_own = _OWN_SUBJECT.match(part.text) or (part.before and _OF_THING.match(old))
        return bool(is_own) and new.startswith("The user's ")
    shared = parts[0].terms & (part.terms | _read_part(new, 0, len(new), ()).terms)
    return bool(part.before and shared)


@lru_cache(maxsize=2_048)
def says_more_values(new: str, old: str) -> bool:
    """Return whether the old statement gives values of several things, of which the new one leaves some out."""
    if not _may_compare(new, old):
        return False
    ours = find_values(new)
    return any(
        _leaves_out(ours, _read_parts(old, sort, frozenset())) for sort in _COUNTABLE - {ValueSort.DATE}
    )


def _leaves_out(ours: tuple[StatedValue, ...], parts: tuple[_Part, ...]) -> bool:
    held = [value for part in parts for value in part.values]
    if len(parts) < 2:
        return False
    fresh = [
        new_value
        for new_value in ours
        if new_value.sort == held[0].sort and not any(new_value.same_as(value) for value in held)
    ]
    left = [value for value in held if not any(new_value.same_as(value) for new_value in ours)]
    return len(fresh) < len(left)


def _may_compare(new: str, old: str) -> bool:
    is_short = max(len(new), len(old)) <= _LONGEST
    return is_short and not any(mark in new + old for mark in '"“[') and not _HAN.search(new + old)


def _choose_part(named: frozenset[str], parts: tuple[_Part, ...]) -> _Part | None:
    """The part of which alone the words say what it is."""
    if not named or _lack(named, frozenset(term for part in parts for term in part.terms)):
        return None
    first, *others = parts
    # "From 8 am on weekdays and from 9 am on Saturdays": what stands before the first value is said of all.
    is_headed = any(not part.before for part in others)
    named_parts = [
        part
        for part in parts
        if _is_named(part, parts, named, is_headed and part is first)
        and not any(_is_meant(other, parts, named) for other in parts if other is not part)
    ]
    return named_parts[0] if len(named_parts) == 1 else None


def _is_named(part: _Part, parts: tuple[_Part, ...], named: frozenset[str], is_headed: bool) -> bool:
    own = _get_own(part, parts)
    own = own & part.behind if is_headed else own
    touched = own - _lack(own, named)
    is_whole = not any(touched & name and _lack(name, named) for name in part.names)
    # Of the first part all must be there: its subject may be that of the others.
    if part is parts[0]:
        return bool(touched) and is_whole and not _lack(own & _join_names(part.names), named)
    # "The cafe now opens" has a word of "the shop opens", and so says all that "the cafe closes" does not share.
    others = [_get_own(other, parts) for other in parts if other is not part]
    is_mixed = any(own_of_other - _lack(own_of_other, named) for own_of_other in others)
    return bool(touched) and is_whole and not (is_mixed and _lack(own, named))


def _is_meant(other: _Part, parts: tuple[_Part, ...], named: frozenset[str]) -> bool:
    """Return whether anything that only this part has is named; of the subject of the first one, all of it."""
    own = _get_own(other, parts)
    if other is not parts[0]:
        return bool(own - _lack(own, named))
    behind = own & other.behind
    return bool(behind - _lack(behind, named)) or (bool(own) and not _lack(own, named))


def _get_own(part: _Part, parts: tuple[_Part, ...]) -> frozenset[str]:
    return _lack(part.terms, frozenset(term for other in parts if other is not part for term in other.terms))


def _join_names(names: tuple[frozenset[str], ...]) -> frozenset[str]:
    return frozenset(term for name in names for term in name)


def _lack(some: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    return find_missing_terms(some, others)


@lru_cache(maxsize=2_048)
def _read_parts(text: str, sort: ValueSort, names: frozenset[StatedValue]) -> tuple[_Part, ...]:
    """The parts of the text that have values of this sort, with what stands beside them; `names` are none: "bus 47"."""
    values = [value for value in find_values(text) if value.sort == sort and value not in names]
    cuts = [*(match.start() for match in _SPLIT.finditer(text)), len(text)]
    spans: list[tuple[int, int]] = []
    start = begin = 0
    for end in cuts:
        if any(begin <= value.start < end for value in values):
            spans.append((start, end))
            start = end
        elif spans:
            spans[-1] = (spans[-1][0], end)
            start = end
        begin = end
    return tuple(
        _read_part(text, start, end, tuple(value for value in values if start <= value.start < end))
        for start, end in spans
    )


def _read_part(text: str, start: int, end: int, values: tuple[StatedValue, ...]) -> _Part:
    """The words of a part, but for these values; other values are words, too: "bus 47", "on Saturdays"."""
    before: set[str] = set()
    behind: set[str] = set()
    names: list[frozenset[str]] = []
    run: list[str] = []
    last = ""
    for at, word, terms in _iterate_words(text, start, end, values):
        if terms and not terms[0].startswith("·"):
            run += terms
        elif run:
            is_verb = (
                bool(values)
                and at < values[0].end
                and last.endswith("s")
                and word not in _COPULA
                and len(run) > 1
            )
            names.append(frozenset(run[:-1] if is_verb else run))
            run = []
        (before if not values or at < values[0].start else behind).update(terms)
        last = word
    return _Part(
        text[start:end].strip(" ,;"), values, frozenset(before), frozenset(behind), (*names, frozenset(run))
    )


def _iterate_words(
    text: str, start: int, end: int, values: tuple[StatedValue, ...]
) -> Iterator[tuple[int, str, list[str]]]:
    """Each word with its place and its terms; none of light words, of signs, and of the values themselves."""
    others = {value.start: value for value in find_values(text) if value not in values}
    periods = {match.start(): match for match in _PERIOD.finditer(text, start, end)}
    at = start
    while token := _WORD.search(text, at, end):
        place, at = token.start(), token.end()
        if value := next((value for value in values if value.start <= place < value.end), None):
            at = max(at, value.end)
            yield place, "", []
        elif other := others.get(place):
            at = max(at, other.end)
            yield place, text[place:at], [f"·{other.key.rstrip('s')}"]
        elif period := periods.get(place):
            at = period.end()
            yield place, period[0], [f"·{period['period'].lower()}"]
        else:
            yield place, token[0], [term for term in extract_keywords(token[0]) if term not in _NO_NAME]
