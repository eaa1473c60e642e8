"""Render Markdown of strangers as safe HTML: known elements only, and HTML in it is shown as text.

Pictures of other places become links, so that nobody learns who reads; links say that they are a stranger's.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from django.utils.html import escape, format_html
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from console.ui.texts.highlight import LONGEST, highlight_code

SCHEMES = {"http", "https", "mailto"}
# What has more is shown as it is: reading hostile texts takes time with the square of it.
LONGEST_TEXT, MOST_BRACKETS = 50_000, 2_000
# A row may have few letters and hundreds of cells, each of which is an element.
MOST_CELLS = 20_000
REL = "noopener noreferrer nofollow ugc"
# The page has its own first heading.
_LOWER = {f"h{level}": f"h{min(6, level + 1)}" for level in range(1, 7)}
_ALIGNED = {"text-align:left": "left", "text-align:center": "center", "text-align:right": "right"}
Environment = MutableMapping[str, Any]


class _Renderer(RendererHTML):
    """Elements get no attribute that the text chose, but for the number at which a list begins."""

    @staticmethod
    def renderAttrs(token: Token) -> str:
        return (
            f' start="{int(token.attrs["start"])}"' if "start" in token.attrs else _get_alignment_class(token)
        )

    def heading_open(self, tokens: Sequence[Token], at: int, options: Any, env: Environment) -> str:
        return f"<{_LOWER[tokens[at].tag]}>"

    def heading_close(self, tokens: Sequence[Token], at: int, options: Any, env: Environment) -> str:
        return f"</{_LOWER[tokens[at].tag]}>\n"

    def table_open(self, tokens: Sequence[Token], at: int, options: Any, env: Environment) -> str:
        return '<div class="prose-table" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], at: int, options: Any, env: Environment) -> str:
        return "</table></div>\n"

    def link_open(self, tokens: Sequence[Token], at: int, options: Any, env: Environment) -> str:
        address = str(tokens[at].attrs.get("href", ""))
        inside = env["files"].get(_resolve_path(env["folder"], address))
        if inside:
            return str(format_html('<a href="{}">', inside))
        if urlsplit(address).scheme in SCHEMES:
            return str(format_html('<a href="{}" rel="{}" target="_blank">', address, REL))
        return '<a class="dead-link">'

    def image(self, tokens: Sequence[Token], at: int, options: Any, env: Environment) -> str:
        token = tokens[at]
        alt = self.renderInlineAsText(token.children or [], options, env)
        address = str(token.attrs.get("src", ""))
        inside = env["pictures"].get(_resolve_path(env["folder"], address))
        if inside:
            return str(format_html('<img src="{}" alt="{}" loading="lazy">', inside, alt))
        alt = alt or _("Picture")
        if urlsplit(address).scheme in {"http", "https"}:
            return str(format_html('<a href="{}" rel="{}" target="_blank">{}</a>', address, REL, alt))
        return str(escape(alt))

    def fence(self, tokens: Sequence[Token], at: int, options: Any, env: Environment) -> str:
        token = tokens[at]
        words = token.info.split()
        env["to_colour"] -= len(token.content)
        language = words[0] if words and env["to_colour"] >= 0 else ""
        return f'<pre class="code-block" tabindex="0">{highlight_code(token.content, language)}</pre>\n'

    def code_block(self, tokens: Sequence[Token], at: int, options: Any, env: Environment) -> str:
        return f'<pre class="code-block" tabindex="0">{escape(tokens[at].content)}</pre>\n'


def _get_alignment_class(token: Token) -> str:
    side = _ALIGNED.get(str(token.attrs.get("style", "")))
    return f' class="align-{side}"' if side else ""


def _resolve_path(folder: str, address: str) -> str:
    """The file that a relative address names, seen from the folder of the text."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc or not parts.path or parts.path.startswith("/"):
        return ""
    return posixpath.normpath(posixpath.join(folder, unquote(parts.path)))


_markdown = MarkdownIt(
    "commonmark",
    {"html": False, "linkify": False, "typographer": False, "maxNesting": 20},
    renderer_cls=_Renderer,
).enable(["table", "strikethrough"])


def _count_cells(text: str) -> int:
    """As many as its tables can have, at most."""
    rulers = (line.count("|") for line in text.splitlines() if "-" in line and set(line) <= set("|-: \t>"))
    widest = max(rulers, default=0)
    return (widest + 1) * (text.count("\n") + 1) if widest else 0


def render_markdown(
    text: str,
    path: str = "",
    files: Mapping[str, str] | None = None,
    pictures: Mapping[str, str] | None = None,
) -> str:
    """HTML that holds nothing of the text but words. `files` and `pictures` are addresses by path, for relative links
    of the text at `path`."""
    places = {"files": files or {}, "pictures": pictures or {}, "folder": posixpath.dirname(path)}
    if len(text) > LONGEST_TEXT or text.count("[") > MOST_BRACKETS or _count_cells(text) > MOST_CELLS:
        return f'<pre class="code-block" tabindex="0">{escape(text)}</pre>'
    env = {**places, "to_colour": LONGEST}
    return str(_markdown.render(text, env))
