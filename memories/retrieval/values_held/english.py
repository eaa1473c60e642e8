"""Kinds of values in English questions and statements, by closed classes of words and by the shape of numbers."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from memories.retrieval.values_held.kinds import NAME_COUNTS, AskedKinds, HeldKind
from memories.text.words.tokenize import search_terms

_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATES = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b(?:,? \d{{4}}\b)?"
    rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?|\b{_MONTH} \d{{4}}\b"
    r"|\b(?:in|since|from|until|till|by|before|after|spring|summer|autumn|winter|of) (?:19|20)\d\d\b"
    r"|\b\d{4}-\d\d?-\d\d?\b|\b\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m\.?|p\.m\.?|o['’]clock)(?!\w)|\b\d{1,2}:\d\d\b"
    r"|\b(?:\w+days?|mornings?|afternoons?|evenings?|nights?|week|today|tomorrow|tonight|daily) at"
    r" (?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CLOCK_OR_YEAR = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b|\b\d{1,2}(?:st|nd|rd|th)\b|\b\d ?[ap]\.?m\b|\bat \d"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
# What is written with a capital; a name goes on through hyphens and apostrophes.
_CAPITALISED = re.compile(r"(?<![\w'’-])[A-ZÀ-Þ][\w-]*")
_AGENT = re.compile(r"\b[a-z]{2,}(?:er|or|ist|ian|ant|man|woman|men|women|ee|eer|ess)(?=s?\b)")
# These begin an infinitive or name a means, unless a determiner follows.
_PARTICLES = frozenset({"to", "by"})
_IN_QUOTES = re.compile(r"[\"“‘«]")
# "is a vet", "as a vet", and what somebody does as a rule: "Ana fixes boilers", "my uncle herds sheep".
_JOB = re.compile(
    r"""
    \b(?:is|was|as|be|being|becom\w+|became|,)\ (?:now\ |still\ |also\ )?(?:an?|the)[ ]
    | \b(?:
          [A-Z]\w+ | brother | sister | mother | father | son | daughter | uncle | aunt | cousin | wife
          | husband | friend | partner | who | he | she
      )\ (?:now\ |still\ |also\ )?(?!is\b|has\b|was\b|loves\b|likes\b|hates\b|wants\b|needs\b|lives\b)
      [a-z]+s\b
    """,
    re.VERBOSE,
)
# What is named without an article: "at oxford", "with siemens".
_AT_ONE = re.compile(
    r"\b(?:at|for|with|to|in|by) (?!(?:the|an?|his|her|their|its|my|our|your|this|that|it|them|him|\d+)\b|\d)[a-z]"
)
_HAN = re.compile("[\u4e00-\u9fff]")

_HEAD = (
    r"^\W*(?:(?:and|so|but|hey|please|again|remind me|tell me|can you tell me|do you (?:know|remember)),? )?"
)
_MONEY = (
    r"(?:salary|wages?|pension|rent|price|cost|costs|fee|fees|bill|budget|deposit|mortgage|loan|tuition"
    r"|savings|income)"
)
_QUESTIONS = (
    (
        HeldKind.MONEY,
        re.compile(
            r"\bhow much (?:is|are|was|were)\b|\bhow much (?:do|does|did|will|would|have|has)\b[^?]*"
            r"\b(?:cost|pay|paid|earn|charge|charged|spend|spent|save|saved|owe|make|sell|sold)\b"
            rf"|\bhow much (?:money|{_MONEY})\b|\bhow (?:expensive|pricey)\b"
            rf"|\bwhat (?:is|was|are|were) (?:my|our|his|her|their|the|[\w-]+['’]s) (?:[\w'’-]+ ){{0,3}}{_MONEY}\b"
            r"|\bwhat (?:do|does|did) [^?]{1,40} (?:cost|charge|earn|pay)\b"
        ),
    ),
    (
        HeldKind.NUMBER,
        re.compile(
            r"""
            \bwhat\ (?:is|was|are|were)\ (?:my|our|his|her|their|the|[\w-]+['’]s)\ (?:[\w'’-]+\ ){0,3}(?:
                rate | rating | score | height | weight | footage | mileage | shoe\ size
            )\b
            | \bhow\ (?:tall|heavy)\b | \bwhat\ (?:do|does|did)\ [^?]{1,40}\ weigh\b
            | \bhow\ much\ (?:do|does|did)\ [^?]{1,40}\ weigh\b
            """,
            re.VERBOSE,
        ),
    ),
    (HeldKind.AGE, re.compile(r"\bhow old (?:is|are|was|were|am|will)\b")),
    (
        HeldKind.SIZE | HeldKind.NUMBER,
        re.compile(r"\bhow (?:big|large|wide|deep|fast|far) (?:is|are|was|were)\b"),
    ),
    (
        HeldKind.COUNT | HeldKind.NUMBER,
        re.compile(r"\bhow many\b(?! (?:times|more)\b)(?![^?]*\b(?:have|has|had)\b)"),
    ),
    (
        HeldKind.LENGTH | HeldKind.NUMBER | HeldKind.TIME,
        re.compile(r"\bhow long (?:have|has|did|do|does|is|was|were|are|am|will)\b"),
    ),
    # What has happened was said soon after, so that the time of the talk is an answer.
    (
        HeldKind.TIME,
        re.compile(
            rf"{_HEAD}(?:when(?:['’]s| is| are| do| does| will| am)\b|(?:at |on )?(?:what time|(?:which"
            rf"|what) (?:day|date|month|weekday)s?)\b)"
        ),
    ),
    (
        HeldKind.JOB,
        re.compile(
            r"""
            \bwhat\ (?:do|does)\ (?!(?:i|we|you)\b)[\w'’ .-]{1,40}\ do(?:\ for\ (?:a\ living|work))?\W*$
            | \bwhat(?:\ is|['’]s)\ (?!(?:my|our)\ (?:job|profession|occupation)\b)[\w'’ .-]{1,40}[ ]
              (?:job|profession|occupation)\W*$
            """,
            re.VERBOSE,
        ),
    ),
    (HeldKind.LIKING, re.compile(r"\b(?:what|which|who)\b[^?]*\bfavou?rite\b")),
    (
        HeldKind.TRAVEL,
        re.compile(
            r"\bhow (?:do|does|did|will) [\w'’ .-]{1,40} (?:get|travel|commute|go) (?:to|there|here|home|in)\b(?! know)"
        ),
    ),
    (HeldKind.COLOUR, re.compile(r"\b(?:what|which) colou?rs?\b")),
    (
        HeldKind.COUPLE,
        re.compile(r"\b(?:is|are|am|was|were) [\w'’ .-]{1,40} (?:married|single|divorced|engaged)\b\W*$"),
    ),
    (
        HeldKind.COUPLE,
        re.compile(
            r"^\W*(?:do|does|has|have) [\w'’ .-]{1,40} have (?:a (?:wife|husband|partner|girlfriend|boyfriend))\b\W*$"
        ),
    ),
    (
        HeldKind.CHILD,
        re.compile(
            r"^\W*(?:do|does|has|have) [\w'’ .-]{1,40} have (?:any |a )?(?:children|kids|child|sons?|daughters?)\b\W*$"
        ),
    ),
)
# A name that the question does not have answers these, too.
_QUESTIONS_FOR_NAMES = (
    (
        HeldKind.NAMING,
        re.compile(
            r"""
            \bwhat(?:['’]s|\ is|\ was|\ are|\ were)\ (?:[\w'’.-]+\ ){1,5}(?:
                called | named | (?:first\ |last\ |full\ |sur|maiden\ )?names?
            )\b\W*$
            | \bwhat(?:['’]s|\ is|\ was|\ are|\ were)\ the\ (?:names?|titles?)\ of\b
            | \bwhat\ do\ (?:i|we|they)\ call\b
            """,
            re.VERBOSE,
        ),
    ),
    (
        HeldKind.INSTITUTION | HeldKind.NAMING,
        re.compile(
            r"""
            \bwhich\ (?:
                school | university | college | hospital | hotel | hostel | airline | airport | bank
                | company | firm | restaurant | gym | nursery | clinic | station | church | theatre
                | library | museum
            )\b
            """,
            re.VERBOSE,
        ),
    ),
    # Of questions without the user, the user may be the answer.
    (
        HeldKind.PERSON,
        re.compile(
            rf"{_HEAD}who(?:m|se)?\b(?!(?:['’]s| is| are| am) (?:i|you)\b)(?=[^?]*\b(?:my|me|i|our|us"
            rf"|we)\b)(?![^?]*\b(?:employ\w*|pays?|paid|hired?|works? for)\b)"
        ),
    ),
    (
        HeldKind.PLACE,
        re.compile(
            rf"{_HEAD}where\b(?! (?:should|could|can|would|shall|might|to)\b)|\b(?:in "
            rf"|at )?which (?:city|town|village|country|street)\b"
        ),
    ),
)


def find_asked(question: str) -> AskedKinds | None:
    """Find what kind of value a question asks for; None where it asks for another, or for none."""
    low = question.lower()
    for kinds, pattern in _QUESTIONS:
        if pattern.search(low):
            return AskedKinds(kinds)
    for kinds, pattern in _QUESTIONS_FOR_NAMES:
        if pattern.search(low):
            return AskedKinds(
                kinds, other_name=True, names=tuple(search_terms(" ".join(_list_names(question))))
            )
    return None


def find_held(text: str) -> int:
    """The kinds of values that a statement may hold, as bits of `HeldKind`."""
    low = text.lower()
    dateless = _DATES.sub(" ", low)
    sets, counted = _load_words(), _load_counted()
    words = {word.removesuffix("'s") for word in _WORD.findall(low.replace("’", "'"))}
    # "twenty-eight"
    words |= {part for word in words if "-" in word for part in word.split("-")}
    held = 0
    if any(map(str.isdigit, dateless)) or words & (sets["numbers"] | sets["large_numbers"]):
        held |= HeldKind.NUMBER
    rest = counted.sub(" ", dateless)
    rest_words = set(_WORD.findall(rest))
    is_left = any(map(str.isdigit, rest))
    if (
        is_left
        or re.search("[$£€¥%]", low)
        or words & sets["currencies"]
        or rest_words & sets["large_numbers"]
    ):
        held |= HeldKind.MONEY
    if (
        is_left
        or _YEAR.search(low)
        or words & sets["ages"]
        or rest_words & (sets["numbers"] | sets["large_numbers"])
    ):
        held |= HeldKind.AGE
    for kind, name in _BY_WORDS:
        if words & sets[name]:
            held |= kind
    # "opens at nine", "from ten to four".
    if is_left or rest_words & sets["numbers"] or _CLOCK_OR_YEAR.search(low) or dateless != low:
        held |= HeldKind.TIME
    if _find_place_preposition(dateless):
        held |= HeldKind.PLACE
    if any(word not in sets["no_agents"] for word in _AGENT.findall(low)):
        held |= HeldKind.PERSON | HeldKind.JOB
    if _JOB.search(text):
        held |= HeldKind.JOB
    if _AT_ONE.search(dateless):
        held |= HeldKind.INSTITUTION
    if "," in text:
        held |= HeldKind.COUNT
    if _IN_QUOTES.search(text.split(":", 1)[-1].strip().strip('"“”')):
        held |= HeldKind.NAMING
    if _HAN.search(text):
        held |= HeldKind.NAMING | HeldKind.PERSON | HeldKind.PLACE | HeldKind.INSTITUTION | HeldKind.JOB
    for at_least, _ in zip(NAME_COUNTS, _list_names(text), strict=False):
        held |= at_least
    return held


_BY_WORDS = (
    (HeldKind.SIZE, "sizes"),
    (HeldKind.TIME, "times"),
    (HeldKind.PLACE, "places"),
    (HeldKind.COLOUR, "colours"),
    (HeldKind.NAMING, "naming"),
    (HeldKind.PERSON, "persons"),
    (HeldKind.COUNT, "counts"),
    (HeldKind.COUPLE, "couple"),
    (HeldKind.CHILD, "children"),
    (HeldKind.JOB, "works"),
    (HeldKind.TRAVEL, "travels"),
    (HeldKind.LIKING, "likings"),
    (HeldKind.INSTITUTION, "institutions"),
)


@cache
def _load_words() -> dict[str, frozenset[str]]:
    lists = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
    return {name: frozenset(words.split()) for name, words in lists.items()}


@cache
def _load_counted() -> re.Pattern[str]:
    """Compile the pattern of counted or measured things, which are neither money nor an age: "4,000 coins", "three
    apple trees", "5 mg"."""
    words = _load_words()
    tens = "(?:twen|thir|for|fif|six|seven|eigh|nine)ty"
    number = rf"(?:(?<![\d.,])\d[\d.,]*|\b(?:{'|'.join(sorted(words['numbers']))}|{tens}))"
    no_noun = "|".join(
        sorted(
            words["currencies"]
            | words["place_prepositions"]
            | words["capitalised"]
            | {"per", "of", "or", "than"}
        )
    )
    noun = rf"(?!(?:{no_noun})\b)[\w'’-]+"
    plural = r"(?:[\w-]+[^s\W]s|[\w-]+sses|people|children|men|women|feet|times?|kg|k?m|[cm]m|m?g|m?l)"
    return re.compile(rf"{number}[ -](?!(?:{no_noun})\b)(?:{noun} ){{0,2}}?(?!(?:{no_noun})\b){plural}\b")


def _find_place_preposition(dateless: str) -> bool:
    """Return whether there is a preposition of place that no time follows."""
    sets = _load_words()
    words = [word.replace("’", "'") for word in re.findall(r"[\w'’-]+", dateless)]
    for place, word in enumerate(words[:-1]):
        if word not in sets["place_prepositions"]:
            continue
        behind = words[place + 1 : place + 3]
        is_way = place > 0 and words[place - 1] in sets["motions"]
        if word in _PARTICLES and not is_way and behind[0] not in sets["determiners"]:
            continue
        if behind[0] in sets["determiners"] and len(behind) > 1:
            behind = behind[1:]
        if behind[0] in sets["times"] or behind[0].isdigit() or behind[0] in sets["numbers"]:
            continue
        return True
    return False


def _list_names(text: str) -> list[str]:
    """Words with a capital that may be names."""
    sets = _load_words()
    return [
        word
        for word in _CAPITALISED.findall(text)
        if word.lower() not in sets["capitalised"] and word.lower() not in sets["times"]
    ]
