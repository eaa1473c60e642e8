"""Highlight code of strangers: only in languages whose lexers take linear time, and up to a length."""

from __future__ import annotations

from pathlib import PurePosixPath

from django.utils.html import escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

# Pygments reads some hostile texts a hundred times slower than honest ones; YAML in square time.
LONGEST = 12_000
LANGUAGES = {
    "bash": "bash",
    "sh": "bash",
    "shell": "bash",
    "python": "python",
    "py": "python",
    "json": "json",
    "sql": "sql",
    "javascript": "javascript",
    "js": "javascript",
    "typescript": "typescript",
    "ts": "typescript",
    "go": "go",
    "toml": "toml",
    "css": "css",
}
_formatter = HtmlFormatter(nowrap=True)


def highlight_code(text: str, language: str) -> str:
    """HTML; what is long or of another language stays plain."""
    known = LANGUAGES.get(language.lower())
    if known is None or len(text) > LONGEST:
        return str(escape(text))
    return str(highlight(text, get_lexer_by_name(known, stripnl=False), _formatter))


def get_code_language(path: str) -> str:
    return PurePosixPath(path.lower()).suffix.removeprefix(".")
