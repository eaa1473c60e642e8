"""What takes the place of what by name: "moved from Xero to FreeAgent" ends "the accounts are kept in Xero".

What holds then is that the accounts are kept in FreeAgent: the older statement with the new name. English, in the third
person.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memories.text.clauses.changing.habits import PASSING
from memories.text.clauses.stated_values import find_values

_ADVERBS = r"(?:has |have |had to |had |also |finally |just |recently |now |already |all )*"
_WHO = (
    rf"(?:[Tt]he user|They|The team|The firm|The company|The school|The club)(?: and (?:others"
    rf"|their [\w-]+))? {_ADVERBS}"
)
_ARTICLE = r"(?:(?:the|their|an?|his|her) )?"
_END = (
    r"(?= (?:in|last|at|on|this|since|because|and|but|so|as|yesterday|today|for|after|before|when|now"
    r"|instead|early|earlier)\b|[,.;(]|$| \()"
)
_OLD = rf"{_ARTICLE}(?P<old>[A-Z][\w'&.-]*(?: [A-Z0-9][\w'&-]*){{0,3}})(?: [a-z]+)?"
_THING = r"[a-z][a-z-]{2,}"
_NEW = rf"(?P<new>{_ARTICLE}[A-Z][\w'&-]*(?: [A-Z0-9][\w'&-]*){{0,3}}){_END}"
_SWAPS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^{_WHO}replaced {_OLD} (?:with|by) {_NEW}",
        rf"^{_WHO}(?:swapped|exchanged|traded|ditched|dropped|left|abandoned) {_OLD} for {_NEW}",
        (
            rf"^{_WHO}(?:moved|migrated|switched|changed|gone|went|transferred)(?: everything"
            rf"| all of it)?(?: over| across)? from {_OLD} (?:to|over to|onto) {_NEW}"
        ),
        rf"\b(?:switched|moved|changed|transferred|swapped) the user(?: over)? from {_OLD} (?:to|onto) {_NEW}",
        (
            rf"(?:^{_WHO}switched|\b(?:switched|moved|changed|swapped) the user)(?: over)? from "
            rf"(?P<old>{_THING}) (?:to|onto) (?P<new>{_THING}){_END}"
        ),
        (
            rf"^{_WHO}[a-z]+s (?:[a-z]+ )?(?:from|with|in|on|to|at|through"
            rf"|via)? ?{_NEW}(?: now)? (?:instead|in place) of {_OLD}"
        ),
    )
)
# Who moves to another town may keep the job, and with another name a birth or a visit would be another one.
_STAYS = re.compile(
    r"\b(?:lives?|living|works?|working|stud(?:y|ies|ying)|teach(?:es)?|born|grew|from|met|visit\w*)\b"
)
# Where the older statement names it as what something is done with, in, from or on.
_BEFORE = (
    r"\b(?:in|on|with|through|via|to|at|from|by|of|into|onto|off|using|uses?|runs?|drives?|rides?"
    r"|wears?|plays?|reads?|watche?s?|buys?|orders?"
    r"|reading|watching|playing|driving|riding|learning|studying|taking|takes?|has|have)"
)


@dataclass(frozen=True, slots=True)
class Swap:
    old: str
    new: str


@lru_cache(maxsize=512)
def find_swap(statement: str) -> Swap | None:
    """None where nothing is said to be in the place of something else, or only for a while."""
    if PASSING.search(statement) or '"' in statement:
        return None
    match = next((hit for pattern in _SWAPS if (hit := pattern.search(statement))), None)
    return Swap(match["old"].rstrip("."), match["new"]) if match and match["old"] != match["new"] else None


def write_with_new_name(statement: str, old: str) -> str:
    """The older statement as it holds now; "" where its words are none that the new name fits."""
    swap = find_swap(statement)
    # How much, how often and since when goes with the thing: nobody said the dose of the new medicine.
    if swap is None or _STAYS.search(old) or any(not value.is_weekday for value in find_values(old)):
        return ""
    places = list(
        re.finditer(
            rf"(?P<before>{_BEFORE} )(?P<article>(?:the|their|an?|his|her) )?{re.escape(swap.old)}(?= [a-z]|[,.;]|$)",
            old,
        )
    )
    if len(places) != 1 or old.count(swap.old) != 1:
        return ""
    article = places[0]["article"] or ""
    has_article = swap.new.split()[0].lower() in {"the", "their", "an", "a", "his", "her"}
    if article in {"a ", "an "} and not has_article:
        return ""
    start, end = places[0].start(), places[0].end()
    name = swap.new if has_article and article else re.sub("^(?:the|their|an?|his|her) ", "", swap.new)
    return f"{old[:start]}{places[0]['before']}{'' if has_article else article}{name}{old[end:]}"
