"""Stated preferences in English: likes, dislikes, diets, favourites."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.en.third_person import blank_quotes
from memories.text.slots.claim import Claim, build_liking_slot, build_slot, remove_article
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("words.toml"), "preferences")
_ADVERBS = rf"(?:(?:{_WORDS['adverbs']}) ){{0,6}}"
_LIKE = re.compile(
    rf"^(?:I|we) (?P<adverbs>{_ADVERBS})(?P<not>(?:do not|did not|never"
    rf"|no longer) {_ADVERBS})?(?P<past>used to )?{_ADVERBS}"
    rf"(?P<verb>{_WORDS['verbs']}|(?<=always )(?:liked|loved|hated|enjoyed|disliked)|(?<=never )(?:liked|loved"
    r"|enjoyed))(?: to)? (?P<thing>.+)$",
    re.IGNORECASE,
)
_CANNOT = re.compile(
    rf"^(?:I|we) {_ADVERBS}(?P<verb>(?:(?:do not|cannot|can not|could not|never|no longer|will not"
    rf"|should not|must not|may not) "
    rf"{_ADVERBS}(?:eat|drink|smoke|consume|digest)|(?:cannot|can not|must not|should not"
    rf"|may not) {_ADVERBS}(?:have|handle))) (?P<thing>.+)$",
    re.IGNORECASE,
)
_QUIT = re.compile(
    rf"^(?:I|we) (?:have )?{_ADVERBS}(?P<verb>stopped|quit|gave up) (?P<thing>(?:smoking|drinking"
    rf"|eating|consuming|gambling|vaping)\b.*?)(?P<when>,? (?:in|on|since|last|this|two|three"
    rf"|\w+ (?:days|weeks|months|years) ago|years|when|after|at|for)\b.*)?$",
    re.IGNORECASE,
)
# Not what is avoided, but how much of it is taken on.
_RISK = re.compile(
    r"""
    ^I\ (?:do\ not|never|would\ rather\ not|am\ not\ willing\ to|am\ not\ comfortable)
    (?:\ (?:really|ever))?\ (?:want\ to\ |like\ to\ |like\ |want\ )?(?:take|taking|with)?(?:\ on)?\ ?
    (?:too\ |very\ )?(?:much\ |many\ |any\ |a\ lot\ of\ |big\ |high\ |great\ )?risks?\b
    | ^I\ am\ (?:very\ |quite\ |rather\ |more\ )?(?:
          risk[- ](?:averse|tolerant) | (?:a\ )?conservative(?:\ investor)?$
      )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FEEL = re.compile(
    rf"^(?:I|we) (?P<past>used to be |am |are |have been |became )(?P<verb>{_ADVERBS}(?:not "
    rf"|not really )?{_ADVERBS}(?:{_WORDS['feelings']})) (?P<thing>.+)$",
    re.IGNORECASE,
)
_DIET = re.compile(
    rf"^(?:I|we) (?:am|are|became|have been|have become|have gone|went"
    rf"|turned) {_ADVERBS}(?P<not>not )?(?:longer |any ?more )?{_ADVERBS}(?:a "
    rf"|an )?(?:strict )?(?P<diet>{_WORDS['diets']})\b",
    re.IGNORECASE,
)
_AS_A = re.compile(
    r"""
    ^(?:
        as\ an?\ (?:strict\ |lifelong\ )?(?P<diet>vegetarian|vegan|pescatarian),?\ (?:I|we)[ ]
        | (?:I|we)\ .{2,80}\ as\ an?\ (?P<diet2>vegetarian|vegan|pescatarian)$
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FAVOURITE = re.compile(
    r"""
    ^(?:my|our)\ (?:(?:all[- ]time|absolute|current|new|personal|number\ one)\ )?
    (?P<word>favou?rite|preferred)\ (?P<what>[\w' -]{2,60}?)\ (?:
        of\ all\ time\  | now\  | nowadays\  | these\ days\  | currently\  | at\ the\ moment[ ]
    )?(?:is|are|was|has\ always\ been|would\ be)\ (?P<thing>.+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_IS_FAVOURITE = re.compile(
    r"""
    ^(?P<thing>[^,;]{2,80}?)\ (?:is|are)\ (?:still\ |now\ |also\ |definitely\ |by\ far\ )?(?:one\ of\ )?
    my\ (?:all[- ]time\ |absolute\ )?favou?rite\ (?P<what>[\w' -]{2,60})$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NEW_FAVOURITE = re.compile(
    r"""
    ^my\ favou?rite\ (?P<what>[\w' -]{2,40}?)\ used\ to\ be\ [^,;]{1,60}?,?\ (?:but\ |and\ )?now[ ]
    (?:it\ is|they\ are|is)\ (?P<thing>.+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PREFERENCE_IS = re.compile(
    r"^my (?P<what>(?:[\w'-]+ ){0,3})preference is (?:for )?(?P<thing>.+)$", re.IGNORECASE
)

# Where the thing ends and its circumstances begin.
_THING_ENDS = re.compile(rf"\s?[,;:(.!]|\s(?:{_WORDS['circumstances']})\b", re.IGNORECASE)
_AND = re.compile(r"\s?,\s?(?:and |or )?|\s(?:and|or|&|nor)\s", re.IGNORECASE)
_UNNAMED = re.compile(rf"^(?:{_WORDS['unnamed']})\b", re.IGNORECASE)
_INCOMPLETE = re.compile(r"^(?:something|anything|more|less|a (?:bit|little)|things|stuff)\b", re.IGNORECASE)
_NO_PREFERENCE = re.compile(
    r"""
    ^(?:
        to\ (?:be|hear|know|think|see|say|believe) | the\ (?:idea|way|fact) | being\ able | hearing
        | seeing\ you | talking\ to\ you | your
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_VERB_OF_THING = re.compile(
    r"""
    ^(?:to\ )?(?:
        eat(?:ing)? | drink(?:ing)? | hav(?:e|ing) | watch(?:ing)? | read(?:ing)? | play(?:ing)?
        | listen(?:ing)?\ to | go(?:ing)?(?:\ to|\ for)? | us(?:e|ing)
    )[ ]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RELATIVE = re.compile("(?:which|who|that|so|not|but|especially|mostly)\\b", re.IGNORECASE)
_LAST_JOIN = re.compile(r"\s(?:and|or|nor|&)\s", re.IGNORECASE)
_MOST_SINGLE_THINGS = 6


def find_english_preferences(clause: str, sentence: str) -> list[Claim]:
    """The preferences that a clause states: one for each thing, so that each can change on its own."""
    visible = blank_quotes(clause).rstrip(" .!。")
    for rule in (_read_risk, _likes, _read_diet, _read_favourite):
        claims = rule(visible, sentence)
        if claims:
            return claims
    return []


def _likes(clause: str, sentence: str) -> list[Claim]:
    match = _LIKE.match(clause) or _QUIT.match(clause) or _CANNOT.match(clause) or _FEEL.match(clause)
    if not match or _UNNAMED.match(match["thing"]) or _NO_PREFERENCE.match(match["thing"]):
        return []
    if match.re is _QUIT and _AGAIN.search(clause):
        return []
    start = match.start("thing")
    cut = _THING_ENDS.search(clause, start + 1)
    rest = clause[cut.start() :] if cut and not _is_list(clause[start:]) else ""
    if match.re is _QUIT and match["when"]:
        rest = clause[match.start("when") :]
    things = _separate_things(clause[start : len(clause) - len(rest)])
    statements = [clause[:start] + thing + rest for thing in things]
    if _INCOMPLETE.match(things[0]):
        statements = [sentence]
    verb = clause[: match.start("thing")].lower()
    if "prefer" in verb and len(things) == 1 and (to := _TO.search(things[0])):
        return [_build_claim(statements[0], things[0][: to.start()], verb, things[0][to.start() :])]
    return [_build_claim(text, thing, verb, rest) for text, thing in zip(statements, things, strict=True)]


def _choose_slot(thing: str, verb: str, rest: str) -> str:
    if _is_intolerant(verb):
        return build_slot("allergy", thing)
    rival = _OVER.match(rest) if "prefer" in verb else None
    question = build_liking_slot(thing, is_rival="prefer" in verb)
    if rival and not question.startswith("taste:"):
        pair = sorted(build_slot("", name).removeprefix(":") for name in (thing, rival["rival"]))
        return f"taste:{pair[0]} or {pair[1]}"
    # What holds in summer, or with children, does not replace what holds otherwise.
    is_general = not _CIRCUMSTANCE.search(rest) or not question.startswith("taste:")
    return question if is_general else build_slot("likes", thing + rest)


def _is_intolerant(verb: str) -> bool:
    return "allergic" in verb or "intolerant" in verb


def _is_list(thing: str) -> bool:
    """Return whether it goes on behind its commas: "apples, pears and plums" does, "apples, which are sweet" does
    not."""
    parts = _AND.split(thing)
    is_short = len(parts) > 1 and all(
        part and len(part.split()) <= 3 and not _RELATIVE.match(part) for part in parts
    )
    return "," in thing and is_short and not _THING_ENDS.search(thing.replace(",", ""))


def _build_claim(statement: str, thing: str, verb: str, rest: str) -> Claim:
    name = remove_article(_VERB_OF_THING.sub("", thing)) or thing
    title = f"{'Allergy' if _is_intolerant(verb) else 'Preference'}: {name[:40]}"
    return Claim(
        statement,
        _choose_slot(thing, verb, rest),
        title,
        f"The user said directly that they {_write_gist(verb)} {name}.",
        thing=name,
    )


_TO = re.compile(r"(?<!^)\sto\s(?=[\w' -]{2,40}$)(?!be\b|do\b|go\b)")
_AGAIN = re.compile(r"\bagain\b|\bstarted\b", re.IGNORECASE)
_OVER = re.compile(
    r"\s?,?\s?(?:over|to|than|rather than|instead of)\s(?P<rival>[\w' -]{2,40})$", re.IGNORECASE
)
_CIRCUMSTANCE = re.compile(
    r"""
    \b(?:
        in\ (?:the\ )?(?:spring|summer|autumn|fall|winter|mornings?|evenings?|afternoons?) | at\ night
        | on\ (?:weekends?|weekdays|long|short) | when(?:ever)?\ (?:it|the\ weather)
        | for\ (?:breakfast|lunch|dinner)
        | with\ (?:my|the)\ (?:kids|children|family|wife|husband|friends)
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REFUSING = re.compile(rf"{_WORDS['refusing_parts']}|\b(?:{_WORDS['refusing']})\b")


def _write_gist(verb: str) -> str:
    if _is_intolerant(verb):
        return "are not allergic to" if re.search(r"\bnot\b", verb) else "do not tolerate"
    if _REFUSING.search(verb):
        return "do not like, or avoid,"
    if "used to" in verb:
        return "once liked"
    return "prefer" if "prefer" in verb else "like"


def _separate_things(thing: str) -> list[str]:
    """One by one: "very oily or spicy food" -> "very oily food", "spicy food"; longer descriptions stay whole."""
    parts = [part.strip() for part in _AND.split(thing) if part.strip()]
    # "intense, slow trips" are trips of one kind: only "and" or a third part makes a list.
    is_enumeration = len(parts) > 2 or _LAST_JOIN.search(thing)
    if (
        not is_enumeration
        or not 1 < len(parts) <= _MOST_SINGLE_THINGS
        or any(len(part.split()) > 3 for part in parts)
    ):
        return [thing.strip()]
    head = parts[-1].split()[-1]
    shares_head = len(parts[-1].split()) > 1 and head.lower().rstrip("s") in _SHARED_HEADS
    return [part if not shares_head or part.endswith((head, "s")) else f"{part} {head}" for part in parts]


_SHARED_HEADS = frozenset(
    """
        food drink dish meal movie film book music game song show attraction trip sport place hotel
        cuisine snack flavor flavour novel cloth color
    """.split()
)


def _read_risk(clause: str, sentence: str) -> list[Claim]:
    if not _RISK.match(clause):
        return []
    return [
        Claim(clause, "taste:risk", "Risk preference", "The user said directly how much risk they accept.")
    ]


def _read_diet(clause: str, sentence: str) -> list[Claim]:
    match = _DIET.match(clause) or _AS_A.match(clause)
    if not match:
        return []
    diet = match["diet"] or match["diet2"]
    what = f"{'not ' if match.groupdict().get('not') else ''}{diet}"
    statement = clause if match.re is _DIET else f"I am {diet}"
    return [Claim(statement, "diet", f"Diet: {what}", f"The user described their own diet ({what}).")]


def _read_favourite(clause: str, sentence: str) -> list[Claim]:
    match = (
        _NEW_FAVOURITE.match(clause)
        or _FAVOURITE.match(clause)
        or _IS_FAVOURITE.match(clause)
        or _PREFERENCE_IS.match(clause)
    )
    if not match or _UNNAMED.match(match["thing"]):
        return []
    what = match["what"].strip() or "general"
    reasoning = f"The user said directly what they like best ({what})."
    is_one_of_many = "one of my" in clause.lower()
    slot = build_liking_slot(match["thing"]) if is_one_of_many else build_slot("favourite", what)
    return [Claim(clause, slot, f"Favourite {what}: {remove_article(match['thing'])[:40]}", reasoning)]
