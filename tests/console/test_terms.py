"""The console's words: one for each thing in both languages, and a translation for every text."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[2]
CHINESE = ROOT / "console/locale/zh_Hans/LC_MESSAGES/django.mo"
DETAILS = ROOT / "console/locale/zh_Hans/api_details.toml"
RULES: dict[str, Any] = tomllib.loads((ROOT / "console/locale/terms.toml").read_text(encoding="utf-8"))
APPS = ("console", "knowledgebase", "memories", "skills", "tenancy")
PLAIN = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
WITH_CONTEXT = {"pgettext", "pgettext_lazy", "npgettext"}


def find_translated_texts(source: str) -> Iterator[str]:
    """Every text that is translated, as the catalogue names it: the first argument, behind its context."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        given = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        if name in PLAIN and given and isinstance(given[0], str):
            yield given[0]
        elif name in WITH_CONTEXT and len(given) > 1:
            yield f"{given[0]}\x04{given[1]}"


@cache
def shown_texts() -> dict[str, str]:
    """Each text of the console and a file that has it."""
    texts: dict[str, str] = {}
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            texts |= dict.fromkeys(
                find_translated_texts(path.read_text(encoding="utf-8")), str(path.relative_to(ROOT))
            )
    for path in [*(ROOT / "templates").rglob("*.html"), *(ROOT / "templates").rglob("*.txt")]:
        # What Django's own extraction makes of a template: calls among words that are not code.
        calls = re.findall(
            r"\b((?:n?p?gettext)\(.*?\)) *(?=X|\s|$)", templatize(path.read_text(encoding="utf-8"))
        )
        for call in calls:
            try:
                texts |= dict.fromkeys(find_translated_texts(call), str(path.relative_to(ROOT)))
            except SyntaxError:
                continue
    return texts


@cache
def chinese() -> dict[Any, str]:
    with CHINESE.open("rb") as file:
        return dict(GNUTranslations(file)._catalog)  # type: ignore[attr-defined]


def translated() -> Iterator[tuple[str, str]]:
    """(English, Chinese) of every entry, and of what the API's errors say in detail."""
    for key, translation in chinese().items():
        english = key[0] if isinstance(key, tuple) else key
        if english:
            yield english.rpartition("\x04")[2], translation
    yield from tomllib.loads(DETAILS.read_text(encoding="utf-8")).items()


def whole_words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE)


def test_every_text_of_the_console_is_translated() -> None:
    known = {key[0] if isinstance(key, tuple) else key for key in chinese()}
    missing = sorted(f"{file}: {text}" for text, file in shown_texts().items() if text not in known)
    assert len(shown_texts()) > 2_000
    assert missing == []


@pytest.mark.parametrize("term", RULES["terms"], ids=lambda term: str(term["en"]))
def test_one_thing_has_one_word(term: dict[str, Any]) -> None:
    named, wrong = whole_words(term["en"]), []
    for english, translation in translated():
        wrong += [f"{english} | {translation} | not {word}" for word in term["not"] if word in translation]
        is_exempt = any(english.startswith(start) for start in term.get("except", []))
        if term["zh"] and named.search(english) and not is_exempt and not re.search(term["zh"], translation):
            wrong.append(f"{english} | {translation} | {term['zh']}")
    assert wrong == []


@pytest.mark.parametrize("phrase", RULES["phrases"], ids=lambda phrase: str(phrase["not"]))
def test_texts_are_plain(phrase: dict[str, str]) -> None:
    pattern = whole_words(phrase["not"])
    wrong = [f"{file}: {text}" for text, file in shown_texts().items() if pattern.search(text)]
    assert wrong == [], phrase["instead"]
