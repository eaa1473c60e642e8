"""Pages of a knowledge base, in a browser."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.support.api_client import Tenant


def open_base(page: Page, tenant: Tenant, base: str, query: str = "") -> None:
    page.goto(f"/p/{tenant.project_id}/knowledge/{base}/{query}")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


def choose(page: Page, **files: bytes) -> None:
    chosen = [
        {"name": name.replace("__", "."), "mimeType": "application/octet-stream", "buffer": content}
        for name, content in files.items()
    ]
    page.locator("#files-to-upload").set_input_files(chosen)  # type: ignore[arg-type]


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))
