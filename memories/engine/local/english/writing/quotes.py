"""Quotes what is not reworded, and says whom a pronoun at its beginning means."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from memories.engine.local.english.parsing.rewriting.openers import remove_openers, with_full_verbs
from memories.engine.local.english.people import Referents, find_named_person, find_person_meant
from memories.engine.local.propositions import Mood, Proposition
from memories.text.clauses.small_talk import is_courtesy
from memories.text.en.third_person import expand_contractions
from memories.text.quotes.quoting import MOST_WORDS, quote_words
from memories.text.time.english import date_english
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))


def as_said(words: str, sentence: str) -> str:
    """The words as they stand in what was said: with "'s" where a rule wrote out "is", without the "I" that one put
    before them. Where a rule put them together from parts, all that was said; the words themselves where they are of
    something said earlier, or one quotation does not hold it all."""
    if words in sentence or len(sentence) > _LONGEST_SENTENCE:
        return words
    wanted = (_normalise_words(words), _normalise_words(words).removeprefix("i ").removeprefix("it "))
    starts = [match.start() for match in re.finditer(r"\S+", sentence)]
    ends = [match.end() for match in re.finditer(r"\S+", sentence)]
    for start in starts:
        for end in ends:
            if (
                abs(end - start - len(words)) <= _MOST_DIFFERENCE
                and _normalise_words(sentence[start:end]) in wanted
            ):
                return sentence[start:end].strip(" ,;:–—-")
    terms = _normalise_words(words).split()
    shared = len(set(terms) & set(_normalise_words(sentence).split())) / max(1, len(set(terms)))
    is_of_parts = shared >= _MOSTLY and len(words) <= len(sentence) and len(sentence.split()) <= MOST_WORDS
    return remove_openers(sentence) if is_of_parts else words


_LONGEST_SENTENCE = 700
_MOSTLY = 0.7
# So many characters longer or shorter are words with other contractions.
_MOST_DIFFERENCE = 12


def _normalise_words(words: str) -> str:
    return " ".join(re.findall(r"[\w']+", expand_contractions(with_full_verbs(words)).lower()))


# "It rained" means nothing by "it".
_WEATHER = r"(?:(?:'s| is| was)? (?:rain|snow|hail|drizzl|thunder|freez|pour)\w*)"
_REFERS_BACK = re.compile(
    rf"(?:and |but |so |because )?(?:(?:he|she|they|it(?!{_WEATHER})|those|these|his|her|their"
    rf"|its|mine|ours|hers|theirs)(?:'\w+)? "
    r"|(?:until|till|since|by|before|after|from) (?:then|that) "
    r"|(?:only |just |about )?(?:(?:the )?(?:one|two|three|four|five|six|seven|eight|nine|ten|others?"
    r"|rest)|some|both|most|none|few|several|many)"
    r" (?:is|are|was|were|has|have|had|can|can't|will|won't|do|does|did|don't|doesn't|(?:[a-z]+[^\Wsu]s"
    r"|(?!hundred)[a-z]+ed)\b) ?)",
    re.IGNORECASE,
)
# "I get them Friday to Sunday", "My wife puts it in everything", "My leave ends the day before".
_POINTS_BACK = re.compile(
    rf"""
    ^[^,;]{{1,30}}\ (?:him|them|it)\b(?!'s)
    | ^(?!.*\bthere(?:'s|\ is|\ are|\ was|\ were)\b)[^,;]{{1,40}}\ (?<!over\ )(?<!out\ )there(?=
          \ (?:{_WORDS["behind_there"]})\b
          | [.!]*$
      )
    | ^[^,;]{{1,60}}\ the\ (?:very\ )?(?:day|night|evening|morning|week|weekend|month|year)[ ]
      (?:before|after)[.!]*$
    | ^[^,;]{{1,60}}\b(?:{_WORDS["open_ends"]})[.!]*$
    | ^(?:I|we)\b[^,;]{{1,30}}\ (?:{_WORDS["counts"]})[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def with_words_before(words: str, sentence: str, sentence_before: str, referents: Referents) -> str:
    """The words, where a pronoun at their beginning may mean anybody, with what was said right before them: in the
    same sentence or else the one before it, if one quotation holds both."""
    refers_back = bool(_REFERS_BACK.match(words)) and not find_person_meant(words, referents)
    if not refers_back and not _POINTS_BACK.match(words):
        return words
    start, before = (
        "" if is_courtesy(text) else remove_openers(text) for text in (sentence, sentence_before)
    )
    before = before if before.endswith((".", "!", "?", "…")) else ""  # else it is an item of a list
    for whole in (start, f"{before} {sentence.strip()}", f"{before} {words}"):
        says_what_is_meant = words in sentence and words in whole and not _REFERS_BACK.match(whole.lstrip())
        if says_what_is_meant and len(whole.strip()) > len(words) + 1 and len(whole.split()) <= MOST_WORDS:
            return whole.strip()
    return words


def quote(words: str, said_at: datetime, referents: Referents, mood: Mood) -> list[Proposition]:
    """The words as quotations; whom they name is noticed in `referents`."""
    words = f"{words}." if words[-1:].isdigit() else words  # a mark behind a number reads as inches
    texts = quote_words(words, said_at, "en", find_person_meant(words, referents))
    referents.notice(find_named_person(words))
    at = date_english(words, said_at).at
    return [
        Proposition(
            text=text, language="en", mood=mood, is_quote=True, event_time=at if len(texts) == 1 else None
        )
        for text in texts
    ]
