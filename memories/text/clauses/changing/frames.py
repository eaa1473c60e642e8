"""A clause in the third person taken apart: of whom it tells, what they do, to what, and where, when or with whom.

Reads what the engine writes ("The user's dog Bracken sleeps in the kennel"), clause by clause and without a parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memories.text.clauses.stated_values import ValueSort, find_values
from memories.text.clauses.wording import is_one_stem
from memories.text.words.tokenize import extract_keywords

_LONGEST = 400
_SPLIT = re.compile(
    r"""
    [;:] | \.(?=\ |$) | ,\ (?!\d)(?:and\ |but\ |so\ )?
    | (?:\ and|\ but|\ so|\ because)(?=\ (?:the\ user|he|she|they|it|[A-Z][\w'-]+)\ )
    """,
    re.VERBOSE,
)
_ADVERBS = (
    r"(?:(?:now|currently|still|just|only|mostly|usually|always|normally|often|generally|mainly|recently)\ )*"
)
_SUBJECT = re.compile(
    rf"""
    ^(?P<who>[Tt]he\ user(?:\ and\ [\w ]{{2,20}}?)?)\ {_ADVERBS}(?P<verb>[a-z]+(?:'[a-z]+)?)\b
    | ^(?P<who2>(?:[Tt]he\ user's|[Tt]he(?!\ user)|[Aa]n?
        |[Tt]heir)\ (?:[\w'-]+\ ){{1,4}}?){_ADVERBS}(?P<verb2>is|are|has|have|does|[a-z]+(?<![su])s)\b
    | ^(?P<who3>(?:[A-Z][\w-]+'s\ (?:[a-z-]+\ ){{1,2}}
        |[A-Z][\w-]+\ (?:[A-Z][\w-]+\ )?)){_ADVERBS}(?P<verb3>is|are|has|have|does|[a-z]+(?<![su])s)\b
    """,
    re.VERBOSE,
)
# Prepositions that answer one question stand in one group: of each, something has one answer at a time.
_GROUPS = {
    "place": "in at on inside outside near behind under beside above below by opposite along",
    "goal": "to into onto",
    "company": "with",
    "source": "from",
}
_GROUP_OF = {word: group for group, words in _GROUPS.items() for word in words.split()}
_WHERE = frozenset("indoors outdoors upstairs downstairs inside outside".split())
_PARTS = re.compile(rf" (?=(?:{'|'.join(_GROUP_OF)})\b)|(?<!^)\b(?=(?:{'|'.join(_WHERE)})\b)| (?=for\b)")

_DOING = re.compile(r" (?:also |still |just |only |now )*(?P<verb>[a-z]{2,}ing)\b")
_DONE = re.compile(
    r" (?:also |finally |just |now |recently )*(?P<verb>[a-z]{2,}ed|put|taken|brought|kept|gone)\b"
)
_BEEN = re.compile(r" (?:also |always |now |only )*been\b(?! [a-z]+(?:ing|ed)\b)")
_CERTAIN = re.compile(r" ?(?:after |care of |charge of )?(?:the|their|his|her|all)\b")
_TIME_WORDS = re.compile(
    r"\b(?:now|nowadays|these days|instead|from now on|since \w+|again|for good|(?:every|each|this|last) \w+)\b"
)
_SEASON = re.compile(
    r"""
    \b(?:in|at|on|during)\ (?:the\ )?(?P<when>
        mornings? | evenings? | afternoons? | nights? | weekends? | weekdays? | summer | winter | spring
        | autumn | term | holidays
    )\b(?!\ (?:shift|bus|train|class|room|school))
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """`who` are the words that name the subject, owners with their "'s"; `groups` the terms of where, to where, with
    whom and from where. Times stand in none of them; `season` are those that a clause is limited to."""

    text: str
    who: frozenset[str]
    verb: str
    is_being: bool
    object: frozenset[str]
    is_certain_object: bool
    groups: dict[str, frozenset[str]]
    season: frozenset[str]

    def is_of_one_with(self, other: Clause) -> bool:
        """Return whether both tell of the same subject: "Nell" may be "Baby Nell" there, but no "sister's Nell"."""
        is_same_owner = {word for word in self.who ^ other.who if word.endswith(("'s", "s'"))} == set()
        return (
            is_same_owner and bool(self.who & other.who) and (self.who <= other.who or other.who <= self.who)
        )


@lru_cache(maxsize=4_096)
def read_clauses(text: str) -> tuple[Clause, ...]:
    """The clauses that name their subject; none for a text that is longer than a statement."""
    return tuple(_iterate_clauses(text)) if len(text) <= _LONGEST else ()


def _iterate_clauses(text: str) -> Iterator[Clause]:
    for part in _SPLIT.split(text):
        clause_text = part.strip(" .!")
        match = _SUBJECT.match(clause_text[:1].upper() + clause_text[1:])
        if match is None:
            continue
        who = match["who"] or match["who2"] or match["who3"]
        verb = match["verb"] or match["verb2"] or match["verb3"]
        yield _read_clause(clause_text, who, verb, clause_text[match.end() :])


def _read_clause(text: str, who: str, verb: str, rest: str) -> Clause:
    if verb in {"has", "have"} and (been := _BEEN.match(rest)):  # "has been at Acme since May" is at Acme
        verb, rest = "is", rest[been.end() :]
    is_being = verb in {"is", "are"}
    inner = _DOING if is_being else _DONE if verb in {"has", "have"} else None
    if inner and (doing := inner.match(rest)):
        verb, rest, is_being = doing["verb"], rest[doing.end() :], False
    bare = _remove_times(rest)
    first, *others = _PARTS.split(bare)
    groups: dict[str, frozenset[str]] = {}
    for other in others:
        word, _, behind = other.strip().partition(" ")
        group = "place" if word in _WHERE else _GROUP_OF.get(word, "")
        terms = frozenset(extract_keywords(other if word in _WHERE else behind))
        if group and terms:
            groups[group] = groups.get(group, frozenset()) | terms
    return Clause(
        text,
        _name_subject(who),
        "".join(extract_keywords(verb)[:1]) or verb,
        is_being,
        frozenset(extract_keywords(first)),
        _CERTAIN.match(first) is not None,
        groups,
        frozenset(_SEASON.findall(rest)),
    )


def _remove_times(text: str) -> str:
    kept, at = [], 0
    for value in find_values(text):
        if value.sort in {ValueSort.TIME, ValueSort.DATE, ValueSort.FREQUENCY}:
            kept.append(re.sub(r" (?:at|on|in|from|since|until)(?: the)? ?$", " ", text[at : value.start]))
            at = value.end
    bare = " ".join([*kept, text[at:]])
    return _SEASON.sub(" ", _TIME_WORDS.sub(" ", bare))


def _name_subject(who: str) -> frozenset[str]:
    words = who.lower().split()
    if words[:2] == ["the", "user"]:
        return frozenset({"user"})
    return frozenset(word for word in words if word not in {"the", "a", "an", "their", "user's", "new"})


_INSTEAD = re.compile(r"\b(?:from now on|instead|no longer|moved|switched)\b")


def is_on_other_day_elsewhere(new: Clause, old: Clause) -> bool:
    """Return whether the user does the same at another place on another day: one job or class beside the other.

    What has one place and one day ("Choir is at the hall on Tuesdays") moves with both.
    """
    places = new.groups.get("place", frozenset()), old.groups.get("place", frozenset())
    is_elsewhere = bool(places[0] and places[1]) and not share_terms(*places)
    is_of_user = "user" in new.who and not new.is_being and new.verb == old.verb
    days = [
        [value for value in find_values(clause.text) if value.sort == ValueSort.DATE] for clause in (new, old)
    ]
    is_another_day = bool(days[0] and days[1]) and not any(
        value.same_as(other) for value in days[0] for other in days[1]
    )
    return is_of_user and is_elsewhere and is_another_day and not _INSTEAD.search(new.text)


# What a value is of ends where something is said of it.
_SUBJECT_END = re.compile(
    r"""
    \b(?:
        is | are | was | were | now | has | have | costs? | takes? | lasts? | pays? | charges? | opens?
        | closes? | starts? | begins? | ends? | runs? | went | goes | moved | changed | rose | fell
    )\b
    """,
    re.VERBOSE,
)
_PHRASE = re.compile(r"\b(?P<at>at|in|on|to|from|of|for) (?P<what>(?:[\w'-]+ ?){1,4})")
# "Bus 47", "version 3 of the API": the number is its name.
_NUMBERED = re.compile(r"^(?:The (?!user\b))?(?P<kind>[A-Za-z]+) (?P<number>\d[\w.]*|[A-Z]\d*)(?= [a-z])")
_WEEKEND = re.compile(r"\b(?:saturdays?|sundays?|weekends?)\b", re.IGNORECASE)
_WEEKDAY = re.compile(r"\b(?:weekdays?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?)\b", re.IGNORECASE)


@lru_cache(maxsize=2_048)
def are_of_other_cases(new: str, old: str) -> bool:
    """Return whether each gives a value for a case of its own: parking at the station and at the airport, opening hours
    in summer and in winter, a limit for free users and one for paid ones."""
    if max(len(new), len(old)) > _LONGEST or _INSTEAD.search(new):
        return False
    seasons = [
        frozenset(season.rstrip("s") for season in _SEASON.findall(text)) - {"weekend", "weekday"}
        for text in (new, old)
    ]
    if seasons[0] and seasons[1] and not seasons[0] & seasons[1]:
        return True
    for days, rest in ((_WEEKEND, _WEEKDAY), (_WEEKDAY, _WEEKEND)):
        if days.search(new) and not rest.search(new) and rest.search(old) and not days.search(old):
            return True
    numbered = [_NUMBERED.match(text) for text in (new, old)]
    if numbered[0] and numbered[1] and numbered[0]["kind"].lower() == numbered[1]["kind"].lower():
        return numbered[0]["number"] != numbered[1]["number"]
    ours, theirs = (_list_phrases(text) for text in (new, old))
    return any(_name_others(ours[word], theirs[word], word) for word in ours.keys() & theirs.keys())


def _name_others(some: frozenset[str], others: frozenset[str], word: str) -> bool:
    if word == "for":  # "for free users", "for paid users"
        return any(not share_terms(frozenset({term}), others) for term in some) and any(
            not share_terms(frozenset({term}), some) for term in others
        )
    return not share_terms(some, others)


def _list_phrases(text: str) -> dict[str, frozenset[str]]:
    """The terms of the phrases that say of which thing a value is, by their prepositions."""
    end = _SUBJECT_END.search(text)
    phrases: dict[str, frozenset[str]] = {}
    for match in _PHRASE.finditer(text):
        is_in_subject = end is not None and match.start() < end.start()
        what = (
            match["what"]
            if not is_in_subject or end is None
            else text[match.start("what") : min(match.end(), end.start())]
        )
        if not (is_in_subject or match["at"] == "for") or any(
            value.start == 0 for value in find_values(what)
        ):
            continue
        terms = frozenset(extract_keywords(re.split(r" (?:on|at|in|from|to|with|is|and|since)\b", what)[0]))
        phrases[match["at"]] = phrases.get(match["at"], frozenset()) | terms
    return {word: terms for word, terms in phrases.items() if terms}


def share_terms(some: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether any of them is in both, if only with another ending."""
    return any(term == other or is_one_stem(term, other) for term in some for other in others)
