"""Which memories a later statement says are over, where no slot tells.

"Gave up the van" ends "sells cheese from a van", and "moved to the night shift" takes the place of "works by day".
The thing must be the same by its words; what is doubtful stays.
"""

from __future__ import annotations

import re

from memories.text.clauses.clausewise import get_words
from memories.text.clauses.wording import is_one_stem
from memories.text.slots.registry import load_relations
from memories.text.tokenize import extract_keywords

# What is liked may be liked after it is over; what is planned, denied or happened once is no state.
_NO_STATE_EN = re.compile(
    r"\b(?:has|have|owns?|near|likes?|loves?|enjoys?|prefers?|hates?|wants?"
    r"|plans?|hopes?|would|will|used to|not|never|no longer|without)\b|n't\b"
    r"|\b(?:was|were|did|had|went|bought|met|saw|got|took|came|sold|gave|left|quit|(?!need\b)\w{3,}ed)\b",
    re.IGNORECASE,
)
_MOVED_EN = re.compile(
    r"\b(?:switched|moved|transferred|changed|upgraded|promoted"
    r"|gone over)(?: \w+)? to (?:the |an? |their )?(?P<what>[\w'-]+(?: [\w'-]+){0,3}?)"
    r"(?= now\b|[,.;]| (?:in|on|at|since|from|last|because|and|but|this|with|for)\b|$)",
    re.IGNORECASE,
)
# Whom a statement is about: the user, a relative, or somebody by name.
_WHO_EN = r"(?P<who>The user(?:'s [\w-]+(?: [A-Z][\w'-]+)?)?|[A-Z][\w'-]+)"
_THING_EN = r"(?P<what>[a-z][\w'-]*(?: [a-z][\w'-]*){0,2}?)"
# What was given up, and what is not any more once it is sold: only a certain thing, "the van", never "a painting".
_ENDED_EN = re.compile(
    rf"^{_WHO_EN} (?:has |have |also |finally |just |recently )*"
    r"(?:(?:quit|gave up|given up|had to give up|dropped out of|cancelled|outgrown|outgrew|got over|gotten over"
    r"|recovered from|packed in|jacked in|chucked in|ditched|scrapped|abandoned|said goodbye to) "
    r"(?:on )?(?:(?:the|their|her|his) )?"
    r"|(?:sold|gave away|given away|got rid of|closed down|shut down|handed over) (?:the|their|her|his) )"
    rf"{_THING_EN}(?= (?:at|in|on|for|to|since|last|this|because|after"
    r"|before|when|and|but|so|two|three|years?|months?|yesterday|ago|though|too|with|from|by)\b|[,.;]|$)"
)
# "Has not been on the train since" says that it was a habit until then; "since 2019" says nothing of the kind.
_NOT_SINCE_EN = re.compile(
    rf"^{_WHO_EN} (?:has|have) (?:not|never)"
    r" (?:been|had|done|gone|taken|used|touched|driven|ridden|eaten|drunk|drank|played|worn)"
    rf"(?: (?:on|to|in|at|near))?(?: (?:the|their|her|his|any|a))? {_THING_EN} since(?: then)?(?=[,.;]|$)"
)
_TAKEN_OFF_EN = re.compile(
    rf"\b(?:took|has taken) (?P<who>the user|[A-Z][\w'-]+) off (?:(?:the|their|her|his) )?{_THING_EN}"
    r"(?= (?:in|on|at|last|this|because|and|but|so)\b|[,.;]|$)"
)
# What stands in the place of another thing names that, too: "swapped the oboe for a bass", "oats in place of bread".
_ANY_EN = r"(?P<what>(?:[A-Z][\w'-]*(?: [A-Z][\w'-]*)*|[a-z][\w'-]*(?: [a-z][\w'-]*){0,2}?))"
_EXCHANGED_EN = re.compile(
    rf"^{_WHO_EN} (?:has |have |had |also |finally |just |recently )*(?:"
    r"(?:swapped|traded|exchanged|replaced|ditched|dropped|left|gave up|given up) (?:(?:the|their|her|his|an?) )?"
    r"|(?:switched|changed|moved|gone|went) from (?:(?:the|their|her|his|an?) )?)"
    rf"{_ANY_EN} (?:for|with|by|to|in favou?r of) "
)
_IN_PLACE_EN = re.compile(
    rf"^{_WHO_EN} [^.]*\b(?:in place of|instead of|rather than) (?:(?:the|their|her|his|an?) )?{_ANY_EN}"
    r"(?= (?:now|since|from|because|and|but|so|at|in|on|for|to|these)\b|[,.;]|$)"
)
# "Changed banks": whatever bank it was.
_CHANGED_KIND_EN = re.compile(
    rf"^{_WHO_EN} (?:has |have |just |also |finally |recently )*(?:changed|switched|swapped)"
    r" (?P<what>[a-z]{3,}s)\b(?! (?:to|from|with|for)\b)"
)
_NOT_HELD_EN = re.compile(
    r"\b(?:likes?|loves?|enjoys?|prefers?|hates?|wants?|plans?|hopes?|would|will"
    r"|used to|not|never|no longer|without|met|bought|learned|learnt)\b|n't\b",
    re.IGNORECASE,
)
_LIGHT_EN = frozenset("new another different other bigger smaller better".split())
_LEAST_SUFFIX = 6
_KIN = "|".join(
    sorted((re.escape(word) for word in load_relations() if word.isascii()), key=len, reverse=True)
)
_PERSONS = (
    (
        re.compile(r"^(?:So |And |But |Well,? |Oh,? )*(?:I've|I have|We've|We have)\b", re.IGNORECASE),
        "The user has",
    ),
    (re.compile(r"^(?:So |And |But |Well,? |Oh,? )*(?:I|We)\b(?!')", re.IGNORECASE), "The user"),
    (re.compile(r"\b(?:me|us)\b"), "the user"),
    (re.compile(r"\b(?:my|our)\b"), "their"),
)


def is_outdated(new: str, old: str) -> bool:
    """Whether the new statement says that what the old one tells is over, or holds otherwise now; both are English."""
    new = rewrite_in_third_person(new)
    if any(mark in new + old for mark in '"“['):
        return False
    ended = _ENDED_EN.match(new) or _NOT_SINCE_EN.match(new) or _TAKEN_OFF_EN.search(new)
    ended = ended or _EXCHANGED_EN.match(new) or _IN_PLACE_EN.match(new)
    if ended and not _NOT_HELD_EN.search(old) and _holds_what_ended(ended, old):
        return True
    changed = _CHANGED_KIND_EN.match(new)
    if changed and _is_about(changed["who"], old) and not _NOT_HELD_EN.search(old):
        return any(_is_of_kind(changed["what"][:-1], word) for word in re.findall(r"[a-z'-]+", old.lower()))
    moved = _MOVED_EN.search(new)
    is_of_user = new.startswith("The user ") and old.startswith("The user ")
    if moved is None or not is_of_user or _NO_STATE_EN.search(old):
        return False
    *modifiers, head = moved["what"].lower().split()
    words = re.findall(r"[a-z'-]+", old.lower())
    kinds = [word for word in words if _is_of_kind(head, word)]
    marks = [word for word in modifiers if word not in _LIGHT_EN]
    return bool(kinds and marks) and not set(marks) <= set(words)


def rewrite_in_third_person(text: str) -> str:
    """What a quotation says, in the third person; any other text as it is."""
    said = get_words(text)
    if said is text:
        return text
    for first, third in _PERSONS:
        said = first.sub(third, said)
    return said[:1].upper() + said[1:]


def _holds_what_ended(ended: re.Match[str], old: str) -> bool:
    """Whether the older statement has the thing and is about the same person, or is about the thing by its name."""
    what = ended["what"]
    if what[0].isupper() and re.match(rf"{re.escape(what)}\b", old):
        return True
    if not _is_about(ended["who"], old):
        return False
    if what[0].isupper():
        return re.search(rf"\b{re.escape(what)}\b", old) is not None
    *modifiers, thing = what.lower().split()
    words = re.findall(r"[a-z'-]+", old.lower())
    is_named = any(_is_of_kind(thing, word) for word in words)
    return is_named and set(extract_keywords(" ".join(modifiers))) <= set(extract_keywords(old))


def _is_about(who: str, old: str) -> bool:
    """Whether the older statement is about that person: "Agnes" may be "The user's daughter Agnes" there."""
    if who.lower() == "the user":
        return re.match(rf"The user(?: |'s (?!(?:{_KIN})\b))", old) is not None
    return bool(re.match(rf"(?:The user's [\w-]+ )?{re.escape(who)}(?: [A-Z][\w'-]+)? ", old))


def _is_of_kind(head: str, word: str) -> bool:
    """The same noun, or one that is made of it: "dialysis", "haemodialysis"."""
    stems = extract_keywords(head), extract_keywords(word)
    is_same = bool(stems[0]) and stems[0] == stems[1]
    is_made_of = len(head) >= _LEAST_SUFFIX and word.endswith(head)
    return is_same or is_made_of or (bool(stems[0] and stems[1]) and is_one_stem(stems[0][0], stems[1][0]))
