"""Writes one parsed clause in the third person: "I'm in Rome with my wife" becomes "The user is in Rome with their
wife"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memories.engine.local.english.parsing.grammar import (
    FIRST_PERSON,
    find_auxiliaries,
    find_shared_subject,
    find_subject,
    is_infinitive,
    is_modal,
)
from memories.text.en.verbs import inflect_third_person

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_PRESENT_FORMS = {
    "am": "is",
    "'m": "is",
    "are": "is",
    "'re": "is",
    "have": "has",
    "'ve": "has",
    "do": "does",
    "were": "was",
}
_OBJECTS = {
    "me": "the user",
    "us": "the user",
    "myself": "themselves",
    "ourselves": "themselves",
    "mine": "the user's",
    "ours": "the user's",
}
_PREPOSITIONS = frozenset("in on at of to for with by from into about".split())
# "Mum's moved in with Moira": the perfect of verbs of which nobody is the object.
_NEVER_PASSIVE = frozenset(
    "been come gone moved arrived left died become fallen grown got had started stopped".split()
)
_STEMS = {"ca": "can", "wo": "will", "sha": "shall"}
_CONTRACTED = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will"}


def write_third_person(doc: Doc) -> str:
    """The clause about "the user". Words within quotation marks stay as they are."""
    quoted = _find_quoted_positions(doc)
    parts = []
    is_subject_user = False
    for token in doc:
        if token.i in quoted:
            written = token.text
        else:
            written = _write_word(token, is_subject_user)
            is_subject_user = is_subject_user or (
                token.lower_ in FIRST_PERSON and token.dep_ in ("nsubj", "nsubjpass")
            )
        is_joined = (
            token.i > 0
            and not doc[token.i - 1].whitespace_
            and (token.text[0] in "'’" or token.lower_ in ("n't", "n’t"))
            and written[0].isalpha()
        )
        parts.append((" " if is_joined else "") + written + token.whitespace_)
    return _correct_agreement(re.sub(r"\bcan not\b", "cannot", "".join(parts)))


# The parser takes some subjects that stand behind an opening ("Instead I'm …") for something else.
_DISAGREEING = (
    (re.compile(r"(?<!and )\b([Tt]he user) (?:am|are)\b"), r"\1 is"),
    (re.compile(r"\b([Tt]he user) had have\b"), r"\1 would have"),
    (re.compile(r"(?<!does )(?<!did )(?<!would )(?<!and )\b([Tt]he user) have\b"), r"\1 has"),
    (re.compile(r"(?<!does )(?<!did )(?<!and )\b([Tt]he user) do not\b"), r"\1 does not"),
)


def _correct_agreement(text: str) -> str:
    for wrong, right in _DISAGREEING:
        text = wrong.sub(right, text)
    return _PREFIXED.sub(lambda match: f"{match['prefix']}-{inflect_third_person(match['verb'])}", text)


# "I co-run a bakery": the ending belongs to the verb, and not to what stands before its hyphen.
_PREFIXED = re.compile(
    r"(?<=[Tt]he user )(?P<prefix>co|re|pre|self|over|mis|de|cross|double)e?s-(?P<verb>[a-z]{2,20})\b"
)


def _find_quoted_positions(doc: Doc) -> set[int]:
    marks = [token.i for token in doc if token.text in ('"', "“", "”", "``", "''")]
    return {at for first, last in zip(marks[::2], marks[1::2], strict=False) for at in range(first, last + 1)}


def _write_word(token: Token, is_subject_user: bool) -> str:
    lower = token.lower_
    if _is_numeral(token):
        return token.text
    if lower in FIRST_PERSON:
        return "they" if is_subject_user and _is_second_subject(token) else "the user"
    if lower in ("my", "our"):
        return "their" if is_subject_user and _belongs_to_subject(token) else "the user's"
    if lower in _OBJECTS and token.text != "US" and is_subject_user and _belongs_to_subject(token):
        return {"me": "them", "us": "them", "mine": "theirs", "ours": "theirs"}.get(lower, "themselves")
    if lower in _OBJECTS and token.text != "US":
        return _OBJECTS[lower]
    if is_subject_user and (plural := _agrees_with_they(token)):
        return plural
    if _agrees_with_user(token):
        return _PRESENT_FORMS.get(lower) or inflect_third_person(token.text)
    return _write_out(token)


def _is_numeral(token: Token) -> bool:
    """The first of several: "a Title I school", "World War I"."""
    is_behind_name = token.i > 1 and token.nbor(-1).text.istitle() and token.nbor(-1).text.isalpha()
    return token.text == "I" and is_behind_name and token.dep_ not in ("nsubj", "nsubjpass")


def _write_out(token: Token) -> str:
    """Contractions in full: a memory is no talk."""
    lower = token.lower_
    if lower == "n't":
        return "not"
    if lower in _STEMS and token.i + 1 < len(token.doc) and token.nbor().lower_ in ("n't", "not"):
        return _STEMS[lower]
    if lower == "'s" and token.tag_ in ("VBZ", "VBP"):
        is_perfect = token.dep_ == "aux" or token.head.lower_ in _NEVER_PASSIVE
        return "has" if is_perfect and token.head.tag_ in ("VBN", "VBD") else "is"
    if lower == "'d":
        before = {word.lower_ for word in token.head.lefts}
        is_past = "been" in before or (token.head.tag_ in ("VBN", "VBD") and not before & {"be", "have"})
        return "had" if is_past else "would"
    return _CONTRACTED.get(lower, token.text)


def _belongs_to_subject(owner: Token) -> bool:
    """Return whether "their" can only be the user's: no other person has been named before it."""
    return not any(
        token.dep_ in ("nsubj", "nsubjpass")
        and token.lower_ not in FIRST_PERSON
        and token.lower_ not in ("who", "which", "that", "it", "there")
        for token in owner.doc[: owner.i]
    )


def _is_second_subject(token: Token) -> bool:
    """Return whether it is the subject of a clause within a clause of the user."""
    return (
        token.dep_ in ("nsubj", "nsubjpass")
        and token.head.dep_ in ("ccomp", "advcl", "relcl", "acl", "pcomp", "xcomp")
        and _belongs_to_subject(token)
    )


def _agrees_with_they(token: Token) -> str:
    is_auxiliary = token.dep_ in ("aux", "auxpass") and find_subject(token) is None
    verb = token.head if is_auxiliary else token
    subject = find_shared_subject(verb)
    if subject is None or subject.lower_ not in FIRST_PERSON or not _is_second_subject(subject):
        return ""
    if not any(
        other.lower_ in FIRST_PERSON and other.dep_ in ("nsubj", "nsubjpass")
        for other in token.doc[: subject.i]
    ):
        return ""
    return (
        {"am": "are", "'m": "are", "was": "were"}.get(token.lower_)
        or _CONTRACTED.get(token.lower_)
        or ("" if token.lower_ in ("n't", "'s", "'d") else token.text)
    )


def _agrees_with_user(token: Token) -> bool:
    """Return whether this word is the finite verb of a clause whose subject is "I" or "we" alone."""
    lower = token.lower_
    if token.i and token.nbor(-1).tag_ == "PRP$":
        return False  # "my brother-in-law": the parser may take a noun for a verb
    is_auxiliary = token.dep_ in ("aux", "auxpass") and find_subject(token) is None
    verb = token.head if is_auxiliary else token
    subject = find_shared_subject(verb)
    if (
        subject is None
        or subject.lower_ not in FIRST_PERSON
        or any(child.dep_ == "conj" for child in subject.children)
    ):
        return False
    if subject.dep_ == "conj":
        return False
    auxiliaries = find_auxiliaries(verb)
    if auxiliaries:
        return token.i == auxiliaries[0].i and not is_modal(token)
    if token.i and token.text[0].isupper() and not token.text.isupper():
        return False  # "Tagalog at home and English at work": a name within a sentence is no verb
    if lower in _PREPOSITIONS:  # "indoors in March and outdoors in April": no verb, whatever the parser says
        return False
    if token.i != verb.i or is_infinitive(verb) or token.tag_ not in ("VBP", "VB", "NN", "NNP", "IN"):
        return token.i == verb.i and token.lower_ in ("am", "are", "'m", "were")
    first = verb
    while first.dep_ in ("conj", "dep") and find_subject(first) is None:
        first = first.head
        joints = [child.i for child in token.head.children if child.dep_ == "cc" and child.i < token.i]
        is_listed = token.tag_ == "VB" or not joints
        if is_listed and any(is_infinitive(other) for other in token.doc[first.i : token.i]):
            return False
        if find_auxiliaries(first) and find_subject(verb) is None and first.tag_ in ("VB", "VBN", "VBG"):
            return False
    return token.pos_ in ("VERB", "AUX") or token.dep_ in ("ROOT", "conj")
