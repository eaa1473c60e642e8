"""Files that want to do harm, and addresses that lead where nobody shall go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from console.embedded.stack import Stack
from memories.files.receive import FileSource, receive_file
from memories.models import Task
from tenancy.errors import FileTooLarge
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant
from tests.support.documents import small_files
from tests.support.documents.attaching import (
    POLICY,
    add,
    all_facts,
    encoded,
    file,
    image,
    list_attachments,
    remembered,
    stored_files,
    text,
)
from tests.support.expect import accepted, refused
from tests.support.servers.file_server import (
    FileServer,
    closed_port,
    drop_by_drop_until,
    redirect,
    send,
    without_end,
)
from tests.support.waiting import LIMIT


@pytest.fixture
def api(tenant: Tenant) -> Iterator[Api]:
    """Of a developer with nothing else in the project."""
    with tenant.api() as client:
        yield client


REFUSED: list[tuple[dict[str, Any], int]] = [
    (file("%%%not base64%%%", "a.txt"), 40008),
    (file("QUJDR", "a.txt"), 40009),
    (file("data:text/plain,hello", "a.txt"), 40009),
    (file("data:text/plain;base64,", "a.txt"), 40003),
    (file(encoded(b"MZ program"), "a.exe"), 40007),
    (file(encoded(b"a,b\n1,2\n"), "table.rtf"), 40007),
    (file(encoded(b"\x7fELF\x00\x01\x02")), 40007),
    (file(encoded(small_files.archive(a=b"x" * 100)), "a.zip"), 40007),
    (file(encoded(small_files.archive(a=b"x" * 100)), "a.docx"), 50107),
    (file(encoded(small_files.pdf([[(11, "x")]])), "a.docx"), 50107),
    (file(encoded(b"just words"), "a.pdf"), 50107),
    (image(f"data:image/png;base64,{encoded(b'just words')}"), 50107),
    (image(f"data:image/png;base64,{encoded(small_files.pdf([[(11, 'x')]]))}"), 50107),
    (image("http://user:secret@example.org/cat.png"), 40000),
    ({"type": "video_url", "video_url": {"url": "https://example.org/a.mp4"}}, 40006),
]


def test_what_is_no_file_is_refused_at_once_and_leaves_nothing(
    api: Api, user: str, stack: Stack, tenant: Tenant
) -> None:
    for part, code in REFUSED:
        refused(add(api, user, text("Here."), part), code)

    assert stored_files(stack, tenant) == []
    assert api.listed(user)["total"] == 0


def test_more_than_twenty_files_are_refused(api: Api, user: str) -> None:
    refused(add(api, user, *[file(encoded(POLICY), "a.md")] * 21), 50103)


class LongText:
    """136 MB of Base64, as a request's reader hands it on."""

    def pieces(self) -> list[str]:
        return ["QUJD" * 1024 * 1024] * 34


def test_a_file_over_a_hundred_megabytes_is_refused(stack: Stack, tenant: Tenant) -> None:
    with tenant_scope(tenant.project), pytest.raises(FileTooLarge, match="at most 100 MB"):
        receive_file(tenant.project, FileSource(text=LongText(), name="a.txt"), "messages")

    assert stored_files(stack, tenant) == []


# More of them, and what swells when it is unpacked, are read in `tests/memories/files/test_hostile_documents.py`.
HOSTILE: dict[str, tuple[Callable[[], bytes], int]] = {
    "broken.pdf": (lambda: b"%PDF-1.7 and then nothing", 50107),
    "long.pdf": (lambda: small_files.pdf([[(11, "page")]] * 201), 50104),
    "long.txt": (lambda: b"word " * 200_000, 50104),
    "old.doc": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"junk" * 500, 50107),
    "pixels.png": (lambda: small_files.png(60_000, 60_000), 50107),
}


def test_hostile_files_fail_their_tasks_and_leave_no_memory_of_them(
    api: Api, user: str, tenant: Tenant
) -> None:
    parts = [file(encoded(make()), name) for name, (make, _) in HOSTILE.items()]

    assert remembered(api, user, *parts) == "failed"

    expected = sorted(str(code) for _, code in HOSTILE.values())
    rows = list_attachments(tenant)
    assert {row.state for row in rows} == {"failed"}
    assert [row.error_code for row in sorted(rows, key=lambda row: row.part)] == [
        str(code) for _, code in HOSTILE.values()
    ]
    failed = Task.objects.within(tenant.project).filter(kind="attachment")
    assert sorted(task.error_code for task in failed) == expected
    assert not any(name in task.error_text for task in failed for name in HOSTILE)
    assert all_facts(api, user) == []
    assert api.add(user, "I live in Porto.")["status"] == "completed"  # the worker is well


def hostile_addresses(files: FileServer) -> dict[str, str]:
    return {
        "loopback": f"http://127.0.0.1:{closed_port()}/a.md",
        "metadata": "http://169.254.169.254/latest/meta-data/a.md",
        "private": "http://10.0.0.1/a.md",
        "localhost": "http://localhost/a.md",
        "a number": "http://2130706433/a.md",
        "ipv6": "http://[::1]/a.md",
        "mapped": "http://[::ffff:127.0.0.1]/a.md",
        "redirect inwards": files.does("a.md", redirect("http://127.0.0.1:22/a.md")),
        "redirect to a file": files.does("a.md", redirect("file:///etc/passwd")),
        "not there": f"http://{files.address}/nothing.md",
        "a web page": files.serves("page", b"<!doctype html><p>hello", "text/markdown"),
        "another kind": files.serves("a.pdf", POLICY, "application/pdf"),
        "a bomb": files.does(
            "a.md",
            lambda request: send(request, 200, small_files.gzip_bomb(120), {"Content-Encoding": "gzip"}),
        ),
        "without end": files.does("a.md", without_end),
    }


def test_hostile_addresses_fail_their_tasks(api: Api, user: str, files: FileServer, tenant: Tenant) -> None:
    addresses = hostile_addresses(files)
    assert remembered(api, user, *map(file, addresses.values())) == "failed"

    rows = sorted(list_attachments(tenant), key=lambda row: row.part)
    expected = {"a web page": "40007", "another kind": "50107", "a bomb": "50104", "without end": "50104"}
    for which, row in zip(addresses, rows, strict=True):
        assert (row.state, row.storage_key) == ("failed", ""), which
        assert row.error_code == expected.get(which, "40000"), which
        if which not in expected:
            assert row.error_text == "Invalid request parameters: could not fetch the URL", which


def test_an_address_behind_too_many_redirects_fails(api: Api, user: str, files: FileServer) -> None:
    url = files.serves("a.md", POLICY)
    for _ in range(4):
        url = files.does("a.md", redirect(url))

    assert remembered(api, user, file(url)) == "failed"


def test_a_server_that_breaks_off_is_asked_again(api: Api, user: str, files: FileServer) -> None:
    tries: list[int] = []

    def at_the_second_time(request: Any) -> None:
        tries.append(1)
        whole = {"Content-Length": str(len(POLICY))}
        send(request, 200, POLICY if len(tries) > 1 else POLICY[:20], whole)
        request.close_connection = True

    assert remembered(api, user, file(files.does("a.md", at_the_second_time))) == "completed"
    assert len(tries) == 2


def test_a_slow_file_holds_back_nothing_else_of_its_user(api: Api, user: str, files: FileServer) -> None:
    is_enough, is_read = threading.Event(), threading.Event()
    slow = accepted(add(api, user, file(files.does("a.txt", drop_by_drop_until(is_enough, is_read)))))
    assert is_read.wait(LIMIT)

    assert api.add(user, "I live in Porto.")["status"] == "completed"
    assert api.status(slow["task_id"]) == "running"
    is_enough.set()
    assert api.wait_until_done(slow["task_id"]) == "completed"
