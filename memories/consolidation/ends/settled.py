"""Which memories end because a debt is paid back or a card has run out.

"Dan paid the user back" ends "Dan owes the user 40 pounds", and "the library card has lapsed" ends "has a library
card". English, in the third person. Half a debt ends nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.clauses.stated_values import ValueSort, find_values
from memories.text.slots.registry import join_relation_words
from memories.text.words.tokenize import extract_keywords
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("ends.toml"))
_KIN = join_relation_words("en")
_ADVERBS = r"(?: has| have| finally| just| now| already| also| all)*"
_DEBTOR = r"(?P<debtor>The user(?:'s [a-z-]+(?: [A-Z][\w'-]+)?)?|[A-Z][\w'-]+)"
_CREDITOR = r"(?P<creditor>(?:the user|their [a-z-]+|[A-Z][\w'-]+)(?: [A-Z][\w'-]+)?)"
_OWES = re.compile(rf"^{_DEBTOR} (?:still )?owes? {_CREDITOR}\b")
_REPAID = re.compile(
    rf"^{_DEBTOR}{_ADVERBS} (?:(?:paid|payed|repaid) {_CREDITOR}(?: back)?"
    rf"|settled up with {_CREDITOR.replace('creditor', 'creditor2')}"
    rf"|gave {_CREDITOR.replace('creditor', 'creditor3')} (?:the|their|his|her) money back)"
    r"(?=[,.;!]|$| (?:for|in full|last|this|on|yesterday|today|everything|all|and|so|the (?:money|\d))\b| [£$€\d])"
)
_IN_PART = re.compile(
    r"\b(?:half|some|part|partly|first|instal?lments?|most|if|will|would|might|not|never|nearly|almost)\b"
)
_RAN_OUT = re.compile(
    rf"^(?:The user's |Their )(?!(?:{_KIN})\b)(?P<what>[A-Za-z][\w-]*(?: [a-z][\w-]*){{0,3}}?)"
    rf"{_ADVERBS} (?:{_WORDS['expiries']})\b(?! of\b)"
)
_HELD = re.compile(
    r"^The user(?: and (?:others|their [a-z-]+))? (?:has|have|holds?|bought)(?: got)? (?P<what>[^,.;]+)"
    r"|^The user's (?P<thing>[A-Za-z][\w -]*?) (?:is|are) (?:still )?(?:valid|good|paid|active|current)\b"
    r"|^The user's (?P<thing2>[A-Za-z][\w -]*?) (?:expires|runs out|lasts|runs)\b"
)
_BEHIND = re.compile(r" (?:at|for|with|to|in|from|of|on|until|till|that|which)\b")


def is_settled(new: str, old: str) -> bool:
    """Return whether the new statement says that what the old one tells was paid back, or has run out."""
    if any(mark in new + old for mark in '"“[') or _IN_PART.search(new):
        return False
    return _is_paid_back(new, old) or _has_run_out(new, old)


def _is_paid_back(new: str, old: str) -> bool:
    repaid, owes = _REPAID.match(new), _OWES.match(old)
    if repaid is None or owes is None:
        return False
    creditor = repaid["creditor"] or repaid["creditor2"] or repaid["creditor3"]
    is_of_both = _name(repaid["debtor"]) == _name(owes["debtor"]) and _name(creditor) == _name(
        owes["creditor"]
    )
    ours, theirs = (
        {value.key for value in find_values(text) if value.sort == ValueSort.NUMBER} for text in (new, old)
    )
    return is_of_both and not (ours and theirs and not ours & theirs)


def _name(who: str) -> str:
    return re.sub(r"^(?:the user's|their) ", "", who.casefold())


def _has_run_out(new: str, old: str) -> bool:
    ran_out, held = _RAN_OUT.match(new), _HELD.match(old)
    if ran_out is None or held is None or re.search(r"\brenew(?:ed|s)\b", new):
        return False
    what = extract_keywords(ran_out["what"])
    thing = _BEHIND.split(held["what"] or held["thing"] or held["thing2"])[0]
    terms = extract_keywords(thing)
    return bool(what and terms) and what[-1] == terms[-1] and set(what) <= set(extract_keywords(old))
