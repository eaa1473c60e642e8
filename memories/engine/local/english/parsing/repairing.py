"""Corrects dependencies that the parser gets wrong in sentences of a known shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memories.engine.local.english.parsing.lexicon import KINSHIP
from memories.text.en.verbs import BASE, PAST

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_NOUN_PARTS = frozenset({"poss", "det", "amod", "nummod"})
_FINITE = frozenset({"VBP", "VBD", "VBZ", "MD"})


def repair_subjects(doc: Doc) -> Doc:
    """The same words with the subjects that they have, where the parser did not find them."""
    heads, labels = [token.head.i for token in doc], [token.dep_ for token in doc]
    named = [token.i for token in doc if _is_numbered_thing(token)]
    for sentence in doc.sents:
        _join_subjects(sentence.root, heads, labels)
    for token in doc:
        _free_subject(token, heads, labels)
        _join_first_person(token, heads, labels)
    for at in named:
        labels[at] = "appos"
    present = [token.i for token in doc if _is_habit(token)]
    if labels == [token.dep_ for token in doc] and not present:
        return doc
    return type(doc)(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        tags=["NN" if token.i in named else "VBP" if token.i in present else token.tag_ for token in doc],
        pos=["NOUN" if token.i in named else token.pos_ for token in doc],
        lemmas=[token.lemma_ for token in doc],
        heads=heads,
        deps=labels,
    )


def _is_habit(token: Token) -> bool:
    """ "I knit for a shop": the parser takes a verb that it hardly knows for a past."""
    if token.tag_ != "VBD" or token.i == 0 or token.nbor(-1).lower_ not in ("i", "we"):
        return False
    return token.lower_ in BASE - PAST and not _PAST_DAY & {other.lower_ for other in token.doc}


_PAST_DAY = frozenset("yesterday last ago once".split())


def _is_numbered_thing(token: Token) -> bool:
    """Return whether the parser took for an action what says more of the thing before it: "got an allotment, plot 22",
    "got the post, start date 1 September". What somebody does besides would stand in the past as well."""
    is_bare = token.tag_ in ("VB", "VBP") and token.dep_ in ("conj", "dep", "ccomp") and token.i > 1
    if not is_bare or token.i + 1 >= len(token.doc) or token.nbor(-1).text != ",":
        return False
    if token.head.tag_ not in ("VBD", "VBN") or token.head.i > token.i:
        return False
    if any(child.dep_ in ("nsubj", "aux", "neg", "mark") for child in token.children):
        return False
    after = token.nbor()
    if after.tag_ != "CD":
        return after.lower_ in _NAMES_A_VALUE
    behind = token.doc[after.i + 1 : after.i + 2]
    is_counted = bool(behind) and behind[0].tag_ in ("NN", "NNS", "NNP", "CD", "JJ", "DT")
    return after.text.isdigit() and not is_counted


# "Start date", "finish time": what has a day or a number of its own.
_NAMES_A_VALUE = frozenset("date time day point number code fee".split())


def _join_subjects(root: Token, heads: list[int], labels: list[str]) -> None:
    """ "My dad and I restore clocks": two do it; the parser sees my dad, and a sentence of mine."""
    verb = next(
        (
            child
            for child in root.children
            if child.dep_ == "conj" and child.tag_ in _FINITE and child.pos_ in ("VERB", "AUX")
        ),
        None,
    )
    if root.pos_ not in ("NOUN", "PROPN") or verb is None or verb.i - root.i > _NEAR:
        return
    subject = next((child for child in verb.children if child.dep_ == "nsubj" and child.lower_ == "i"), None)
    joint = next((child for child in root.children if child.dep_ == "cc"), None)
    if subject is None or joint is None or joint.lower_ != "and" or joint.i + 1 != subject.i:
        return
    labels[verb.i], heads[verb.i] = "ROOT", verb.i
    labels[root.i], heads[root.i] = "nsubj", verb.i
    labels[subject.i], heads[subject.i] = "conj", root.i
    for child in root.children:
        if child.i > verb.i:
            heads[child.i] = verb.i


def _join_first_person(subject: Token, heads: list[int], labels: list[str]) -> None:
    """ "… but the drummer and I jam": the parser joins the drummer to what was said before."""
    doc, verb = subject.doc, subject.head
    if subject.lower_ != "i" or subject.dep_ != "nsubj" or subject.i < _LEAST or verb.dep_ != "conj":
        return
    joint, noun = doc[subject.i - 1], doc[subject.i - 2]
    before = doc[noun.left_edge.i - 1]
    if joint.lower_ != "and" or noun.dep_ != "conj" or noun.tag_ not in ("NN", "NNP"):
        return
    if before.lower_ not in ("but", "so", "because", ";", ",") or noun.head.i >= before.i:
        return
    labels[noun.i], heads[noun.i] = "nsubj", verb.i
    labels[subject.i], heads[subject.i] = "conj", noun.i
    heads[joint.i] = noun.i


# Another clause, the word that joins this one to it, a noun and "and" stand before "I".
_LEAST = 4


def _free_subject(verb: Token, heads: list[int], labels: list[str]) -> None:
    """ "… and my husband referees": a finite verb has a subject and is no compound."""
    if verb.tag_ != "VBZ" or any(child.dep_ in ("nsubj", "nsubjpass", "aux") for child in verb.children):
        return
    noun = next((child for child in verb.children if child.dep_ == "compound"), None)
    if noun is None or noun.lower_ not in KINSHIP or noun.i + 1 != verb.i:
        return
    labels[noun.i] = "nsubj"
    for child in verb.children:
        if child.i < noun.i and child.dep_ in _NOUN_PARTS:
            heads[child.i] = noun.i


# So far behind the first of two who do it stands what they do.
_NEAR = 5
