"""Fills in what a clause leaves to the one before it: of "My wife eats meat but I don't" the user eats no meat."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memories.engine.local.english.parsing.clauses import SpokenClause
from memories.engine.local.english.parsing.grammar import (
    FIRST_PERSON,
    find_auxiliaries,
    find_main_verb,
    find_subject,
    is_finite,
    is_verbal,
)
from memories.engine.local.english.parsing.rewriting.openers import with_contracted_verb
from memories.text.en.third_person import expand_contractions
from memories.text.en.verbs import get_base_form, inflect_third_person
from memories.text.slots.vocabulary import OWN_FACTS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WHO = r"(?:I|we|he|she|they|(?:my|our|his|her|their|the) [\w' -]{2,40}?|[A-Z]\w+)"
_BEING, _DOING, _HAVING = "am|is|are|was|were", "do|does|did", "have|has|had"
_MODAL = "can|could|will|would|must|should"
_AUXILIARY = f"(?:{_BEING}|{_DOING}|{_HAVING}|{_MODAL})"
# "So is my wife", "neither does my husband".
_INVERTED = re.compile(
    rf"(?P<joint>,? (?:and |but )?|; ?)(?P<how>so|neither|nor) (?P<verb>{_AUXILIARY}) (?P<who>{_WHO})(?=[.!]*$)",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"^(?P<who>{_WHO}) (?P<verb>{_AUXILIARY})(?P<not> not| never)?(?: too| either| as well| though)?$",
    re.IGNORECASE,
)
# Who "he" or whose "her" is changes with the subject.
_OTHERS = frozenset(
    "he she it they him her them his hers its their theirs himself herself itself themselves".split()
)


# "Goal is 78", "Budget around 120 euros" of notes: the user's own.
BARE_FACT = re.compile(
    rf"^(?:(?:new|current|total|monthly|weekly) )?(?:{OWN_FACTS}|rent|deposit|mortgage|commute|wage"
    rf"|pension)(?= (?:is|was|are|will be|has|went)\b)",
    re.IGNORECASE,
)


def say_in_order(sentence: str) -> str:
    """The sentence with "my wife is" for "so is my wife", and "my wife is not" for "neither is my wife"."""
    match = _INVERTED.search(sentence)
    if match is None or not match.start():
        return sentence
    how = "" if match["how"].lower() == "so" else " not"
    joint = match["joint"] if "and" in match["joint"] or "but" in match["joint"] else " and "
    return f"{sentence[: match.start()]}{joint}{match['who']} {match['verb']}{how}{sentence[match.end() :]}"


# What opens a sentence without being anybody's doing: "Speaking of dogs, mine is ill", "Looking at the map, the road
# is closed".
_NO_DOING = frozenset(
    """
        speaking talking judging considering regarding including excluding according depending
        assuming providing barring following owing seeing given coming going being having knowing
        hearing reading listening failing granting supposing thinking looking counting
    """.split()
)
_PRESENT = frozenset({"VBZ", "VBP"})


def find_own_doing(doc: Doc) -> tuple[str, ...]:
    """Find what the user is doing and what is said of something else: "Driving an Octavia, MOT is due"; nothing where
    that is not so."""
    first, root = doc[0], next(iter(doc.sents)).root
    subject = find_subject(root)
    if (
        first.tag_ != "VBG"
        or first.lower_ in _NO_DOING
        or first.dep_ != "advcl"
        or first.head.i != root.i
        or subject is None
    ):
        return ()
    verbs = (root, *find_auxiliaries(root))
    start = subject.left_edge.i
    is_of_other = subject.pos_ in ("NOUN", "PROPN") and any(verb.tag_ in _PRESENT for verb in verbs)
    if not is_of_other or start < 3 or doc[start - 1].text != ",":
        return ()
    doing, rest = doc[: start - 1].text, BARE_FACT.sub(lambda match: f"my {match[0]}", doc[start:].text)
    return f"I am {doing[0].lower()}{doing[1:]}.", f"{rest[0].upper()}{rest[1:]}"


# What takes place at times of its own.
_OCCASIONS = (
    r"(?:rehearsals?|lessons?|class(?:es)?|meetings?|meet-?ups?|sessions?|training|practices?|shifts?"
    r"|match(?:es)?|games?|fixtures?|concerts?|gigs?"
    r"|services?|workshops?|seminars?|lectures?|tutorials?|appointments?|check-?ups?|exams?|drills?"
    r"|deliver(?:y|ies)|collections?|visits?|calls?|stand-?ups?)"
)
_WHEN = (
    r"(?:on (?:the |most |alternate )?(?:\w+ )?\w+days?|on (?:weekdays|weekends)|at (?:\d|half|quarter"
    r"|noon|midday|weekends|night)|every|each|twice|once|(?:two|three|four|five) times"
    r"|weekly|fortnightly|monthly|daily|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)\b"
)
_OCCASION_BEHIND = re.compile(
    rf"^(?P<said>[^;]{{6,200}}), (?P<what>(?:(?:the|our|my) )?(?:(?!(?:one|two|three|four|five|six"
    rf"|seven|eight|nine|ten|twelve|a|an|some|several|many|no|another)\b)[a-z-]+ )?{_OCCASIONS}) "
    rf"(?P<when>{_WHEN}[^,;]{{0,80}}?)[.!]*$"
)
_TIMED = re.compile(rf"\b{_WHEN}", re.IGNORECASE)


def part_at_comma(doc: Doc) -> tuple[str, ...]:
    """The two statements of a sentence whose comma parts what the user is or does from what is said of another thing;
    else nothing."""
    return find_own_doing(doc) or _part_occasion(doc)


def _part_occasion(doc: Doc) -> tuple[str, ...]:
    """ "Rehearsals are on Tuesdays" of "I sing in the choir, rehearsals on Tuesdays", which has a time of its own that
    may change."""
    match = _OCCASION_BEHIND.match(doc.text)
    if match is None or _TIMED.search(match["said"]):
        return ()
    root = next(iter(doc.sents)).root
    behind = [token for token in doc if token.idx >= match.start("when")]
    subject = find_subject(root)
    if subject is None or root.idx >= match.end("said") or not is_finite(root):
        return ()
    if any(token.tag_ in ("VBZ", "VBP", "VBD", "MD") or _may_be_verb(token) for token in behind):
        return ()
    what = match["what"]
    if subject.lower_ not in FIRST_PERSON and subject.pos_ in ("NOUN", "PROPN"):
        what = f"{doc[subject.left_edge.i : subject.right_edge.i + 1].text}'s {what}"
    be = "are" if what.endswith("s") and not what.endswith("ss") else "is"
    return f"{match['said']}.", f"{what[0].upper()}{what[1:]} {be} {match['when']}."


def _may_be_verb(token: Token) -> bool:
    """Return whether a word right behind a number is nothing that is counted: "at 6 clash with work"."""
    return (
        token.pos_ in ("NOUN", "VERB")
        and token.i > 0
        and token.nbor(-1).tag_ == "CD"
        and token.lower_ not in _UNITS
    )


_UNITS = frozenset(
    "am pm a.m. p.m. o'clock times days hours weeks evenings mornings afternoons nights sharp minutes".split()
)


def fill_in(pieces: Sequence[SpokenClause], parse: Callable[[str], Doc]) -> list[SpokenClause]:
    """The clauses with what each leaves out taken from the one before it, where that is certain."""
    written: list[SpokenClause] = []
    for piece in pieces:
        bare = expand_contractions(piece.text).replace("cannot", "can not").rstrip(" .!")
        match = _BARE.match(bare) if written else None
        clause = _find_predicate(parse(written[-1].text), match, parse) if match else ""
        written.append(replace(piece, text=clause) if clause else piece)
    return written


def _find_predicate(doc: Doc, bare: re.Match[str], parse: Callable[[str], Doc]) -> str:
    """The whole clause that the bare one stands for; "" where the clause before it does not tell."""
    if fuller := with_contracted_verb(doc):
        doc = parse(fuller)
    root = find_main_verb(next(iter(doc.sents)).root)
    subject = find_subject(root)
    if len(list(doc.sents)) > 1 or not is_verbal(root) or not is_finite(root) or subject is None:
        return ""
    if subject.i > root.i or any(token.lower_ in _OTHERS for token in doc[root.i :]):
        return ""
    verb, auxiliaries = bare["verb"].lower(), [token.lower_ for token in find_auxiliaries(root)]
    if verb in _DOING.split("|"):
        base = root.lower_ if root.tag_ in ("VB", "VBP") else get_base_form(root.lower_)
        is_plain = root.tag_ != "VBD" and set(auxiliaries) <= set(_DOING.split("|"))
        behind = doc[root.i + 1 :].text.rstrip(" .!,;")
        return _say_done(bare, base, behind) if base and is_plain and not _is_being(root) else ""
    start = _find_start(verb, root, auxiliaries)
    rest = doc[start:].text.rstrip(" .!,;") if start >= 0 else ""
    return f"{bare['who']} {bare['verb']}{bare['not'] or ''} {rest}" if rest else ""


def _is_being(token: Token) -> bool:
    return token.lower_ in (*_BEING.split("|"), "'m", "'re", "’m", "’re", "be")


def _find_start(verb: str, root: Token, auxiliaries: Sequence[str]) -> int:
    """Find where in the clause before it begins what the auxiliary stands for; -1 where it stands for nothing there."""
    if verb in _BEING.split("|"):
        if _is_being(root):
            return (
                max(child.i for child in (root, *root.children) if child.dep_ == "neg" or child is root) + 1
            )
        return (
            root.i
            if any(_is_being(child) for child in root.children if child.dep_ in ("aux", "auxpass"))
            else -1
        )
    if verb in _HAVING.split("|"):
        return root.i if {*_HAVING.split("|"), "'ve", "’ve"} & set(auxiliaries) else -1
    words = {{"ca": "can", "wo": "will"}.get(word, word) for word in auxiliaries}
    return root.i if verb in words else -1


def _say_done(bare: re.Match[str], base: str, behind: str) -> str:
    who, verb, negation = bare["who"], bare["verb"], (bare["not"] or "").strip()
    if negation == "never":
        negation, base = "", f"never {base}"
    elif negation:
        return " ".join(f"{who} {verb} not {base} {behind}".split())
    if verb.lower() == "did":
        return ""
    is_plain = who.lower() in FIRST_PERSON or verb.lower() == "do"
    word = base if is_plain or " " in base else inflect_third_person(base)
    return " ".join(f"{who} {word} {behind}".split())
