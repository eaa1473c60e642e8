"""Which documents of the folder `docs` users and operators read, and each of them as HTML."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.html import escape, format_html
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from console.ui.texts.highlight import highlight_code

CONTENTS_DEPTH = {"h2", "h3"}
# A document with more headings than this lists only the upper ones, or the list is longer than the page is high.
MOST_LISTED = 40


@dataclass(frozen=True, slots=True)
class DocsPage:
    """One document: its file in `docs` without `.md`, its place in addresses, what it is about."""

    file: str
    slug: str
    title: str
    summary: str


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    documents: tuple[DocsPage, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of the table of contents. `level` is 2 or 3."""

    level: int
    anchor: str
    title: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """A document as HTML, in which only our renderer wrote elements, and its table of contents."""

    body: str
    contents: tuple[Heading, ...]


# `/docs/api/` is the reference of all operations, so the guide of the API has another slug than its file.
SECTIONS = (
    Section(
        "Build",
        (
            DocsPage("api", "rest-api", "The API", "Every endpoint, with examples that run."),
            DocsPage(
                "clients",
                "clients",
                "Clients",
                "Packages for Python and TypeScript: methods, retries, errors.",
            ),
            DocsPage(
                "adapters",
                "adapters",
                "Adapters",
                "Memory for LangGraph, Anthropic's memory tool, OpenAI Agents SDK, Pydantic AI, LlamaIndex, CrewAI, "
                "Vercel AI SDK.",
            ),
            DocsPage("cli", "cli", "Command line", "Work from a terminal, or connect a coding agent."),
            DocsPage("mcp", "mcp", "MCP", "Connect an assistant such as Claude or Cursor."),
            DocsPage(
                "openai",
                "openai",
                "OpenAI-compatible chat",
                "For programs that speak OpenAI's chat completions.",
            ),
            DocsPage("mem0", "mem0", "mem0", "Point a client of mem0 at Engram."),
        ),
    ),
    Section(
        "Move here",
        (
            DocsPage(
                "coming-from/index",
                "coming-from",
                "Coming from another memory",
                "The smallest change for each, and what to read.",
            ),
            DocsPage(
                "coming-from/mem0",
                "from-mem0",
                "From mem0",
                "Change the host, copy memories, and what maps to what.",
            ),
            DocsPage(
                "coming-from/zep",
                "from-zep",
                "From Zep",
                "Two calls to replace, and what maps to what.",
            ),
            DocsPage(
                "coming-from/letta",
                "from-letta",
                "From Letta",
                "Two tools to replace, and what maps to what.",
            ),
            DocsPage(
                "coming-from/memos",
                "from-memos",
                "From MemOS",
                "Change the base URL, and what maps to what.",
            ),
        ),
    ),
    Section(
        "Reference",
        (
            DocsPage(
                "console-api", "console-api", "The console API", "Keys, usage and request logs for programs."
            ),
            DocsPage("limits", "limits", "Limits", "Plans, quotas, and what a call costs."),
            DocsPage("errors", "errors", "Errors", "Every code, and what to do about it."),
            DocsPage("limitations", "limitations", "Limitations", "What Engram cannot do yet."),
            DocsPage("glossary", "glossary", "Glossary", "The terms of the pages and of these documents."),
        ),
    ),
    Section(
        "Operate",
        (
            DocsPage("configuration", "configuration", "Configuration", "Every environment variable."),
            DocsPage(
                "operating", "operating", "Operating", "Data folder, database roles, backups, logs, health."
            ),
            DocsPage(
                "security",
                "security",
                "People, keys and the audit log",
                "Roles, sign-in, keys, and who changed what.",
            ),
        ),
    ),
)
DOCUMENTS = {document.slug: document for section in SECTIONS for document in section.documents}
BY_FILE = {document.file: document for document in DOCUMENTS.values()}


class _Renderer(RendererHTML):
    """Headings with anchors, links between documents as addresses, code in colours."""

    def heading_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return f'<{tokens[at].tag} id="{escape(tokens[at].meta["anchor"])}">'

    def table_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return '<div class="prose-table" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return '<th scope="col">'

    def td_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return "<td>"

    def link_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        address = resolve_link(str(tokens[at].attrs.get("href", "")), env["folder"])
        return str(format_html('<a href="{}">', address)) if address else "<a>"

    def image(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return str(escape(self.renderInlineAsText(tokens[at].children or [], options, env)))

    def fence(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        words = tokens[at].info.split()
        return _render_code(at, highlight_code(tokens[at].content, words[0] if words else ""))

    def code_block(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return _render_code(at, escape(tokens[at].content))


_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_renderer = _Renderer()


def _render_code(at: int, html: str) -> str:
    """A block with a button to copy it, in the documents' language whatever the reader's is."""
    with translation.override("en"):
        button = render_to_string("console/ui/code/copy.html", {"for": f"code-{at}"})
    return f'<div class="docs-code">{button}<pre class="code-block" id="code-{at}" tabindex="0">{html}</pre></div>\n'


def resolve_link(link: str, folder: str = "") -> str:
    """Return where a link of a document in this folder of `docs` leads: another document, a place on the page, another
    site.

    Empty for what is not published, such as documents for contributors.
    """
    parts = urlsplit(link)
    if parts.scheme or link.startswith(("#", "/")):
        return link
    path = posixpath.normpath(posixpath.join(folder, parts.path))
    if path in {"../README.md", "index.md"}:
        return reverse("console:docs")
    document = BY_FILE.get(path.removesuffix(".md"))
    if document is None:
        return ""
    return reverse("console:document", args=[document.slug]) + (
        f"#{parts.fragment}" if parts.fragment else ""
    )


def read_document_text(document: DocsPage) -> str:
    """The Markdown of a document."""
    return (settings.BASE_DIR / "docs" / f"{document.file}.md").read_text()


@cache
def render_document(slug: str) -> Rendered:
    """A document without its first heading, which is the page's. Documents do not change while a process runs."""
    tokens = _markdown.parse(read_document_text(DOCUMENTS[slug]))
    if tokens and tokens[0].tag == "h1":
        tokens = tokens[3:]
    headings = _number_headings(tokens)
    contents = [heading for heading in headings if f"h{heading.level}" in CONTENTS_DEPTH]
    if len(contents) > MOST_LISTED:
        contents = [heading for heading in contents if heading.level == 2]
    env: MutableMapping[str, Any] = {"folder": posixpath.dirname(DOCUMENTS[slug].file)}
    body = _renderer.render(tokens, _markdown.options, env)
    return Rendered(str(body), tuple(contents))


def _number_headings(tokens: Sequence[Token]) -> list[Heading]:
    """Give each heading its anchor, the same as code hosts give it."""
    headings: list[Heading] = []
    seen: dict[str, int] = {}
    for at, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        title = tokens[at + 1]
        anchor = re.sub(r"[^\w -]", "", title.content.lower()).replace(" ", "-")
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        token.meta["anchor"] = f"{anchor}-{count}" if count else anchor
        plain = _renderer.renderInlineAsText(title.children or [], _markdown.options, {})
        headings.append(Heading(int(token.tag[1]), token.meta["anchor"], plain))
    return headings


def describe_documents(addresses: Mapping[str, str], reference: str, openapi: str) -> str:
    """`llms.txt` as llmstxt.org describes it. `addresses` are those of the documents' Markdown by slug."""
    lines = [
        "# Engram",
        "",
        "> Long-term memory for AI applications: a REST API, MCP, and a browser console.",
        "",
    ]
    for section in SECTIONS:
        lines += [f"## {section.title}", ""]
        lines += [
            f"- [{document.title}]({addresses[document.slug]}): {document.summary}"
            for document in section.documents
        ]
        lines.append("")
    lines += [
        "## API description",
        "",
        f"- [API reference]({reference}): every operation, to read and to try.",
    ]
    lines += [f"- [OpenAPI file]({openapi}): the same for machines.", ""]
    return "\n".join(lines)
