"""Puts back the apostrophes and full stops that hasty writers and dictation leave out: "my mums a nurse", "we've got a
builder his name is gary he starts in June"."""

from __future__ import annotations

import re
from pathlib import Path

from memories.engine.local.english.parsing.lexicon import ANYONE, MEN, PETS, WOMEN
from memories.text.en.verb_forms import is_adjective
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_OWNER = r"(?:my|our|his|her|their)"
# "My parents going to Spain" are two.
_MOSTLY_MANY = frozenset("parent grandparent kid twin sibling neighbour neighbor".split())
# Of whom or what there may be one; "boss" ends like a plural.
_SINGLE = "|".join(
    sorted(
        word
        for word in {*WOMEN, *MEN, *ANYONE, *PETS, *_WORDS["only_ones"].split("|")}
        if not word.endswith(("s", "man", "child", "baby")) and word not in _MOSTLY_MANY
    )
)
_CLAUSE = (
    r"(?:(?:^|(?<=[,;:.!?] )|(?<=\band )|(?<=\bbut )|(?<=\bso )|(?<=\bcos )|(?<=\bbecause )|(?<=\bas )"
    r"|(?<=\bwhen )|(?<=\bthat )|(?<=\bthink )|(?<=\bnow )|(?<=\btoday )|(?<=\bif ))"
)
_IS = re.compile(
    rf"{_CLAUSE}{_OWNER} (?:[a-z]+ )?(?:{_SINGLE}))s (?=(?:{_WORDS['behind_is']})\b)"
    r"(?![a-z]+ing [^,;.]*\b(?:was|were|is|are)\b)",
    re.IGNORECASE,
)
_IS_OF_ONE = re.compile(
    rf"{_CLAUSE}{_OWNER} (?:{_WORDS['only_ones']}))s (?=(?:{_WORDS['behind_is_of_one']})\b)", re.IGNORECASE
)
# "My cars been stolen", "the boilers been off": no plural has "been" without "have".
_HAS_BEEN = re.compile(
    rf"{_CLAUSE}(?:{_OWNER}|the) (?:[a-z]+ )?[a-z]{{2,}}[a-rt-z])s (?=been\b)", re.IGNORECASE
)
_OF = re.compile(
    rf"\b(?P<who>{_OWNER} (?:[a-z]+ )?(?:{_SINGLE}))s (?=(?:{_WORDS['owned']})\b"
    r"(?! (?:me|us|my|our|his|him|their|them|it|the|an?)\b))",
    re.IGNORECASE,
)
_NAMES = re.compile(
    rf"\b(?P<what>(?:my|his|her|its|their|'s) (?:first |last |middle )?name)s (?!(?:{_WORDS['no_names']}|are|were)\b)"
    r"(?=[A-Za-z'’-]+(?: [A-Z][\w'’-]+)?(?:[,.;!?]|$"
    r"| (?:and|but|he|she|they|it|I|i|we|who|from|my|the|hes|shes|he's|she's)\b))"
)
_ITS = re.compile(
    r"\b(?P<its>its) (?=(?:an?|the|not|been|on|in|at|my|our|his|her|their|going|getting|because|about|okay|ok)\b)"
    r"(?! ?in[- ](?:built|house))",
    re.IGNORECASE,
)
_NAME_IS = r"(?:his|her|its|their|my) (?:first |last |middle )?name(?:'s| is)"
# "We've got a builder his name is Gary": a clause of its own begins. No word before it is longer, and one without end
# would be gone through from each of its apostrophes.
_NAME_BEGINS = re.compile(
    rf"(?P<before>\b[A-Za-z][\w'’-]{{0,40}}) (?={_NAME_IS} (?!(?:{_WORDS['no_names']})\b)[A-Za-z])",
    re.IGNORECASE,
)
_BEFORE_KNOWN = re.compile(rf"(?:{_WORDS['before_known_names']})", re.IGNORECASE)
# "… is Gary he can start": behind a name, a clause of its own begins.
_BEHIND_NAME = re.compile(
    rf"(?P<name>\b(?i:{_NAME_IS}) (?!(?:{_WORDS['no_names']})\b)[A-Za-z][\w'’-]*(?: (?:[A-Z][\w'’-]+))?)"
    r" (?=(?:he|she|they|it|I|i|we|my|hes|shes|im|ive|theyre|(?:he|she|it|they|i|I|we)['’]\w+)\b)"
)
_SMALL_NAME = re.compile(
    rf"\b(?P<lead>(?i:{_NAME_IS}|(?:my|his|her|their|our) [a-z]+(?:['’]s)? name is)) (?!(?:{_WORDS['no_names']})\b)"
    r"(?P<name>[a-z][a-z'’-]+)(?=[,.;!?]|$| (?:and|but|he|she|they|I|i|we|who)\b)"
)


def with_full_stops(prose: str) -> str:
    """Dictation with a full stop where somebody's name begins a clause of its own, and where it ends."""
    prose = _NAMES.sub(r"\g<what> is ", prose)
    prose = _NAME_BEGINS.sub(_end_before, prose)
    return _SMALL_NAME.sub(_with_capital, _BEHIND_NAME.sub(r"\g<name>. ", prose))


def _end_before(match: re.Match[str]) -> str:
    return match[0] if _BEFORE_KNOWN.fullmatch(match["before"]) else f"{match['before']}. "


def _with_capital(match: re.Match[str]) -> str:
    name = match["name"]
    return match[0] if is_adjective(name) else f"{match['lead']} {name.capitalize()}"


def with_apostrophes(sentence: str) -> str:
    """ "My mum's a nurse" for "my mums a nurse"; "my mom's birthday" for "my moms birthday"."""
    text = _OF.sub(r"\g<who>'s ", sentence)
    for pattern in (_IS, _IS_OF_ONE, _HAS_BEEN):
        text = pattern.sub(_with_apostrophe, text)
    return _ITS.sub(_write_it_is, text)


def _with_apostrophe(match: re.Match[str]) -> str:
    return f"{match[0][:-2]}'s "


def _write_it_is(match: re.Match[str]) -> str:
    return f"{match['its'][:2]}'s "
