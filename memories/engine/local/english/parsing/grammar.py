"""What the rules ask about the words of a parsed sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memories.engine.local.english.parsing.lexicon import KINSHIP
from memories.text.en.verbs import BASE, PAST

if TYPE_CHECKING:
    from spacy.tokens import Token

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_AUXILIARIES = frozenset({"aux", "auxpass"})
FIRST_PERSON = frozenset({"i", "we"})
_MODALS = frozenset(
    {"will", "would", "can", "could", "shall", "should", "may", "might", "must", "ca", "wo", "'ll", "'d"}
)
_NOUN_PARTS = frozenset({"det", "amod", "poss", "nummod", "compound", "case"})
_FINITE = frozenset({"VBP", "VBZ", "VBD", "MD"})


def find_subject(verb: Token) -> Token | None:
    """The verb's own subject, or none."""
    return next((child for child in verb.children if child.dep_ in SUBJECTS and child.i != verb.i), None)


def find_main_verb(root: Token) -> Token:
    """The verb of a clause, also where the parser took it for an auxiliary: "love" in "I love cooking"."""
    return next(
        (child for child in root.children if child.dep_ == "aux" and find_subject(child) is not None), root
    )


def find_shared_subject(verb: Token) -> Token | None:
    """The verb's subject, its own or that of the verb that it is joined to."""
    for _ in range(8):
        if subject := find_subject(verb):
            return subject
        if verb.dep_ not in ("conj", "dep"):
            return None
        verb = verb.head
    return None


def find_auxiliaries(verb: Token) -> list[Token]:
    """Its auxiliaries from left to right, without an infinitive's "to"."""
    return [child for child in verb.children if child.dep_ in _AUXILIARIES and child.lower_ != "to"]


def is_infinitive(verb: Token) -> bool:
    return any(child.lower_ == "to" and child.dep_ == "aux" for child in verb.children)


def is_verbal(token: Token) -> bool:
    """A verb, also one that the parser took for a noun: "collects coins and volunteers at the shelter"."""
    if token.pos_ in ("VERB", "AUX"):
        return True
    is_bare = not any(child.dep_ in _NOUN_PARTS for child in token.children)
    return (
        token.dep_ == "conj" and is_bare and token.pos_ == "NOUN" and token.lower_.removesuffix("s") in BASE
    )


def is_modal(token: Token) -> bool:
    return token.lower_ in _MODALS or token.tag_ == "MD"


def is_finite(verb: Token) -> bool:
    """Return whether a clause can stand on this verb."""
    auxiliaries = find_auxiliaries(verb)
    if auxiliaries:
        return any(token.tag_ in _FINITE or is_modal(token) for token in auxiliaries)
    return verb.tag_ in _FINITE or (verb.tag_ in ("VB", "VBN", "NN", "NNS") and not is_infinitive(verb))


def is_negated(verb: Token) -> bool:
    return any(child.dep_ == "neg" for child in verb.children)


def find_own_tokens(head: Token, without: set[int]) -> set[int]:
    """Find where the words stand that belong to `head`, without those given."""
    return {token.i for token in head.subtree} - without


def iterate_joined_verbs(verb: Token) -> Iterator[Token]:
    """The verbs that are joined to this one ("I swim, ride and run"), in order."""
    for child in verb.children:
        is_listed = (
            child.dep_ == "dep"
            and child.i > verb.i
            and (child.tag_ in ("VBD", "VBZ") or (child.tag_ in _FINITE and child.lower_ in BASE | PAST))
        )
        if (child.dep_ == "conj" or is_listed) and is_verbal(child):
            yield child
            yield from iterate_joined_verbs(child)
        elif child.dep_ in ("dobj", "attr", "acomp", "conj") and not is_verbal(child):
            # "plays the cello and volunteers": the parser joined the verb to a noun.
            yield from (
                other
                for other in iterate_joined_verbs(child)
                if other.pos_ == "NOUN" or other.tag_ in _FINITE
            )


def find_conjuncts(token: Token) -> list[Token]:
    """A word and all that are joined to it."""
    conjuncts = [token]
    for child in token.children:
        if child.dep_ == "conj":
            conjuncts += find_conjuncts(child)
    return conjuncts


def is_person(token: Token) -> bool:
    """Return whether a noun is a relative or a name."""
    return token.lower_ in KINSHIP or token.tag_ in ("NNP", "NNPS")


def is_maybe_noun(verb: Token) -> bool:
    """Return whether the parser may have taken a thing for what is done: "I eat chicken, but never pork"."""
    around = {child.lower_ for child in verb.children if child.dep_ not in ("cc", "punct")}
    is_bare = verb.tag_ in ("VB", "VBP") and verb.lower_ not in BASE
    return is_bare and bool(around) and around <= {"never", "not", "no", "only"}


_ENDING = frozenset("quit stopped stops left resigned finished".split())
_ENDING_WITH = {"gave": "up", "dropped": "out", "packed": "in", "jacked": "in"}


def is_bare_end(verb: Token) -> bool:
    """Return whether something ended, and only the clause before it tells what: "… but stopped in 2020"."""
    particles = {child.lower_ for child in verb.children if child.dep_ in ("prt", "advmod")}
    if verb.lower_ not in _ENDING and _ENDING_WITH.get(verb.lower_) not in particles:
        return False
    objects = {"dobj", "xcomp", "ccomp", "attr", "nsubjpass", "acomp"}
    return not any(
        child.dep_ in objects
        or (child.dep_ == "prep" and child.lower_ in ("from", "of", "at", "with", "for"))
        for child in verb.children
    )
