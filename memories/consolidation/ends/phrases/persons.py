"""Whether two English statements in the third person are of one person, and of one thing."""

from __future__ import annotations

import re

from memories.text.clauses.changing.habits import NOT_HELD
from memories.text.clauses.wording import is_event
from memories.text.slots.registry import join_relation_words
from memories.text.words.tokenize import extract_keywords

_KIN = join_relation_words("en")
# The user, a relative with or without a name, or somebody by name.
PERSON = (
    rf"(?P<who>The user(?:'s (?:{_KIN})(?: [A-Z][\w'-]+)?)?(?: and (?:others|their [a-z-]+))?"
    r"|(?!The\b|They\b)[A-Z][\w-]+)"
)


def is_of_person(who: str, old: str) -> bool:
    """Return whether the older statement tells of that person; "Agnes" may be "the user's daughter Agnes" there."""
    who = re.sub(" and .*", "", who[:1].upper() + who[1:])
    if who == "The user":
        return re.match(r"The user(?: and (?:others|their [\w-]+|[A-Z][\w-]+))? ", old) is not None
    if who.startswith("The user's "):
        return re.match(rf"{re.escape(who)} ", old) is not None
    return re.match(rf"(?:The user's [a-z-]+ )?{re.escape(who)} ", old) is not None


def names_thing(what: str, old: str) -> bool:
    """Return whether the older statement has every word of the thing: its names as they are written."""
    proper = [word for word in what.split() if word[0].isupper() or word[0].isdigit()]
    if any(re.search(rf"(?<![\w'-]){re.escape(word)}(?![\w-])", old) is None for word in proper):
        return False
    wanted, words = extract_keywords(what), extract_keywords(old)
    return bool(wanted) and set(wanted) <= set(words)


# "Is doing a course in stained glass" is so now, though it has a participle.
_IS_SO = re.compile(
    rf"^(?:The user(?:'s (?:{_KIN})(?: [A-Z][\w'-]+)?)?(?: and (?:others|their [a-z-]+))?"
    rf"|[A-Z][\w-]+) (?:(?:still|now|also|currently|usually|mostly|mainly) )*"
    r"(?:is|are|(?:has|have) (?:got )?(?:an?|the|their|her|his|two|three|four|five|six|\d+)|(?!was"
    r"|has\b|is\b)[a-z]{2,}s)\b"
)
_DID_TOO = re.compile(
    r"(?:\band|\bbut|,|\bwho|\bwhich|\bthat|\bwhere|\bsince|\bafter|\bwhen)(?: \w+){0,2} \w+ed\b"
)


def is_held(old: str) -> bool:
    """Return whether the older statement tells what is so, and neither what happened once nor what is liked, wanted or
    denied."""
    if NOT_HELD.search(old):
        return False
    return not is_event(old) or (_IS_SO.match(old) is not None and _DID_TOO.search(old) is None)
