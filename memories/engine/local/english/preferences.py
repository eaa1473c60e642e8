"""Preferences that a clause states in words of liking, with any intensity: "I have a strong dislike of crowds"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memories.text.slots.claim import Claim, build_liking_slot, build_slot, remove_article
from memories.text.words.word_lists import load_alternatives

if TYPE_CHECKING:
    from spacy.tokens import Doc

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_DEGREE = re.compile(
    rf"""
    \b(?:
        {_WORDS["degrees"]}
    )\s+(?=
        (?:
            {_WORDS["graded"]}
        )\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NOUN = re.compile(
    rf"""
    ^(?:I|we)(?:'ve\ got|'ve|\ have|\ have\ got|\ hold|\ feel|\ harbou?r)(?:\ always\ had|\ got)?[ ]
    (?:an?\ |no\ |the\ )?(?P<how>(?:[\w-]+\ ){{0,3}}?)(?P<noun>
        {_WORDS["nouns"]}
    )s?\ (?:of|for|to|towards?|against|about|with|in)\ (?P<thing>.+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RATHER = re.compile(
    r"""
    ^(?:I|we)(?:'d|\ would)\ (?:much\ |always\ )?(?:rather|sooner|prefer\ to)\ (?P<thing>.+?)
    (?:,?\ (?:than|rather\ than|over|instead\ of)\ .+)?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FEELING = re.compile(
    rf"""
    ^(?:I|we)(?:'m|\ am|'re|\ are|'ve\ been|\ have\ been|'ve\ become|\ have\ become|\ get|\ become)\ (?:
        (?:
            very | really | quite | so | extremely | strongly | deeply | not | always | easily
            | particularly | especially | a\ bit | rather | all | highly | totally | completely | severely
            | super | too
        )[ ]
    )*(?P<feeling>
    {_WORDS["feelings"]}
    )\ (?P<thing>.+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "I'm annoyed with my sister": what is felt of late, and no taste.
_MOOD = re.compile(
    r"(?:annoyed|bothered) (?:by|with) (?:the|my|our|his|her|their|this|that|these|those)\b", re.IGNORECASE
)
_VERB = re.compile(
    rf"""
    ^(?:I|we)\ (?P<before>(?:(?!to\b)[\w']+\ ){{0,3}}?)(?P<verb>
        {_WORDS["verbs"]}
    )\ (?P<thing>.+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "I look like my dad", "I work like ten hours a day": behind another verb "like" compares, or says "about".
_OTHER_VERB = re.compile(
    rf"""
    \b(?!
        (?:
            {_WORDS["not_verbs"]}
        )\b
    )(?!\w+ly\b)[a-z]{{2,}}(?:'\w+)?\ $
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FINDING = re.compile(
    rf"""
    ^(?P<thing>[^,]{{2,80}}?)\ (?:too\ |very\ |really\ |so\ |utterly\ |absolutely\ |extremely\ )?(?:
        {_WORDS["judgements"]}
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NO_PREFERENCE = re.compile(
    r"""
    ^(?:
        to\ (?:know|ask|hear|see|say|think|be)\b | it\b(?!\ when) | this\b | that\b | them\b | him\b
        | her\b | you\b | your\b | (?:my|our|your|him|her|them)sel(?:f|ves)\b | how\b | what\b
        | the\ (?:idea|way|fact|look|sound) | a\ (?:lot|recommendation|suggestion)
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_THING_END = re.compile(
    r"""
    (?:
        [,;:(]
        | \s(?:
              because | since | when | while | if | as | so | but | due\ to | even | unless | especially
              | than | rather | over | instead | any\ ?more | any\ longer | these\ days | nowadays
          )\b
    )
    """,
    re.VERBOSE,
)
_AGAINST = re.compile(_WORDS["against"], re.IGNORECASE)
_INTOLERANCE = re.compile(r"allerg|intoleran|sensitiv", re.IGNORECASE)


# "For holidays I steer clear of cruises": for what it holds stands first.
_LEAD = re.compile(
    r"^(?:for|at|in|on|with|as for|when it comes to) (?!(?:19|20)\d\d\b)[^,;]{2,40}?,? (?=(?:I|we) )",
    re.IGNORECASE,
)
_HOW_OFTEN = r"(?:(?:really|always|usually|generally|normally|just|still|absolutely|also|tend to|try to|will|do) ){0,3}"
# What is avoided or refused, in idioms, and what is insisted on.
_AVOIDING = re.compile(
    rf"^(?:I|we) {_HOW_OFTEN}(?P<verb>(?:steer|stay|keep) (?:(?:well|right|far) )?(?:clear of|away from"
    rf"|out of)|draw the line at|(?:cannot|can not) (?:be doing with|get on with|get into)"
    r"|have (?:no|little|zero|not much) (?:patience|tolerance) (?:for|with)|do not have (?:the |any "
    r"|much )?patience (?:for|with)"
    r"|(?:will not|would not|never) (?:touch|go near)|would not be seen dead (?:in|with"
    r"|at)) (?P<thing>.+)$",
    re.IGNORECASE,
)
_WIDE_BERTH = re.compile(rf"^(?:I|we) {_HOW_OFTEN}give (?P<thing>.+?) a (?:very )?wide berth$", re.IGNORECASE)
_INSISTING = re.compile(
    rf"^(?:I|we) {_HOW_OFTEN}(?:swear by|insist on) (?P<thing>(?!(?:my|our|his|her|their|the)\b).+)$",
    re.IGNORECASE,
)
# "I only watch films with subtitles on": of verbs of choice; "I only drink at weekends" tells of a circumstance.
_ONLY = re.compile(
    r"""
    ^(?:I|we)\ (?:(?:will|generally|usually)\ )?only\ (?:ever\ )?(?:
        watch | eat | drink | buy | wear | use | read | listen\ to | fly(?:\ with)? | drive | cook\ with
        | order | book | shop\ (?:at|in) | stay\ (?:at|in) | travel\ by | write\ (?:with|in) | smoke
        | sleep\ on
    )\ (?P<thing>.+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CIRCUMSTANCE = re.compile(
    rf"""
    ^(?:{_WORDS["first_circumstances"]})\b
    | \b(?:{_WORDS["circumstances"]})\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What something does to the user: "Gyms with mirrors put me off", "Jazz leaves me cold".
_STIRRING = re.compile(
    rf"""
    ^(?P<thing>
        (?!
            (?:
                he | she | they | it | that | this | these | those | I | we | you | my | his | her | their
                | our | there | which | what | who | and | but | so
            )\b
        )[^,;]{{2,80}}?
    )\ (?:
        (?:really|always|just|still|absolutely|completely|totally|usually|seriously|never\ fails?\ to)[ ]
    ){{0,2}}(?P<verb>
        {_WORDS["stirs"]}
        | (?P<liked>
              {_WORDS["pleases"]}
          )
    )$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "The boiler annoys me" is said of one thing of late; "the idea of a boat" is of all of them.
_ONE_THING = re.compile(
    r"^the (?!(?:idea|thought|smell|sound|sight|taste|texture|feel|look|noise) of\b)", re.IGNORECASE
)

_DIET = re.compile(r"(?:halal|kosher|vegan|vegetarian|plant-based|gluten-free)\b", re.IGNORECASE)
_OF_THING = re.compile(r"^the (?:very )?(?:idea|thought) of ", re.IGNORECASE)


def _find_aversion(clause: str) -> list[Claim]:
    """Find what is avoided, cannot be borne, or is the only thing that will do."""
    if match := _AVOIDING.match(clause) or _WIDE_BERTH.match(clause):
        is_of_one = re.match(
            r"(?:my|our|his|her|their|the council|him|her|them|it|me|you)\b", match["thing"], re.IGNORECASE
        )
        return [] if is_of_one else _build_claims(clause, match["thing"], "avoid")
    if match := _INSISTING.match(clause):
        return _build_claims(clause, match["thing"], "like")
    if match := _ONLY.match(clause):
        is_other = _CIRCUMSTANCE.search(match["thing"]) or _DIET.match(match["thing"])
        return [] if is_other else _build_claims(clause, match["thing"], "prefer only")
    match = _STIRRING.match(clause)
    if match is None or _ONE_THING.match(match["thing"]):
        return []
    verb, head = (
        match["verb"].split()[0].lower(),
        re.split(r" (?:with|of|in|on|at|that|who|for|from) ", match["thing"])[0],
    )
    is_many = head.lower().endswith(("people", "children")) or (
        head.endswith("s") and not head.endswith("ss")
    )
    if verb == "put" and not is_many:
        return []  # "The waiter put me off": that was once
    thing = _OF_THING.sub("", match["thing"])
    return _build_claims(clause, thing, "like" if match["liked"] else "put off")


def is_refusal(clause: str) -> bool:
    """Return whether "will" tells what somebody refuses, and not what is to come: "I won't touch liver"."""
    return bool(re.match(r"(?:I|we) (?:will not|would not) (?:touch|go near)\b", clause, re.IGNORECASE))


def remove_degree(clause: str) -> str:
    """The clause without how strongly it is meant, as the rules for states and tastes expect it."""
    return _DEGREE.sub("", clause)


def find_taste(clause: str) -> list[Claim]:
    """The preference that a clause states, whole: "espresso short and bitter, no sugar" is one."""
    bare_clause = clause.rstrip(" .!")
    if len(bare_clause) > 300:
        return []
    if lead := _LEAD.match(bare_clause):
        return [_with_lead(claim, lead[0]) for claim in find_taste(bare_clause[lead.end() :])]
    if aversion := _find_aversion(bare_clause):
        return aversion
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
    if match["verb"].lower() == "like" and _OTHER_VERB.search(match["before"]):
        return []
    if match["verb"].lower() == "find":
        inner_match = _FINDING.match(match["thing"])
        return _build_claims(bare_clause, inner_match["thing"], "find") if inner_match else []
    is_denied = re.search(r"\b(?:not|never|no longer|n't)\b|n't", match["before"])
    return _build_claims(bare_clause, match["thing"], match["verb"] + (" not" if is_denied else ""))


def _with_lead(claim: Claim, lead: str) -> Claim:
    """The taste with what it holds for: it replaces none that holds in general."""
    return replace(
        claim, statement=f"{lead}{claim.statement}", slot=build_slot("likes", f"{claim.thing} {lead}")
    )


def _build_claims(clause: str, thing: str, feeling: str) -> list[Claim]:
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
    return [Claim(clause, slot, title, f"The user said directly that they {gist} {name}.", thing=name)]


def names_things(doc: Doc, things: Sequence[str]) -> bool:
    """Return whether each of these is a thing: of "espresso short and bitter, no sugar" only the first one is."""
    nouns = {token.lower_ for token in doc if token.pos_ in ("NOUN", "PROPN", "VERB", "NUM")}
    return all(
        not thing or (thing.split()[-1].lower() in nouns and not thing.startswith("no ")) for thing in things
    )
