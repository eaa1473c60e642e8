"""The documentation under /docs/, the list for language models, and addresses of the MemOS dashboard."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import product
from urllib.parse import urljoin, urlsplit

import pytest
from django.conf import settings
from django.urls import reverse

from console.pages.help.docs.documents import BY_FILE, DOCUMENTS, DocsPage, render_document, resolve_link
from tests.support.accounts.people import browser, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.project import PROJECT_ROOT

# For those who work on the code, and the list that the page /docs/ replaces.
UNPUBLISHED = {"architecture", "contributing", "index"}
HREF = re.compile(r'<a href="([^"]*)"')
ANCHOR = re.compile(r' id="([^"]+)"')


def test_every_document_is_published_or_for_contributors() -> None:
    files = {str(path.relative_to(PROJECT_ROOT / "docs")) for path in PROJECT_ROOT.glob("docs/**/*.md")}

    assert files == {f"{name}.md" for name in (*BY_FILE, *UNPUBLISHED)}


@pytest.mark.parametrize("slug", DOCUMENTS)
def test_a_document_is_a_page_whose_links_lead_somewhere(slug: str) -> None:
    answer = browser().get(f"/docs/{slug}/")

    page = answer.content.decode()
    assert answer.status_code == 200
    assert page.count("<h1") == 1
    contents = [heading.anchor for heading in render_document(slug).contents]
    assert set(contents) <= set(ANCHOR.findall(page))
    assert list(dead_links(slug)) == []


def dead_links(slug: str) -> Iterator[str]:
    for link in HREF.findall(render_document(slug).body):
        parts = urlsplit(link)
        if parts.scheme or parts.path == reverse("console:docs"):
            continue
        other = parts.path.removeprefix("/docs/").strip("/") or slug
        body = render_document(other).body if other in DOCUMENTS else ""
        if not body or (parts.fragment and parts.fragment not in ANCHOR.findall(body)):
            yield link


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("limits.md", "/docs/limits/"),
        ("api.md#chat", "/docs/rest-api/#chat"),
        ("./errors.md", "/docs/errors/"),
        ("../README.md", "/docs/"),
        ("index.md", "/docs/"),
        ("#here", "#here"),
        ("https://example.com/a.md", "https://example.com/a.md"),
        ("contributing.md", ""),
        ("../CHANGELOG.md", ""),
        ("../benchmarks/limits.md", ""),
    ],
)
def test_links_of_documents_lead_to_pages(link: str, address: str) -> None:
    assert resolve_link(link) == address


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("zep.md", "/docs/from-zep/"),
        ("../mem0.md#filters", "/docs/mem0/#filters"),
        ("index.md", "/docs/coming-from/"),
        ("../../README.md", "/docs/"),
        ("../index.md", "/docs/"),
        ("mem0.md", "/docs/from-mem0/"),
        ("../contributing.md", ""),
        ("../../CHANGELOG.md", ""),
        ("../../limits.md", ""),
    ],
)
def test_links_of_documents_in_a_folder_are_read_from_there(link: str, address: str) -> None:
    assert resolve_link(link, "coming-from") == address


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=lambda document: document.slug)
def test_links_of_a_documents_markdown_lead_to_markdown(document: DocsPage) -> None:
    place = reverse("console:document_text", args=[document.file])
    text = browser().get(place).content.decode()

    for link in re.findall(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)", text):
        is_published = resolve_link(link, posixpath.dirname(document.file)) not in {
            "",
            reverse("console:docs"),
        }
        if "://" not in link and is_published:
            assert browser().get(urljoin(place, link)).status_code == 200, link


@pytest.mark.parametrize(
    "path", ["architecture/", "contributing/", "nothing/", "contributing.md", "x.md", "coming-from/x.md"]
)
def test_what_is_not_published_is_not_found(path: str) -> None:
    assert browser().get(f"/docs/{path}").status_code == 404


def test_the_list_for_language_models_names_every_document_by_its_whole_address() -> None:
    answer = browser().get("/llms.txt")

    links = re.findall(r"\]\(([^)]+)\)", answer.content.decode())
    assert answer["content-type"] == "text/plain; charset=utf-8"
    assert len(links) == len(DOCUMENTS) + 2
    for link in links:
        assert link.startswith(settings.PUBLIC_URL)
        assert browser().get(urlsplit(link).path).status_code == 200


def test_pages_lead_to_the_documentation(tenant: Tenant) -> None:
    owner = sign_in_owner(tenant)
    for client, path in [
        (browser(), "/"),
        (browser(), "/accounts/login/"),
        (owner, f"/p/{tenant.project_id}/logs/"),
    ]:
        assert 'href="/docs/"' in client.get(path).content.decode(), path


PAGES = {
    "quickstart": "quickstart",
    "apikeys": "api_keys",
    "memoryList": "memories",
    "projects": "projects",
}


def test_addresses_of_the_dashboard_lead_to_the_current_project(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)

    for (old, page), before, after in product(PAGES.items(), ("", "en/", "cn/"), ("", "/")):
        answer = client.get(f"/{before}{old}{after}")
        of = tenant.project.account_id if page == "projects" else tenant.project_id
        assert answer.status_code == 302
        assert answer["location"] == reverse(f"console:{page}", args=[of])
