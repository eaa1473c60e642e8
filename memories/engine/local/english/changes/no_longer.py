"""What is no longer so, and what is so now, in one clause: "I no longer live in Porto but in Bergen"."""

from __future__ import annotations

import re

from memories.text.en.verbs import inflect_third_person

_PREPOSITION = r"(?:in|at|for|on|with|as|from|to|near|by)"
_OLD_AND_NEW = (
    rf"(?P<how>{_PREPOSITION}) (?P<old>[^,;]{{2,40}}?)(?: any ?more| any longer)?,? but (?:now "
    rf"|instead )?(?P<new>(?P=how) [^,;]{{2,40}})"
)
_THINGS = (
    r"(?P<old>(?:an?|the|my|our|his|her) [^,;]{2,40}?)(?: any ?more| any longer)?,? but (?:now "
    r"|instead )?(?P<new>(?:an?|the|my|our|his|her) [^,;]{2,40})"
)
_NO_LONGER = re.compile(
    rf"^(?P<who>[^,;]{{1,40}}?) no longer (?P<verb>[a-z]+) (?:{_OLD_AND_NEW})$", re.IGNORECASE
)
_NO_LONGER_A = re.compile(
    rf"^(?P<who>[^,;]{{1,40}}?) no longer (?P<verb>[a-z]+) (?:{_THINGS})$", re.IGNORECASE
)
_NOT_ANY_MORE = re.compile(
    rf"^(?P<who>[^,;]{{1,40}}?) (?P<do>do|does) not (?P<verb>[a-z]+) (?:{_OLD_AND_NEW})$", re.IGNORECASE
)
_NOT_ANY_MORE_A = re.compile(
    rf"^(?P<who>[^,;]{{1,40}}?) (?P<do>do|does) not (?P<verb>[a-z]+) (?:{_THINGS})$", re.IGNORECASE
)


def find_change(sentence: str) -> tuple[str, str] | None:
    """Find what is over and what holds now, each as a statement of its own; none where a sentence says no such thing.

    The sentence says "no longer" or "any more" and has its contractions written out.
    """
    text = sentence.strip().rstrip(".! ")
    for pattern in (_NO_LONGER, _NO_LONGER_A, _NOT_ANY_MORE, _NOT_ANY_MORE_A):
        if match := pattern.match(text):
            verb = match["verb"]
            if match.groupdict().get("do", "").lower() == "does":
                verb = inflect_third_person(verb)
            over = text[: match.end("old")].strip()
            if "no longer" not in match[0]:
                over += " any more"
            return over, f"{match['who']} {verb} {match['new']}"
    return None
