"""What a question or a request takes for granted about the user: "my nephew Leo, who is three" says that there is
one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memories.engine.local.english.parsing.clauses import SpokenClause
from memories.engine.local.english.parsing.lexicon import KINSHIP, PETS
from memories.text.clauses.statements import is_fiction, is_request
from memories.text.en.third_person import expand_contractions

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_AS_A = re.compile(r"^(?:as|being) (?P<what>(?:an? )[^,]{3,80}), ", re.IGNORECASE)
_GIVEN = re.compile(
    r"^(?:since|because|given that|seeing that|now that|as) (?P<what>(?:I|we|my|our)\b[^,]{3,120}), ",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"""
    \b(?:because|since|as|given\ that|now\ that)\ (?P<what>
        (?:I|we|my|our)\b(?!\b.{0,30}\b(?:want|need)\b)[^,?]{3,120}
    )\??$
    """,
    re.IGNORECASE | re.VERBOSE,
)


# "How do I tell my team that I'm pregnant?": that is so.
_TO_TELL = re.compile(
    r"""
    ^how\ (?:do|can|should|would|could|might)\ (?:I|we)\ (?:best\ )?(?:
        tell | explain\ to | break\ it\ to | confess\ to | admit\ to | announce\ to
    )\ (?:(?:my|our|the)\ [a-z-]+(?:\ [a-z-]+)?|him|her|them|(?-i:[A-Z])\w+)\ (?:that\ )?(?P<what>
        (?:I|we)(?:['’](?:m|re|ve)|\ am|\ are|\ have)\ [^,?]{3,120}
    )\??$
    """,
    re.IGNORECASE | re.VERBOSE,
)


# An order to know something says it.
_TO_KEEP = re.compile(
    r"""
    ^(?:please\ )?(?:
        keep\ in\ mind | bear\ in\ mind | remember | note | be\ aware | don't\ forget | do\ not\ forget
        | mind
    )(?:\ that|(?=\ (?:I|I'm|we|we're|my|our)\b))\ (?P<what>\S+\ \S+.*)$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def find_fact_to_keep(piece: str) -> str:
    """Find what an order to keep something in mind says; "" where it is none."""
    match = _TO_KEEP.match(piece)
    return match["what"] if match else ""


def find_facts_around_text(
    request: str, pieces: Sequence[SpokenClause], parse: Callable[[str], Doc]
) -> list[str]:
    """Find what a request for a letter or a list takes for granted; what is to stand in it, or in a story, may be
    anything."""
    facts: list[str] = []
    for piece in () if is_fiction(request) else pieces:
        if kept := find_fact_to_keep(piece.text):
            facts.append(kept)
        elif is_request(expand_contractions(piece.text), "en"):
            facts += find_presupposed_facts(parse(piece.text))
    return facts


def find_presupposed_facts(doc: Doc) -> list[str]:
    """Statements in the first person that must be true for the question to make sense."""
    text = doc.text
    facts = []
    if match := _AS_A.match(text):
        facts.append(f"I am {match['what']}")
    for pattern in (_GIVEN, _REASON, _TO_TELL):
        if match := pattern.search(text):
            facts.append(match["what"].strip())
    facts += _find_relatives(doc) + (_find_places(doc) or _find_places_by_words(text))
    return facts


def _find_relatives(doc: Doc) -> list[str]:
    """Relatives of the user who are described: by a name, an age or a trait. Of an animal, that there is one."""
    facts = []
    for token in doc:
        owned = next(
            (child for child in token.children if child.dep_ == "poss" and child.lower_ in ("my", "our")),
            None,
        )
        if owned is None or not (_is_relative(token) or token.lower_ in PETS):
            continue
        inside = [
            child
            for child in token.subtree
            if child.i > owned.i and child.i <= max(token.i, _name_end(token))
        ]
        described = [
            child
            for child in inside
            if child.i != token.i
            and child.dep_ in ("amod", "nummod", "compound", "appos", "npadvmod")
            or child.tag_ == "NNP"
        ]
        if not described and not (token.tag_ == "NN" and token.lower_ in PETS):
            continue
        words = doc[owned.i + 1 : inside[-1].i + 1].text
        article = (
            "" if token.lower_.endswith("s") else "an " if re.match("[aeiou]", words, re.IGNORECASE) else "a "
        )
        facts.append(f"I have {article}{words}")
    return facts


def find_animal(fact: str) -> str:
    """The animal that is all a fact tells of: "dog" of "I have a dog"; "" for any other fact."""
    match = _HAS_ANIMAL.match(fact)
    return match["animal"].lower() if match and match["animal"].lower() in PETS else ""


_HAS_ANIMAL = re.compile(r"I have an? (?P<animal>[\w-]+)$")


def _find_places(doc: Doc) -> list[str]:
    """Things of the user that are said to be somewhere: "my kennel in Tralee"."""
    facts = []
    for token in doc:
        owned = any(child.dep_ == "poss" and child.lower_ in ("my", "our") for child in token.children)
        place = next(
            (
                child
                for child in token.children
                if child.dep_ == "prep" and child.lower_ in ("in", "at", "near")
            ),
            None,
        )
        if not owned or place is None or token.pos_ != "NOUN" or _is_relative(token):
            continue
        name = next((child for child in place.children if child.tag_ == "NNP"), None)
        if name is not None:
            start = next(child.i for child in token.children if child.dep_ == "poss") + 1
            article = "" if token.tag_ == "NNS" else "an " if doc[start].lower_[0] in "aeiou" else "a "
            facts.append(f"I have {article}{doc[start : name.i + 1].text}")
    return facts


_OWN_PLACE = re.compile(
    r"""
    \b(?:my|our)\ (?P<thing>(?:[a-z][\w-]+\ ){0,2}?(?P<noun>[a-z][\w-]+))\ (?P<where>
        (?:in|near)\ (?-i:[A-Z][\w'’-]+(?:\ [A-Z][\w'’-]+)?)
    )
    """,
    re.VERBOSE,
)
# Languages stand behind "in" as places do.
_LANGUAGE = re.compile(r"\w*(?:ish|ese|ian|man|nch|tch|ean|abic|eek|indi|ati|egian|ech|ai|rdu|atin)$")


def _find_places_by_words(text: str) -> list[str]:
    """The same where the parser joined the place to something else."""
    match = _OWN_PLACE.search(text)
    if match is None or match["noun"] in KINSHIP or _LANGUAGE.match(match["where"].split()[1]):
        return []
    article = "" if match["noun"].endswith("s") else "an " if match["thing"][0] in "aeiou" else "a "
    return [f"I have {article}{match['thing']} {match['where']}"]


def _is_relative(token: Token) -> bool:
    is_named = token.tag_ == "NNP" and any(child.lower_ in KINSHIP for child in token.children)
    return token.lower_ in KINSHIP or is_named


def _name_end(token: Token) -> int:
    names = [child.i for child in token.children if child.dep_ == "appos" and child.tag_ == "NNP"]
    return max(names, default=token.i)
