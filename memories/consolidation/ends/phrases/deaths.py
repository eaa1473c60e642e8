"""Which memories end by a death, in whatever words: "the user's gran passed" ends "the user's gran lives in Leeds".

"Gran passed", "lost Grandpa on Sunday", "had to have Biscuit put to sleep" end where she lives, what it takes and that
the user looks after them. Who they were stays: what they are called, what they loved, where they came from. English,
in the third person.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from memories.text.slots.registry import join_relation_words
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_KIN = join_relation_words("en")
_GRANS = "Grandma|Grandpa|Granny|Nana?|Gran"
_WHO = (
    rf"(?P<who>(?:[Tt]he user's|[Tt]heir|[Oo]ur) (?:old )?(?:{_KIN}|{_WORDS['animals']})(?: [A-Z][\w-]+)?"
    rf"|(?:Aunt|Auntie|Uncle|Great-aunt|{_GRANS}) [A-Z][\w-]+"
    r"|(?!The\b|They\b|It\b|He\b|She\b)[A-Z][\w-]+)"
)
_SADLY = (
    r"(?:(?:has|have|had|sadly|just|finally|also|very|quietly|peacefully|suddenly|recently|unfortunately"
    r"|now|is) ){0,4}"
)
_END = (
    r"(?= (?:on|last|this|yesterday|today|in|at|from|of|after|over|during|peacefully|suddenly|quietly"
    r"|with|and|just|two|three|four)\b|[,.;(]|$)"
    r"(?! (?:on|in|with|at|of) (?:the|an?|his|her|their) (?!(?:\w+ )?(?:morning|night|evening|sleep"
    r"|hospital|hospice|home|stroke|heart|ward|early|\d))\w)"
)
_ELDERS = f"{_WORDS['parents']}|{_WORDS['grandparents']}"
_ELDER = (
    rf"(?P<who>(?:[Tt]he user's|[Tt]heir) (?:{_ELDERS})(?: [A-Z][\w-]+)?"
    rf"|(?:Aunt|Auntie|Uncle|{_GRANS}) [A-Z][\w-]+)"
)
# Of the old, "passed" tells a death; a mother may have passed a test.
_GRAN = (
    rf"(?P<who>(?:[Tt]he user's|[Tt]heir) (?:{_WORDS['grandparents']})(?: [A-Z][\w-]+)?"
    rf"|(?:{_GRANS}) [A-Z][\w-]+)"
)
_DIED = (
    re.compile(rf"^{_WHO} {_SADLY}(?:{_WORDS['deaths']}){_END}"),
    re.compile(
        rf"^{_GRAN}(?:'s)? {_SADLY}passed(?! (?:with|on|in)\b(?! [A-Z(]| (?:her|his) sleep| the night)){_END}"
    ),
    # "No longer with us", where a child may have moved out.
    re.compile(
        rf"^{_ELDER}(?:'s)? {_SADLY}(?:no longer with (?:us|the user|them)(?!.*\b(?:moved|left|lives?|living)\b)"
        rf"|(?:passed|gone|went|slipped off) (?:peacefully|quietly)(?: in (?:her|his) sleep)?){_END}"
    ),
    re.compile(
        r"^(?:The user(?: and (?:others|their [a-z]+))?|They|The vet) (?:(?:has|have|had|to|sadly|just"
        r"|finally) ){0,4}(?:have |had )?"
        rf"(?:{_WHO} (?:put (?:down|to sleep)|euthani[sz]ed)|put {_WHO.replace('<who>', '<who2>')} "
        rf"(?:down|to sleep))(?= (?:on|last|this|yesterday|in|at)\b|[,.;(]|$)"
    ),
    re.compile(
        rf"^The user(?: and (?:others|their [a-z]+))? {_SADLY}lost {_WHO}(?= (?:in (?:her|his"
        rf"|its) sleep|peacefully|to (?:cancer|covid|a stroke|dementia|pneumonia|old age|kidney"
        rf"|a heart)"
        r"|after (?:a|her|his) (?:\w+ )?illness|at the (?:hospice|hospital))\b)"
    ),
    re.compile(
        rf"^The user(?: and (?:others|their [a-z]+))? {_SADLY}lost {_ELDER}(?= (?:on|last|this|yesterday)\b|[.,;(]|$)"
    ),
    re.compile(
        rf"^The user(?: and (?:others|their [a-z]+))? {_SADLY}said (?:their|our|the) (?:final "
        rf"|last )?goodbyes? to {_WHO}\b(?=[^.]*\b(?:slipped away|passed away|passed|died"
        rf"|went peacefully|put to sleep)\b)"
    ),
)
_LONG_AGO = re.compile(
    r"\b(?:years ago|long ago|when the user|before the user|as a child|in (?:19|20)\d\d|decades?|since)\b"
)
_UNSURE = re.compile(rf"\b(?:{_WORDS['unsure']})\b|\?$", re.IGNORECASE)
# What is so only of the living; who they were, and what they are called, stays.
_OF_THE_LIVING = (
    rf"(?:still |now |currently |also )?(?:(?:{_WORDS['activities']})\b"
    rf"|is (?:still |now |currently |back )?(?:{_WORDS['states']}"
    r"|an? (?!Scot|Quaker|twin)[a-z]+ (?:at|in|for)\b|\d)"
    rf"|has (?!died)(?:{_WORDS['illnesses']}|an? (?:{_WORDS['needs']})))"
)
_CARES = (
    r"(?:looks after|is looking after|cares for|is caring for|is a carer for|visits|is visiting|rings"
    r"|phones|lives with|walks|feeds)"
)


def has_died(new: str, old: str) -> bool:
    """Return whether the new statement tells of a death after which what the old one tells cannot be so."""
    dead = _find_dead(new)
    if not dead or any(mark in old for mark in '"“['):
        return False
    kind, name = dead
    if kind and name:
        who = rf"(?:The user's {kind} {name}|{name})"
    elif kind:
        who = rf"The user's {kind}" + (
            r"(?: [A-Z][\w-]+)?" if re.fullmatch(f"{_ELDERS}|husband|wife|partner", kind) else ""
        )
    else:
        who = rf"(?:The user's (?:{_KIN}|{_WORDS['animals']}) {name}|{name})"
    if re.match(rf"{who} {_OF_THE_LIVING}", old):
        return True
    if name and re.match(
        rf"(?:An? [\w ]{{2,30}} (?:called|named) {name} {_OF_THE_LIVING}"
        rf"|The user has (?:got )?an? (?:[a-z]+ )?(?:{_WORDS['animals']}|[A-Z][a-z]+) (?:called"
        rf"|named) {name}\.?$)",
        old,
    ):
        return True
    whom = who.replace("The user's", "(?:the user's|their)")
    return (
        re.match(
            rf"The user (?:\w+ )?{_CARES} {whom}(?= (?:on|every|at|in|twice|once|each|after|most|for)\b|[,.;]|$)",
            old,
        )
        is not None
    )


@lru_cache(maxsize=512)
def _find_dead(new: str) -> tuple[str, str] | None:
    """Find who died: the relation or the kind of animal, and the name, "" where there is none."""
    if any(mark in new for mark in '"“[') or _LONG_AGO.search(new):
        return None
    for pattern in _DIED:
        match = pattern.match(new)
        if match is None or _UNSURE.search(new[: match.end()]):
            continue
        named = match.groupdict()
        who = re.sub(r"^(?:[Tt]he user's|[Tt]heir|[Oo]ur) (?:old )?", "", named.get("who") or named["who2"])
        words = who.split()
        if words[-1][0].isupper():
            kind = re.escape(" ".join(words[:-1]).lower())
            return kind, re.escape(words[-1])
        return re.escape(who), ""
    return None
