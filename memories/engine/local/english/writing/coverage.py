"""What of a sentence no proposition says: it is quoted, because a missing fact is worse than a quoted one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from memories.engine.local.propositions import Proposition
from memories.text.clauses import statements
from memories.text.clauses.small_talk import is_courtesy
from memories.text.words.tokenize import extract_keywords
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_MARKS = re.compile(r"(?<=[,;:])\s+|\s+[–—-]+\s+")
# Shorter remains are words that a rewriting does without.
_LEAST_WORDS, _LEAST_SHARE = 2, 0.6
# Words of substance: a name, a number, or more than the small words of a language.
_SUBSTANCE = re.compile(r"\b[A-Z]\w|\d|\w{5}")
_JOINED = re.compile(r"^(?:and|but|so|or|because|since)\s+", re.IGNORECASE)


def _asks(part: str) -> bool:
    bare = _JOINED.sub("", part)
    return statements.is_question(bare, "en") or statements.is_request(bare, "en")


def find_left_out(sentence: str, texts: Sequence[str], lost: Sequence[str] = ()) -> list[str]:
    """The parts between marks of which the propositions say nothing; neighbours are one part.

    All of the sentence, where it has clauses (`lost`) that only all of it explains and that are not quoted yet.
    """
    if texts and not _quotes(texts, lost):
        return [sentence]
    known = set(extract_keywords(" ".join(texts)))
    parts: list[str] = []
    is_open = False
    for part in _MARKS.split(sentence):
        words = [word for word in dict.fromkeys(extract_keywords(part)) if word]
        missing = [word for word in words if word not in known]
        is_missing = len(missing) >= _LEAST_WORDS and len(missing) >= _LEAST_SHARE * len(words)
        if is_missing and _SUBSTANCE.search(part[1:]) and not is_courtesy(part) and not _asks(part):
            if is_open:
                parts[-1] = f"{parts[-1]} {part}"
            else:
                parts.append(part)
            is_open = True
        else:
            is_open = False
    return [_JOINED.sub("", part).rstrip(" ,;:") for part in parts]


# What only leads to something else, asks to be believed, or judges what was said.
_FILLER = re.compile(
    rf"""
    ^(?:
        (?:I|we|you)(?:'d|\ would|'m|\ am|'ll|\ will)?\ (?:just\ |only\ )?(?:{_WORDS["thoughts"]})
        (?:\ so|\ that|\ you)?
        | as\ \w+\ \w+
        | (?:that|this|it)(?:
              ['’]s | \ is | \ was | \ would | \ will | ['’]ll | \ may | \ might | \ depends | \ works
              | \ helps
          )(?!.*(?:['’]s|mine|hers|his|theirs|ours)$)\b.*
        | (?:{_WORDS["remarks"]})\b.*
    )$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TO_ME = re.compile(r"^(?:please |just )*[a-z]+ (?:me|us)\b", re.IGNORECASE)
_ANSWERED = re.compile(r"^(?:I|we|he|she|they)(?: \w+)? said (?:yes|no)$", re.IGNORECASE)


# "…, then we'll swap": what is done, and after what, the clause before it says.
_MOST_WORDS_BEHIND_THEN = 3
# "I have to be at mass by nine, I'm reading".
_DOING = re.compile(r"^(?:I|we)(?:'m|'re| am| are) \w+ing[.!]*$", re.IGNORECASE)


def keep_what_stands_alone(
    read: list[Proposition], clause: str, sentence: str
) -> tuple[list[Proposition], bool]:
    """Return what of the propositions of one clause of several can be kept, and whether something is lost without the
    sentence.

    Words that nobody said in this order are no quotation; what nothing else says is quoted with all of the sentence.
    """
    is_sequel = len(clause.split()) <= _MOST_WORDS_BEHIND_THEN and (
        f" then {clause}" in sentence or (f", {clause}" in sentence and bool(_DOING.match(clause)))
    )
    if is_sequel or not read:
        return [], is_sequel or _says_something(clause)
    if not is_patchwork(clause, sentence):
        return read, False
    return [proposition for proposition in read if not proposition.is_quote], False


def _says_something(clause: str) -> bool:
    """Return whether a clause that gave no proposition carries more than courtesy: "and I said no", "my best so
    far"."""
    bare = _JOINED.sub("", clause).rstrip(" .!")
    if _ANSWERED.match(bare):
        return True
    return len(bare.split()) > 1 and not (
        is_courtesy(bare) or _FILLER.match(bare) or _asks(bare) or _TO_ME.match(bare)
    )


def _quotes(texts: Sequence[str], clauses: Sequence[str]) -> bool:
    return all(any('"' in text and clause in text for text in texts) for clause in clauses)


_WORD = re.compile(r"[\w'’-]+")
_MOST_RUNS = 2
_VERBS = frozenset("is are was were am has have had do does did will would can could".split())


def is_patchwork(piece: str, sentence: str) -> bool:
    """Return whether a clause is put together from more than a subject and one run of words of the sentence."""
    words, all_words = (_WORD.findall(text.lower()) for text in (piece, sentence))
    runs, at, first = 0, 0, 0
    while at < len(words):
        longest = max(
            (_count_shared_words(words[at:], all_words[start:]) for start in range(len(all_words))), default=0
        )
        runs, at = runs + 1, at + max(longest, 1)
        first = first or at
    is_addressed = words[:1] == ["you"]
    # Of another clause, only the subject may stand before the words of this one.
    is_two_clauses = runs > 1 and bool(_VERBS & set(words[:first]))
    return runs > _MOST_RUNS or is_two_clauses or (is_addressed and runs > 1)


def _count_shared_words(some: Sequence[str], others: Sequence[str]) -> int:
    """Count how many words both begin with."""
    length = 0
    while length < min(len(some), len(others)) and some[length] == others[length]:
        length += 1
    return length
