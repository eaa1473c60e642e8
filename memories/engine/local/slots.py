"""States in English that a later statement replaces: where the user lives, works, studies, what they are called."""

from __future__ import annotations

import re
from collections.abc import Callable

from memories.engine.local.claims import Claim, bare, slot_of
from memories.engine.local.english import without_quotes

_A = r"(?:(?:now|currently|still|also|just|recently|finally|actually|really|officially|already|always|both|have|had|no longer|do not) )*"
_PLACE_NOUN = r"(?:an? |my |the |our )(?:[\w'-]+ ){0,3}(?:apartment|flat|house|home|place|city|town|village|country|condo|dorm|studio|room)"
_PLACE = rf"(?:(?-i:[A-Z])|{_PLACE_NOUN})"
_PROFESSIONS = (
    r"engineer|developer|dev|programmer|designer|teacher|doctor|nurse|lawyer|student|manager|writer|artist|chef|cook|driver|scientist|researcher"
    r"|professor|accountant|analyst|consultant|architect|photographer|musician|singer|actor|actress|dentist|pharmacist|pilot|journalist|editor"
    r"|translator|electrician|plumber|mechanic|carpenter|farmer|salesperson|salesman|cashier|waiter|waitress|barista|librarian|therapist"
    r"|psychologist|counsell?or|coach|trainer|police officer|firefighter|soldier|freelancer|entrepreneur|founder|ceo|cto|director|assistant"
    r"|secretary|receptionist|marketer|administrator|technician|biologist|chemist|physicist|economist|banker|broker|realtor|vet|veterinarian"
    r"|surgeon|physician|paramedic|blogger|streamer|youtuber|intern|product manager|data scientist|housewife|homemaker|tutor|lecturer|postdoc"
    r"|phd student|recruiter|supervisor|operator|planner|officer|agent|clerk|baker|tailor|hairdresser|barber|gardener|cleaner|security guard"
)
_JOB = rf"(?:[\w/&-]+ ){{0,4}}?(?:{_PROFESSIONS})s?\b"
_NOT_NAMES = (
    r"(?-i:American|British|Chinese|English|French|German|Italian|Spanish|Japanese|Korean|Indian|Russian|Canadian|Australian|Mexican|Brazilian|Dutch"
    r"|Swedish|Norwegian|Danish|Finnish|Polish|Turkish|Greek|Irish|Scottish|Welsh|Swiss|Austrian|Portuguese|Vietnamese|Thai|Filipino|Indonesian"
    r"|Malaysian|Singaporean|Taiwanese|Ukrainian|Czech|Hungarian|Egyptian|Nigerian|Kenyan|African|Asian|European|Arab|Persian|Iranian|Israeli"
    r"|Jewish|Muslim|Christian|Catholic|Buddhist|Hindu|Atheist|OK|Ok|Okay|Fine|Sorry|Happy|Sad|Good|Not|In|At|On|From|So|Very|Just|Monday"
    r"|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December"
    r"|The|A|An|My|Your|Here|Back|Going|Trying|Looking|Working|Interested|Gemini|Leo|Virgo|Libra|Scorpio|Aries|Taurus|Pisces|Aquarius|Cancer)\b"
)
_NAME = rf"(?!{_NOT_NAMES})(?-i:[A-Z][a-zA-Z'-]+(?: [A-Z][a-zA-Z'-]+){{0,2}})"
_PETS = (
    r"dogs?|cats?|pupp(?:y|ies)|kittens?|hamsters?|rabbits?|bunn(?:y|ies)|parrots?|birds?|goldfish|fish|turtles?|tortoises?|snakes?|lizards?|guinea pigs?"
    r"|ferrets?|horses?|pon(?:y|ies)|golden retrievers?|labradors?|poodles?|corgis?|husk(?:y|ies)|beagles?|bulldogs?|german shepherds?|ragdolls?"
)
_PHONES = r"iphone|android|pixel|galaxy|huawei|xiaomi|oneplus|phone|smartphone"
_COMPUTERS = r"macbook|laptop|thinkpad|notebook|chromebook|imac|desktop|pc|computer|surface|ipad|tablet"
_RELATIONS = r"wife|husband|partner|girlfriend|boyfriend|son|daughter|mother|mom|mum|father|dad|brother|sister|dog|cat|boss|best friend|baby|puppy|kitten"
_FACTS_ABOUT_ONESELF = (
    r"budget|height|weight|shoe size|clothing size|size|blood type|zodiac sign|star sign|time ?zone|hometown|nationality|main hobby|hobby|hobbies|major"
    r"|salary|e-?mail(?: address)?|phone number|address|native language|mother tongue|first language|deadline|goal|current goal|main goal|dream|religion"
    r"|job|profession|occupation|role|position|title|company|employer|school|university|car|phone|laptop|computer|age|birthday|name|pronouns|risk tolerance"
    r"|risk preference|schedule|bedtime|resolution|target"
)
_SLOT_OF_NOUN = {
    "profession": "job",
    "occupation": "job",
    "role": "job",
    "position": "job",
    "title": "job",
    "company": "employer",
    "university": "school",
    "car": "vehicle",
    "phone": "device:phone",
    "laptop": "device:computer",
    "computer": "device:computer",
    "current goal": "goal",
    "main goal": "goal",
    "mother tongue": "native language",
    "first language": "native language",
    "hobbies": "hobby",
    "main hobby": "hobby",
    "email": "e-mail",
    "email address": "e-mail",
}


def find_states(clause: str) -> list[Claim]:
    """The states that a clause tells of the user."""
    visible = without_quotes(clause).rstrip(" .!")
    if len(visible) > 400:
        return []
    for pattern, make in _RULES:
        match = pattern.match(visible)
        if match and (claims := make(match)):
            return claims
    return []


def _state(slot: str, title: str) -> Callable[[re.Match[str]], list[Claim]]:
    return lambda match: [Claim(match.string, slot, title)]


def _move(match: re.Match[str]) -> list[Claim]:
    ending = " and live there now" if match.string.lower().startswith("we") else " and lives there now"
    return [Claim(match.string, "residence", "User residence", ending=ending, dating=" ({})")]


def _introduction(match: re.Match[str]) -> list[Claim]:
    """As in "I am Alex, 28, backend dev in Hangzhou": each part says a thing of its own."""
    claims = [Claim(f"my name is {match['name']}", "name", f"User name: {match['name']}")]
    for part in re.split(r",\s*(?:and )?|\s+and\s+", match["rest"] or ""):
        if re.fullmatch(r"\d{1,3}(?: years old)?", part):
            claims += _aged(part.split()[0])
        elif found := re.match(rf"(?:(?:an?|the) )?({_JOB}.*)", part, re.IGNORECASE):
            claims.append(Claim(f"I am a {found[1]}", "job", f"User job: {found[1][:40]}"))
        elif part and (more := find_states(part) or find_states(f"I am {part}")):
            claims += more
        elif part:
            claims.append(Claim(part if part.startswith(("I ", "my ")) else f"I am {part}", "", ""))
    return claims


def _aged(years: str) -> list[Claim]:
    return (
        [Claim(f"I am {years} years old", "age", "User age", dating=" (as of {})")]
        if 0 < int(years) < 130
        else []
    )


def _age(match: re.Match[str]) -> list[Claim]:
    return (
        [Claim(match.string, "age", "User age", dating=" (as of {})")] if 0 < int(match["age"]) < 130 else []
    )


def _job_and_employer(match: re.Match[str]) -> list[Claim]:
    """Two states, because the next job may be at the same place, and the next place may want the same job."""
    job = Claim(f"{match['start']} as {match['job']}", "job", f"User job: {bare(match['job'])[:40]}")
    return [
        job,
        Claim(f"{match['start']} {match['where']}", "employer", f"User employer: {match['org'][:40]}"),
    ]


def _pet(match: re.Match[str]) -> list[Claim]:
    animal, name = match["animal"].lower(), match["name"]
    is_another = re.search(r"\b(?:another|second|third|new|more)\b", match.string, re.IGNORECASE)
    slot = f"pet:{name.lower()}" if name else "" if is_another else slot_of("pet", animal)
    return [Claim(match.string, slot, f"User pet: {name or animal}")]


def _device(match: re.Match[str]) -> list[Claim]:
    kind = "phone" if re.search(rf"\b(?:{_PHONES})\b", match["device"], re.IGNORECASE) else "computer"
    return [Claim(match.string, f"device:{kind}", f"User {kind}")]


def _language(match: re.Match[str]) -> list[Claim]:
    return [Claim(match.string, slot_of("speaks", match["language"]), "Languages of the user")]


def _relation_name(match: re.Match[str]) -> list[Claim]:
    return [Claim(match.string, slot_of("name of", match["who"]), f"Name of the user's {match['who']}")]


def _fact_about_oneself(match: re.Match[str]) -> list[Claim]:
    noun = match["what"].lower()
    slot = _SLOT_OF_NOUN.get(noun, noun)
    return [Claim(match.string, slot, f"User {noun}")]


def _rule(
    pattern: str, make: Callable[[re.Match[str]], list[Claim]]
) -> tuple[re.Pattern[str], Callable[[re.Match[str]], list[Claim]]]:
    return re.compile(pattern, re.IGNORECASE), make


_RULES = (
    _rule(
        rf"^(?:I|we) {_A}(?:moved|relocated|have moved)(?: \w+)? (?:from (?:[\w'-]+ ){{1,4}})?(?:back )?(?:over )?to {_PLACE}",
        _move,
    ),
    _rule(
        rf"^(?:I|we) {_A}(?:live|reside|am (?:now |currently )?living|am (?:now |currently )?based|am (?:now |currently )?located|settled(?: down)?)"
        rf"(?: \w+)? (?:in|at|near|on|outside)\b",
        _state("residence", "User residence"),
    ),
    _rule(rf"^I {_A}(?:live|am living) (?:with|alone|by myself)\b", _state("household", "User household")),
    _rule(
        rf"^my (?:home|house|apartment|flat|residence) is (?:now )?(?:in|at|near) {_PLACE}",
        _state("residence", "User residence"),
    ),
    _rule(rf"^my name is (?:now )?(?P<name>{_NAME})(?:,? (?:and )?(?P<rest>.+))?$", _introduction),
    _rule(rf"^(?:I am|this is) (?P<name>{_NAME})(?:(?:, (?:and )?| and )(?P<rest>.+))?$", _introduction),
    _rule(
        r"^I (?:am|have|just turned|turned)(?: now| already| currently)? (?P<age>\d{1,3})(?: years? old| this year| today| yesterday| now|$)",
        _age,
    ),
    _rule(
        rf"^(?P<start>(?:I|we) {_A}(?:work(?:ed|ing)?|am (?:now |currently )?working|started (?:working )?|got a (?:new )?job)) as (?P<job>(?:an? |the )?[^,]{{2,60}}?) "
        r"(?P<where>(?:at|for|with) (?P<org>(?-i:[A-Z])[^,]{1,60}))$",
        _job_and_employer,
    ),
    _rule(
        rf"^I {_A}(?:work|am (?:now |currently )?(?:working|employed)|got a (?:new )?job|started working|started a (?:new )?job) as\b",
        _state("job", "User job"),
    ),
    _rule(
        rf"^I {_A}(?:work|am (?:now |currently )?(?:working|employed)|got a (?:new )?job|started working|started a (?:new )?job|joined|left) (?:(?:at|for|with|by) )?"
        r"(?:(?-i:[A-Z])|(?:an?|the) (?:[\w-]+ ){0,3}(?:company|startup|start-up|bank|hospital|school|university|firm|agency|store|shop|restaurant|factory))",
        _state("employer", "User employer"),
    ),
    _rule(
        r"^I (?:just |recently |finally )?(?:left|quit|lost|resigned from) my job\b",
        _state("job", "User job"),
    ),
    _rule(
        rf"^I (?:am|was promoted to|got promoted to|became|have become) {_A}(?:an? |the )?{_JOB}",
        _state("job", "User job"),
    ),
    _rule(
        r"^I am (?:now |currently |officially )?(?:unemployed|retired|self-employed|between jobs|freelancing|jobless)\b",
        _state("job", "User job"),
    ),
    _rule(r"^my birthday is\b|^I was born (?:on|in)\b.*\d", _state("birthday", "User birthday")),
    _rule(
        r"^(?:I was born(?: and raised)? in|I (?:come|am) (?:originally )?from|I grew up in) (?-i:[A-Z])",
        _state("hometown", "User origin"),
    ),
    _rule(
        r"^(?:I|we) (?:am|are|got|have been|just got|recently got|became) (?:now |still |happily |recently |newly |just )?(?:married|single|divorced|engaged|widowed|separated)\b",
        _state("marital status", "User marital status"),
    ),
    _rule(
        rf"^(?:I|we) {_A}(?:have|own|got|adopted|keep|raise) (?:(?:an?|one|two|three|four|\d|another|my|our|new) )?(?:[\w-]+ ){{0,3}}?(?P<animal>{_PETS})"
        rf"(?: at home)?(?:,? (?:named|called|whose name is) (?P<name>(?-i:[A-Z])[\w'-]*))?(?=$|[ ,])(?! (?:food|allergy|show|person|toy))",
        _pet,
    ),
    _rule(
        rf"^(?:I|we) {_A}(?:drive|own|bought|have|got|purchased) (?:an? |my |the )?(?:new |used |second-hand |red |blue |black |white )*(?:[\w-]+ ){{0,3}}"
        r"(?:car|suv|truck|motorcycle|motorbike|scooter|tesla|toyota|honda|bmw|audi|ford|volkswagen|van|byd|model [3sxy])\b(?! (?:accident|seat|ride|insurance))"
        rf"|^(?:I|we) {_A}drive an? ",
        _state("vehicle", "User vehicle"),
    ),
    _rule(
        rf"^I {_A}(?:study|am (?:now |currently )?studying|go to|attend|am (?:an? )?(?:[\w-]+ ){{0,3}}student|am enrolled|transferred) ?(?:(?:at|in|to) )?(?:the )?"
        r"(?:(?-i:[A-Z])[\w'. -]*(?:University|College|School|Institute|Academy)|(?-i:MIT|Stanford|Harvard|Yale|Oxford|Cambridge|Princeton|UCLA|University of))",
        _state("school", "User school"),
    ),
    _rule(
        rf"^I {_A}(?:major|am majoring|am (?:now |currently )?studying|study) (?:in )?(?!for\b|at\b|with\b|hard\b|a lot\b)[a-z]",
        _state("major", "User field of study"),
    ),
    _rule(
        rf"^(?:I|we) {_A}(?:use|have|own|bought|got|switched to|upgraded to|am using|purchased) (?:an? |my |the )?(?P<device>(?:[\w.\"-]+ ){{0,5}}?(?:{_PHONES}|{_COMPUTERS})\b)",
        _device,
    ),
    _rule(
        rf"^I {_A}(?:can )?speak (?:fluent |native |a little |some )?(?P<language>(?-i:[A-Z])\w+)", _language
    ),
    _rule(
        rf"^my (?:[\w-]+ )?(?P<who>{_RELATIONS})(?:'s name is| is (?:called|named)) (?-i:[A-Z])",
        _relation_name,
    ),
    _rule(
        rf"^my (?:new |current |own )?(?P<what>{_FACTS_ABOUT_ONESELF}) (?:is|are|has|was changed|changed|will be)\b",
        _fact_about_oneself,
    ),
    _rule(
        rf"^I {_A}(?:am (?:now |currently )?(?:trying|aiming|working|planning|hoping) to (?:lose|gain|save|quit|get fit|learn|become|pass|stop|reach|finish|improve)"
        r"|am (?:now |currently )?(?:training|preparing|saving(?: up)?) for)\b",
        _state("goal", "Current goal of the user"),
    ),
)
