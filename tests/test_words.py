"""Names and prose use standard terms: none of the words in banned_words.toml."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RULES: dict[str, Any] = tomllib.loads((ROOT / "tests/banned_words.toml").read_text(encoding="utf-8"))
PROSE = {".md", ".html", ".txt"}
COMMENTED = {".js": re.compile(r"(?<!:)//.*"), ".css": re.compile(r"/\*.*|^ \*.*")}
TRANSLATED = {
    "_",
    "gettext",
    "gettext_lazy",
    "gettext_noop",
    "ngettext",
    "ngettext_lazy",
    "pgettext",
    "pgettext_lazy",
}
LOGGED = {"debug", "info", "warning", "error", "exception", "critical"}
HAVE_DOCSTRINGS = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def whole_words(patterns: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{'|'.join(patterns)})(?![a-z])", re.IGNORECASE)


WORDS = [
    (whole_words([rule["word"]]), rule["in"], whole_words(rule["allowed"]) if rule["allowed"] else None)
    for rule in RULES["words"]
]

# Nearly no text holds any of them, so that one look at all spares a look at each.
ANY_WORD = whole_words([rule["word"] for rule in RULES["words"]])


def in_words(name: str) -> str:
    """`ChangeMarker` and `change_marker` as "change marker"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ")


def may_hold_a_word(source: str) -> bool:
    """A look at all of a module spares most of them that they are taken apart."""
    joined = re.sub(r'"\s+f?"', "", source.replace("\\n", " "))
    return ANY_WORD.search(in_words(joined)) is not None


def iterate_python_texts(source: str) -> Iterator[tuple[int, str, str]]:
    """(line, "names" or "prose", text) of every identifier, comment, docstring, text to translate and log event."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], "names", in_words(token.string)
        elif token.type == tokenize.COMMENT:
            yield token.start[0], "prose", token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, HAVE_DOCSTRINGS) and (text := ast.get_docstring(node, clean=False)):
            first = node.body[0].lineno
            yield from ((first + at, "prose", line) for at, line in enumerate(text.split("\n")))
        elif isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            for part in node.args if called in TRANSLATED | LOGGED else []:
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.lineno, "prose", in_words(part.value)


def texts(path: str) -> Iterator[tuple[int, str, str]]:
    yield 0, "names", in_words(path.rpartition("/")[2].partition(".")[0])
    content = (ROOT / path).read_text(encoding="utf-8")
    suffix = Path(path).suffix
    if suffix == ".py" and may_hold_a_word(content):
        yield from iterate_python_texts(content)
    elif suffix in COMMENTED:
        for at, line in enumerate(content.split("\n"), 1):
            yield from ((at, "prose", comment) for comment in COMMENTED[suffix].findall(line))
    elif suffix == ".po":
        yield from ((at, "prose", line) for at, line in enumerate(content.split("\n"), 1) if line[:1] != "#")
    elif suffix != ".py":
        yield from ((at, "prose", line) for at, line in enumerate(content.split("\n"), 1))


@cache
def findings(path: str) -> tuple[str, ...]:
    return tuple(finding for _, finding in findings_by_word(path))


@cache
def findings_by_word(path: str) -> tuple[tuple[str, str], ...]:
    """(the word's pattern as written in the rules, where it was found)."""
    return tuple(
        (rule["word"], f"{path}:{line}: {match[0]}")
        for line, kind, text in texts(path)
        if ANY_WORD.search(text)
        for rule, (word, where, allowed) in zip(RULES["words"], WORDS, strict=True)
        if where in (kind, "both")
        for match in word.finditer(allowed.sub(" ", text) if allowed else text)
    )


def tracked_files(folders: list[str]) -> list[str]:
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True)
    return [path for path in listed.stdout.splitlines() if (ROOT / path).exists()]


@cache
def checked_files() -> tuple[str, ...]:
    return tuple(
        path
        for path in tracked_files(RULES["checked"])
        if Path(path).suffix in PROSE | {".py", ".po", *COMMENTED}
        and "/migrations/" not in path
        and not path.startswith(tuple(f"{entry}/" for entry in RULES["exempt"]))
    )


def test_no_banned_word_in_the_product() -> None:
    hits = [finding for path in checked_files() for finding in findings(path)]

    assert not hits, "tests/banned_words.toml says what to write instead:\n" + "\n".join(hits)


def test_tests_use_standard_words_as_far_as_they_are_converted() -> None:
    paths = [path for path in tracked_files(["tests"]) if Path(path).suffix in {".py", ".md"}]
    hits = [hit for path in paths for hit in findings_by_word(path)]

    wrong = [place for word, place in hits if word not in RULES["not_yet_in_tests"]]

    assert not wrong, "tests/banned_words.toml says what to write instead:\n" + "\n".join(wrong)
    assert {word for word, _ in hits} >= set(RULES["not_yet_in_tests"]), "shorten not_yet_in_tests"


# What stands behind a name that is bound: most modules have none of these names there, and need not be taken apart.
BOUND = re.compile(rf"\b(?:{'|'.join(RULES['variables'])})\b\s*(?:[-+*/|&^%@<>:]*=|[:,)\]#\\]|in\b)")


def iterate_variables(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)) if BOUND.search(source) else ():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


TAG = re.compile(r"\{\{.*?\}\}|\{%(?! *(?:end)?comment).*?%\}", re.DOTALL)
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
# Not an attribute, nor the name that `with` gives it.
VARIABLE = re.compile(rf"(?<![\w.-])(?:{'|'.join(RULES['variables'])})(?![\w=-])")


def test_template_variables_are_named_after_what_they_hold() -> None:
    named = [
        f"{path}: {tag}"
        for path in tracked_files(["templates"])
        for tag in TAG.findall((ROOT / path).read_text(encoding="utf-8"))
        if VARIABLE.search(QUOTED.sub("", tag))
    ]

    assert not named, "\n".join(named)


def test_variables_are_named_after_what_they_hold() -> None:
    paths = [path for path in tracked_files([*RULES["checked"], "tests"]) if path.endswith(".py")]
    named = [
        f"{path}:{line}: {name}"
        for path in paths
        if "/migrations/" not in path
        for line, name in iterate_variables((ROOT / path).read_text(encoding="utf-8"))
        if name in RULES["variables"]
    ]

    assert len(paths) > 1_000
    assert not named, "\n".join(named)


def test_names_are_read_word_by_word() -> None:
    source = "class LogPage:\n    '''Entries.'''\n    next_page = 1  # a place\nlog.info('page_read')\n"

    assert [(line, text) for line, _, text in iterate_python_texts(source)] == [
        (1, "class"),
        (1, "Log Page"),
        (3, "next page"),
        (3, "# a place"),
        (4, "log"),
        (4, "info"),
        (2, "Entries."),
        (4, "page read"),
    ]
