"""What tells only of something else: a report that came back, and "it" that is what a trouble comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memories.engine.local.english.people import Referent, Referents

if TYPE_CHECKING:
    from spacy.tokens import Token

_BEING = frozenset({"is", "'s", "was"})


def _is_cause(root: Token) -> bool:
    """Return whether it is said what something comes from: "It's the alternator", "It's not the meniscus"; such is no
    thing that was named."""
    what = next((child for child in root.children if child.dep_ == "attr"), None)
    is_bare = what is not None and what.tag_ == "NN" and [child.lower_ for child in what.children] == ["the"]
    return is_bare and what is not None and what.lower_ not in _WHOLES


def _is_own_part(root: Token) -> bool:
    """Return whether it is a part of somebody that ails them, where nothing that was named can be meant: "It's my
    thyroid"."""
    what = next((child for child in root.children if child.dep_ == "attr"), None)
    if what is None or what.tag_ not in ("NN", "NNS") or what.lower_ in _WHOLES | _NO_PARTS:
        return False
    return [child.lower_ for child in what.children] in (["my"], ["his"], ["her"], ["their"])


# What people say of an action or a day: "It's my turn".
_NO_PARTS = frozenset(
    """
        turn fault thing favourite favorite go pleasure bad guess opinion problem job choice
        decision way life birthday loss treat dream
    """.split()
)
# What a thing may well be said to be: "It's the original".
_WHOLES = frozenset(
    "original same kind sort type size version model colour color opposite law plan idea".split()
)


def find_report(root: Token) -> set[str]:
    """The nouns of what came back with news: "MRI came back", "I got my results back"."""
    if not any(
        child.lower_ in ("back", "in", "through") and child.dep_ in ("advmod", "prt")
        for child in root.children
    ):
        return set()
    wanted = "nsubj" if root.lower_ in _COMING else "dobj" if root.lower_ in _GETTING else ""
    return {
        child.lower_ for child in root.children if wanted and child.dep_ == wanted and child.pos_ != "PRON"
    }


_COMING = frozenset("come came comes".split())
_GETTING = frozenset("get got had have received".split())


def names_cause(token: Token, root: Token, known: Referent | None, referents: Referents) -> bool:
    """Return whether "it" is what something comes from, or what a report spoke of, and so neither the thing nor the
    report that was named."""
    if token.lower_ != "it" or token.dep_ not in ("nsubj", "nsubjpass") or token.head.i != root.i:
        return False
    is_done = root.tag_ == "VBN" and any(child.lower_ in _BEING for child in root.children)
    if root.lower_ not in _BEING and not is_done:
        return False
    if _is_cause(root) or (known is None and referents.has_sentence_before and _is_own_part(root)):
        return True
    if not referents.reports or (known and not known.phrase.lower().endswith(tuple(referents.reports))):
        return False
    described = next((child for child in root.children if child.dep_ in ("acomp", "attr")), None)
    return is_done or (described is not None and described.lower_ not in _OUTCOMES)


# What a report itself is said to be.
_OUTCOMES = frozenset(
    "positive negative clear normal abnormal fine good bad great ok okay benign malignant inconclusive".split()
)
