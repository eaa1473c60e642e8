"""Compare two statements: the same, one says more, or another value of the same thing.

A model's closeness alone cannot tell: "runs on 3 March" and "runs on 5 March" lie nearer to each other than most
paraphrases. So words decide, and closeness guards them. Closeness is 1 for equal texts and 0 for what two texts
have in common by chance (`engine/calibration/background_similarity.py`). Measured on 70 pairs with the local model:

    the same in other words            0.79 .. 0.98   lives in Porto / is living in Porto, Portugal: 0.92
    one says more than the other       0.59 .. 0.92   has a dog / has a dog called Rex: 0.59
    one word swapped, same meaning     0.91 .. 0.99   怕高 / 恐高: 0.91
    one word swapped, other meaning    0.49 .. 0.83   wakes up early / late: 0.83
    other number or date              0.68 .. 0.95   5 km on 3 March / on 5 March: 0.95
    related, unrelated                -0.31 .. 0.59   planning a trip to Rome / reading a book about Rome: 0.59
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import combinations

from memories.models import Memory
from memories.text.clauses.changed_values import (
    counts_the_same,
    find_missing_terms,
    has_new_value,
    read_frame,
)
from memories.text.clauses.changing.differences import says_difference
from memories.text.clauses.changing.frames import are_of_other_cases
from memories.text.clauses.changing.parts import find_changed_part, says_more_values
from memories.text.clauses.changing.parts_chinese import exchange_part_chinese, says_more_values_chinese
from memories.text.clauses.clausewise import says_new_value
from memories.text.clauses.corrections import correct_text
from memories.text.clauses.wording import SentenceWording, read_wordings
from memories.text.content import hash_content
from memories.text.slots.registry import load_relations
from memories.text.words.tokenize import extract_keywords
from memories.text.zh.script import to_simplified
from memories.values import Draft, MemoryKind

SAME_FROM = 0.75
PART_FROM = 0.50
CHANGED_FROM = 0.45
# An opposite may be put in quite other words ("stopped drinking coffee": 0.38); its terms must all be there.
OPPOSITE_FROM = 0.35
# Where the words say themselves that something changed or is over, closeness only keeps out what has nothing to do
# with it ("gave up coffee long ago", "drinks coffee every morning": 0.22).
SAYS_CHANGED_FROM = 0.15
# What is denied lies further off ("does not play squash any more": 0.08); all of its terms must be there.
ENDS_FROM = 0.0
# With a word swapped for another, no opposite came this close, and no synonym stayed below.
SWAPPED_FROM = 0.90
# "The user's X is ..." may say two things of one X: only values of the same sort come this close.
ATTRIBUTE_FROM = 0.65


_LIKING = re.compile(r"\b(?:likes?|loves?|enjoys?|prefers?|fan)\b|喜欢|喜爱|热爱|爱(?!人|好)|偏好")


_KIN = "|".join(sorted(map(re.escape, load_relations()), key=len, reverse=True))
_SOMEBODY = re.compile(
    rf"The user's (?P<kin>{_KIN})\b|用户的(?P<zh>{_KIN})"
    r"|(?!The\b)(?P<name>[A-Z][a-z]+) (?=pays|earns|has|gets|works|lives|owes)"
)


_WAS = re.compile(r"\b(?:was|were|had|did|could|used to|\w{3,}ed)\b")
_HAN = re.compile("[\u4e00-\u9fff]")


class Similarity(StrEnum):
    """Relation of a new statement to an old one."""

    SAME = "same"
    PART = "part"  # the old one says it, and more
    WHOLE = "whole"  # it says what the old one says, and more
    CHANGED = "changed"  # the same thing with another value, or the opposite
    DIFFERENT = "different"

    @property
    def says_the_same(self) -> bool:
        return self in {Similarity.SAME, Similarity.PART, Similarity.WHOLE}


@dataclass(frozen=True, slots=True)
class ComparedText:
    """One text that is compared. `day` is when a one-time event happened, as far as anybody knows."""

    text: str
    day: str = ""


def compare_statements(
    new: ComparedText, old: ComparedText, closeness: float, *, of_one_state: bool = False
) -> Similarity:
    """`closeness`: see `Embedded.compute_closeness`, at most 1.

    `of_one_state`: both describe the same state, whose name need not be found out from the words.
    """
    new, old = _simplify_statement(new), _simplify_statement(old)
    ours, theirs = _read_wordings(new.text), _read_wordings(old.text)
    is_same_day = new.day == old.day
    if len(ours) == len(theirs) == 1:
        similarity = _compare_wordings(ours[0], theirs[0], closeness, is_same_day, of_one_state)
        if not of_one_state and _changes_a_part(new.text, old.text, closeness):
            return Similarity.CHANGED
        if similarity == Similarity.CHANGED and not of_one_state and _is_of_another(new.text, old.text):
            return Similarity.DIFFERENT
        is_new_value = similarity == Similarity.DIFFERENT and _gives_new_value(new, old, closeness)
        if (
            not of_one_state
            and (is_new_value or similarity == Similarity.CHANGED)
            and _is_of_something_else(new.text, old.text)
        ):
            return Similarity.DIFFERENT
        return Similarity.CHANGED if is_new_value else similarity
    is_part = _is_all_among(ours, theirs, closeness, is_same_day)
    is_whole = _is_all_among(theirs, ours, closeness, is_same_day)
    if is_part and is_whole:
        return Similarity.SAME
    if is_part or is_whole:
        return Similarity.PART if is_part else Similarity.WHOLE
    return Similarity.DIFFERENT


def _is_of_another(new: str, old: str) -> bool:
    """Return whether a value is given of the user in one and of somebody else in the other, whom that does not
    mention."""
    matches = [match for text in (new, old) if (match := _SOMEBODY.match(text))]
    owners = [(match["kin"] or match["zh"] or match["name"]).casefold() for match in matches]
    is_of_one = all(who in new.casefold() and who in old.casefold() for who in owners)
    return not is_of_one and has_new_value(new, old)


def _changes_a_part(new: str, old: str, closeness: float) -> bool:
    """Return whether the new one changes one of several values of the old one, which keeps the others."""
    is_near = closeness >= SAYS_CHANGED_FROM
    return is_near and bool(find_changed_part(new, old) or exchange_part_chinese(new, old))


def _is_of_something_else(new: str, old: str) -> bool:
    """Return whether a new value is one for another case, or the old one gives more values than could be kept."""
    if _read_wordings(new)[0].is_negative:
        return False
    if not _HAN.search(new) and are_of_other_cases(new, old):
        return True
    says_more = says_more_values(new, old) or says_more_values_chinese(new, old)
    return says_more and not correct_text(old, Draft(MemoryKind.FACT, new, "", (0,), 1.0))


def _gives_new_value(new: ComparedText, old: ComparedText, closeness: float) -> bool:
    """One clause of the new one says that what a clause of the old one values has another value now."""
    is_value = closeness >= SAYS_CHANGED_FROM and not says_difference(new.text)
    return is_value and says_new_value(new.text, old.text)


def may_be_of_several(new: str, olds: Sequence[str]) -> bool:
    """Return whether a new value may be of several things that each have a name.

    "The reunion" may be a school reunion and a family reunion.
    """
    topic = read_frame(new).terms
    own = [find_missing_terms(read_frame(old).terms, topic) for old in olds]
    is_valued = all(has_new_value(new, old) or says_new_value(new, old) for old in olds)
    return is_valued and any(mine and theirs and not mine & theirs for mine, theirs in combinations(own, 2))


def _simplify_statement(statement: ComparedText) -> ComparedText:
    return replace(statement, text=to_simplified(statement.text))


def is_opposite(new: ComparedText, old: ComparedText, closeness: float) -> bool:
    """One says that what the other says is not so: "stopped drinking coffee", "drinks coffee every morning"."""
    new, old = _simplify_statement(new), _simplify_statement(old)
    ours, theirs = _read_wordings(new.text), _read_wordings(old.text)
    if len(ours) != 1 or len(theirs) != 1 or ours[0].is_negative == theirs[0].is_negative:
        return False
    return (
        _compare_wordings(ours[0], theirs[0], closeness, new.day == old.day, of_one_state=False)
        == Similarity.CHANGED
    )


@lru_cache(maxsize=2_048)
def _read_wordings(text: str) -> tuple[SentenceWording, ...]:
    return read_wordings(text)


def _is_all_among(
    some: tuple[SentenceWording, ...],
    others: tuple[SentenceWording, ...],
    closeness: float,
    is_same_day: bool,
) -> bool:
    return bool(some) and all(
        any(_is_covered(wording, other, closeness, is_same_day) for other in others) for wording in some
    )


def _is_covered(
    wording: SentenceWording, other: SentenceWording, closeness: float, is_same_day: bool
) -> bool:
    if wording.text == other.text:
        return is_same_day or not wording.is_event
    # A sentence among several has no vector of its own: the words must carry it.
    return closeness >= PART_FROM and _compare_words(wording, other, is_same_day) in {
        Similarity.SAME,
        Similarity.PART,
    }


def _compare_wordings(
    new: SentenceWording, old: SentenceWording, closeness: float, is_same_day: bool, of_one_state: bool
) -> Similarity:
    if not new.terms or not old.terms:
        return Similarity.CHANGED if of_one_state else Similarity.DIFFERENT
    similarity = _compare_words(new, old, is_same_day, of_one_state)
    if of_one_state:  # that they are about the same is known already
        return similarity if similarity != Similarity.DIFFERENT else Similarity.CHANGED
    if similarity == Similarity.SAME and closeness >= SAME_FROM:
        return similarity
    if similarity in {Similarity.PART, Similarity.WHOLE} and closeness >= PART_FROM:
        return similarity
    if closeness >= SWAPPED_FROM and _is_swapped(new, old, is_same_day):
        return Similarity.SAME
    if _is_changed(new, old, closeness):
        return Similarity.CHANGED
    return Similarity.DIFFERENT


def _compare_words(
    new: SentenceWording, old: SentenceWording, is_same_day: bool, of_one_state: bool = False
) -> Similarity:
    """Compare by words alone: never the same across numbers, polarity, subjects, plans and dates."""
    if not _is_of_one_frame(new, old) or new.numbers != old.numbers:
        return Similarity.DIFFERENT
    is_event = (new.is_event or old.is_event) and not of_one_state  # "moved to Porto" is how a state began
    if is_event and not (is_same_day and new.dates == old.dates):
        return Similarity.DIFFERENT
    is_part = not new.lacking_in(old) and new.dates <= old.dates
    is_whole = not old.lacking_in(new) and old.dates <= new.dates
    if is_part and is_whole:
        return Similarity.SAME
    if is_part or is_whole:
        return Similarity.PART if is_part else Similarity.WHOLE
    return Similarity.DIFFERENT


def _is_of_one_frame(new: SentenceWording, old: SentenceWording) -> bool:
    is_alike = new.subject == old.subject and new.is_plan == old.is_plan
    return is_alike and new.is_negative == old.is_negative


def _is_swapped(new: SentenceWording, old: SentenceWording, is_same_day: bool) -> bool:
    """One word for another that means the same to the model, and is no name."""
    if not _is_of_one_frame(new, old) or (new.numbers, new.dates) != (old.numbers, old.dates):
        return False
    if (new.is_event or old.is_event) and not is_same_day:
        return False
    ours, theirs = new.lacking_in(old), old.lacking_in(new)
    return len(ours) <= 1 and len(theirs) <= 1 and not (ours & new.names or theirs & old.names)


def _is_changed(new: SentenceWording, old: SentenceWording, closeness: float) -> bool:
    """A later value of the same: only of what is so and stays so, never of what happened once."""
    if says_difference(new.text):  # "went up by 35 euros" gives no value of its own
        return False
    if _has_new_value(new, old, closeness):
        return True
    if closeness >= ENDS_FROM and _is_over(new, old):
        return True
    if new.is_event or old.is_event or new.subject != old.subject or new.is_plan != old.is_plan:
        return False
    if new.is_negative != old.is_negative:
        return closeness >= OPPOSITE_FROM and _is_opposite(new, old)
    if closeness < CHANGED_FROM:
        return False
    return _has_new_attribute(new, old, closeness) or _has_new_choice(new, old)


def _is_over(new: SentenceWording, old: SentenceWording) -> bool:
    """The new one says that what the old one tells has ended; a liking may outlive the habit."""
    if not new.ended or old.is_negative or old.is_event or not _is_of_one_person(new, old):
        return False
    if _LIKING.search(old.text) and not _LIKING.search(new.text):
        return False
    held = {term for term in new.ended if not term.startswith("·")}
    is_named = held and all(term in old.terms or (not term.isascii() and term in old.text) for term in held)
    return bool(is_named) and not (_LIKING.search(new.text) and old.lacking_in(new))


def _is_of_one_person(new: SentenceWording, old: SentenceWording) -> bool:
    """Chinese may name its topic before the person: 马拉松用户取消了."""
    return new.subject == old.subject or ("用户" in new.text and not old.subject)


def _has_new_value(new: SentenceWording, old: SentenceWording, closeness: float) -> bool:
    """The same statement with another time, date, code or number; "was moved to 5" is no event of its own."""
    if new.is_negative != old.is_negative or new.is_plan != old.is_plan:
        return False
    is_chinese_change = not new.text.isascii() and read_frame(new.text).says_changed
    if (not new.subject) != (not old.subject) and not is_chinese_change:
        return False
    if any(wording.is_event and not read_frame(wording.text).says_changed for wording in (new, old)):
        return False
    if not has_new_value(new.text, old.text):
        return False
    if not read_frame(new.text).says_changed:
        return closeness >= CHANGED_FROM
    return closeness >= (0.0 if counts_the_same(new.text, old.text) else SAYS_CHANGED_FROM)


# "Could not swim on Tuesday": what was not done once is no end of what is done.
_NOT_ONCE = re.compile(
    r"\b(?:could|did|was|were|had)(?:n['’]t| not)\b(?!.*\b(?:any ?more|any longer|after all)\b)"
)


def _is_opposite(new: SentenceWording, old: SentenceWording) -> bool:
    negative, positive = (new, old) if new.is_negative else (old, new)
    if _NOT_ONCE.search(negative.text) and not _WAS.search(positive.text):
        return False
    if (negative.dates - positive.dates) and "since" not in negative.text:  # on one day only
        return False
    if not negative.names_a_thing or negative.lacking_in(positive):
        return False
    # Who likes no coffee may like iced coffee; who drinks none does not drink it in the morning.
    return not (negative.is_taste and positive.lacking_in(negative))


def _has_new_attribute(new: SentenceWording, old: SentenceWording, closeness: float) -> bool:
    """ "The user's meeting is on Tuesday": of such a thing there is one value at a time."""
    if new.counted and new.counted == old.counted:
        return new.numbers != old.numbers
    if new.dates and old.dates and not new.says_now:
        return False  # a meeting on Tuesday does not cancel the one on Wednesday
    is_same = bool(new.attribute) and new.attribute == old.attribute
    return is_same and (closeness >= ATTRIBUTE_FROM or (new.gives_code and old.gives_code))


def _has_new_choice(new: SentenceWording, old: SentenceWording) -> bool:
    """The same sentence with one thing in it exchanged, where only one can hold or the new one says "now"."""
    if not (new.says_now or (new.is_exclusive and old.is_exclusive)) or new.numbers != old.numbers:
        return False
    ours, theirs = new.lacking_in(old), old.lacking_in(new)
    shared = len(new.terms) - len(ours)
    most = 2 if re.search("[\u4e00-\u9fff]", new.text) else 1
    return shared >= 2 and 1 <= len(ours) <= most and 1 <= len(theirs) <= most


def limit_by_slots(how: Similarity, draft: Draft, memory: Memory) -> Similarity:
    """Limit a similarity by slots: different states are never one statement."""
    if draft.slot and memory.slot:
        if draft.kind == MemoryKind.PREFERENCE:
            return how if how == Similarity.CHANGED else Similarity.DIFFERENT
        # "pet:dog" and "pet:rex": the same one, before and after it had a name.
        is_named = ":" in draft.slot and draft.slot.partition(":")[0] == memory.slot.partition(":")[0]
        return how if is_named and how != Similarity.CHANGED else Similarity.DIFFERENT
    if draft.slot:
        is_of_another = how == Similarity.CHANGED and _names_another(draft.text, memory.text)
        return Similarity.DIFFERENT if how == Similarity.PART or is_of_another else how
    return Similarity.DIFFERENT if memory.slot and how == Similarity.WHOLE else how


def _names_another(new: str, old: str) -> bool:
    """ "The user's email is …" gives no value of "The user's work email"."""
    ours, theirs = (
        {term for wording in read_wordings(text) for term in wording.attribute} for text in (new, old)
    )
    return bool(ours) and ours < theirs and not theirs - ours <= _SAME_ONE


# What tells a thing from nothing else of its kind.
_SAME_ONE = frozenset(extract_keywords("new old current present latest main own personal private home"))


def says_the_same(draft: Draft, memory: Memory) -> bool:
    how = compare_statements(ComparedText(draft.text), ComparedText(memory.text), 1.0, of_one_state=True)
    return how in {Similarity.SAME, Similarity.PART} or memory.content_hash == hash_content(draft.text)
