"""Which verbs of a sentence have the subject of another one, and which have none because they are orders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memories.engine.local.english.parsing.grammar import (
    FIRST_PERSON,
    find_auxiliaries,
    find_shared_subject,
    find_subject,
)
from memories.text.clauses.statements import is_request
from memories.text.en.verbs import BASE, PAST

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


def with_shared_subjects(doc: Doc) -> str:
    """The sentence with "I" before verbs that the parser took for nouns: "… and study law"; "" if there are none."""
    lost: dict[int, str] = {}
    for token in doc[2:]:
        is_bare = token.lower_ in BASE and token.tag_ in ("NN", "JJ", "NNP", "VB") and token.dep_ != "ROOT"
        follows = token.nbor(-1).lower_ in ("and", "but", ",") and token.i + 1 < len(doc)
        if (
            is_bare
            and follows
            and token.nbor().pos_ in _AFTER_VERBS
            and (subject := _find_present_subject(token))
        ):
            lost[token.i] = subject
    if not lost:
        return ""
    return "".join((f"{lost[token.i]} " if token.i in lost else "") + token.text_with_ws for token in doc)


_AFTER_VERBS = frozenset({"NOUN", "ADP", "DET", "ADJ", "PROPN", "PRON", "ADV", "NUM"})


def _find_present_subject(token: Token) -> str:
    """The "I" of the last verb before it, if that is a plain present."""
    for verb in reversed(list(token.doc[: token.i])):
        if verb.tag_ in ("VBP", "VBD", "VBZ", "VB", "MD", "VBG"):
            subject = find_shared_subject(verb)
            is_plain = (
                verb.tag_ == "VBP" and not find_auxiliaries(verb) and verb.dep_ not in ("aux", "auxpass")
            )
            return subject.text if is_plain and subject is not None and subject.lower_ in ("i", "we") else ""
    return ""


_TO_ME = re.compile(
    r"""
    ^(?:I|we)\ (?:(?:ca|can|will|could|must|have\ to)\ )?(?:so\ |then\ |please\ |just\ )*(?P<order>
        (?:please\ |just\ )?(?:do\ not\ |don't\ |never\ )?[a-z]+\ (?:me|us)\b.*
    )$
    """,
    re.IGNORECASE | re.VERBOSE,
)

# "I use a screen reader, so please describe images".
_PLEASE = re.compile(
    r"^(?:I|we) (?:so |and |then )*(?P<order>please (?:do not |don't |never |always |just )?[a-z]+\b.*)$",
    re.IGNORECASE,
)
_WITH_SUBJECT = re.compile(
    r"^(?:I|we) (?P<order>(?:please |just |or |and )?(?:do not|don't|never|only|[a-z]+)\b.*)$", re.IGNORECASE
)


def with_orders(pieces: list[str], sentence: str) -> list[str]:
    """The clauses with "text me, don't call" as orders again: nobody texts themselves, and what follows an order
    without a subject of its own is another."""
    written, is_ordered = [], False
    for piece in pieces:
        lent = piece not in sentence and not is_request(piece, "en")
        order = _TO_ME.match(piece) or _PLEASE.match(piece)
        order = order or (_WITH_SUBJECT.match(piece) if is_ordered and lent else None)
        is_ordered = order is not None
        written.append(order["order"] if order else piece)
    return written


# "I'm a night owl, don't schedule …": what only an assistant does for somebody; of other verbs, only to "me".
_DONE_FOR_USER = frozenset(
    "schedule book recommend suggest remind ring propose include translate assume wake quote format address".split()
)
_NO_SUBJECT = re.compile(
    r"(?<=\w), (?P<how>don't(?: ever)?|do not(?: ever)?|never) (?P<verb>[a-z]+)\b(?P<who> (?:me|us|my)\b)?(?! you\b)"
)
_OWN_CLAUSE = re.compile(
    r"^(?:I|we)\b(?:(?!\b(?:told|tell|tells|said|say|says|asked|ask|if|that|who|which)\b)[^.;:!?])*$",
    re.IGNORECASE,
)


def with_subject_or_please(sentence: str) -> str:
    """The sentence with "I" or "please" before a denial behind a comma, where the parser cannot tell which is meant:
    "I live alone, don't drive"; "I'm vegan, don't suggest meat"."""
    if not _OWN_CLAUSE.match(sentence.rstrip(".! ")):
        return sentence
    return _NO_SUBJECT.sub(_say_who, sentence)


def _say_who(match: re.Match[str]) -> str:
    verb = match["verb"]
    if verb in _DONE_FOR_USER or match["who"]:
        return f", please {match[0][2:]}"
    return f", I {match[0][2:]}" if verb in BASE and verb not in _EITHER else match[0]


# "Don't use red in charts" may be asked of an assistant, "don't use apps" is a habit.
_EITHER = frozenset(
    "use call text email write ask tell show give put add plan order offer repeat invite mention".split()
)


def may_share_subject(verb: Token) -> bool:
    """Return whether the verb may have the subject that it shares: in "We paid 300, the rest is due in June" it has its
    own."""
    subject = find_subject(verb) or find_shared_subject(verb)
    finite = next(
        (token for token in [*find_auxiliaries(verb), verb] if token.tag_ in ("VBZ", "VBP", "VBD")), verb
    )
    is_ours = subject is not None and subject.lower_ in FIRST_PERSON
    return not (is_ours and finite.tag_ == "VBZ" and finite.lower_ not in ("'s", "’s"))


def is_order_beside(verb: Token, first: Token) -> bool:
    """Return whether the verb is an order behind what `first` says of one other person: "Ana is away, do not call"; an
    action of theirs would end in -s. Or an order before it, whose subject nothing behind it can be: "Never knock, we
    sleep late"."""
    subject = find_shared_subject(first)
    if subject is None or find_subject(verb) is not None:
        return False
    if verb.tag_ == "VB" and verb.i < subject.left_edge.i and not find_auxiliaries(verb):
        return True
    if not _is_third_and_single(subject):
        return False
    own = find_auxiliaries(verb)
    if own:
        return own[0].lower_ == "do"
    is_bare = verb.tag_ in ("VB", "VBP") and verb.lower_ not in PAST
    # "Ana can cook and bake", "helped me pack and move": the first verb is bare too.
    return is_bare and first.tag_ not in ("VB", "VBP")


def _is_third_and_single(subject: Token) -> bool:
    is_joined = any(child.dep_ == "conj" for child in subject.children)
    return not is_joined and (subject.tag_ in ("NN", "NNP") or subject.lower_ in ("he", "she", "it"))


def part_at_order(root: Token) -> list[str]:
    """The two clauses where the parser took what is said of somebody for the subject of an order: "Ana works nights,
    do not call"; none where it did not."""
    subject, auxiliaries = find_subject(root), find_auxiliaries(root)
    if subject is None or subject.tag_ not in ("VBZ", "VBD") or not auxiliaries:
        return []
    order = auxiliaries[0]
    if order.lower_ != "do" or order.nbor(-1).text not in (",", ";", "-", "–", "—", ":"):
        return []
    return [root.doc[root.sent.start : order.i - 1].text, root.doc[order.i : root.sent.end].text]


def completes_participle(verb: Token, other: Token) -> bool:
    """Return whether one passive tells of both: of "was born and raised in Trieste" the first verb says nothing
    alone."""
    if (
        verb.tag_ != "VBN"
        or other.tag_ != "VBN"
        or not any(child.dep_ == "auxpass" for child in verb.children)
    ):
        return False
    return not any(child.i > verb.i and child.dep_ not in ("cc", "conj", "punct") for child in verb.children)


def is_own_action(verb: Token, first: Token, subject: Token) -> bool:
    """Return whether it is no passive though the first one is: "I was born in Trieste but studied in Vienna"."""
    is_passive = any(child.dep_ == "auxpass" for child in first.children)
    is_against = any(child.lower_ == "but" for child in verb.head.children if child.i < verb.i)
    return is_passive and is_against and verb.lower_.endswith("ed") and subject.lower_ in FIRST_PERSON


_DAYS = re.compile(
    r"""
    ^(?:
        every | each | alternate | (?:mon|tues|wednes|thurs|fri|satur|sun)days?
        | week(?:ends?|days?|nights?) | mornings? | afternoons? | evenings? | nights?
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def find_strays(verb: Token) -> set[int]:
    """Times behind a verb with a subject of its own that the parser gives to the verb before it: "Wednesdays" of "I've
    got two kids and I have them Wednesdays"."""
    if verb.dep_ != "conj" or find_subject(verb) is None:
        return set()
    behind = [child for child in verb.head.children if child.i > verb.right_edge.i]
    if any(child.dep_ == "conj" for child in behind):
        return set()
    return {
        token.i
        for child in behind
        if child.dep_ in ("dep", "npadvmod") and _DAYS.match(child.doc[child.left_edge.i :].text)
        for token in child.subtree
    }


_OF_LANGUAGES = frozenset(
    "interpreter translator linguist teacher tutor lecturer professor proofreader".split()
)


def are_languages(members: list[Token]) -> bool:
    """Return whether they are what somebody translates or teaches: "I'm a court interpreter, Polish and Slovak"."""
    return members[0].lower_ in _OF_LANGUAGES and all(member.text.istitle() for member in members[1:])
