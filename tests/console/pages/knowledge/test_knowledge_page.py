"""A team keeps its documents in a knowledge base, in the browser."""

from __future__ import annotations

import re
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, expect

from tests.support.api_client import Api, Tenant
from tests.support.console.browser import new_profile, sign_in
from tests.support.console.knowledge_pages import MEGABYTE, choose, locate_upload, open_base, row
from tests.support.documents.small_files import docx_file, docx_with_ballast, locked_pdf, pdf
from tests.support.knowledge.knowledge import filled_base, new_base

POLICY = pdf(
    [
        [(18, "Travel Policy"), (11, "Economy class is booked for flights below six hours.")],
        [(14, "Hotels"), (11, "A hotel costs at most 900 CNY a night.")],
    ]
)


def test_a_base_is_created_and_shown_with_what_it_holds(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto(f"/p/{tenant.project_id}/knowledge/")
    expect(signed_in.get_by_text("POST /create/knowledgebase")).to_be_visible()

    signed_in.get_by_role("link", name="Create new").click()
    signed_in.get_by_role("dialog").get_by_label("Name").fill("Company policies")
    signed_in.get_by_role("dialog").get_by_role("button", name="Create knowledge base").click()

    expect(signed_in.get_by_role("heading", name="Company policies")).to_be_visible()
    expect(signed_in.get_by_text("No document yet")).to_be_visible()
    signed_in.locator(".crumb").click()
    expect(row(signed_in, "Company policies")).to_contain_text("of")


def test_a_chosen_file_shows_its_text_by_page_beside_its_memories(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    base = new_base(api)
    open_base(signed_in, tenant, base)

    choose(signed_in, travel__pdf=POLICY)
    expect(row(signed_in, "travel.pdf")).to_contain_text("Completed")
    row(signed_in, "travel.pdf").get_by_role("link", name="travel.pdf", exact=True).click()

    expect(signed_in.get_by_role("heading", name="Page 2")).to_be_visible()
    expect(signed_in.locator(".fragment").last).to_contain_text("A hotel costs at most 900 CNY a night.")
    signed_in.locator(".memory-card").last.get_by_role("link").click()
    expect(signed_in.locator("#drawer")).to_contain_text("900 CNY")
    expect(signed_in.locator("#drawer").get_by_role("link", name="travel.pdf")).to_be_visible()


def test_a_failed_file_says_why_and_what_to_do_and_is_tried_again(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    base = new_base(api)
    open_base(signed_in, tenant, base)

    choose(signed_in, secret__pdf=locked_pdf())

    failed = row(signed_in, "secret.pdf")
    expect(failed).to_contain_text("Failed")
    expect(failed).to_contain_text("50107")
    expect(failed).to_contain_text("encrypted")
    expect(failed).to_contain_text("without a password")
    failed.get_by_role("link", name="Delete secret.pdf").click()
    dialog = signed_in.get_by_role("dialog")
    expect(dialog.get_by_text("The file is removed immediately and cannot be restored.")).to_be_visible()
    dialog.get_by_role("link", name="Cancel").click()
    failed.get_by_role("button", name="Try secret.pdf again").click()
    expect(signed_in.get_by_text("is processed again")).to_be_visible()
    expect(row(signed_in, "secret.pdf")).to_contain_text("Failed")


def test_an_upload_can_be_cancelled_and_sent_again_and_sizes_are_written_as_those_of_files(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    base = new_base(api)
    open_base(signed_in, tenant, base)
    signed_in.route("**/upload/", lambda route: None)

    choose(signed_in, small__txt=b"A note.")
    expect(signed_in.get_by_role("progressbar", name="small.txt")).to_be_visible()
    locate_upload(signed_in, "small.txt").get_by_role("button", name="Cancel: small.txt").click()
    expect(locate_upload(signed_in, "small.txt")).to_contain_text("Cancelled")
    signed_in.unroute("**/upload/")
    locate_upload(signed_in, "small.txt").get_by_role("button", name="Try again: small.txt").click()
    choose(signed_in, larger__txt=b"A note.\n" * 400)

    expect(row(signed_in, "small.txt")).to_contain_text("Completed")
    for name, size in (("small.txt", "7 bytes"), ("larger.txt", "3.1 KB")):
        for place in (locate_upload(signed_in, name), row(signed_in, name)):
            expect(place).to_contain_text(re.compile(size.replace(" ", r"\s")))


def test_more_than_twenty_files_stay_behind(signed_in: Page, tenant: Tenant, api: Api) -> None:
    open_base(signed_in, tenant, new_base(api))
    signed_in.route("**/upload/", lambda route: None)

    choose(signed_in, **{f"note{number}__txt": b"A note." for number in range(21)})

    expect(locate_upload(signed_in, "note20.txt")).to_contain_text("At most 20 files")
    expect(locate_upload(signed_in, "note19.txt")).not_to_contain_text("At most 20 files")


def test_a_skill_file_is_chosen_as_one_before_it_is_sent(signed_in: Page, tenant: Tenant, api: Api) -> None:
    base = new_base(api)
    open_base(signed_in, tenant, base)

    signed_in.get_by_text("Skill file", exact=True).click()
    choose(signed_in, travel__pdf=POLICY)
    expect(locate_upload(signed_in, "travel.pdf")).to_contain_text(".md, .zip")
    choose(signed_in, SKILL__md=b"---\nname: booking\ndescription: Books journeys.\n---\nBook it.")
    expect(locate_upload(signed_in, "SKILL.md")).to_contain_text("Uploaded")

    open_base(signed_in, tenant, base, "?tab=skills")
    expect(row(signed_in, "SKILL.md")).to_be_visible()


def test_a_file_is_downloaded_as_it_was_and_deleted_for_good(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    base = filled_base(api, {"faq.md": b"# Parking\n\nThe company pays for parking."})
    open_base(signed_in, tenant, base)

    with signed_in.expect_download() as started:
        row(signed_in, "faq.md").get_by_role("link", name="Download faq.md").click()
    assert started.value.path().read_bytes() == b"# Parking\n\nThe company pays for parking."
    answer = signed_in.request.get(started.value.url)
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"] == "application/octet-stream"

    row(signed_in, "faq.md").get_by_role("link", name="Delete faq.md").click()
    signed_in.get_by_role("dialog").get_by_role("button", name="Delete file").click()
    expect(row(signed_in, "faq.md")).to_have_count(0)
    assert not api.facts("kim", "Who pays for parking?", knowledgebase_ids=[base])
    assert signed_in.request.get(started.value.url).status == 404


def test_a_large_file_of_nobody_signed_in_is_refused_before_it_is_read(tenant: Tenant, api: Api) -> None:
    base = new_base(api)
    server = HTTPConnection(urlsplit(tenant.url).netloc, timeout=120)

    server.putrequest("POST", f"/p/{tenant.project_id}/knowledge/{base}/upload/")
    server.putheader("Content-Length", str(11 * MEGABYTE))
    server.endheaders(b"only the first bytes of it")

    assert server.getresponse().status == 401
    server.close()


def test_a_large_file_comes_through_the_page(
    signed_in: Page, tenant: Tenant, api: Api, tmp_path: Path
) -> None:
    base = new_base(api)
    open_base(signed_in, tenant, base)

    big = tmp_path / "big.docx"
    big.write_bytes(_heavy())
    # From the disk, as people do it: through the browser's remote control a large file takes seconds.
    signed_in.locator("#files-to-upload").set_input_files(big)

    expect(row(signed_in, "big.docx")).to_contain_text("Completed")


def test_without_scripts_files_are_uploaded_and_listed(
    chromium_browser: Browser, console_url: str, tenant: Tenant, api: Api
) -> None:
    base = new_base(api)
    context = new_profile(chromium_browser, console_url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, tenant)

    page.goto(f"/p/{tenant.project_id}/knowledge/{base}/")
    page.locator("#files-to-upload").set_input_files(
        {"name": "faq.md", "mimeType": "text/markdown", "buffer": b"# Parking\n\nThe company pays."}
    )
    page.get_by_role("button", name="Upload").click()

    expect(page.get_by_role("row").filter(has_text="faq.md")).to_be_visible()
    context.close()


def _heavy() -> bytes:
    """More than a request without files may weigh."""
    return docx_with_ballast(docx_file("The clock is wound on Mondays."), 12 * MEGABYTE)
