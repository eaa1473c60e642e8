"""English statements about "the user", said to them: "The user lives with their wife" -> "You live with your wife".

Rewritten only where that is certain; what is not, is quoted by the caller.
"""

from __future__ import annotations

import re

from memories.text.en.verbs import BASE, MODALS, PAST, PLURAL_FORMS, get_base_form, is_adverb

_QUOTED = re.compile('("[^"\n]*"|“[^”\n]*”)')
_USER = re.compile(r"\b(?:the|The) user(?:'s|’s)?(?![\w-])")
_OTHERS = re.compile(r"\b(?:they|them|themselves|theirs)\b", re.IGNORECASE)
_THEIR = re.compile(r"\btheir\b")
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")
# Words in -s that are no plural nouns: nobody else whom a later "their" could mean.
_NO_PLURAL = frozenset(
    "is was has does as this its always besides across perhaps sometimes news towards plus versus yes".split()
)
_SUBORDINATE = re.compile(r"\b(?:that|who|which|when|because|if|while|where|since|although)\s+$")
# What stands before an object: "taught the user", "with the user".
_CLAUSE_START = re.compile(
    r"(?:^|[.!?;:,]\s+|\b(?:and|but|or|so|that|when|because|if|while|where|since|although)\s+)$"
)
_JOINT = re.compile(r"\b(?:and|but|or) (?P<adverb>[a-z]+ )?(?P<verb>[a-z]+)\b")
# After the verb of a second predicate: "and works as a nurse", "and walks the dog"; after nouns as well: "and lives
# in".
_AFTER_VERB_ONLY = frozenset("a an the your his her its as there here not it him every very".split())
_AFTER_VERB = _AFTER_VERB_ONLY | frozenset(
    "in at with to no for on from about by of off out up too well mostly only that now alone together".split()
)


def address_user(text: str) -> str | None:
    """The text with "you" for the user; None where a word may mean somebody else or does not agree."""
    pieces = _QUOTED.split(text)
    written = []
    for at, piece in enumerate(pieces):
        if at % 2:
            written.append(piece)
            continue
        addressed = _address_piece(piece)
        if addressed is None:
            return None
        written.append(addressed)
    whole = "".join(written)
    return whole if _USER.search(text) else None


def _address_piece(piece: str) -> str | None:
    if not _USER.search(piece):
        return None if _OTHERS.search(piece) or _THEIR.search(piece) else piece
    if _OTHERS.search(piece) or any(not _is_their_own(piece, their) for their in _THEIR.finditer(piece)):
        return None
    piece = _THEIR.sub("your", piece)
    written, end = [], 0
    for match in _USER.finditer(piece):
        before, word = piece[: match.start()], match[0]
        is_capital = word[0] == "T"
        written.append(piece[end : match.start()])
        end = match.end()
        if word[-2:] in ("'s", "’s"):
            written.append("Your" if is_capital else "your")
            continue
        written.append("You" if is_capital else "you")
        if _CLAUSE_START.search(before) or _SUBORDINATE.search(before):
            agreed = _make_agree(piece[end:])
            if agreed is None:
                return None
            text, length = agreed
            written.append(text)
            end += length
        elif _may_be_subject(piece[end:]):
            return None
    written.append(piece[end:])
    return "".join(written)


def _may_be_subject(rest: str) -> bool:
    """Return whether a mention in the middle of a clause is followed by a verb: "says the user snores"."""
    after = re.match(r" ([a-z']+)", rest)
    return after is not None and (
        after[1] in PLURAL_FORMS or after[1] in PAST | MODALS or get_base_form(after[1]) is not None
    )


def _is_their_own(piece: str, their: re.Match[str]) -> bool:
    """Return whether nobody else is named before "their" in its sentence."""
    sentence = piece[: their.start()].rpartition(". ")[2]
    users = list(_USER.finditer(sentence))
    if not users or users[-1][0].endswith(("'s", "’s")):
        return False
    user = users[-1]
    between = [word.lower() for word in _WORD.findall(sentence[user.end() :])]
    if between[:1] in (["and"], ["or"]):  # "the user and their wife": anything later may belong to both
        return len(between) == 1
    plural = [
        word
        for word in between[_find_verb_place(between) + 1 :]
        if word.endswith("s") and not word.endswith("ss") and word not in _NO_PLURAL
    ]
    return not plural and not {"people", "children", "parents", "who"} & set(between)


def _find_verb_place(words: list[str]) -> int:
    return next((at for at, word in enumerate(words) if not is_adverb(word)), 0)


def _make_agree(rest: str) -> tuple[str, int] | None:
    """Return what follows "you", up to the last verb that has to agree, with its length in `rest`; None where
    unsure."""
    words = list(_WORD.finditer(rest))
    if not words or rest[: words[0].start()].strip():
        return "", 0
    verb = words[_find_verb_place([word[0].lower() for word in words])]
    if verb[0].lower() in ("and", "or"):  # "the user and their wife were": it agrees with two already
        return "", 0
    base = get_base_form(verb[0])
    joined = _make_joined_agree(rest, verb.end()) if base is not None else None
    if joined is None:
        return None
    text, length = joined
    return f"{rest[: verb.start()]}{base}{text}", verb.end() + length


def _make_joined_agree(rest: str, start: int) -> tuple[str, int] | None:
    """Verbs that "and", "but" or "or" join to the first one within the sentence; None where one may be a noun."""
    stop = re.search(r"[.!?;]\s", rest[start:])
    limit = start + stop.start() if stop else len(rest)
    written, at = [], start
    for joint in _JOINT.finditer(rest, start, limit):
        word, place = joint["verb"], joint.start("verb")
        if joint["adverb"] and not is_adverb(joint["adverb"].strip()):
            word, place = joint["adverb"].strip(), joint.start("adverb")
        base = PLURAL_FORMS.get(word) or (get_base_form(word) if word.endswith("s") else None)
        if base is None or base == word:
            continue
        after = _WORD.search(rest, place + len(word), limit)
        follows = after[0].lower() if after else ""
        before = _WORD.findall(rest[start : joint.start()])
        is_list = bool(before) and before[-1].endswith("s") and before[-1] not in _NO_PLURAL
        if word not in PLURAL_FORMS and follows not in _AFTER_VERB_ONLY:
            if not follows and base not in BASE:
                continue  # "a cat and goldfish", "cats and dogs."
            if is_list or follows not in _AFTER_VERB or base not in BASE:
                return None  # a noun as well: "likes tea and drinks", "likes hikes and walks in the forest"
        written += [rest[at:place], base]
        at = place + len(word)
    return "".join(written), at - start
