"""Whom "he", "she", "they" and "it" mean: the last named person or thing that fits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from memories.engine.local.english.parsing.lexicon import MANY, MEN, PETS, WOMEN
from memories.text.en.case import fold_case

_MOST_REMEMBERED = 12


@dataclass(frozen=True, slots=True)
class Referent:
    """Somebody or something that was named. `phrase` says it in the first person ("my sister Ana", "Marta").

    `gender` is "f", "m", "many", "pet", "thing", or "" where the words do not tell; of a name that may be anybody's or
    anything's it is "?", and "!" where something is done to them.
    """

    phrase: str
    gender: str = ""

    def fits(self, pronoun: str) -> bool:
        return self.gender in _GENDERS[pronoun]


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """Place of something, in the speaker's words: "the harbour in Gdynia", "at"."""

    phrase: str
    preposition: str


_GENDERS = {
    "he": ("m", "", "pet"),
    "she": ("f", "", "pet"),
    "they": ("many",),
    "it": ("thing", "pet"),
}
# The case that a pronoun stands in, and the subject form by which its referent is looked up.
SUBJECT_FORMS = {
    "he": "he", "him": "he", "his": "he", "himself": "he",
    "she": "she", "her": "she", "hers": "she",
    "they": "they", "them": "they", "their": "they", "theirs": "they",
    "it": "it", "its": "it",
}  # fmt: skip


@dataclass(slots=True)
class Referents:
    """Persons and things that the talk has named so far, newest last; one group for each clause."""

    _groups: list[list[Referent]] = field(default_factory=list)
    # What the last clause that names things names, in the speaker's words.
    last_things: tuple[str, ...] = ()
    _things_named_in: int = 0
    # The nouns of what came back with news of something else.
    reports: set[str] = field(default_factory=set)
    # Whether the sentence that is read follows another one of its message, which may name where "there" is.
    has_sentence_before: bool = False
    # Where the last clause of this message is that names a place.
    place: NamedPlace | None = None
    # The message in which each was named last, and pronouns of which it is open whom they mean since another one.
    _message: int = 0
    # Whether this message has had a clause already, which may have named what "it" is.
    _has_clause_before: bool = False
    _named_in: dict[str, int] = field(default_factory=dict)
    _open: dict[str, int] = field(default_factory=dict)
    # By which of "he" and "she" an animal was called.
    _called: dict[str, str] = field(default_factory=dict)

    def begin_message(self, talk: str = "") -> None:
        """`talk` is what was said last: who is only "the older one" there may be meant by "he" and "she"."""
        self._message += 1
        self._has_clause_before = False
        if _ONE_OF_THEM.search(talk):
            self.leave_open("he")
            self.leave_open("she")
        self.place = None  # between two messages the assistant may have named another

    def notice_things(self, things: tuple[str, ...]) -> None:
        """What a clause names, as a later one would call it; nothing new where it names none."""
        if things:
            self.last_things, self._things_named_in = things, self._message

    def leave_open(self, pronoun: str) -> None:
        """Nobody knows whom the pronoun means: so it means nobody who was named before."""
        self._open[pronoun] = self._message

    def notice(self, named: list[Referent]) -> None:
        """What a clause named, its subject first; what was only asked for names nothing. At "my brother Cian's" it
        names Cian, and not where he lives."""
        self._has_clause_before = True
        if self._things_named_in < self._message and not any(
            referent.gender in ("thing", "pet") for referent in named
        ):
            self.last_things = ()
        named = [replace(referent, phrase=_OWNING.sub("", referent.phrase)) for referent in named]
        named = [
            referent
            for referent in named
            if not referent.phrase.lower().startswith(("which ", "what ", "whose "))
        ]
        named = [
            referent
            for referent in named
            if referent.gender != "?" or not _NO_PERSON.fullmatch(referent.phrase)
        ]
        # "Igor" and "my boss's husband Igor" are one.
        named = [
            referent
            for referent in named
            if not any(other.phrase.endswith(f" {referent.phrase}") for other in named)
        ]
        if named:
            genders = {referent.phrase: referent.gender for group in self._groups for referent in group}
            named = [
                referent if referent.gender else Referent(referent.phrase, genders.get(referent.phrase, ""))
                for referent in named
            ]
            known = {referent.phrase for referent in named}
            last = self._groups[-1] if self._groups else []
            if known <= {
                referent.phrase for referent in last
            }:  # it goes on about the same one, and may soon mean the other
                named = [
                    *named,
                    *(
                        referent
                        for referent in last
                        if referent.gender == "!" and referent.phrase not in known
                    ),
                ]
                known |= {referent.phrase for referent in named}
            self._named_in |= dict.fromkeys(known, self._message)
            self._groups = [
                [referent for referent in group if referent.phrase not in known] for group in self._groups
            ]
            self._groups = [group for group in self._groups if group][-_MOST_REMEMBERED:]
            self._groups.append(named)

    def notice_recipients(self, request: str, named: list[Referent]) -> None:
        """For whom a text is asked for, as in "a poem for my wife": they are real, whatever is made up in it."""
        at = {match.end() for match in _RECIPIENT.finditer(request)}
        self.notice(
            [
                referent
                for referent in named
                if any(request.startswith(referent.phrase, place) for place in at)
            ]
        )

    def settle(self, referent: Referent, pronoun: str) -> None:
        """The pronoun tells the gender of whom it was used for."""
        if referent.gender == "pet" and pronoun in ("he", "she"):
            self._called[referent.phrase] = pronoun
        if referent.gender == "":
            known = Referent(referent.phrase, {"he": "m", "she": "f"}.get(pronoun, ""))
            self._groups = [
                [known if other == referent else other for other in group] for group in self._groups
            ]

    def find(self, pronoun: str) -> Referent | None:
        """Whom the pronoun means; none if nobody or more than one fits."""
        for group in reversed(self._groups):
            fitting = [
                referent
                for referent in group
                if referent.fits(pronoun) and not self._is_too_old(referent, pronoun)
            ]
            is_of_persons = pronoun in ("he", "she")
            fitting = [
                referent
                for referent in fitting
                if not is_of_persons or self._called.get(referent.phrase, pronoun) == pronoun
            ]
            # Of an animal and somebody by name, either may be "he".
            is_beside_name = is_of_persons and any(
                referent.gender == "" and referent.phrase.istitle() for referent in fitting
            )
            sure = [
                referent
                for referent in fitting
                if referent.gender and not (is_beside_name and referent.gender == "pet")
            ]
            only = sure if len(sure) == 1 else fitting
            if len(only) == 1:
                # "Vet's taken Biscuit off it. She sleeps better": of one whose kind tells nothing and a name, either
                # may be "she".
                if is_of_persons and not only[0].gender and any(referent.gender == "!" for referent in group):
                    return None
                return None if self._is_of_animal(only[0], pronoun) else only[0]
            # "She keeps asking for Arthur. He died": whom nobody introduced may be meant before anybody named earlier.
            if fitting or (
                pronoun in ("he", "she") and any(referent.gender in ("?", "!") for referent in group)
            ):
                return None
        return None

    def _is_of_animal(self, referent: Referent, pronoun: str) -> bool:
        """Return whether an animal was called so of late, too: "My partner's mum has two cats, so she's not allowed
        there"."""
        called = [phrase for phrase, other in self._called.items() if other == pronoun != "it"]
        return referent.phrase not in called and any(
            self._named_in.get(phrase, 0) >= self._message - 1 for phrase in called
        )

    def _is_too_old(self, referent: Referent, pronoun: str) -> bool:
        """Return whether the talk has gone on since: "they" are soon people in general, and so is whom nobody knows."""
        named = self._named_in.get(referent.phrase, 0)
        since = self._open.get(pronoun)
        # "We pay 12 euros a month, it was 10": what the last message named is not meant, but what this one leaves out.
        is_left_behind = referent.gender == "thing" and self._has_clause_before and named < self._message
        return (
            (pronoun == "they" and named < self._message - 1)
            or is_left_behind
            or (since is not None and named < self._message and since <= self._message)
        )

    def knows(self, noun: str) -> bool:
        """Return whether somebody or something has been called so, as "my dog Rex" for "dog"."""
        return any(noun in referent.phrase.lower().split() for group in self._groups for referent in group)

    def find_name(self, pronoun: str) -> str:
        """Find how the speaker calls the person whom a pronoun means; "" for nobody."""
        referent = self.find(pronoun)
        return referent.phrase if referent and referent.gender not in ("pet", "thing") else ""


_OWNING = re.compile(r"(?<=[a-rt-z])['’]s$")
_ONE_OF_THEM = re.compile(
    r"""
    \b(?:the|my|our|your)\ (?:
        older | younger | eldest | oldest | youngest | elder | little | littlest | big | bigger | smaller
        | middle | other | first | second | third
    )\ one\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def find_gender(noun: str) -> str:
    """Find what a noun of kinship tells of whom it names."""
    word = noun.lower()
    if word in MANY:
        return "many"
    return "f" if word in WOMEN else "m" if word in MEN else ""


def find_referents_asked_about(phrase: str) -> list[Referent]:
    """A name, or "my mum", whom a question asks about; nobody where the word is of no person."""
    noun = phrase.split()[-1].lower()
    if not phrase.startswith("my "):
        return [Referent(phrase)]
    return [Referent(phrase, find_gender(noun))] if noun in WOMEN | MEN else []


_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-zA-Zé'’-]{2,}(?: [A-Z][a-zA-Z'’-]{2,})?")
_RECIPIENT = re.compile(r"\b(?:for|to) (?=(?:my|our) )", re.IGNORECASE)
_NO_PERSON = re.compile(
    r"""
    (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day | January | February | March | April | May | June | July
    | August | September | October | November | December
    """,
    re.VERBOSE,
)


# One moves to places, and speaks to persons.
_MOTION = (
    r"\b(?:mov(?:e|es|ed|ing)|go(?:es|ing)?|went|gone|trave(?:ls?|ll?ed|ll?ing)|fl(?:y|ies|ew|own|ying)"
    r"|dr(?:ive|ives|ove|iving)|sail(?:s|ed|ing)?|relocat(?:e|es|ed|ing)|return(?:s|ed|ing)?|com(?:e|es"
    r"|ing)|came|commut(?:e|es|ed|ing)|transfer(?:s|red|ring)?)"
)


_OWN_PERSON = re.compile(
    r"\b(?:my|our) (?:[a-z]+ )?(?P<noun>[a-z][a-z-]+)(?P<name> [A-Z][\w'’-]+)?\b(?!['’])"
)


def find_named_person(words: str) -> list[Referent]:
    """The one person that words which are quoted name inside a sentence; nobody where there are more."""
    own = [hit for hit in _OWN_PERSON.finditer(words) if hit["noun"] in WOMEN | MEN]
    if len(own) == 1:
        return [Referent(own[0][0], find_gender(own[0]["noun"]))]
    names = [name for name in dict.fromkeys(_NAME.findall(words)) if not _NO_PERSON.match(name)]
    # "From Watson's" is from a shop or a home.
    names = [name for name in names if not re.search(rf"{re.escape(name)}(?<=['’]s)(?! [\w])", words)]
    before = (
        (
            rf"\b(?:with|from|to|into|by|and|of|named|called|is|was|about|met|saw|told|asked|my [a-z]+"
            rf"|our [a-z]+),? {re.escape(names[0])}"
        )
        if len(names) == 1
        else ""
    )
    is_place = bool(names) and re.search(rf"{_MOTION} (?:\w+ )?(?:to|from|into) {re.escape(names[0])}", words)
    return [Referent(names[0])] if before and not is_place and re.search(before, words) else []


_PRONOUN = re.compile(
    r"^(?:and |but |so |because |that is when |that's when )?(?P<pronoun>he|she|they|his|her|their|him|them)\b",
    re.IGNORECASE,
)


def find_person_meant(words: str, referents: Referents) -> str:
    """Whom the pronoun at the beginning of words that are quoted means, in the third person; "" for nobody."""
    opening = _PRONOUN.match(words)
    referent = referents.find(SUBJECT_FORMS[fold_case(opening["pronoun"])]) if opening else None
    if referent is not None and referent.gender == "pet" and not PETS & set(referent.phrase.lower().split()):
        return ""  # "I've got a Transit … She kicks": no animal for certain
    if referent is None or _NO_PERSON.match(referent.phrase):
        return ""
    return re.sub(r"^The ", "the ", re.sub(r"^(?:my|our) ", "the user's ", referent.phrase))
