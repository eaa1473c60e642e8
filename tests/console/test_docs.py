"""What the documentation says is so: examples run, pages made from code are current, links lead somewhere."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import httpx
import pytest

from tenancy.errors import list_errors
from tests.support.api_client import Tenant
from tests.support.project import PROJECT_ROOT

PAGES = sorted(
    [
        *PROJECT_ROOT.glob("*.md"),
        PROJECT_ROOT / "benchmarks" / "README.md",
        *PROJECT_ROOT.glob("docs/**/*.md"),
    ]
)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
ANCHOR = re.compile(r"\]\(([^)#\s]*)#([^)]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
# A file or, with a slash at its end, a folder: what has neither is an address of the API.
NAMED = re.compile(
    r"""
    `(
        (?:
            benchmarks | cli | clients | console | docs | knowledgebase | memories | skills | static
            | templates | tenancy | tests
        )/(?:[\w./-]*\.\w+|[\w./-]*/|)
    )`
    """,
    re.VERBOSE,
)
NAMED_ALONE = re.compile(r"`((?:\w+/)?\w+\.(?:py|html|toml))`")
APPS = ("console", "knowledgebase", "memories", "skills", "tenancy")


@dataclass(frozen=True)
class Example:
    """One command line of a page, and the answer that the page shows after it, if it does."""

    words: list[str]
    shown: Any

    @property
    def address(self) -> str:
        return self.words[1]

    def option(self, name: str) -> list[str]:
        return [value for word, value in zip(self.words, self.words[1:], strict=False) if word == name]


def examples(page: Path) -> Iterator[Example]:
    blocks = BLOCK.findall(page.read_text())
    for (kind, text), (next_kind, next_text) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind == "sh" and text.startswith("curl "):
            yield Example(shlex.split(text), json.loads(next_text) if next_kind == "json" else None)


def send(example: Example, tenant: Tenant, known: dict[str, str]) -> httpx.Response:
    """What curl would do: GET without a body, POST with one."""
    bases = {
        "$ENGRAM_API": f"{tenant.url}/api/openmem/v1",
        "$ENGRAM_SKILLS_API": f"{tenant.url}/api/v1",
        "$ENGRAM_CONSOLE_API": f"{tenant.url}/api/console/v1",
    }
    variables = {**bases, "$ENGRAM_KEY": tenant.key, **known}

    def filled(text: str) -> str:
        for name, value in variables.items():
            text = text.replace(name, value)
        return text

    headers = dict(filled(header).split(": ", 1) for header in example.option("-H"))
    body = "".join(map(filled, example.option("-d")))
    method = "POST" if body else "GET"
    address = filled(example.address)
    return httpx.request(
        method, address, headers=headers, content=body, timeout=120, trust_env=False, verify=False
    )


def admin_key(tenant: Tenant) -> str:
    from tenancy.keys.keys import create_key
    from tenancy.keys.scopes import ADMINISTRATION_SCOPES

    return create_key(tenant.project, "admin", scopes=("all", *ADMINISTRATION_SCOPES)).plaintext


def shows(shown: Any, real: Any) -> bool:
    """Return whether the answer holds what the page shows; `…` stands for anything."""
    if shown == "…":
        return real is not None
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(
            name in real and shows(part, real[name]) for name, part in shown.items()
        )
    if isinstance(shown, list):
        return isinstance(real, list) and len(shown) == len(real) and all(map(shows, shown, real))
    if isinstance(shown, str) and "…" in shown:
        return isinstance(real, str) and fnmatchcase(real, shown.replace("[", "[[]").replace("…", "*"))
    return bool(shown == real)


@pytest.mark.parametrize("page", ["README.md", "docs/api.md", "docs/console-api.md"])
def test_the_examples_of_a_page_answer_as_it_shows(page: str, tenant: Tenant) -> None:
    page_examples = list(examples(PROJECT_ROOT / page))
    assert page_examples

    known: dict[str, str] = {"$ENGRAM_ADMIN_KEY": admin_key(tenant)}
    for example in page_examples:
        answer = send(example, tenant, known)
        body = answer.json()
        if isinstance(body.get("data"), dict) and "task_id" in body["data"]:
            known["TASK_ID"] = body["data"]["task_id"]
        if isinstance(body.get("data"), list) and body["data"]:
            known["FILE_ID"] = body["data"][0].get("id", "")
        if isinstance(body.get("data"), dict) and str(body["data"].get("id")).startswith("base"):
            known["BASE_ID"] = body["data"]["id"]
        if isinstance(body.get("data"), dict) and "profile_template_id" in body["data"]:
            known["TEMPLATE_ID"] = body["data"]["profile_template_id"]
        if isinstance(body.get("data"), dict) and body["data"].get("memory_detail_list"):
            known["MEMORY_ID"] = body["data"]["memory_detail_list"][0].get("id", "")
        shown = {"code": 0} if example.shown is None else example.shown
        assert shows(shown, body), f"{page}: {example.address}\n{answer.status_code} {answer.text}"


def test_the_page_of_errors_is_the_catalogue() -> None:
    from console.management.commands.error_catalogue import as_markdown

    assert (PROJECT_ROOT / "docs/errors.md").read_text() == as_markdown()


def test_the_page_of_errors_says_which_codes_nothing_sends() -> None:
    catalogue = PROJECT_ROOT / "tenancy/errors.py"
    sources = (source for app in APPS for source in (PROJECT_ROOT / app).rglob("*.py") if source != catalogue)
    words = {word for source in sources for word in re.findall(r"\w+", source.read_text())}

    for entry in list_errors():
        raised = {error.__name__ for error in (entry, *entry.__subclasses__())} & words
        assert bool(raised) == entry.is_sent, entry.__name__


def test_every_configured_variable_is_documented() -> None:
    read = re.compile(r"\b_?(?:read_\w+|flag)\(\s*\"([A-Z][A-Z_]+)\"")
    sources = (PROJECT_ROOT / "console").rglob("*.py")
    variables = {name for source in sources for name in read.findall(source.read_text())}

    page = (PROJECT_ROOT / "docs/configuration.md").read_text()
    unsaid = {name for name in variables if f"`{name}`" not in page}

    assert unsaid == {"DATABASE_POOLED"}  # set by `make run` for the web process; nobody else needs it


def test_paths_that_the_code_names_are_there() -> None:
    places = ("console", "tenancy", "memories", "knowledgebase", "skills", "benchmarks", "tests")
    path = re.compile(rf"`((?:{'|'.join(places)}|docs|static|templates)/[\w./-]+)`")
    sources = [source for place in places for source in (PROJECT_ROOT / place).rglob("*.py")]
    named = {(source.name, name) for source in sources for name in path.findall(source.read_text())}
    # What a run of a measurement writes is no part of the project.
    kept = {(source, name) for source, name in named if "/results/local-" not in name}

    assert {(source, name) for source, name in kept if not (PROJECT_ROOT / name).exists()} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT_ROOT)))
def test_links_lead_to_files_that_are_there(page: Path) -> None:
    targets = [link for link in LINK.findall(page.read_text()) if "://" not in link]

    assert [link for link in targets if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT_ROOT)))
def test_links_lead_to_headings_that_are_there(page: Path) -> None:
    def anchors(name: str) -> set[str]:
        headings = HEADING.findall(((page.parent / name) if name else page).read_text())
        return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}

    links = [link for link in ANCHOR.findall(page.read_text()) if "://" not in link[0]]

    assert [link for link in links if link[1] not in anchors(link[0])] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT_ROOT)))
def test_files_that_a_page_names_are_there(page: Path) -> None:
    named = NAMED.findall(page.read_text())

    assert named or page.name not in {"architecture.md", "contributing.md"}
    if page.name != "CHANGELOG.md":  # earlier releases had other files
        assert [path for path in named if not (PROJECT_ROOT / path).exists()] == []


@pytest.mark.parametrize("page", ["docs/architecture.md", "docs/contributing.md"])
def test_modules_that_a_page_names_by_their_last_names_are_there(page: str) -> None:
    below = [path for folder in (*APPS, "tests") for path in (PROJECT_ROOT / folder).rglob("*.*")]
    files = [f"/{path.relative_to(PROJECT_ROOT)}" for path in [*below, *PROJECT_ROOT.glob("*.toml")]]
    named = set(NAMED_ALONE.findall((PROJECT_ROOT / page).read_text()))

    assert named
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == []
