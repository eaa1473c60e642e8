"""What is left of a memory: "came off Metacam" ends "is on Metacam for her arthritis", but not the arthritis.

English: the illness that a medicine was for, the name of an animal or a relative, what else somebody has, and what is
done with another thing now.
"""

from __future__ import annotations

import re
from functools import cache

from memories.consolidation.ends.other_values import SHIFT
from memories.consolidation.ends.replacements import write_with_new_name
from memories.consolidation.ends.successors import write_with_new_club
from memories.text.slots import get_condition_pattern
from memories.text.words.tokenize import extract_keywords

_NAMED = re.compile(
    r"^The user's (?P<kind>[a-z]+(?:[ -](?!(?:to|in|at|of|for|with|on|from)\b)[a-z]+)?)"
    r" (?P<name>[A-Z][\w-]+) (?:is|has|[a-z]+s)\b"
)
# "Works nights at the bakery" of who is on days now works there still.
_SHIFTS = re.compile(
    rf"^(?P<who>The user(?:'s [\w -]{{1,40}}?)?|[A-Z][\w'-]+) (?:works|is on|is working|does) (?:the )?{SHIFT}"
    r" (?P<where>(?:at|in|for|with) (?:the |an? |their )?[\w'&-]+(?: [\w'&-]+){0,3})\.$"
)
# "Was moved up to first violin" of who plays second violin in the town orchestra. Where a school or a firm is may
# change.
_OTHER_KIND = re.compile(
    r"""
    \b(?:switched|moved|promoted|changed|transferred|put|gone|went)(?:\ up|\ down|\ over|\ back)?
    (?:\ to|\ onto)\ (?:the\ |an?\ )?(?P<kind>[a-z]+)\ (?P<what>
        (?!(?:school|flat|house|town|city|village|office|company|firm|street|road|area|country)\b)
        [a-z]{3,}
    )(?=
        \ (?:in|last|at|this|since|because|and|but|so|yesterday|today|after|before|when|now|instead)\b
        | [,.;(] | $ | \ \(
    )
    """,
    re.VERBOSE,
)
_NO_KIND = frozenset("the a an their his her of in at on for to with and new same own".split())
# Where the animal or the person is gone, nothing of them remains.
_GONE = re.compile(
    r"""
    \b(?:
        sold | rehomed | gave | given | died | dead | passed\ away | put\ (?:down|to\ sleep) | left | lost
        | separated | divorced | broke\ up | broken\ up | split
    )\b
    """,
    re.VERBOSE,
)

# "Has a dog named Rufus and a cat named Mimi": each stands for itself.
_HAS_SEVERAL = re.compile(
    r"^(?P<has>The user(?:'s [a-z-]+(?: [A-Z][\w'-]+)?)?(?: and (?:others|their [a-z-]+))? (?:has|have|owns?|keeps?"
    r"|rents?|drives?|rides?) )(?P<things>[^.;()\"]+)\.$"
)
_AND = re.compile(r"(?:,| and|, and) (?=(?:an?|the|their|one|two|three|four|five|six|\d+) )")


def find_remaining_english(new: str, old: str) -> str:
    """A statement of what still holds of the older one; "" where nothing can be said for certain."""
    if renamed := write_with_new_name(new, old) or write_with_new_club(new, old):
        return renamed
    if (other := _OTHER_KIND.search(new)) and (text := _write_other_kind(other, old)):
        return text
    if treated := _load_treated().match(old):
        return f"{treated['who']} has {treated['what']}."
    if shifts := _SHIFTS.match(old):
        return f"{shifts['who']} works {shifts['where']}."
    if things := _list_other_things(new, old):
        return things
    named = _NAMED.match(old)
    if named is None or _GONE.search(new):
        return ""
    return f"The user's {named['kind']} is called {named['name']}."


def _list_other_things(new: str, old: str) -> str:
    """The older statement without the one thing that the new one speaks of; "" where that is not clear."""
    held = _HAS_SEVERAL.match(old)
    things = _AND.split(held["things"]) if held else []
    gone = {*extract_keywords(new)}
    others = [thing for thing in things if not gone & {*extract_keywords(thing)}]
    if held is None or len(things) - len(others) != 1 or not others:
        return ""
    *first, last = others
    return f"{held['has']}{', '.join(first)}{' and ' if first else ''}{last}."


def _write_other_kind(other: re.Match[str], old: str) -> str:
    """With whom and under whom it was done before may be others now."""
    held = re.search(rf"(?<![\w-])(?P<kind>[a-z]+) {other['what']}\b", old)
    if held is None or held["kind"] in _NO_KIND | {other["kind"]}:
        return ""
    text = f"{old[: held.start()]}{other['kind']}{old[held.end('kind') :]}"
    return re.sub(r"(?:,| with\b| under\b).*$", "", text.rstrip(".")) + "."


@cache
def _load_treated() -> re.Pattern[str]:
    return re.compile(
        rf"^(?P<who>The user(?:'s [\w -]{{1,40}}?)?|[A-Z][\w'-]+) (?:is on|takes|uses|gets|has been on"
        rf"|was put on) [^,.;]{{1,60}}?"
        rf" for (?:their|her|his|its) (?P<what>(?:[a-z]+ )?{get_condition_pattern('en')})(?=[ ,.;]|$)"
    )
