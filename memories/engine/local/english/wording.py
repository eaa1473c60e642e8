"""Writes one parsed clause in the third person: "I'm in Rome with my wife" becomes "The user is in Rome with their wife"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memories.engine.local.english.grammar import (
    FIRST_PERSON,
    auxiliaries_of,
    is_infinitive,
    is_modal,
    shared_subject_of,
)
from memories.text.en.verbs import third_person

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_PRESENT_FORMS = {"am": "is", "'m": "is", "are": "is", "'re": "is", "have": "has", "'ve": "has", "do": "does", "were": "was"}
_OBJECTS = {"me": "the user", "us": "the user", "myself": "themselves", "ourselves": "themselves", "mine": "theirs", "ours": "theirs"}
_NOT_VERBS = frozenset({"to"})


def write_third_person(doc: Doc, named: Mapping[int, str]) -> str:
    """The clause about "the user"; `named` are the words to put in the place of pronouns, by position.

    Words within quotation marks stay as they are.
    """
    quoted = _quoted_positions(doc)
    parts = []
    is_subject_user = False
    for token in doc:
        if token.i in quoted:
            written = token.text
        elif token.i in named:
            written = named[token.i]
        else:
            written = _word(token, is_subject_user)
            is_subject_user = is_subject_user or (token.lower_ in FIRST_PERSON and token.dep_ in ("nsubj", "nsubjpass"))
        parts.append(written + token.whitespace_)
    return "".join(parts)


def _quoted_positions(doc: Doc) -> set[int]:
    marks = [token.i for token in doc if token.text in ('"', "“", "”", "``", "''")]
    return {at for first, last in zip(marks[::2], marks[1::2], strict=False) for at in range(first, last + 1)}


def _word(token: Token, is_subject_user: bool) -> str:
    lower = token.lower_
    if lower in FIRST_PERSON:
        return "the user"
    if lower in ("my", "our"):
        return "their" if is_subject_user and _belongs_to_subject(token) else "the user's"
    if lower in _OBJECTS and token.text != "US":
        return _OBJECTS[lower]
    if _agrees_with_user(token):
        return _PRESENT_FORMS.get(lower) or third_person(token.text)
    return token.text


def _belongs_to_subject(owner: Token) -> bool:
    """Whether "their" can only be the user's: no other person has been named before it."""
    return not any(
        token.dep_ in ("nsubj", "nsubjpass") and token.lower_ not in FIRST_PERSON and token.lower_ not in ("who", "which", "that", "it", "there")
        for token in owner.doc[: owner.i]
    )


def _agrees_with_user(token: Token) -> bool:
    """Whether this word is the finite verb of a clause whose subject is "I" or "we" alone."""
    verb = token.head if token.dep_ in ("aux", "auxpass") else token
    subject = shared_subject_of(verb)
    if subject is None or subject.lower_ not in FIRST_PERSON or any(child.dep_ == "conj" for child in subject.children):
        return False
    if subject.dep_ == "conj":
        return False
    auxiliaries = auxiliaries_of(verb)
    if auxiliaries:
        return token.i == auxiliaries[0].i and not is_modal(token)
    if token.i != verb.i or is_infinitive(verb) or token.tag_ not in ("VBP", "VB", "NN", "NNP", "IN"):
        return token.i == verb.i and token.lower_ in ("am", "are", "'m", "were")
    first = verb
    while first.dep_ == "conj":
        first = first.head
        if auxiliaries_of(first) and first.tag_ in ("VB", "VBN", "VBG"):
            return False
    return token.pos_ in ("VERB", "AUX") or token.dep_ == "ROOT"
