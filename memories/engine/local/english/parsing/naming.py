"""Whom and what a clause names, and how a later clause calls them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memories.engine.local.english.changes.counts import NOT_COUNTED
from memories.engine.local.english.parsing.grammar import FIRST_PERSON, is_person
from memories.engine.local.english.parsing.lexicon import KINSHIP, PETS
from memories.engine.local.english.parsing.reports import names_cause
from memories.engine.local.english.people import Referent, Referents, find_gender
from memories.text.slots.vocabulary import join_words
from memories.text.words.places import is_place
from memories.text.words.tokenize import extract_keywords

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_OWNING = frozenset(
    {
        "have",
        "has",
        "had",
        "got",
        "bought",
        "buy",
        "own",
        "adopted",
        "built",
        "rented",
        "rent",
        "drive",
        "ordered",
        "booked",
    }
)
_BEING = frozenset({"is", "'s", "was"})
# Nouns that name no thing which a later "it" may mean.
_TIMES = frozenset(
    """
        day week month year morning evening afternoon night weekend hour minute time today tomorrow
        yesterday end beginning start moment while monday tuesday wednesday thursday friday saturday
        sunday spring summer autumn fall winter lot bit way
    """.split()
)
# What is said of a thing that the clause before it named, and not of what happened there.
_OF_A_THING = frozenset(
    """
        start starts started begin begins began end ends ended finish finishes open opens opened
        close closes closed cost costs last lasts lasted run runs expire expires expired arrive
        arrives arrived leave leaves weigh weighs seats measures
    """.split()
)


_IN_LAW = (["-", "in", "-", "law"], ["in", "law"], ["in", "-", "law"])


def read_noun_phrase(noun: Token) -> str:
    """A noun with what stands before it and its name: "my brother Callum"."""
    end = noun.i + _count_in_law_tokens(noun)
    for child in noun.children:
        if child.i == end + 1 and child.dep_ == "appos" and child.tag_ == "NNP":
            end = _find_end_of_name(child)
    start = min(
        [
            child.left_edge.i
            for child in noun.children
            if child.i < noun.i and child.dep_ in ("poss", "det", "amod", "compound", "nummod")
        ],
        default=noun.i,
    )
    phrase = noun.doc[start : end + 1].text
    if phrase.startswith(("My ", "Our ")):
        phrase = phrase[0].lower() + phrase[1:]
    # Anyone who is called by a pronoun's owner only is known by the name: "his sister Lavinia" is Lavinia.
    owned = re.match(r"(?:his|her|their|its) ", phrase, re.IGNORECASE)
    if owned and (name := re.search(r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)* ?$", phrase[owned.end() :])):
        return name[0]
    return _name_beside(noun) if owned else phrase


def _find_end_of_name(name: Token) -> int:
    """Where a name ends: "my boyfriend Sander and two hamsters" names one of them so."""
    end = name.i
    while end < name.right_edge.i and name.doc[end + 1].tag_ == "NNP":
        end += 1
    return end


def _count_in_law_tokens(noun: Token) -> int:
    """Count how many tokens behind a noun of kinship make another relation of it: "sister-in-law", "father in law"."""
    behind = [token.lower_ for token in noun.doc[noun.i + 1 : noun.i + 5]]
    return next((len(form) for form in _IN_LAW if behind[: len(form)] == form), 0)


def find_named_in_clause(doc: Doc, subject: Token) -> list[Referent]:
    """Persons and things of the clause, its subject first."""
    referents = [
        _find_referent(token, subject)
        for token in [subject, *(token for token in doc if token.i != subject.i)]
    ]
    known = [referent for referent in referents if referent is not None and referent.phrase]
    if name := _find_name_of_owned(subject):  # "she" is Bernadette, and not my mum
        known = [Referent(name)]
    return list({referent.phrase: referent for referent in known}.values())


def _find_name_of_owned(subject: Token) -> str:
    """ "Bernadette" of "My mum's carer is called Bernadette"; "" where the subject is the user's own or has no name."""
    is_owned = any(child.dep_ == "poss" and child.pos_ in ("NOUN", "PROPN") for child in subject.children)
    given = (
        child for child in subject.head.children if child.dep_ in ("oprd", "attr") and child.tag_ == "NNP"
    )
    return next((name.text for name in given), "") if is_owned else ""


def _find_referent(token: Token, subject: Token) -> Referent | None:
    if token.pos_ not in ("NOUN", "PROPN") or token.dep_ in ("compound", "appos", "npadvmod"):
        return None
    if token.dep_ == "poss":
        return _find_owner(token)
    if token.dep_ == "attr" and token.tag_ == "NN" and token.i != subject.i:
        return None  # "a nurse" in "Leif is a nurse" is nobody else
    is_subject = token.i == subject.i
    phrase = read_noun_phrase(token)
    kin = next(
        (
            word
            for word in [token, *token.children]
            if word.lower_ in KINSHIP
            and word.dep_ in (token.dep_, "compound", "appos")
            and not _is_given_something(word, token)
        ),
        None,
    )
    owner = next((child for child in token.children if child.dep_ == "poss"), None)
    if kin is not None:
        return _build_relative(token, kin, owner, phrase)
    if name := _name_beside(token):
        return Referent(name, "")
    is_owned = (
        token.dep_ == "dobj"
        and token.head.lower_ in _OWNING
        and subject.lower_ in FIRST_PERSON
        and token.tag_ in ("NN", "NNP")
    )
    if is_owned and (given := _find_given_name(token)):
        return Referent(given, "pet")
    if is_owned and re.match(r"(?:an?|my|our|the|one)\b", phrase, re.IGNORECASE):
        compounds = [child.text for child in token.children if child.dep_ == "compound" and child.i < token.i]
        return Referent(
            " ".join(["my", *compounds, token.text]),
            "pet" if PETS & {token.lower_} or token.tag_ == "NNP" else "thing",
        )
    if token.tag_ in ("NNP", "NNPS"):
        return _build_named_referent(token, phrase, is_subject)
    if token.tag_ == "NNS":
        return Referent(phrase, "many") if is_subject and owner is not None else None
    if is_subject and re.match(r"(?:the|my|our|this)\b", phrase, re.IGNORECASE):
        # "My star pupil is Ignatius": who is named so is somebody.
        attribute = next((child for child in token.head.children if child.dep_ == "attr"), None)
        is_named = attribute is not None and attribute.tag_ == "NNP" and token.head.lower_ in _BEING
        if attribute is not None and is_named and owner is not None:
            return Referent(read_noun_phrase(attribute))
        if token.dep_ == "nsubj" and phrase.lower().startswith("the ") and _is_of_profession(token):
            return Referent(phrase[0].lower() + phrase[1:])
        # Who "spoke it" is not what "it" means.
        is_beside_it = any(child.dep_ == "dobj" and child.lower_ == "it" for child in token.head.children)
        is_somebody = token.dep_ == "nsubj" and (token.head.lower_ in _OF_PERSONS or is_beside_it)
        return None if is_somebody else Referent(phrase[0].lower() + phrase[1:], "thing")
    return None


def _is_of_profession(noun: Token) -> bool:
    """Return whether a noun tells for certain what somebody works as: "the inspector", and not "the printer"."""
    return noun.tag_ == "NN" and (
        _PROFESSION.fullmatch(noun.lower_) is not None or noun.lower_.endswith(("ologist", "ician"))
    )


_PROFESSION = re.compile(join_words("en", "professions"))


def find_others_of_others(doc: Doc) -> list[str]:
    """The pronouns that fit whom the clause names without a name, as somebody's of whom it speaks: "her boyfriend"."""
    owned = [
        token
        for token in doc
        if any(child.dep_ == "poss" and child.lower_ in ("his", "her", "their") for child in token.children)
    ]
    genders = [find_gender(token.text) for token in owned if token.tag_ == "NN" and not _name_beside(token)]
    return [{"m": "he", "f": "she"}[gender] for gender in genders if gender in ("m", "f")]


def _find_given_name(noun: Token) -> str:
    """ "Duchess" of "a greyhound called Duchess"; "" where none is given."""
    behind = noun.doc[noun.i + 1 : noun.i + 3]
    is_called = len(behind) == 2 and behind[0].lower_ in ("called", "named") and behind[1].text[0].isupper()
    return behind[1].text if is_called else ""


def _is_given_something(kin: Token, noun: Token) -> bool:
    """Of "lend my sister money" the parser makes one noun, which names nobody."""
    return (
        kin.dep_ == "compound"
        and kin.i < noun.i
        and noun.tag_ in ("NN", "NNS")
        and noun.lower_ not in KINSHIP
    )


def _build_named_referent(token: Token, phrase: str, is_subject: bool) -> Referent | None:
    """Somebody or something with a name of its own, where the clause speaks of it."""
    if is_place(token.text):
        return None
    has_title = any(child.text.rstrip(".") in ("Mr", "Mrs", "Ms", "Dr", "Miss") for child in token.children)
    if (
        is_subject
        or has_title
        or (
            token.dep_ in ("dobj", "pobj", "conj")
            and token.head.lower_ in ("with", "meet", "met", "saw", "called", "named", "and")
        )
        or token.dep_ == "conj"
    ):
        if token.text.isupper() and len(token.text) > 1:
            return Referent(phrase, "thing")
        return Referent(phrase, _find_gender_by_title(token))
    if token.text.isupper():
        return None
    if token.dep_ in ("dobj", "dative"):
        return Referent(phrase, "!")
    return Referent(phrase, "?") if token.dep_ == "pobj" and token.head.lower_ in _OF_SOMEBODY else None


# What stands behind these may be somebody; behind "in" or "at" stands a place.
_OF_SOMEBODY = frozenset("for about of by without like after before than".split())


def _find_owner(token: Token) -> Referent | None:
    """A relative of the user or a person by name whose something is spoken of: "my wife's job", "Leo's reading"."""
    phrase = read_noun_phrase(token)
    if token.lower_ in KINSHIP - PETS and re.match(r"(?:my|our) ", phrase, re.IGNORECASE):
        return _build_relative(
            token, token, next(child for child in token.children if child.dep_ == "poss"), phrase
        )
    is_thing = token.tag_ == "NN" and token.lower_ not in KINSHIP and token.head.tag_ in ("NN", "NNS")
    if is_thing and re.match(r"(?:my|our|the) ", phrase, re.IGNORECASE) and token.lower_ not in _TIMES:
        # "My wheelchair's brake has gone. It's blue": which of the two, nothing tells.
        return Referent(phrase[0].lower() + phrase[1:], "thing")
    # "Ann's" of "at Ann's" is her shop or home.
    is_shop = token.head.dep_ in ("prep", "pobj") and token.head.i < token.i
    is_name = token.tag_ == "NNP" and not token.text.isupper() and not is_shop and not is_place(token.text)
    return Referent(phrase, _find_gender_by_title(token)) if is_name else None


def _find_gender_by_title(token: Token) -> str:
    titles = {child.text.rstrip(".") for child in token.children if child.dep_ == "compound"}
    return "m" if "Mr" in titles else "f" if titles & {"Mrs", "Ms", "Miss"} else ""


def _name_beside(noun: Token) -> str:
    """The name that stands behind a noun, between commas: "a new lodger, Ximena"."""
    name = next(
        (
            child
            for child in noun.children
            if child.dep_ == "appos" and (child.tag_ == "NNP" or child.text.istitle())
        ),
        None,
    )
    return "" if name is None or noun.tag_ != "NN" else noun.doc[name.left_edge.i : name.i + 1].text


def _build_relative(token: Token, kin: Token, owner: Token | None, phrase: str) -> Referent | None:
    gender = find_gender(kin.text)
    is_plural = kin.tag_ in ("NNS", "NNPS") or gender == "many"
    if owner is not None and owner.lower_ in ("my", "our"):
        name = phrase[0].lower() + phrase[1:] if phrase[:2] in ("My", "Ou") else phrase
    elif token.dep_ == "dobj" and token.head.lower_ in (
        "have",
        "'ve",
        "has",
        "had",
        "got",
        "adopted",
        "keep",
        "kept",
        "lost",
    ):
        having = next((child for child in token.head.children if child.dep_ == "nsubj"), None)
        if having is not None and having.lower_ not in FIRST_PERSON:
            return None  # "My neighbour has three dogs": they are not the user's
        name = "my " + re.sub(r"^(?:an?|the|two|three|four|five|\d+|some) ", "", phrase)
        name = f"{name} {_find_given_name(token)}".strip()
    elif owner is None and kin.lower_ not in PETS and (given := _find_given_name(token)):
        return Referent(given, gender)  # "with a guy called Marc": later he is Marc
    elif owner is not None or kin.lower_ in PETS:
        name = re.sub(r"^(?:an?|some) ", "the ", phrase)
    else:
        name = f"my {phrase}" if phrase.islower() and " " not in phrase else phrase
    if kin.lower_ in PETS and not is_plural:
        return Referent(name, "pet")
    return Referent(name, "many" if is_plural else gender)


# What one does with a thing, and not with what happened or was said.
_USING = frozenset(
    "eat drink wear drive sell buy wash cook smoke bake read ride repair mend sew paint charge".split()
)


def is_head_count(root: Token) -> bool:
    """As in "we are six people"."""
    counted = next((child for child in root.children if child.dep_ == "attr"), None)
    return counted is not None and (
        counted.tag_ == "CD" or any(child.dep_ == "nummod" for child in counted.children)
    )


def find_thing_meant(
    token: Token, root: Token, known: Referent | None, referents: Referents
) -> Referent | None:
    """Find what "it" means: not what was named long ago where the last clause names something else; the only thing that
    the last clause names where what is said of "it" fits a thing."""
    is_counted = root.lower_ in _BEING and any(
        child.dep_ == "attr" and child.tag_ == "CD" for child in root.children
    )
    if is_counted and token.dep_ == "nsubj" and len(referents.last_things) > 1:
        return None  # "The school changed the start time, it's 8:15": which of the two, no form tells
    if token.dep_ == "nsubj" and _is_count_of_things(root):
        return None  # "It's eighty guests": nothing that was named is as many
    if names_cause(token, root, known, referents) or _is_somebody(token, root):
        return None
    if not referents.last_things or (known and known.phrase in referents.last_things):
        return known
    if known and any(thing.split()[-1] == known.phrase.split()[-1] for thing in referents.last_things):
        return known
    # "It's grade 5 in November" says what it is, and not when.
    is_dated = (
        root.lower_ in _BEING
        and any(child.dep_ == "prep" and child.lower_ in ("on", "at", "in") for child in root.children)
        and not any(child.dep_ in ("attr", "acomp") for child in root.children)
    )
    is_of_thing = token.dep_ == "nsubj" and (root.lower_ in _OF_A_THING or is_dated)
    is_used = token.dep_ == "dobj" and root.i == token.head.i and root.lower_.removesuffix("s") in _USING
    return (
        Referent(referents.last_things[0], "thing")
        if (is_of_thing or is_used) and len(referents.last_things) == 1
        else None
    )


def _is_somebody(token: Token, root: Token) -> bool:
    """ "It's my goddaughter": nothing that was named is a person; and "it's urgent" is what is asked for."""
    what = next((child for child in root.children if child.dep_ == "attr"), None)
    is_subject = token.dep_ == "nsubj" and token.head.i == root.i
    if any(child.lower_ == "urgent" for child in token.head.children):
        return True
    if what is None or not is_subject or root.lower_ not in _BEING:
        return False
    return what.tag_ == "NN" and is_person(what) and any(child.dep_ == "poss" for child in what.children)


def _is_count_of_things(root: Token) -> bool:
    """Return whether what something is said to be are so many things, and not how long or dear it is: "eighty guests",
    not "two hours"."""
    counted = next((child for child in root.children if child.dep_ == "attr"), None)
    if counted is None or counted.tag_ != "NNS" or root.lower_ not in _BEING:
        return False
    is_amount = bool(NOT_COUNTED & set(extract_keywords(counted.lower_)))
    return not is_amount and any(child.dep_ == "nummod" for child in counted.children)


# Who does this is somebody, whatever the noun: "the head wants to cut two posts".
_OF_PERSONS = frozenset(
    """
        want wants wanted say says said think thinks thought decided insists insisted refuses
        refused promised agreed hopes knows
    """.split()
)


def find_things_in_clause(doc: Doc) -> tuple[str, ...]:
    """The things that the clause names, other than persons and times, as a later clause would call them."""
    things = []
    for token in doc:
        is_thing = token.tag_ == "NN" and token.dep_ in ("nsubj", "nsubjpass", "dobj", "pobj")
        if token.text[0].isupper() and token.i > 0:
            continue
        if token.dep_ == "nsubj" and token.head.lower_ in _OF_PERSONS:
            continue
        is_time = token.lower_ in _TIMES and not any(child.dep_ == "compound" for child in token.children)
        if not is_thing or is_person(token) or is_time or token.lower_.endswith("ing"):
            continue
        if phrase := read_noun_phrase(token):
            things.append(re.sub(r"^(?:an?|another|this|that|one) ", "the ", phrase, flags=re.IGNORECASE))
    return tuple(
        thing if thing.lower().startswith(("the ", "my ", "our ")) else f"the {thing}" for thing in things
    )


_CALLED_BEHIND = re.compile(r"[,;] (?P<who>he|she)(?:['’]s| is| was) (?:called|named) (?P<name>[A-Z][\w-]+)")


def list_named(doc: Doc, subject: Token, used: Sequence[Referent]) -> list[Referent]:
    """Whom the clause is about, its pronouns first. Behind "…, he's called Raj", Raj alone is meant by "he"."""
    if called := _CALLED_BEHIND.search(doc.text):
        return [Referent(called["name"], "m" if called["who"] == "he" else "f")]
    named = find_named_in_clause(doc, subject)
    known = {other.phrase for other in named}
    return [*(referent for referent in dict.fromkeys(used) if referent.phrase not in known), *named]
