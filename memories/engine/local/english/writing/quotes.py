"""Quotes what is not reworded, and says whom a pronoun at its beginning means."""

from __future__ import annotations

import re
from datetime import datetime

from memories.engine.local.english.parsing.openers import with_full_verbs, without_openers
from memories.engine.local.english.people import Referents, meant_by, named_in
from memories.engine.local.propositions import Mood, Proposition
from memories.text.clauses.small_talk import is_courtesy
from memories.text.en.third_person import expand_contractions
from memories.text.quotes.quoting import MOST_WORDS, quote_words
from memories.text.time.english import date_english


def as_said(words: str, said: str) -> str:
    """The words as they stand in what was said: with "'s" where a rule wrote out "is", without the "I" that one put
    before them; the words themselves where nothing said is like them."""
    if words in said or len(said) > _LONGEST_SENTENCE:
        return words
    wanted = (_plain(words), _plain(words).removeprefix("i "))
    starts = [match.start() for match in re.finditer(r"\S+", said)]
    ends = [match.end() for match in re.finditer(r"\S+", said)]
    for start in starts:
        for end in ends:
            if abs(end - start - len(words)) <= _MOST_DIFFERENCE and _plain(said[start:end]) in wanted:
                return said[start:end].strip(" ,;:–—-")
    return words


_LONGEST_SENTENCE = 700
# So many characters longer or shorter are words with other contractions.
_MOST_DIFFERENCE = 12


def _plain(words: str) -> str:
    return " ".join(re.findall(r"[\w']+", expand_contractions(with_full_verbs(words)).lower()))


_REFERS_BACK = re.compile(
    r"(?:and |but |so |because )?(?:he|she|they|it|those|these|his|her|their|its)(?:'\w+)? ", re.IGNORECASE
)


def with_words_before(words: str, sentence: str, sentence_before: str, referents: Referents) -> str:
    """The words, where they begin with a pronoun of nobody knows whom, with what was said right before them: in the
    same sentence or else the one before it, if one quotation holds both."""
    if not _REFERS_BACK.match(words) or meant_by(words, referents):
        return words
    start, before = (
        "" if is_courtesy(text) else without_openers(text) for text in (sentence, sentence_before)
    )
    for whole in (start, f"{before} {sentence.strip()}", f"{before} {words}"):
        says_what_is_meant = words in whole and not _REFERS_BACK.match(whole.lstrip())
        if says_what_is_meant and len(whole.split()) <= MOST_WORDS:
            return whole.strip()
    return words


def quote(words: str, said_at: datetime, referents: Referents, mood: Mood) -> list[Proposition]:
    """The words as quotations; whom they name is noticed in `referents`."""
    words = f"{words}." if words[-1:].isdigit() else words  # a mark behind a number reads as inches
    texts = quote_words(words, said_at, "en", meant_by(words, referents))
    referents.notice(named_in(words))
    at = date_english(words, said_at).at
    return [
        Proposition(
            text=text, language="en", mood=mood, is_quote=True, event_time=at if len(texts) == 1 else None
        )
        for text in texts
    ]
