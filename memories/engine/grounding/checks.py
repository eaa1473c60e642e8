"""Compares a statement with the messages that it is said to come from.

Each check asks one thing and answers with the reason for a doubt. They are stricter than a reader would be: what is
doubted is not lost, only quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memories.engine.grounding.dates import foreign_date, remove_dates, states_coming_date
from memories.engine.grounding.words import (
    ADDED,
    ADDED_ZH,
    ALWAYS_CAPITAL,
    DOUBLE_NEGATION,
    MOODS,
    NEGATES_NOTHING,
    NEGATION,
    NUMBERS,
    OWN_EN,
    OWN_REPORT,
    OWN_ZH,
    PEOPLE_ZH,
)
from memories.text.slots import get_relation_name
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords, segment_chinese

# Why a statement is not believed as it was written.
FOREIGN_WORDS = "not in the messages"
FOREIGN_NAMES = "names not in the messages"
FOREIGN_NUMBERS = "numbers not in the messages"
FOREIGN_DATES = "dates not in the messages"
OTHER_POLARITY = "other polarity than the messages"
OTHER_MOOD = "other mood than the messages"
OTHER_SUBJECT = "another subject than the messages"
NOT_A_STATEMENT = "no statement in the third person"


@dataclass(frozen=True, slots=True)
class Evidence:
    """`clause` is the part of a message that the statement comes from. `messages` are those that it names and what
    each of them answers, with their times; `shown` is every message up to them, in which whom a pronoun means may have
    been named."""

    clause: str
    messages: Sequence[tuple[str, datetime]]
    shown: Sequence[str]


def find_doubt(text: str, evidence: Evidence, *, is_inferred: bool = False, is_by_user: bool = True) -> str:
    """Find why the messages do not bear the text out; "" where they do.

    What is only `inferred` may use words of its own, but no names, numbers and dates. Of what an assistant said
    (`is_by_user` is false) the subject is not looked at.
    """
    words = [message for message, _ in evidence.messages]
    if _FIRST_PERSON.search(_QUOTED.sub("", text)) or text.rstrip().endswith(("?", "？")):
        return NOT_A_STATEMENT
    foreign = _list_foreign_words(remove_dates(text), words, evidence.shown)
    if any(word[:1].isupper() for word in foreign) or _foreign_chinese_names(text, evidence.shown):
        return FOREIGN_NAMES
    if not _find_numbers(remove_dates(text)) <= _find_allowed_numbers(" ".join(words)):
        return FOREIGN_NUMBERS
    if foreign_date(text, list(evidence.messages)):
        return FOREIGN_DATES
    if is_inferred:
        return "" if _shares_anything(text, words) else FOREIGN_WORDS
    if foreign or not (_shares_anything(text, words) or _find_numbers(text)):
        return FOREIGN_WORDS
    if _is_negative(text) != _is_negative(evidence.clause):
        return OTHER_POLARITY
    missing = _find_moods(evidence.clause) - _find_moods(text)
    if missing and not (missing == {"wish"} and states_coming_date(text, list(evidence.messages))):
        return OTHER_MOOD
    return OTHER_SUBJECT if is_by_user and _is_about_another(text, evidence.clause) else ""


# Words.

_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_SAME_BEGINNING = 6
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_NUMERALS = re.compile("[零一二两三四五六七八九十百千万半几]")
_NAME_TAGS = ("nr", "ns", "nt", "nz")


def _list_foreign_words(text: str, words: Sequence[str], shown: Sequence[str]) -> list[str]:
    """Words of the text that no message has, as written: capitals are looked for in all that was shown."""
    vocabulary, seen = _build_vocabulary(words), _build_vocabulary(shown)
    relations = {get_relation_name(word) for word in seen} - {""}
    foreign = []
    for match in _WORD.finditer(text):
        word = match[0].rstrip("-'’")
        low = _normalise_word(word)
        keys = set(extract_keywords(word))
        if (
            not keys
            or low in ALWAYS_CAPITAL
            or low in NUMBERS
            or keys <= ADDED
            or keys <= vocabulary
            or low in vocabulary
        ):
            continue
        if word[0].isupper() and (keys <= seen or low in seen):
            continue
        if get_relation_name(low) in relations or _begins_like(low, vocabulary):
            continue
        is_first = not text[: match.start()].strip() or text[: match.start()].rstrip()[-1] in ".!?"
        foreign.append(low if is_first else word)
    return foreign + _list_foreign_chinese(text, words, shown)


def _normalise_word(word: str) -> str:
    return word.lower().removesuffix("'s").removesuffix("’s")


def _build_vocabulary(texts: Sequence[str]) -> set[str]:
    """Stems and words as they stand."""
    vocabulary: set[str] = set()
    for text in texts:
        vocabulary.update(extract_keywords(text))
        vocabulary.update(_normalise_word(word) for word in _WORD.findall(text))
    return vocabulary


def _begins_like(word: str, vocabulary: set[str]) -> bool:
    """Forms of one word: "allergy" and "allergic", "photographer" and "photography"."""
    beginning = word[:_SAME_BEGINNING]
    return len(beginning) == _SAME_BEGINNING and any(
        other[:_SAME_BEGINNING] == beginning for other in vocabulary
    )


def _list_foreign_chinese(text: str, words: Sequence[str], shown: Sequence[str]) -> list[str]:
    """Chinese words that no message has, nor all their characters."""
    runs = [word for run in _HAN_RUN.findall(text) for word in segment_chinese(run)]
    source = "".join(words)
    foreign = [word for word in runs if word not in source and not _is_composed(word, source)]
    if not foreign:
        return []
    relations = {
        get_relation_name(word)
        for message in shown
        for run in _HAN_RUN.findall(message)
        for word in segment_chinese(run)
    }
    return [word for word in foreign if get_relation_name(word) not in relations - {""}]


def _is_composed(word: str, source: str) -> bool:
    """Return whether it is made of what was said, of numerals and of what rewriting adds."""
    left = _NUMERALS.sub("", word.replace("用户", ""))
    return word in ADDED_ZH or all(character in source or character in ADDED_ZH for character in left)


def _foreign_chinese_names(text: str, shown: Sequence[str]) -> bool:
    """Return whether a name of a person, place or organisation stands in a Chinese text that nobody mentioned."""
    if detect_language(text) != "zh":
        return False
    import rjieba  # as in `segment_chinese`

    source = "".join(shown)
    return any(
        tag.startswith(_NAME_TAGS) and len(word) > 1 and word not in source and word not in ADDED_ZH
        for word, tag in rjieba.tag(remove_dates(text).replace("用户", ""))
    )


def _shares_anything(text: str, words: Sequence[str]) -> bool:
    claimed = set(extract_keywords(text)) - ADDED - ADDED_ZH
    return not claimed.isdisjoint(_build_vocabulary(words)) or any(
        key in message for message in words for key in claimed if not key.isascii()
    )


# Numbers.

_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_CHINESE_NUMBER = re.compile("[零一二两三四五六七八九十百千万]+")
_CHINESE_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2}
_AFTERNOON = re.compile(r"\d ?p\.?m\b|下午|晚上|傍晚|afternoon|evening|tonight", re.IGNORECASE)


def _find_numbers(text: str) -> set[float]:
    """The numbers of a text, in digits or words. "One" and 一 are no numbers: articles are said so, too."""
    return _find_all_numbers(text) - {0.0, 1.0}


def _find_allowed_numbers(text: str) -> set[float]:
    """The numbers of the messages, each Chinese digit by itself, and hours of the afternoon as clocks say them."""
    numbers = _find_all_numbers(text)
    numbers |= {
        _parse_chinese_numeral(digit) for match in _CHINESE_NUMBER.finditer(text) for digit in match[0]
    }
    return numbers | (
        {number + 12 for number in numbers if number < 12} if _AFTERNOON.search(text) else set()
    )


def _find_all_numbers(text: str) -> set[float]:
    numbers = {float(match[0].replace(",", "")) for match in _DIGITS.finditer(text)}
    numbers |= {NUMBERS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in NUMBERS}
    return numbers | {_parse_chinese_numeral(match[0]) for match in _CHINESE_NUMBER.finditer(text)}


def _parse_chinese_numeral(numeral: str) -> float:
    """The value of a Chinese numeral below 100 million; digits in a row (二零二五) are read as digits."""
    if all(character in _CHINESE_DIGITS for character in numeral):
        return float("".join(str(_CHINESE_DIGITS[character]) for character in numeral))
    total, section, digit = 0, 0, 0
    for character in numeral:
        if character in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[character]
        elif character == "万":
            total, section, digit = (total + section + digit) * 10_000, 0, 0
        else:
            section, digit = section + (digit or 1) * {"十": 10, "百": 100, "千": 1_000}[character], 0
    return float(total + section + digit)


# Polarity and mood.


def _is_negative(text: str) -> bool:
    return NEGATION.search(DOUBLE_NEGATION.sub(" ", NEGATES_NOTHING.sub(" ", text))) is not None


def _find_moods(text: str) -> set[str]:
    bare = OWN_REPORT.sub(" ", text)
    return {mood for mood, pattern in MOODS.items() if pattern.search(bare)}


# Subject.

_QUOTED = re.compile('"[^"]*"|“[^”]*”|「[^」]*」')
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|I'd|my|My|me|we|We|our|Our)\b|(?<!自)[我咱]")
_OF_USER = re.compile(r"^(?:The|the) user(?!['’]s)\b|^用户(?!的)")
_USER_SPEAKS = re.compile(
    rf"\b(?:i|im|ive|id|me|myself|we|us)\b|\bi['’]|(?<!自)[我咱](?!们?的|们?(?:{PEOPLE_ZH}))", re.IGNORECASE
)
_OPENING = r"^\W*(?:(?:and|but|so|well|oh|also|actually|sorry) )*"
_OTHER_SUBJECT = re.compile(
    rf"""
    {_OPENING}(?:my|our|his|her|their)\b(?=\ \w)
    | {_OPENING}(?:he|she|it|they|you|who|this|that|there|these|those)\b
    | {_OPENING}(?:the|an?)\ \w+\ (?:is|are|was|were|has|had|does|did|said|got|will|can|[a-z]+(?:s|ed))\b
    | {_OPENING}(?-i:[A-Z][a-z]+(?:\ [A-Z][a-z]+)?)\ (?:is|was|has|had|does|did|said|got|will|can|[a-z]+(?:s|ed))\b
    | ^[他她它你您] | ^(?:我|我们|咱)(?:的|{PEOPLE_ZH})
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OF_ONES_OWN = re.compile(
    rf"(?:{_OPENING}|\b(?:is|are|was|were) )(?:my|our) (?:{OWN_EN})\b|^我的?(?:{OWN_ZH})|[是为]我的?(?:{OWN_ZH}|家)",
    re.IGNORECASE,
)


def _is_about_another(text: str, clause: str) -> bool:
    """Return whether the text says of the user what the clause says of somebody else."""
    if not _OF_USER.search(text) or _USER_SPEAKS.search(clause) or _OF_ONES_OWN.search(clause):
        return False
    return _OTHER_SUBJECT.search(clause) is not None
