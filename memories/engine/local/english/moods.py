"""How a clause is meant: a fact, a plan, a wish, a condition, hearsay, the end of a state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memories.engine.local.english.parsing.grammar import (
    FIRST_PERSON,
    find_auxiliaries,
    find_shared_subject,
    is_modal,
)
from memories.engine.local.propositions import Mood
from memories.text.clauses.statements import is_request
from memories.text.en.verbs import BASE, PAST
from memories.text.time.dates import Tense
from memories.text.words.word_lists import load_alternatives

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
# "I live in Bergen now, not in Porto any more" says what holds; what is over follows it.
_NOT_ELSEWHERE = re.compile(
    r",\s*(?:and |but )?(?:not|no longer)\b(?! (?:have|has)\b)[^,.;!?]*(?=[.;!?]|$)", re.IGNORECASE
)
_ENDING = re.compile(
    r"""
    \b(?:
        no\ longer | used\ to\ (?!be\ used|being) | quit | stopped | gave\ up | given\ up | give\ up
        | giving\ up | resigned | passed\ away | died | broke\ up | split\ up | dropped\ out | cancelled
        | canceled | got\ rid\ of | moved\ out | sold | have\ left | has\ left
        | left\ (?:my|our|the|[A-Z]) | gone\ off | got\ divorced | went\ off
    )\b
    | \bnot\b.{1,60}\bany\ ?more\b | n't\b.{1,60}\bany\ ?more\b
    """,
    re.VERBOSE,
)
_IF = re.compile(r"\b(?:if|unless|provided|assuming|suppose|in case)\b", re.IGNORECASE)
_SAYING = frozenset(
    """
        say says said tell tells told think thinks thought reckons claims claimed insists insisted
        believes believed heard hear suggests suggested reckon
    """.split()
)
_WISHING = frozenset("want wants hope hopes wish wishes dream dreams".split())
_PLANNING = re.compile(
    r"""
    \b(?:
        going\ to | gonna | plan(?:s|ning)?\ (?:to|on) | thinking\ (?:of|about) | about\ to
        | intend(?:s|ing)?\ to | considering | will | 'll | won't | wo
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HABIT = re.compile(
    r"""
    \b(?:
        always | usually | often | sometimes | never | rarely | seldom | normally | generally | every
        | each | most | daily | weekly | monthly | (?:once|twice|times)\ (?:an?|per|every)
        | on\ (?:mon|tues|wednes|thurs|fri|satur|sun)days | at\ weekends | on\ weekends
        | in\ the\ (?:mornings|evenings|afternoons)
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Praise of what nobody praises: said with a flourish, of what recurs or goes wrong.
_IRONY = re.compile(
    rf"""
    ^(?:oh,?\ )?(?:{_WORDS["praise"]})[,!.]\s+(?:another|yet|more|just|the\b|my\b|now\b|and|so)\b
    | \b(?:{_WORDS["ironies"]})\b
    | \b(?:{_WORDS["joy"]})\b.{{0,60}}\b(?:{_WORDS["mishaps"]})\b.{{0,30}}\bagain\b
    | \bas\ if\b[^,]{{0,40}}!
    | \bthanks\ (?:a\ lot|so\ much),?\ (?:to|for)\b[^.]{{0,60}}\b(?:broke|cancel|late|again)
    | \bmy\ (?:favou?rite|idea\ of)\ (?:thing|fun|way)\b.{{0,60}}\b(?:{_WORDS["chores"]})
    | (?:/s|🙄|😒|😑)\s*$
    | \bcan't\ wait\b.{{0,60}}\b(?:{_WORDS["dreads"]})\b
    | \bof\ course\b.{{0,80}}\bagain\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PRAISE = re.compile(
    r"\b(?:love|adore|enjoy|great|perfect|thrilled|delighted|fantastic|brilliant|lovely|best)\b",
    re.IGNORECASE,
)
# Verbs whose past looks like their present: who says "I quit in January" has done it.
SAME_IN_PAST = frozenset("quit cut hit hurt shut split spread burst shed bid rid upset beat cast bet".split())
_HAVING = frozenset({"have", "has", "'ve", "'s"})
_PAST_AUXILIARIES = frozenset({"was", "were", "did", "had", "have", "has", "'ve"})


def is_ironic(sentence: str) -> bool:
    """Return whether the words of a sentence should not be taken at their face value."""
    return bool(_IRONY.search(sentence))


_RATHER = re.compile(
    r"(?:\bwould|'d) (?:much |honestly |always |frankly )?(?:rather|sooner) (?P<verb>[a-z]+)\b(?P<what>[^.!?;]*)",
    re.IGNORECASE,
)
_BITING = frozenset("eat chew swallow drink lick bite gargle".split())
_HARMING = frozenset("die starve stab gouge shoot poke burn bleed drown choke hang crawl scoop stick".split())
_NO_OBJECT = re.compile(
    r"""
    ^\s*(?:
        $ | ,
        | (?:
              at | in | out | with | without | alone | early | late | later | earlier | here | there | now
              | before | after | on | by | from | than | less | more | together
          )\b
    )
    """,
    re.VERBOSE,
)


def is_overstated(sentence: str) -> bool:
    """Return whether "I'd rather" names something that nobody would choose: "I'd rather chew glass than ride one of
    those".

    Nobody knows what can be eaten; so what is eaten rather than something else is done, and what one would rather eat
    than nobody says what, is not taken at its word.
    """
    match = _RATHER.search(sentence)
    if match is None or match["verb"].lower() not in _BITING | _HARMING:
        return False
    if match["verb"].lower() in _HARMING:
        return True
    what, _, other = match["what"].partition(" than ")
    if _NO_OBJECT.match(what):
        return False
    first = other.split()[0].lower() if other.strip() else ""
    is_thing = len(other.split()) < 3 and first not in BASE
    return not (other and (is_thing or first in _BITING))


# "Exactly how I wanted to spend my birthday", "What a treat": no statement, but a comment on what was said before it.
_COMMENT = re.compile(
    r"""
    (?:oh,?\ |and\ )?(?:
        (?:exactly|just|precisely)\ (?:how|what|where|when|who|the)\b | (?:what|such)\ an?[ ]
        | (?:how|so)\ \w+[.!]*$ | (?:lucky|happy|merry|joy|hooray|yay|bliss|because|as\ if)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_praise(sentence: str) -> bool:
    """Return whether a sentence praises something, or comments on it: behind irony, that is more of it."""
    return bool(_PRAISE.search(sentence) or _COMMENT.match(sentence))


# "Something with aubergine would be nice".
_WELCOME = re.compile(
    r"""
    (?:(?:and|but|also|ideally|maybe|perhaps),?\ )*(?P<what>
        (?!(?:I|we|you|he|she|they|it|that|this)\b)[^,.;!?]{2,60}?
    )\ would\ (?:also\ |really\ |definitely\ |probably\ )?(?:
        be\ (?:so\ |really\ |even\ |very\ )?(?:
            nice | great | lovely | good | ideal | perfect | brilliant | handy | helpful | best | better
            | fab | amazing | fine | wonderful | cool | useful | welcome | a\ (?:plus|bonus)
        )
        | help | do | work | suit(?:\ me|\ us)?
    )(?:\ too|\ as\ well|\ though)?[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_wish_for_answer(sentence: str, before: str) -> bool:
    """Return whether a sentence says what answer would be welcome to the request before it, or to one that it belongs
    to."""
    wished = _WELCOME.match(sentence)
    is_anything = wished is not None and re.match(r"(?:some|any|no)thing\b", wished["what"], re.IGNORECASE)
    is_asked = before.rstrip().endswith("?") or is_request(before, "en")
    return bool(is_anything or (wished and is_asked))


_MODAL = re.compile(r"\b(?:would|could|might|will|won't|wouldn't|couldn't)\b|'(?:d|ll)\b", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"""
    ^(?:and\ |but\ |so\ |well,?\ )*(?:what\ if|suppose|supposing|imagine|say|let's\ say|if\ only|had\ I)\b
    | \b(?:I|we)\ (?:\w+\ )?wish\b
    | \b(?:I|we)\ (?:really\ )?(?:should|shouldn't|could|needn't|ought\ to)\ (?:not\ )?have\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FOLLOWS = re.compile(
    r"""
    ^(?:(?:and|but|so|then|maybe|perhaps|well|at\ least|probably),?\ )*[\w' -]{1,40}?
    (?:'d|\b(?:would|could|might)(?:n't)?)\b(?!
        \ (?:\w+\ )?(?:love|like|rather|prefer|recommend|appreciate|have\ to\ go)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)


def hangs_on_condition(sentence: str, parts: Sequence[str]) -> bool:
    """Return whether a sentence that begins with a condition says in a part of its own what would follow from it."""
    opening = re.sub(r"^(?:(?:and|but|so|then|because|well|honestly),? )+", "", sentence, flags=re.IGNORECASE)
    if not re.match(
        r"(?:if|unless)\b|(?:had|were) (?:I|we|he|she|they|it)\b|should (?:I|we)\b", opening, re.IGNORECASE
    ):
        return False
    return len(parts) > 1 and any(_MODAL.search(part) and not _IF.search(part) for part in parts)


def only_supposes(doc: Doc) -> bool:
    """Return whether a sentence is a condition of which nothing follows ("If I was diabetic."), or no more than an
    action on some day."""
    if _supposes_action_on_day(doc):
        return True
    has_one_subject = sum(token.dep_ in ("nsubj", "nsubjpass") for token in doc) < 2
    return has_one_subject and all(
        any(child.dep_ == "mark" and _IF.match(child.text) for child in sentence.root.children)
        for sentence in doc.sents
    )


# Days and times that make an arrangement of what is said.
_DAY = re.compile(
    r"""
    \b(?:
        today | tonight | tomorrow | yesterday
        | (?:this|next|last)\ (?:
              week | weekend | month | year | spring | summer | autumn | winter | morning | evening
              | (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day
          )
        | (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b(?!s)
        | in\ (?:January|February|March|April|May|June|July|August|September|October|November|December)
        | on\ the\ \d{1,2}(?:st|nd|rd|th)
    )\b
    """,
    re.VERBOSE,
)


def _supposes_action_on_day(doc: Doc) -> bool:
    """Return whether a sentence tells what would be done on some day if something were so: "If I passed I'd apply
    tomorrow".

    With its day it would be kept as an arrangement.
    """
    if not _DAY.search(doc.text):
        return False
    for sentence in doc.sents:
        root = sentence.root
        words = {token.lower_ for token in find_auxiliaries(root)}
        if not words & {"would", "'d", "’d", "might", "could"} or root.lower_ in (
            "like",
            "love",
            "prefer",
            "be",
        ):
            continue
        if any(child.dep_ == "advcl" and _is_unreal_clause(child) for child in root.children):
            return True
    return False


def _is_unreal_clause(verb: Token) -> bool:
    has_if = any(child.dep_ == "mark" and child.lower_ in ("if", "unless") for child in verb.children)
    is_of_reader = any(child.dep_ == "nsubj" and child.lower_ == "you" for child in verb.children)
    words = {token.lower_ for token in find_auxiliaries(verb)}
    is_past = verb.tag_ == "VBD" or bool(words & {"could", "had", "were", "'d", "’d", "did"})
    return has_if and is_past and not is_of_reader


def is_supposition(sentence: str) -> bool:
    """Return whether a sentence only supposes or regrets something: "What if I sold the flat?", "I should have kept
    it"."""
    return bool(_SUPPOSED.search(sentence))


def is_consequence(sentence: str) -> bool:
    """Return whether a sentence tells what would be so, and asks nothing."""
    return bool(_FOLLOWS.match(sentence)) and not sentence.rstrip().endswith("?")


def detect_mood(root: Token, text: str) -> Mood:
    """The mood of a clause by its main verb and its words."""
    if _IF.search(text) and _conditions(root):
        return Mood.CONDITION
    subject = find_shared_subject(root)
    if (
        root.lower_ in _SAYING
        and subject is not None
        and subject.lower_ not in FIRST_PERSON
        and _says_clause(root)
    ):
        return Mood.HEARSAY
    if _ENDING.search(_NOT_ELSEWHERE.sub("", text)):
        return Mood.ENDED
    if re.search(r"(?:\bwould|'d) (?:much |always )?(?:rather|sooner)\b", text):
        return Mood.FACT
    if root.lower_ in _WISHING or re.search(
        r"(?:\bwould|'d) (?:love|like|rather|prefer) to\b|\bwould love\b", text
    ):
        return Mood.WISH
    if any(
        token.lower_ in ("would", "might", "could", "may", "should", "'d") for token in find_auxiliaries(root)
    ):
        return (
            Mood.CONDITION
            if any(token.lower_ in ("would", "could", "'d") for token in find_auxiliaries(root))
            else Mood.PLAN
        )
    if _PLANNING.search(text):
        return Mood.PLAN
    return Mood.HABIT if _HABIT.search(text) else Mood.FACT


def _conditions(root: Token) -> bool:
    return any(
        child.dep_ == "advcl" and any(word.dep_ == "mark" and _IF.match(word.text) for word in child.children)
        for child in root.children
    )


def _says_clause(root: Token) -> bool:
    return any(child.dep_ == "ccomp" for child in root.children)


def detect_tense(root: Token) -> Tense:
    """Return whether the clause tells of what was, is, or is to come."""
    auxiliaries = find_auxiliaries(root)
    words = {token.lower_ for token in auxiliaries}
    if words & {"will", "'ll", "wo", "shall"} or (
        words & {"would", "might", "could", "may", "should"} and "have" not in words
    ):
        return Tense.FUTURE
    is_going_on = root.tag_ == "VBG" or words & {"getting", "being"}  # "is getting married in May"
    if auxiliaries and auxiliaries[0].lower_ in ("am", "is", "are", "'m", "'s", "'re") and is_going_on:
        return Tense.FUTURE
    if root.lower_ == "got" and words & _HAVING:
        return Tense.PRESENT
    if words & {*_PAST_AUXILIARIES, "got"} or root.tag_ == "VBD" or (root.lower_ in ("was", "were", "had")):
        return Tense.PAST
    if not auxiliaries and root.tag_ == "VBN" and root.lower_ in PAST:
        return Tense.PAST
    if not auxiliaries and root.lower_ in SAME_IN_PAST and find_shared_subject(root) is not None:
        return Tense.PAST
    if root.lower_ in _WISHING or any(is_modal(token) for token in auxiliaries):
        return Tense.FUTURE
    return Tense.PRESENT


# What only might be: no later "it" means anything in it.
_UNREAL = re.compile(
    r"""
    (?:if|suppose|imagine|unless)\b | .*\b(?:if|unless)\  | .*\bwould\ (?!rather\b|sooner\b|like\b|love\b)
    | .*(?:\bI|\bwe)'d\ (?!rather\b|like\b|love\b|been\b|had\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_unreal(clause: str) -> bool:
    """Return whether what a clause tells only might be."""
    return bool(_UNREAL.match(clause))
