"""Translate the details of API errors into the reader's language.

The API answers in English and logs what it answered, so pages translate the finished text: each language has a file of
sentences with names in braces beside its other translations, and English needs none.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.utils.translation import get_language, gettext, to_locale

from tenancy.errors import CatalogueError, list_errors

LOCALE = Path(__file__).resolve().parents[2] / "locale"
FILE = "api_details.toml"
_SLOT = re.compile(r"\{(\w+)\}")
# What a name in braces stands for, where it is not any text.
_NUMBER, _WORD = r"[\d.,]+", r"\S+?"
_NAMES = r"[\w.\[\]-]+(?:, [\w.\[\]-]+)*"
_KINDS = {
    "names": _NAMES,
    "last": r"[\w.-]+",
    "least": _NUMBER,
    "most": _NUMBER,
    "count": _NUMBER,
    "number": _NUMBER,
    "id": _WORD,
}
# Longer texts are no sentences, and several slots take long to fit into them.
LONGEST = 1_000
# Where in a body something stands: `messages[3].content`, `SKILL.md`, `filter.and[0]."a b"`.
_PLACE = re.compile(r"([^\s:：]{1,200}): (.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SentencePattern:
    """One English sentence as a pattern, and its translation with the same names in braces."""

    pattern: re.Pattern[str]
    translation: str
    literal: int  # how many characters are no slots: of two sentences that fit, the longer says more


def translate_detail(detail: str) -> str:
    """Translate an error detail; returns it unchanged where no sentence of the language's file fits."""
    return (
        _translate_detail(detail[:LONGEST], _load_sentences(to_locale(get_language() or "en")))
        + detail[LONGEST:]
    )


def find_error(code: int, message: str) -> tuple[type[CatalogueError], str] | None:
    """The error of the catalogue that an answer with this code and this message stands for, and the message's rest
    behind the error's own sentence; the first of its code where the message is another's."""
    if named := _find_named_error(code, message):
        return named, message[len(named.message) :].removeprefix(": ")
    return next(((entry, message) for entry in list_errors() if entry.code == code), None)


def translate_answer(code: int, message: str) -> str:
    """The message with which the API refused, in the reader's language."""
    named = _find_named_error(code, message)
    if named is None:
        return translate_detail(message)
    rest = message[len(named.message) :].removeprefix(": ")
    return join_sentence(gettext(named.message), translate_detail(rest)) if rest else gettext(named.message)


def translate_failure(code: str, message: str) -> str:
    """Return why a task or a file failed: `code` is the catalogue's, or a name of the queue's own."""
    return translate_answer(int(code), message) if code.isdecimal() else translate_detail(message)


def translate_remedy(remedy: str) -> str:
    """Return what to do about a failure: the catalogue's remedy, or the one that was named for this case."""
    known = gettext(remedy) if remedy else ""
    return known if known != remedy else translate_detail(remedy)


def join_sentence(heading: str, detail: str) -> str:
    return gettext("%(heading)s: %(detail)s") % {"heading": heading, "detail": detail}


def _find_named_error(code: int, message: str) -> type[CatalogueError] | None:
    """The error with this code whose sentence the message begins with, the longest where several do."""
    known = [
        entry for entry in _list_all_errors() if entry.code == code and message.startswith(entry.message)
    ]
    return max(known, key=lambda entry: len(entry.message), default=None)


def _list_all_errors() -> list[type[CatalogueError]]:
    errors: list[type[CatalogueError]] = []
    waiting = [CatalogueError]
    while waiting:
        below = waiting.pop().__subclasses__()
        errors += below
        waiting += below
    return errors


def _translate_detail(detail: str, sentences: tuple[SentencePattern, ...]) -> str:
    for sentence in sentences:
        if match := sentence.pattern.fullmatch(detail):
            slots = {name: _translate_detail(text, sentences) for name, text in match.groupdict().items()}
            return sentence.translation.format_map(slots)
    if match := _PLACE.fullmatch(detail):
        return f"{match[1]}: {_translate_detail(match[2], sentences)}"
    return detail


@lru_cache(maxsize=8)
def _load_sentences(locale: str) -> tuple[SentencePattern, ...]:
    """Load sentences, those with the most fixed text first."""
    path = LOCALE / locale / FILE
    if not path.exists():
        return ()
    known = tomllib.loads(path.read_text(encoding="utf-8"))
    made = [_build_sentence(english, translation) for english, translation in known.items()]
    return tuple(sorted(made, key=lambda sentence: -sentence.literal))


def _build_sentence(english: str, translation: str) -> SentencePattern:
    pieces = _SLOT.split(english)  # text and names in turn
    pattern = "".join(
        f"(?P<{piece}>{_KINDS.get(piece, '.+?')})" if number % 2 else re.escape(piece)
        for number, piece in enumerate(pieces)
    )
    return SentencePattern(re.compile(pattern, re.DOTALL), translation, len("".join(pieces[::2])))
