"""Files of knowledge bases: brought as JSON or as a form, looked at, and deleted."""

from __future__ import annotations

import base64
import io
import zipfile
from typing import Any

import pytest

from knowledgebase.bases.bases import load_base
from tests.support.api_client import Api, Tenant
from tests.support.documents import small_files
from tests.support.expect import accepted, refused
from tests.support.knowledge.file_requests import POLICY, add, held, send_form
from tests.support.knowledge.knowledge import fetch_file, fetch_files, file_item, new_base, wait_for_files
from tests.support.servers.file_server import FileServer, send


@pytest.fixture(scope="module")
def empty_base(api: Api) -> str:
    """To which only refused files are brought."""
    return new_base(api)


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def skill_package(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"SKILL.md": b"---\nname: x\ndescription: y\n---\n", **files}.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_a_file_goes_in_as_base64_and_is_read(api: Api) -> None:
    base = new_base(api)

    (item,) = accepted(add(api, base, file_item("policy.md", POLICY)))

    assert set(item) == {"id", "name", "sizeMB", "type", "status"}
    assert (len(item["id"]), item["name"], item["type"]) == (32, "policy.md", "document")
    assert item["sizeMB"] == len(POLICY) / 1024**2
    assert item["status"] == "running"
    (file,) = wait_for_files(api, base)
    assert (file["id"], file["status"], file["size"]) == (item["id"], "completed", f"{len(POLICY)} B")
    assert file["reason"] == ""


def test_the_parts_of_a_form_are_files(api: Api) -> None:
    base = new_base(api)

    data = accepted(
        send_form(
            api, base, ("差旅 政策.md", POLICY), ("b.txt", b"A taxi may cost 50 euros."), type="document"
        )
    )

    assert [(file["name"], file["type"]) for file in data] == [
        ("差旅 政策.md", "document"),
        ("b.txt", "document"),
    ]
    assert {file["status"] for file in wait_for_files(api, base)} == {"completed"}


def test_a_form_may_say_what_it_is_about_in_its_fields_and_end_its_address_in_a_slash(api: Api) -> None:
    base = new_base(api)
    files = [("file", ("a.md", POLICY, "text/markdown"))]

    answer = api.post("add/knowledgebase-file/", data={"knowledgebase_id": base}, files=files)

    assert [file["name"] for file in accepted(answer)] == ["a.md"]


def test_a_file_is_called_what_its_client_calls_it(api: Api) -> None:
    base = new_base(api)
    called: list[tuple[dict[str, Any], str]] = [
        ({"name": "a.md", "file_name": "b.md", "mime_type": "text/markdown"}, "a.md"),
        ({"name": "", "file_name": "b.md"}, "b.md"),
        ({"name": None, "file_name": None, "mime_type": "text/markdown"}, "file.md"),
        ({"name": "../../etc/\u0007pass\nwd.md"}, "passwd.md"),
        ({"name": "C:\\Users\\kim\\policy.md"}, "policy.md"),
        ({"name": "policy"}, "policy"),
        ({"name": "/", "content": encoded(b"Plain words about hotels: 120 euros.")}, "file.txt"),
        ({"name": "差旅.md"}, "差旅.md"),
    ]

    names = [name for _, name in called]
    contents = [
        {"content": encoded(f"## Hotels\n\n{number} euros.\n".encode())} for number in range(len(called))
    ]

    added = accepted(
        add(api, base, *[content | item for content, (item, _) in zip(contents, called, strict=True)])
    )

    assert [file["name"] for file in added] == names
    assert sorted(file["name"] for file in fetch_files(api, base)) == sorted(names)


def test_a_data_url_is_read_as_what_it_holds(api: Api) -> None:
    base = new_base(api)

    (item,) = accepted(add(api, base, {"content": f"data:text/markdown;base64,{encoded(POLICY)}"}))

    assert (item["name"], item["type"]) == ("file.md", "document")


def test_a_file_of_an_address_is_fetched_later(api: Api, files: FileServer) -> None:
    base = new_base(api)
    url = files.serves("travel.md", POLICY)

    (item,) = accepted(add(api, base, {"content": url}))

    assert (item["name"], item["sizeMB"], item["status"]) == ("travel.md", 0, "running")
    (file,) = wait_for_files(api, base)
    assert (file["status"], file["size"]) == ("completed", f"{len(POLICY)} B")


def test_an_upload_replaces_the_file_of_its_name_and_not_an_address_that_ends_alike(
    api: Api, files: FileServer
) -> None:
    base = new_base(api)
    accepted(add(api, base, file_item("travel.md", POLICY)))
    wait_for_files(api, base)
    (fetched,) = accepted(add(api, base, {"content": files.serves("travel.md", b"# Trains\n\nFirst class.")}))
    wait_for_files(api, base)

    (new,) = accepted(add(api, base, file_item("travel.md", POLICY.replace(b"120", b"150"))))

    assert [file["id"] for file in wait_for_files(api, base)] == [new["id"], fetched["id"]]


def test_a_new_version_with_the_content_of_another_file_replaces_the_version_before(
    api: Api, developer: Tenant
) -> None:
    base = new_base(api)
    accepted(add(api, base, file_item("travel.md", POLICY), file_item("office.md", b"It opens at nine.")))
    wait_for_files(api, base)

    (new,) = accepted(add(api, base, file_item("office.md", POLICY)))
    listed = wait_for_files(api, base)

    assert [(file["name"], file["status"]) for file in listed] == [
        ("office.md", "completed"),
        ("travel.md", "completed"),
    ]
    assert listed[0]["id"] == new["id"]
    search = {"user_id": "kim", "query": "When does the office open?", "knowledgebase_ids": [base]}
    assert "nine" not in api.post("search/memory", json=search | {"relativity": 0}).text
    assert load_base(developer.project, base).bytes_used == len(POLICY)
    assert len(held(developer, base)) == 1
    api.data("delete/knowledgebase-file", {"file_ids": [listed[1]["id"]]})
    assert [file["status"] for file in wait_for_files(api, base)] == ["completed"]
    assert "120 euros" in api.post("search/memory", json=search | {"relativity": 0}).text


def test_an_address_that_was_given_the_name_of_its_end_has_versions(api: Api, files: FileServer) -> None:
    base = new_base(api)
    served = [POLICY]
    url = files.does("travel.md", lambda request: send(request, 200, served[0]))
    accepted(add(api, base, {"name": "travel.md", "content": url}))
    wait_for_files(api, base)

    served[0] = POLICY.replace(b"120", b"150")
    (new,) = accepted(add(api, base, {"name": "travel.md", "content": url}))

    assert [file["id"] for file in wait_for_files(api, base)] == [new["id"]]


def test_an_address_that_must_not_be_asked_fails_that_file_alone(api: Api) -> None:
    base = new_base(api)
    urls = [
        "http://127.0.0.1:1/a.md",
        "http://169.254.169.254/a.md",
        "http://a@b/c.md",
        "http://[",
        "http://ex\u2100mple/",  # its host would become another one, with a slash in it
    ]

    *bad, good = accepted(add(api, base, *[{"content": url} for url in urls], file_item("policy.md", POLICY)))

    wait_for_files(api, base)
    for url, item in zip(urls, bad, strict=True):
        file = fetch_file(api, item["id"])
        assert (file["status"], "fetch" in file["reason"]) == ("failed", True), url
    assert fetch_file(api, good["id"])["status"] == "completed"


def test_the_type_beside_the_files_is_that_of_those_without_one(api: Api) -> None:
    base = new_base(api)
    own = file_item("a.md", POLICY, type="document")

    data = accepted(add(api, base, own, file_item("b.md", b"---\nname: b\n---\n"), type="skill"))

    assert [file["type"] for file in data] == ["document", "skill"]


def test_a_skill_is_a_text_or_a_package(api: Api) -> None:
    base = new_base(api)

    data = accepted(
        add(
            api,
            base,
            file_item("SKILL.md", b"---\nname: x\ndescription: y\n---\n", type="skill"),
            file_item("package.zip", skill_package(), type="skill"),
        )
    )

    assert [(file["name"], file["type"]) for file in data] == [
        ("SKILL.md", "skill"),
        ("package.zip", "skill"),
    ]
    assert [file["name"] for file in fetch_files(api, base, type="skill")] == ["package.zip", "SKILL.md"]
    assert fetch_files(api, base, type="document") == []


@pytest.mark.parametrize(
    ("items", "code", "words"),
    [
        ([], 40003, ["file"]),
        (None, 40002, ["file"]),
        ({"content": "eA=="}, 40000, ["file"]),
        (["eA=="], 40000, ["file 0"]),
        ([{"name": "a.md"}], 40002, ["file[0].content"]),
        ([{"name": "a.md", "content": ""}], 40002, ["file[0].content"]),
        ([{"name": "a.md", "content": 5}], 40000, ["file[0].content"]),
        ([{"name": 5, "content": "eA=="}], 40000, ["file[0].name"]),
        ([file_item("good.md", POLICY), file_item("virus.exe", b"MZ")], 40007, ["file[1]", "virus.exe"]),
        ([file_item("picture.png", small_files.png(2, 2))], 40007, ["picture.png"]),
        ([file_item("named", small_files.png(2, 2))], 40007, ["named"]),
        ([file_item("package.zip", skill_package())], 40007, ["package.zip"]),
        ([file_item("policy.pdf", POLICY)], 50107, ["file[0]", "policy.pdf"]),
        ([file_item("empty.md", "data:text/markdown;base64,")], 40003, ["empty.md"]),
        ([file_item("plain.md", "This is no Base64, it is a text!")], 40008, ["file[0]", "plain.md"]),
        ([file_item("cut.md", "YWJjZA=")], 40009, ["cut.md"]),
        ([file_item("odd.md", "data:text/markdown,hello")], 40009, ["odd.md"]),
        ([file_item("a.md", POLICY, type="video")], 40006, ["video"]),
        ([file_item("a.md", POLICY, type=5)], 40000, ["file[0].type"]),
        ([file_item("a.pdf", POLICY, type="skill")], 40007, ["a.pdf"]),
        ([file_item("a.zip", POLICY, type="skill")], 50107, ["a.zip"]),
        ([file_item("a.md", skill_package(), type="skill")], 50107, ["a.md"]),
        ([file_item("a", b"\0\1\2", type="skill")], 40007, ["file[0]"]),
        ([file_item("large.md", b"x" * 102_401, type="skill")], 50104, ["large.md", "100 KB"]),
        (
            [file_item("large.zip", b"PK\3\4" + b"x" * 20_971_520, type="skill")],
            50104,
            ["large.zip", "20 MB"],
        ),
        ([file_item(f"{n}.md", POLICY) for n in range(21)], 50103, []),
        ([{"content": f"https://example.org/{n}.md"} for n in range(21)], 50103, []),
        ([{"content": "https://example.org/" + "x" * 5000}], 40000, ["file[0].content"]),
    ],
)
def test_a_bad_file_refuses_the_request_and_leaves_nothing(
    api: Api, developer: Tenant, empty_base: str, items: Any, code: int, words: list[str]
) -> None:
    body = {"knowledgebase_id": empty_base, "file": items}

    refused(api.call("add/knowledgebase-file", body), code, *words)

    assert fetch_files(api, empty_base) == []
    assert held(developer, empty_base) == []
    assert load_base(developer.project, empty_base).bytes_used == 0


@pytest.mark.parametrize(
    ("parts", "code", "words"),
    [
        ([], 40002, ["file"]),
        ([("good.md", POLICY), ("virus.exe", b"MZ")], 40007, ["virus.exe"]),
        ([("empty.md", b"")], 40003, ["empty.md"]),
        ([("policy.pdf", POLICY)], 50107, ["policy.pdf"]),
        ([(f"{n}.md", POLICY) for n in range(21)], 50103, []),
    ],
)
def test_a_bad_part_of_a_form_does_so_too(
    api: Api, developer: Tenant, empty_base: str, parts: Any, code: int, words: list[str]
) -> None:
    refused(send_form(api, empty_base, *parts or [("", b"x")]), code, *words)

    assert fetch_files(api, empty_base) == []
    assert held(developer, empty_base) == []


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("multipart/form-data", b"--x\r\n"),
        ("multipart/form-data; boundary=x", b"nothing of the kind"),
        ("multipart/form-data; boundary=" + "y" * 300, b""),
        ("multipart/form-data; boundary=x", b"--x\r\n" * 1000),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n' * 1200 + b"--x--",
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n'
            b"Content-Transfer-Encoding: base64\r\n\r\n!\r\n--x--\r\n",
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="other"; filename="a.md"\r\n\r\n1\r\n' * 200
            + b"--x--",
        ),
    ],
)
def test_a_form_that_is_none_is_refused(api: Api, empty_base: str, content_type: str, body: bytes) -> None:
    answer = api.post(
        "add/knowledgebase-file",
        params={"knowledgebase_id": empty_base},
        content=body,
        headers={"Content-Type": content_type},
    )

    assert answer.status_code == 400, answer.text
    assert answer.json()["code"] in {40000, 40002, 40003, 50103}


@pytest.mark.parametrize(
    "query", [{}, {"knowledgebase_id": "a\u0000b"}, {"knowledgebase_id": "x", "type": "v"}]
)
def test_a_form_must_say_for_which_base_it_is(api: Api, query: dict[str, str]) -> None:
    answer = api.post("add/knowledgebase-file", params=query, files=[("file", ("a.md", POLICY))])

    assert answer.status_code == 400
    assert answer.json()["code"] in {40000, 40002, 40006}
