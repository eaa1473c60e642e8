"""Which memories end by a death, in whatever words: "the user's gran passed" ends "the user's gran lives in Leeds".

"Gran passed", "lost Grandpa on Sunday", "had to have Biscuit put to sleep" end where she lives, what it takes and that
the user looks after them. Who they were stays: what they are called, what they loved, where they came from. English,
in the third person.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memories.text.slots.registry import join_relation_words

_KIN = join_relation_words("en")
_ANIMAL = (
    r"(?:dog|puppy|cat|kitten|rabbit|hamster|horse|pony|parrot|budgie|guinea pig|tortoise|goat|donkey"
    r"|ferret|greyhound|lurcher|terrier|spaniel|labrador|whippet|collie)"
)
_WHO = (
    rf"(?P<who>(?:[Tt]he user's|[Tt]heir|[Oo]ur) (?:old )?(?:{_KIN}|{_ANIMAL})(?: [A-Z][\w-]+)?|(?:Aunt"
    rf"|Auntie|Uncle|Great-aunt|Grandma|Grandpa|Granny|Nana?|Gran) [A-Z][\w-]+|(?!The\b|They\b|It\b|He\b"
    rf"|She\b)[A-Z][\w-]+)"
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
# Of these one has one, so that she is the same with a name and without.
_ELDERS = (
    r"(?:mum|mom|mother|mam|dad|father|gran|granny|grandma|nan|nana|grandad|granddad|grandpa|grandfather"
    r"|grandmother)"
)
_ELDER = (
    rf"(?P<who>(?:[Tt]he user's|[Tt]heir) (?:{_ELDERS})(?: [A-Z][\w-]+)?|(?:Aunt|Auntie|Uncle|Grandma"
    rf"|Grandpa|Granny|Nana?|Gran) [A-Z][\w-]+)"
)
# Of the old, "passed" tells a death; a mother may have passed a test.
_GRAN = _ELDER.replace("mum|mom|mother|mam|dad|father|", "").replace("Aunt|Auntie|Uncle|", "")
_DIED = (
    re.compile(
        rf"^{_WHO} {_SADLY}(?:died|passed away|passed on(?=[,.;(]|$| (?:last|yesterday|this"
        rf"|peacefully))|slipped away|breathed (?:her|his|its) last"
        r"|lost (?:her|his) (?:battle|fight) with|gone to (?:heaven|the rainbow bridge)"
        r"|crossed the rainbow bridge|been laid to rest|dead(?! on)"
        rf"|(?:(?:been|was|is) )?(?:put (?:down|to sleep)|euthani[sz]ed)){_END}"
    ),
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
_UNSURE = re.compile(
    r"""
    \b(?:
        if | unless | might | (?-i:may) | could | would | should | nearly | almost | hopes? | afraid
        | fears? | feared | worried | wants? | plans? | will | not(?!\ with\ us) | never | dreamt
        | dreamed | thinks? | thought | until | whether | going\ to | wished | birthday
    )\b
    | \?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What is so only of the living; who they were, and what they are called, stays.
_OF_THE_LIVING = (
    r"(?:still |now |currently |also )?(?:(?:lives|living|works|takes|needs|sleeps|goes|attends|visits"
    r"|volunteers|drives|uses|plays|runs|teaches|studies|comes|stays|eats|gets|rents|sings|swims|wears"
    r"|keeps|sees|walks)\b"
    r"|is (?:still |now |currently |back )?(?:in|on|at|having|taking|living|staying|getting|waiting"
    r"|recovering|learning|working|due|under|ill|unwell|poorly|sick|pregnant|retired|allergic|diabetic"
    r"|deaf|blind|an? (?!Scot|Quaker|twin)[a-z]+ (?:at|in|for)\b|\d)"
    r"|has (?!died)(?:dementia|diabetes|arthritis|cancer|physio|chemo|dialysis|an? (?:carer|appointment"
    r"|job|hearing|pacemaker|stairlift|operation|check-?up)|Alzheimer))"
)
_CARES = (
    r"(?:looks after|is looking after|cares for|is caring for|is a carer for|visits|is visiting|rings"
    r"|phones|lives with|walks|feeds)"
)


def has_died(new: str, old: str) -> bool:
    """Whether the new statement tells of a death after which what the old one tells cannot be so."""
    dead = _find_dead(new)
    if not dead or any(mark in old for mark in '"“['):
        return False
    kind, name = dead
    if kind and name:
        who = rf"(?:The user's {kind} {name}|{name})"
    elif kind:
        who = rf"The user's {kind}" + (
            r"(?: [A-Z][\w-]+)?" if re.fullmatch(rf"{_ELDERS}|husband|wife|partner", kind) else ""
        )
    else:
        who = rf"(?:The user's (?:{_KIN}|{_ANIMAL}) {name}|{name})"
    if re.match(rf"{who} {_OF_THE_LIVING}", old):
        return True
    if name and re.match(
        rf"(?:An? [\w ]{{2,30}} (?:called|named) {name} {_OF_THE_LIVING}"
        rf"|The user has (?:got )?an? (?:[a-z]+ )?(?:{_ANIMAL}|[A-Z][a-z]+) (?:called"
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
    """Who died: the relation or the kind of animal, and the name, "" where there is none."""
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
