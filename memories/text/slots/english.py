"""States in English that a later statement replaces: where the user lives, works, studies, what they are called."""

from __future__ import annotations

import re
from collections.abc import Callable

from memories.text.en.third_person import blank_quotes
from memories.text.slots.claim import Claim, build_slot, remove_article
from memories.text.slots.vocabulary import (
    COMPUTERS,
    OWN_FACTS,
    PETS,
    PHONES,
    PROFESSIONS,
    RELATIONS,
    SLOT_OF_NOUN,
    load_words,
)

_WORDS = load_words("english")
_A = rf"(?:(?:{_WORDS['adverbs']}) )*"
_PLACE_NOUN = rf"(?:an? |my |the |our )(?:[\w'-]+ ){{0,3}}(?:{_WORDS['place_nouns']})"
_PLACE = rf"(?:(?-i:[A-Z])|{_PLACE_NOUN})"
_JOB = rf"(?:[\w/&-]+ ){{0,4}}?(?:{PROFESSIONS})s?\b"
# "MemOS", "GPT-4": written as no field of study is.
_PRODUCT = r"(?:[\w.-]* ?)?(?:(?-i:\w{0,40}[a-z][A-Z])|[\w.-]{0,40}\d)"
NOT_NAMES = (
    rf"(?-i:{_WORDS['peoples']}|{_WORDS['faiths']}|{_WORDS['zodiac_signs']}|{_WORDS['days_and_months']}"
    rf"|{_WORDS['titled_words']})\b"
)
_NAME = rf"(?!{NOT_NAMES})(?-i:[A-Z][a-zA-Z'-]+(?: [A-Z][a-zA-Z'-]+){{0,2}})"


def find_english_states(clause: str) -> list[Claim]:
    """The states that a clause tells of the user."""
    visible = blank_quotes(clause).rstrip(" .!")
    if len(visible) > 400:
        return []
    for pattern, make in _RULES:
        match = pattern.match(visible)
        if match and (claims := make(match)):
            return claims
    return []


def _declare_state(slot: str, title: str) -> Callable[[re.Match[str]], list[Claim]]:
    return lambda match: [Claim(match.string, slot, title)]


# "From Xero to FreeAgent", "from GKE to AWS": nobody lives there.
_NO_PLACES = re.compile(
    r"(?-i:\b(?:from|to) (?:[A-Z][a-z]+ )?(?:[A-Z]?[a-z]+[A-Z]\w*|(?!UK\b|USA?\b|UAE\b|LA\b|NYC?\b|DC\b)[A-Z]{2,}\b))"
)


def _read_move(match: re.Match[str]) -> list[Claim]:
    if " from " in match.string and _NO_PLACES.search(match.string):
        return []
    # The day of speaking is not when somebody moved who says when it was.
    dating = "" if re.search(r"\b(?:when|while|after|before|as an?)\b", match.string) else " ({})"
    return [Claim(match.string, "residence", "User residence", ending=" and lives there now", dating=dating)]


def _read_introduction(match: re.Match[str]) -> list[Claim]:
    """As in "I am Alex, 28, backend dev in Hangzhou": each part says a thing of its own."""
    claims = [Claim(f"my name is {match['name']}", "name", f"User name: {match['name']}")]
    for part in re.split(r",\s*(?:and )?|\s+and\s+", match["rest"] or ""):
        if re.fullmatch(r"\d{1,3}(?: years old)?", part):
            claims += _build_age(part.split()[0])
        elif job_match := re.match(rf"(?:(?:an?|the) )?({_JOB}.*)", part, re.IGNORECASE):
            claims.append(Claim(f"I am a {job_match[1]}", "job", f"User job: {job_match[1][:40]}"))
        elif part and (more := find_english_states(part) or find_english_states(f"I am {part}")):
            claims += more
        elif part:
            claims.append(Claim(part if part.startswith(("I ", "my ")) else f"I am {part}", "", ""))
    return claims


def _build_age(years: str) -> list[Claim]:
    return (
        [Claim(f"I am {years} years old", "age", "User age", dating=" (as of {})")]
        if 0 < int(years) < 130
        else []
    )


def _read_age(match: re.Match[str]) -> list[Claim]:
    return (
        [Claim(match.string, "age", "User age", dating=" (as of {})")] if 0 < int(match["age"]) < 130 else []
    )


def _read_job_and_employer(match: re.Match[str]) -> list[Claim]:
    """Two states, because the next job may be at the same place, and the next place may want the same job."""
    job = Claim(
        f"{match['start']} as {match['job']}", "job", f"User job: {remove_article(match['job'])[:40]}"
    )
    return [
        job,
        Claim(f"{match['start']} {match['where']}", "employer", f"User employer: {match['org'][:40]}"),
    ]


def _read_pet(match: re.Match[str]) -> list[Claim]:
    animal, name = match["animal"].lower(), match["name"]
    is_another = re.search(r"\b(?:another|second|third|new|more)\b", match.string, re.IGNORECASE)
    slot = f"pet:{name.lower()}" if name else "" if is_another else build_slot("pet", animal)
    return [Claim(match.string, slot, f"User pet: {name or animal}")]


def _read_device(match: re.Match[str]) -> list[Claim]:
    kind = "phone" if re.search(rf"\b(?:{PHONES})\b", match["device"], re.IGNORECASE) else "computer"
    return [Claim(match.string, f"device:{kind}", f"User {kind}")]


def _read_language(match: re.Match[str]) -> list[Claim]:
    return [Claim(match.string, build_slot("speaks", match["language"]), "Languages of the user")]


def _read_relation_name(match: re.Match[str]) -> list[Claim]:
    return [Claim(match.string, build_slot("name of", match["who"]), f"Name of the user's {match['who']}")]


def _read_family(match: re.Match[str]) -> list[Claim]:
    is_own = re.search(r"kids?|child|sons?|daughter", match.string, re.IGNORECASE)
    return [Claim(match.string, "children" if is_own else "siblings", "User family")]


def _read_chip(match: re.Match[str]) -> list[Claim]:
    """The device and its chip are kept apart: the next laptop may have the same chip."""
    claims = [Claim(match.string, "chip:computer", "Chip of the user's computer")]
    if not match.string.lower().startswith("my "):
        claims = [Claim(match.string, "device:computer", "User computer")]
    return claims


def _read_project_fact(match: re.Match[str]) -> list[Claim]:
    about = build_slot("", re.sub("^(?:for|of|on) ", "", match["for"] or "")).removeprefix(":")
    noun = match["what"].lower()
    title = f"{noun.capitalize()} {match['for'] or ''}".strip()
    return [Claim(match.string, f"{noun}:{about}" if about else noun, title)]


def _read_fact_about_oneself(match: re.Match[str]) -> list[Claim]:
    noun = match["what"].lower()
    slot = SLOT_OF_NOUN.get(noun, noun)
    return [Claim(match.string, slot, f"User {noun}")]


def _declare_rule(
    pattern: str, make: Callable[[re.Match[str]], list[Claim]]
) -> tuple[re.Pattern[str], Callable[[re.Match[str]], list[Claim]]]:
    return re.compile(pattern, re.IGNORECASE), make


_RULES = (
    _declare_rule(
        rf"^(?:I|we) {_A}(?:moved|relocated|have moved)(?: \w+)?(?: house"
        rf"| home)? (?:from (?:[\w'-]+ ){{1,4}})?(?:back )?(?:over )?to {_PLACE}",
        _read_move,
    ),
    _declare_rule(
        rf"^(?:I|we) {_A}(?:live|rent|am (?:now |currently )?(?:living|renting)) (?:in )?(?:an? |my "
        rf"|our |the )?(?:(?!in\b)[\w'-]+ ){{0,3}}"
        rf"(?:{_WORDS['homes']})\b(?! (?:in|near|at) (?-i:[A-Z]))",
        _declare_state("housing", "User housing"),
    ),
    _declare_rule(
        rf"^(?:I|we) {_A}(?:live|reside|rent|(?:am|are) (?:now |currently )?living|(?:am|are) (?:now "
        rf"|currently )?based|(?:am|are) (?:now |currently )?located"
        rf"|settled(?: down)?(?! on\b(?! the (?:coast|island)))"
        rf"|lived(?= [^,]*\b(?:for|since)\b))(?: \w+)? (?:in|at|near|on|outside)\b(?! (?:peace|fear"
        rf"|hope|style|harmony|poverty|luxury|pain|constant|an? (?:world|dream|bubble|hotel|hostel)"
        rf"|(?:the|a) (?:moment|past|present|future|edge))\b)",
        _declare_state("residence", "User residence"),
    ),
    _declare_rule(
        rf"^(?:I|we) {_A}(?:am|are) (?:now |currently )?(?:in|near"
        rf"|outside) (?-i:[A-Z])[\w'-]*(?:,? (?-i:[A-Z])[\w'-]*)*"
        r",? (?:now|these days|permanently|full-time|for good)(?:,? since\b.*)?$",
        _declare_state("residence", "User residence"),
    ),
    _declare_rule(
        rf"^I {_A}(?:live|am living) (?:with|alone|by myself)\b",
        _declare_state("household", "User household"),
    ),
    _declare_rule(
        rf"^my (?:home|house|apartment|flat|residence) is (?:now )?(?:in|at|near) {_PLACE}",
        _declare_state("residence", "User residence"),
    ),
    _declare_rule(
        rf"^my name is not [^,;]{{1,30}}[,;]? (?:but |it is |it's )(?P<name>{_NAME})(?P<rest>)$",
        _read_introduction,
    ),
    _declare_rule(
        rf"^my name is (?:now )?(?P<name>{_NAME})(?:,? (?:and )?(?P<rest>.+))?$", _read_introduction
    ),
    _declare_rule(
        rf"^(?:I am|this is) (?P<name>{_NAME})(?: \([^)]{{1,20}}\))?(?:(?:, (?:and )?| and )(?P<rest>.+))?$",
        _read_introduction,
    ),
    _declare_rule(
        r"^I (?:am|have|just turned|turned|will be|am turning)(?: now| already"
        r"| currently)? (?P<age>\d{1,3})(?: years? old| this year| today| yesterday| now| last \w+|$)",
        _read_age,
    ),
    _declare_rule(
        r"^I (?:am|stand) \d[\d.'\"]{0,5} ?(?:cm|m|feet|ft|foot)?(?: \d{1,2})?(?: tall)$",
        _declare_state("height", "User height"),
    ),
    _declare_rule(
        r"^I (?:now |currently )?weigh (?:about |around )?\d", _declare_state("weight", "User weight")
    ),
    _declare_rule(
        r"^(?:I|we) have (?:an? |one|two|three|four|five|six|\d|no) ?(?:[\w-]+ ){0,2}(?:kids?|child"
        r"|children|sons?|daughters?|siblings?|brothers?|sisters?|grandchild(?:ren)?)\b",
        _read_family,
    ),
    _declare_rule(
        r"^(?:I|we) (?:have|own|bought|got|upgraded to) (?:an? )?.{0,30}\b(?P<chip>(?:intel|amd|apple"
        r"|m\d|ryzen|snapdragon)[\w ]{0,16}?) chip\b",
        _read_chip,
    ),
    _declare_rule(
        r"^my (?P<device>laptop|computer|macbook|desktop|pc)(?: now)? (?:has|uses|runs on"
        r"|comes with) (?:an? |the )?[^,]{0,40}\b(?:chip|processor|cpu)\b",
        _read_chip,
    ),
    _declare_rule(
        rf"^(?P<start>(?:I|we) {_A}(?:work(?:ed|ing)?|am (?:now |currently )?working"
        rf"|started (?:working )?|got a (?:new )?job)) as (?P<job>(?:an? |the )?[^,]{{2,60}}?) "
        r"(?P<where>(?:at|for|with) (?P<org>(?-i:[A-Z])[^,]{1,60}))$",
        _read_job_and_employer,
    ),
    _declare_rule(
        rf"^I {_A}(?:am in charge of|am responsible for|run|lead|manage|head|oversee) (?:the |our "
        rf"|my )?(?:[\w&-]+ ){{0,4}}(?:department|team|division|business unit|sales|marketing|company"
        rf"|office|store|region)\b",
        _declare_state("job", "User job"),
    ),
    _declare_rule(
        rf"^I {_A}(?:work|am (?:now |currently )?(?:working|employed)|got a (?:new )?job"
        rf"|started working|started a (?:new )?job) as\b",
        _declare_state("job", "User job"),
    ),
    _declare_rule(
        rf"^I {_A}(?:(?:work|worked(?= .*\b(?:since|for (?:\d|\w+ years)))|am (?:now "
        rf"|currently )?(?:working|employed)|got a (?:new )?job|started working"
        rf"|started a (?:new )?job) (?:at|for|with|by|in the [\w ]{{2,30}} (?:department|team) (?:at"
        rf"|of))|joined|left) "
        rf"(?:(?-i:[A-Z])|(?:an?|the) (?:[\w-]+ ){{0,3}}(?:{_WORDS['employers']}))",
        _declare_state("employer", "User employer"),
    ),
    _declare_rule(
        r"^I (?:just |recently |finally )?(?:left|quit|lost|resigned from) my job\b",
        _declare_state("job", "User job"),
    ),
    _declare_rule(
        rf"^I (?:am|was promoted to|got promoted to|became|have become) {_A}(?:(?:an? |the )"
        rf"|(?!\w+ing\b|not\b|with\b|at\b|in\b|on\b)){_JOB}",
        _declare_state("job", "User job"),
    ),
    _declare_rule(
        r"^I am (?:now |currently |officially )?(?:unemployed|retired|self-employed|between jobs"
        r"|freelancing|jobless)\b",
        _declare_state("job", "User job"),
    ),
    _declare_rule(
        r"^my birthday is\b|^I was born (?:on|in)\b.*\d", _declare_state("birthday", "User birthday")
    ),
    _declare_rule(
        r"^(?:I was born(?: and raised)? in|I (?:come|am) (?:originally )?from|I grew up in) (?-i:[A-Z])",
        _declare_state("hometown", "User origin"),
    ),
    _declare_rule(
        r"^(?:I|we) (?:am|are|got|have been|just got|recently got|became) (?:now |still |happily "
        r"|recently |newly |just )?(?:married|single|divorced|engaged|widowed|separated)\b",
        _declare_state("marital status", "User marital status"),
    ),
    _declare_rule(
        rf"^(?:I|we) {_A}(?:have|own|got|adopted|bought|keep|raise) (?:(?:an?|one|two|three|four|\d"
        rf"|another|my|our|new) )?(?:[\w-]+ ){{0,3}}?(?P<animal>{PETS})"
        rf"(?: at home)?(?:,? (?:named|called|whose name is) (?P<name>(?-i:[A-Z])[\w'-]*))?(?=$"
        rf"|[ ,])(?! (?:{_WORDS['pet_things']}))",
        _read_pet,
    ),
    _declare_rule(
        rf"^(?:I|we) {_A}(?:drive|own|bought|have|got|purchased) (?:an? |my |the )?(?:new |used "
        rf"|second-hand |red |blue |black |white )*(?:[\w-]+ ){{0,3}}"
        rf"(?:{_WORDS['vehicles']})\b(?! (?:accident|seat|ride|insurance))"
        rf"|^(?:I|we) {_A}drive an? (?=(?:[\w.-]+ ){{0,3}}?(?:(?-i:[A-Z])\w"
        rf"|\w*\d))(?!.* for (?:a living|work)\b)",
        _declare_state("vehicle", "User vehicle"),
    ),
    _declare_rule(
        rf"^I {_A}(?:study|am (?:now |currently )?studying|go to|attend"
        rf"|am (?:an? )?(?:[\w-]+ ){{0,3}}student|am enrolled|transferred) ?(?:(?:at|in|to) )?(?:the )?"
        r"(?:(?-i:[A-Z])[\w'. -]*(?:University|College|School|Institute|Academy)|(?-i:MIT|Stanford"
        r"|Harvard|Yale|Oxford|Cambridge|Princeton|UCLA|University of))",
        _declare_state("school", "User school"),
    ),
    _declare_rule(
        rf"^I {_A}(?:major|am majoring|am (?:now |currently )?studying|study) (?:in )?(?!for\b|at\b"
        rf"|with\b|hard\b|a lot\b)"
        rf"(?!{_PRODUCT})[a-z]",
        _declare_state("major", "User field of study"),
    ),
    _declare_rule(
        rf"^(?:I|we) {_A}(?:use|have|own|bought|got|switched to|upgraded to|am using|purchased) (?:an? "
        rf"|my |the )?(?P<device>(?:[\w.\"-]+ ){{0,5}}?(?:{PHONES}|{COMPUTERS})\b)",
        _read_device,
    ),
    _declare_rule(
        rf"^I {_A}(?:can )?speak (?:fluent |native |a little |some )?(?P<language>(?-i:[A-Z])\w+)",
        _read_language,
    ),
    _declare_rule(
        rf"^my (?:[\w-]+ )?(?P<who>{RELATIONS})(?:'s name is| is (?:called|named)) (?-i:[A-Z])",
        _read_relation_name,
    ),
    _declare_rule(
        rf"^my (?:new |current |own )?(?P<what>{OWN_FACTS}) (?:is|are|has (?:changed|been changed"
        rf"|increased|gone)|was changed|was (?:raised|lowered|increased|cut)|changed|will be)\b",
        _read_fact_about_oneself,
    ),
    _declare_rule(
        r"^(?:the|our|my) (?P<what>(?:total |annual |monthly |maximum )?(?:budget|limit|spending limit"
        r"|price limit|deadline|launch date|release date|due date|purchase limit|procurement limit))"
        r"(?: (?P<for>(?:for|of|on) [^,]{2,60}?))? (?:is|was|are|has been|will be|was set to"
        r"|is set to)(?: now| currently)? .{0,60}",
        _read_project_fact,
    ),
    _declare_rule(
        rf"^I {_A}(?:am (?:now |currently )?(?:trying|aiming|working|planning|hoping) to (?:lose|gain"
        rf"|save|quit|get fit|learn|become|pass|stop|reach|finish|improve)"
        r"|am (?:now |currently )?(?:training|preparing|saving(?: up)?) for)\b",
        _declare_state("goal", "Current goal of the user"),
    ),
)
