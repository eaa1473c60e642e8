"""Which place "there" means: the last one that the message has named. "Here" may be wherever the speaker is."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memories.engine.local.english.people import NamedPlace, Referents, find_gender
from memories.text.time.english import find_english_times
from memories.text.words.word_lists import load_alternatives

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_WHERE = frozenset("in at on near outside inside within around behind beside opposite".split())
_TOWARDS = frozenset("to into onto for".split())
_PARTS_OF_PLACES = _WHERE - {"on"} | {"of", "by"}
_FROM = frozenset("from off".split())
# Only of going somewhere is "to Riga" a place, and "for Riga"; "to Marta" is none.
_GOING = re.compile(_WORDS["motions"])
_GETTING = frozenset("get gets getting got".split())
# "Since May", "for two years": being somewhere, and no visit.
_LASTING = frozenset({"since", "for", "until", "till"})
_TIMES = frozenset(
    """morning afternoon evening night noon midnight day weekend week month year summer winter spring autumn fall term
    holidays christmas easter lunch breakfast dinner""".split()
)
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
# "In a hurry", "at the moment", "on the phone": nobody is there.
_NO_PLACES = frozenset(
    """hurry mood way fact case end moment phone time times row rush pain trouble advance touch charge person total
    addition particular general future past beginning middle kind rest mind meantime love debt process course favour
    favor secret danger order turn run diet budget whim purpose side condition team sense age minute second""".split()
)
# "Over there", "hello there", "that one there": what one points at.
_POINTING = frozenset("over out hang hello hi who in on this that one".split())
_LONGEST = 8  # words


def say_places(doc: Doc, place: NamedPlace | None) -> dict[int, str]:
    """Return what stands for each "there" of a clause that means a place of another one, by its position."""
    if place is None:
        return {}
    adverbs = (token for token in doc if token.lower_ == "there" and _is_open(token))
    return {adverb.i: _say_place(place, adverb) for adverb in adverbs}


def leaves_place_open(doc: Doc, referents: Referents) -> bool:
    """Return whether a "there" means a place of the sentence before, of which no rule tells what it is."""
    is_open = referents.place is None and referents.has_sentence_before
    return is_open and any(token.lower_ == "there" and _is_open(token) for token in doc)


def _say_place(place: NamedPlace, adverb: Token) -> str:
    """Return what stands for the adverb: "in Riga", "to Riga", and "Riga" behind a preposition of its own."""
    if _is_behind_preposition(adverb):
        return place.phrase
    return f"{'to' if _is_aim(adverb) else place.preposition} {place.phrase}"


def find_place(doc: Doc) -> NamedPlace | None:
    """The last place that a clause names."""
    last_place: NamedPlace | None = None
    end = -1
    for token in doc:
        if token.i > end and (place := _read_place(token)):
            last_place, end = place, _last_word(token)
    return last_place


def _is_open(token: Token) -> bool:
    """Not "there is", "over there" of what one points at, nor what the clause itself names before it."""
    if token.dep_ == "expl" or token.head.dep_ == "expl" or token.i == 0:
        return False
    if token.doc[token.i - 1].lower_ in _POINTING:
        return False
    return not any(_read_place(other) for other in token.doc[: token.i])


def _read_place(preposition: Token) -> NamedPlace | None:
    word = preposition.lower_
    noun = next((child for child in preposition.children if child.dep_ == "pobj"), None)
    if noun is None or word not in _WHERE | _TOWARDS | _FROM or noun.pos_ not in ("NOUN", "PROPN"):
        return None
    is_origin = word in _FROM and preposition.head.pos_ == "AUX"  # "is from Split"
    is_going = is_origin or bool(_GOING.fullmatch(preposition.head.lower_))
    words = noun.doc[noun.left_edge.i : _find_end(noun)]
    is_named = noun.pos_ == "PROPN" or noun.text.istitle()
    has_article = any(child.dep_ in ("det", "poss", "compound") for child in noun.children)
    if (
        (word not in _WHERE and not is_going)
        or not (is_named or has_article)
        or find_gender(noun.lower_)
        or noun.lower_ in _NO_PLACES
        or _is_no_place_on(preposition, noun)
        or noun.lower_ in _TIMES
        or find_english_times(f"{word} {words.text}", _ANY_DAY)
        or len(words) > _LONGEST
        or any(token.lower_ in ("there", "here", "it", "them", "that", "which") for token in words)
    ):
        return None
    phrase = re.sub(r"^an? ", "the ", words.text, flags=re.IGNORECASE)
    return NamedPlace(phrase, word if word in _WHERE else "in" if is_named else "at")


def _is_no_place_on(preposition: Token, noun: Token) -> bool:
    """ "Is on Prascend" and "on DIY livery" tell of no place, and nobody works on the desk that they sit on."""
    verb = preposition.head
    has_article = any(child.dep_ in ("det", "poss") for child in noun.children)
    is_name = noun.pos_ == "PROPN" and verb.pos_ != "AUX"
    is_posture = verb.lower_ in _POSTURES
    return preposition.lower_ == "on" and (not (has_article or is_name) or is_posture)


_POSTURES = frozenset(
    "sit sits sat sitting stand stands stood standing lie lies lay lying lean leans put puts wear wears worn".split()
)


def _find_end(noun: Token) -> int:
    """Behind the noun's phrase, of which only what tells where is a part: "the lido" of "the lido on Thursdays"."""
    other = (
        child.i
        for child in noun.children
        if child.i > noun.i
        and child.dep_ in ("prep", "npadvmod")
        and (child.lower_ not in _PARTS_OF_PLACES or find_english_times(_read_words(child), _ANY_DAY))
    )
    return min(other, default=int(noun.right_edge.i) + 1)


def _read_words(token: Token) -> str:
    return str(token.doc[token.left_edge.i : token.right_edge.i + 1].text)


def _last_word(token: Token) -> int:
    return int(token.right_edge.i)


def _is_behind_preposition(adverb: Token) -> bool:
    return adverb.dep_ == "pcomp" or adverb.doc[adverb.i - 1].lower_ in ("from", "near", "around")


def _is_aim(adverb: Token) -> bool:
    """Return whether the place is gone to, and not only where something happens."""
    verb, beside = adverb.head, list(adverb.head.children)
    if verb.lower_ in _GETTING and any(child.dep_ == "dobj" for child in beside):
        return False  # anyone who got a job there went nowhere
    if verb.lower_ == "been" and any(child.lower_ in _LASTING or _is_duration(child) for child in beside):
        return False
    is_aim_said = any(child.lower_ in _TOWARDS and child.dep_ == "prep" for child in beside)
    return not is_aim_said and bool(_GOING.fullmatch(verb.lower_))  # "I went to school there"


def _is_duration(token: Token) -> bool:
    """ "Six years" of "I've been there six years"."""
    return token.dep_ == "npadvmod" and any(child.dep_ == "nummod" for child in token.children)
