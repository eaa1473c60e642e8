"""Puts another thing in the place of the one that a clause names: "I prefer a window seat", then "Aisle, actually"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from memories.engine.local.english.changes.corrections import get_plain_words
from memories.engine.local.english.parsing.rewriting.openers import with_full_verbs

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


def find_replacement(clause: str, sentence: str, parse: Callable[[str], Doc]) -> tuple[str, str] | None:
    """An earlier clause with what the sentence puts in it, and the words that this takes the place of."""
    words = get_plain_words(sentence)
    return _name_pronoun(clause, sentence) or (put_in_place(parse(clause), parse(words)) if words else None)


def put_in_place(doc: Doc, things: Doc) -> tuple[str, str] | None:
    """A parsed clause with another thing for its object, and the words that this takes the place of.

    "Aisle" or "an aisle seat" takes the place of "window" in "I prefer a window seat", "tea" of "coffee" in "I'd like
    coffee", "peanuts" of "shellfish" in "I'm allergic to shellfish"; none where the clause has no object of that form.
    """
    if things[-1].pos_ not in ("NOUN", "PROPN", "ADJ", "VERB"):
        return None
    *before, last = things.text.split()
    article, kinds = next(
        (([word], before[at + 1 :]) for at, word in enumerate(before) if word in _ARTICLES), ([], before)
    )
    objects = [token for token in doc if token.dep_ in ("dobj", "attr") and token.pos_ == "NOUN"]
    if objects and (kind := next((child for child in objects[0].children if child.dep_ == "compound"), None)):
        if len(_list_modifiers(objects[0])) > 1:
            return None
        new = last if not before else " ".join(kinds) if last == objects[0].lower_ else ""
        return _with_words(doc, kind, new) if new and new != kind.lower_ else None
    if kinds and not article:
        return None
    alike = [token for token in objects[:1] if _is_alike(token, article)]
    behind = [token for token in doc if _is_behind_preposition(token) and _is_alike(token, article)]
    # Behind a preposition there may be several: only one of the same form is certain.
    target = alike[0] if alike else behind[0] if len(behind) == 1 else None
    new = " ".join([*kinds, last])
    if (
        target is None
        or new == target.lower_
        or (target.dep_ not in ("dobj", "attr") and things[-1].pos_ not in _NOUNS)
    ):
        return None
    return _with_words(doc, target, new)


_NOUNS = frozenset({"NOUN", "PROPN"})
_TO_THINGS = frozenset("allergic intolerant sensitive addicted immune averse".split())
_OF_TIME = frozenset({"DATE", "TIME", "CARDINAL"})


def _list_modifiers(token: Token) -> list[Token]:
    return [child for child in token.children if child.dep_ in ("amod", "compound", "poss")]


def _is_alike(token: Token, article: list[str]) -> bool:
    """Return whether a noun is said as the other thing is: with the same article or without any."""
    own = next((child.lower_ for child in token.children if child.dep_ == "det"), "")
    return not _list_modifiers(token) and own.replace("an", "a") == "".join(article).replace("an", "a")


def _is_behind_preposition(token: Token) -> bool:
    """ "Shellfish" of "is allergic to shellfish": what the verb itself is about, and no time."""
    if token.dep_ == "xcomp":  # of a plain noun the parser may make a verb: "to shellfish"
        return token.head.lower_ in _TO_THINGS and all(child.dep_ == "aux" for child in token.children)
    if token.dep_ != "pobj" or token.pos_ not in _NOUNS or token.ent_type_ in _OF_TIME:
        return False
    over = token.head.head
    return over.dep_ in ("ROOT", "acomp", "dobj")


_ARTICLES = frozenset({"a", "an", "the"})


def _with_words(doc: Doc, token: Token, new: str) -> tuple[str, str]:
    before, behind = doc[: token.i].text_with_ws, doc[token.i + 1 :].text
    article = re.search(r"\b(?P<article>an?) $", before, re.IGNORECASE)
    if article:
        fitting = "an" if new[0] in "aeiou" else "a"
        before = f"{before[: article.start()]}{fitting} "
    return f"{before}{new}{token.whitespace_}{behind}", token.text


_WHO = r"(?:my|our) [a-z][a-z-]+(?: [A-Z][\w'-]+)?"
# "I mean my husband", "My wife, that is": whom the pronoun before it means.
_WHO_IS_MEANT = re.compile(
    rf"^(?:(?:sorry|no|well),? )?(?:I (?:mean|meant)|that is|that's|meaning),? (?P<who>{_WHO})[.!]*$"
    rf"|^(?P<who2>{_WHO}),? (?:I (?:mean|meant)|that is)[.!]*$",
    re.IGNORECASE,
)
_PRONOUN_FIRST = re.compile(r"^(?:he|she|they|it)\b", re.IGNORECASE)


def _name_pronoun(clause: str, sentence: str) -> tuple[str, str] | None:
    """An earlier clause with whom its first word means, and that word; None where the sentence does not say so."""
    meant, pronoun = _WHO_IS_MEANT.match(sentence.strip()), _PRONOUN_FIRST.match(clause)
    if meant is None or pronoun is None:
        return None
    who = meant["who"] or meant["who2"]
    return with_full_verbs(f"{who[0].lower()}{who[1:]}{clause[pronoun.end() :]}"), pronoun[0]


def says_who_is_meant(sentence: str) -> bool:
    return bool(_WHO_IS_MEANT.match(sentence.strip()))
