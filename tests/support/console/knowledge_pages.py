"""Pages of a knowledge base, in a browser."""

from __future__ import annotations

import base64

from playwright.sync_api import Locator, Page, expect

from tests.support.api_client import Tenant

MEGABYTE = 1024 * 1024
# Files as a browser holds them when they are dropped; sizes are true, contents are given.
DROP = """(zone, files) => {
  const transfer = new DataTransfer();
  for (const { name, content, size } of files) {
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    transfer.items.add(new File(size ? [new ArrayBuffer(size)] : [bytes], name));
  }
  for (const type of ["dragenter", "dragover", "drop"]) {
    zone.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }));
  }
}"""


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


def locate_upload(page: Page, name: str) -> Locator:
    return page.get_by_role("list", name="Uploads").get_by_role("listitem").filter(has_text=name)


def drop(page: Page, *files: tuple[str, bytes | int]) -> None:
    """Each with its name and its content, or with a size in bytes where the content does not matter."""
    given = [
        {"name": name, "content": "", "size": content}
        if isinstance(content, int)
        else {"name": name, "content": base64.b64encode(content).decode()}
        for name, content in files
    ]
    page.locator("drop-zone").evaluate(DROP, given)
