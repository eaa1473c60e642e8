"""Preferences that a clause states in words of liking, with any intensity: "I have a strong dislike of crowds"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memories.text.slots.claim import Claim, build_liking_slot, build_slot, remove_article

if TYPE_CHECKING:
    from spacy.tokens import Doc

# Adverbs of degree and manner before the verb: they change how much, not what.
_DEGREE = re.compile(
    r"\b(?:really|absolutely|strongly|severely|deeply|utterly|truly|greatly|hugely|massively|highly|intensely|passionately|firmly|vastly|much|thoroughly|genuinely|particularly|especially|extremely|incredibly|terribly|so|very|quite|rather|pretty|fairly|definitely|certainly|generally|usually|just|simply|totally|completely|honestly|personally|also|still|mildly|slightly|somewhat|increasingly|kind of|sort of|a bit|a little)\s+(?=(?:like|love|enjoy|prefer|hate|dislike|detest|loathe|despise|avoid|cannot|can not|can't|do not|don't|allergic|sensitive|intolerant|averse|opposed|fond|keen|into|drawn|uncomfortable|against|passionate|afraid|scared|bothered|annoyed)\b)",
    re.IGNORECASE,
)
_NOUN = re.compile(
    r"^(?:I|we)(?:'ve got|'ve| have| have got| hold| feel| harbou?r)(?: always had| got)? (?:an? |no |the )?(?P<how>(?:[\w-]+ ){0,3}?)(?P<noun>dislike|aversion|hatred|loathing|distaste|love|passion|preference|fondness|weakness|soft spot|liking|appetite|enthusiasm|intolerance|allergy|sensitivity|phobia|fear|obsession|interest|appreciation)s? (?:of|for|to|towards?|against|about|with|in) (?P<thing>.+)$",
    re.IGNORECASE,
)
_RATHER = re.compile(
    r"^(?:I|we)(?:'d| would) (?:much |always )?(?:rather|sooner|prefer to) (?P<thing>.+?)(?:,? (?:than|rather than|over|instead of) .+)?$",
    re.IGNORECASE,
)
_FEELING = re.compile(
    r"^(?:I|we)(?:'m| am|'re| are|'ve been| have been|'ve become| have become| get| become) (?:(?:very|really|quite|so|extremely|strongly|deeply|not|always|easily|particularly|especially|a bit|rather|all|highly|totally|completely|severely|super|too) )*(?P<feeling>fond of|keen on|averse to|opposed to|wary of|drawn to|partial to|uncomfortable (?:with|in|around)|uneasy (?:with|in|around)|annoyed (?:by|with)|bothered by|afraid of|scared of|terrified of|sick of|put off by|a (?:big |huge |massive |great |lifelong |total |real )*(?:fan|lover|admirer|enthusiast) of|obsessed with|hooked on|into|against|for|allergic to|intolerant (?:to|of)|sensitive to|not one for|not big on|not much (?:of a|for)|a sucker for|picky about|particular about) (?P<thing>.+)$",
    re.IGNORECASE,
)
# "I'm annoyed with my sister": what is felt of late, and no taste.
_MOOD = re.compile(
    r"(?:annoyed|bothered) (?:by|with) (?:the|my|our|his|her|their|this|that|these|those)\b", re.IGNORECASE
)
_VERB = re.compile(
    r"^(?:I|we) (?P<before>(?:(?!to\b)[\w']+ ){0,3}?)(?P<verb>like|love|enjoy|prefer|adore|favou?r|hate|dislike|detest|loathe|despise|abhor|avoid|can(?:not| not|'t) (?:stand|bear|tolerate|stomach|abide|deal with|handle)|refuse to|steer clear of|stay away from|shy away from|gravitate towards?|lean towards?|struggle to tolerate|tend to avoid|try to avoid|do not (?:care for|tolerate|do)|don't (?:care for|tolerate|do)|could do without|find) (?P<thing>.+)$",
    re.IGNORECASE,
)
_FINDING = re.compile(
    r"^(?P<thing>[^,]{2,80}?) (?:too |very |really |so |utterly |absolutely |extremely )?(?:boring|disgusting|unbearable|annoying|overwhelming|irritating|delicious|fascinating|relaxing|exhausting|repulsive|intolerable|revolting|dull|tedious|off-putting|inspiring|stressful|distracting|unpleasant|uncomfortable|awful|too \w+)\b",
    re.IGNORECASE,
)
_NO_PREFERENCE = re.compile(
    r"^(?:to (?:know|ask|hear|see|say|think|be)\b|it\b(?! when)|this\b|that\b|them\b|him\b|her\b|you\b|your\b|(?:my|our|your|him|her|them)sel(?:f|ves)\b|how\b|what\b|the (?:idea|way|fact|look|sound)|a (?:lot|recommendation|suggestion))",
    re.IGNORECASE,
)
_THING_END = re.compile(
    r"(?:[,;:(]|\s(?:because|since|when|while|if|as|so|but|due to|even|unless|especially|than|rather|over|instead|any ?more|any longer|these days|nowadays)\b)"
)
_AGAINST = re.compile(
    r"dislike|aversion|hatred|loathing|distaste|averse|opposed|wary|uncomfortable|uneasy|annoyed|bothered|afraid|scared|terrified|sick of|put off|against|hate|detest|loathe|despise|abhor|avoid|stand|bear|tolerate|stomach|abide|handle|deal|refuse|steer|stay away|shy|care for|without|not\b|phobia|fear",
    re.IGNORECASE,
)
_INTOLERANCE = re.compile(r"allerg|intoleran|sensitiv", re.IGNORECASE)


def remove_degree(clause: str) -> str:
    """The clause without how strongly it is meant, as the rules for states and tastes expect it."""
    return _DEGREE.sub("", clause)


def find_taste(clause: str) -> list[Claim]:
    """The preference that a clause states, whole: "espresso short and bitter, no sugar" is one."""
    bare_clause = clause.rstrip(" .!")
    if len(bare_clause) > 300:
        return []
    if match := _NOUN.match(bare_clause):
        return _build_claims(bare_clause, match["thing"], f"{match['how']}{match['noun']}")
    if match := _RATHER.match(bare_clause):
        return _build_claims(bare_clause, match["thing"], "prefer")
    if match := _FEELING.match(bare_clause):
        if _MOOD.match(bare_clause[match.start("feeling") :]):
            return []
        is_denied = re.search(r"\bnot\b", bare_clause[: match.start("thing")])
        return _build_claims(bare_clause, match["thing"], match["feeling"] + (" not" if is_denied else ""))
    match = _VERB.match(bare_clause)
    if not match or re.search(r"\b(?:would|'d|might|could|will|used|want|hope|if)\b", match["before"]):
        return []
    if match["verb"].lower() == "find":
        found = _FINDING.match(match["thing"])
        return _build_claims(bare_clause, found["thing"], "find") if found else []
    is_denied = re.search(r"\b(?:not|never|no longer|n't)\b|n't", match["before"])
    return _build_claims(bare_clause, match["thing"], match["verb"] + (" not" if is_denied else ""))


def _build_claims(said: str, thing: str, feeling: str) -> list[Claim]:
    if _NO_PREFERENCE.match(thing) or not thing.strip():
        return []
    cut = _THING_END.search(thing)
    name = remove_article(thing[: cut.start()] if cut and cut.start() > 2 else thing)[:60].strip()
    if not name:
        return []
    is_intolerance = bool(_INTOLERANCE.search(feeling))
    slot = (
        build_slot("allergy", name)
        if is_intolerance
        else build_liking_slot(name, is_rival="prefer" in feeling)
    )
    gist = (
        "do not tolerate"
        if is_intolerance
        else "do not like, or avoid,"
        if _AGAINST.search(feeling)
        else "prefer"
        if "prefer" in feeling
        else "like"
    )
    title = f"{'Allergy' if is_intolerance else 'Preference'}: {name[:40]}"
    return [Claim(said, slot, title, f"The user said directly that they {gist} {name}.", thing=name)]


def names_things(doc: Doc, things: Sequence[str]) -> bool:
    """Whether each of these is a thing: of "espresso short and bitter, no sugar" only the first one is."""
    nouns = {token.lower_ for token in doc if token.pos_ in ("NOUN", "PROPN", "VERB", "NUM")}
    return all(
        not thing or (thing.split()[-1].lower() in nouns and not thing.startswith("no ")) for thing in things
    )
