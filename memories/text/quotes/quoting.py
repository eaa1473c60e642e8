"""Writes what was said as a dated, attributed quotation, for clauses that cannot be reworded with certainty."""

from __future__ import annotations

import re
from datetime import datetime

from memories.text.time import chinese as dates_chinese
from memories.text.time.words_english import format_day

# What a reader takes in at once; longer clauses are cut at a bound of their own.
MOST_WORDS, MOST_CHARACTERS = 30, 60
_FRAME_EN = re.compile(r"^The user said(?P<about> about [^:\"]{1,60}?)? on [^:\"]{1,40}: ")
_FRAME_ZH = re.compile(r"^用户在[^：“]{1,20}说：")
# Dates that were worked out stand in brackets, with their year: (5 December 2026), （2026年12月）.
_WORKED_OUT = re.compile(r"\s?[(（][^()（）]{0,60}(?<!\d)(?:19|20)\d\d(?!\d)[^()（）]{0,60}[)）]")
# "Mel: I run tomorrow."
_LINE = re.compile(r"[A-Z][\w'.-]{0,20}(?: [A-Z][\w'.-]{0,20}){0,2}: |[\u4e00-\u9fff]{2,4}[:：]")
_INNER_MARKS = str.maketrans({"“": "'", "”": "'", '"': "'", "「": "'", "」": "'"})
_BOUND_EN = re.compile(r"(?<=[,;:.!?–—])\s+")
_BOUND_ZH = re.compile(r"(?<=[，,；;：:。！？!?、])")


def quote_words(words: str, said_at: datetime, language: str, subject: str = "") -> list[str]:
    """Quotations that together hold `words`, in order, each of at most 30 words or 60 characters.

    Cuts fall at marks inside the clause where there are any, else between words. `subject` is whom the words are about
    that they name by a pronoun only.
    """
    return [_attribute_quote(window, said_at, language, subject) for window in cut_windows(words, language)]


def _attribute_quote(words: str, said_at: datetime, language: str, subject: str) -> str:
    inner = words.translate(_INNER_MARKS).strip()
    if language == "zh":
        return f"用户在{dates_chinese.format_day(said_at)}说：“{inner}”"
    about = f" about {subject}" if subject else ""
    return f'The user said{about} on {format_day(said_at)}: "{inner}"'


def remove_quote_date(text: str) -> str:
    """A quotation without the day on which it was said, which would make all quotations alike; other texts as they
    are."""
    return _FRAME_ZH.sub("用户说：", _FRAME_EN.sub(r"The user said\g<about>: ", text, count=1), count=1)


def remove_added_dates(text: str) -> str:
    """A statement without the dates that were added to its words, by which it would be near to whatever has one like
    it; lines of talks between named people ("Mel: I run tomorrow (9 May 2023).") as they are."""
    if _LINE.match(text):
        return text
    return _WORKED_OUT.sub("", remove_quote_date(text))


_OPENED = re.compile(r"(?:^|(?<=[\s(]))['\"](?=\w)")


def with_whole_quotation(words: str, sentence: str) -> str:
    """Words that were cut out of a sentence, with the mark that ends or begins a quotation where it was cut off."""
    bare = sentence.rstrip(" ,;:-–—.!?")
    mark = bare[-1:]
    opened = _OPENED.findall(words)
    if words.count('"') % 2 == 0:
        is_cut = mark == "'" and opened.count("'") == 1 and not words.endswith("'")
        return f"{words}'" if is_cut else words
    if mark == '"' and opened:
        return f'{words}"'
    return f'"{words}' if sentence.startswith('"') and not opened else words


def cut_windows(words: str, language: str) -> list[str]:
    """The text in windows short enough to be quoted."""
    bound, unit = (_BOUND_ZH, _compute_size_zh) if language == "zh" else (_BOUND_EN, _compute_size_en)
    most = MOST_CHARACTERS if language == "zh" else MOST_WORDS
    joint = "" if language == "zh" else " "
    windows: list[str] = []
    for part in bound.split(words.strip()):
        pieces = [part] if unit(part) <= most else _cut_hard(part, most, language)
        for piece in pieces:
            if windows and unit(windows[-1]) + unit(piece) <= most:
                windows[-1] += joint + piece
            elif piece.strip():
                windows.append(piece)
    return windows


def _cut_hard(part: str, most: int, language: str) -> list[str]:
    if language == "zh":
        return [part[at : at + most] for at in range(0, len(part), most)]
    words = part.split()
    return [" ".join(words[at : at + most]) for at in range(0, len(words), most)]


def _compute_size_en(text: str) -> int:
    return len(text.split())


def _compute_size_zh(text: str) -> int:
    return len(text)
