"""Code snippets to copy: the same request in each language, with this installation's URL."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

API_PATH = "/api/openmem/v1"
SKILLS_PATH = "/api/v1"
# Stands where the key goes; the page puts the once-shown key into its place.
KEY_SLOT = "YOUR_API_KEY"
LANGUAGES = (
    ("curl", "curl", "bash"),
    ("python", "Python", "python"),
    ("typescript", "TypeScript", "typescript"),
    ("cli", _("Command line"), "bash"),
    ("mcp", "MCP", "bash"),
    ("requests", "Python (requests)", "python"),
)


# Agents that read memories over MCP: each with its own way to be given a server, and any agent by a text.
AGENTS = (
    ("claude", "Claude Code", "bash"),
    ("cursor", "Cursor", "json"),
    ("codex", "Codex", "toml"),
    ("vscode", "VS Code", "json"),
    ("gemini", "Gemini CLI", "json"),
    ("other", _("Other agents"), "bash"),
    ("prompt", _("Agent prompt"), "text"),
)


# What the first calls say, in the reader's language. Nothing that ends a string of JSON, Python or a shell is in them.
SAMPLE = {
    "said": _("I moved to Shanghai in June. I like window seats."),
    "answered": _("Noted. Enjoy Shanghai!"),
    "asked": _("Where does the user live, and which seat to book?"),
    "to_remember": _("Remember that I moved to Shanghai in June."),
    "asked_by_user": _("Where do I live, and which seat shall I book?"),
}


@dataclass(frozen=True, slots=True)
class Snippet:
    """One tab: its name, its title, the language to colour it in, and the code."""

    name: str
    title: str | Promise
    language: str
    text: str


def get_api_base() -> str:
    return f"{settings.PUBLIC_URL.rstrip('/')}{API_PATH}"


def list_snippets(call: str) -> list[Snippet]:
    """The tabs of a call, "add" or "search"."""
    return [
        Snippet(name, title, language, render_snippet(f"{call}/{name}"))
        for name, title, language in LANGUAGES
    ]


def list_agent_snippets() -> list[Snippet]:
    """The tabs of agents that are connected without code, and the text that lets one write the code."""
    return [
        Snippet(name, title, language, render_snippet(f"agent/{name}")) for name, title, language in AGENTS
    ]


def render_snippet(name: str, **more: str) -> str:
    url = settings.PUBLIC_URL.rstrip("/")
    values = {
        "url": url,
        "base_url": get_api_base(),
        "skills_url": f"{url}{SKILLS_PATH}",
        "key": KEY_SLOT,
        "sample": SAMPLE,
        **more,
    }
    return render_to_string(f"console/snippets/{name}.txt", values).strip()
