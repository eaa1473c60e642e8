"""Skills as files, as the published client sees them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import httpx
import pytest
from acontext import AcontextClient, FileUpload
from acontext.agent.skill import SKILL_TOOLS

from tests.support.api_client import Api
from tests.support.skills.contract import NOBODY, archive, build_upload, get_refused_status, skill_md
from tests.support.waiting import LIMIT

PNG = b"\x89PNG\r\n\x1a\n\x00\xff"
FILES: dict[str, str | bytes] = {
    "scripts/check.py": "print(1)",
    "data/rooms.json": '{"rooms": [1]}',
    "data/broken.json": "{",
    "data/rooms.csv": "name,beds\nblue,2\n",
    "assets/door.png": PNG,
    "notes.yaml": "a: 1\n",
}


def test_an_uploaded_skill_is_read_file_by_file(agent: AcontextClient) -> None:
    upload = build_upload("Home visits", FILES, file="VISITS.ZIP")
    skill = agent.skills.create(file=upload, user="kim", meta={"level": 2})

    assert (skill.name, skill.meta) == ("Home-visits", {"level": 2})
    assert skill.user_id
    assert skill.disk_id
    assert [file.path for file in skill.file_index] == ["SKILL.md", *sorted(FILES)]
    assert agent.skills.get(skill.id) == skill
    read = {
        file.path: agent.skills.get_file(skill_id=skill.id, file_path=file.path) for file in skill.file_index
    }
    forms = {path: file.content.type for path, file in read.items() if file.content}
    assert forms == {
        "SKILL.md": "text",
        "data/broken.json": "text",
        "data/rooms.csv": "csv",
        "data/rooms.json": "json",
        "notes.yaml": "text",
        "scripts/check.py": "code",
    }
    picture = read["assets/door.png"]
    assert picture.content is None
    assert picture.mime == "image/png"
    # As the published client fetches it: no key, no redirects.
    assert httpx.get(str(picture.url), timeout=LIMIT, trust_env=False).content == PNG


def test_a_skill_is_downloaded_whole(agent: AcontextClient, tmp_path: Path) -> None:
    skill = agent.skills.create(file=build_upload("visits", FILES))

    download = agent.skills.download(skill_id=skill.id, path=str(tmp_path))
    with zipfile.ZipFile(io.BytesIO(agent.skills.download_zip(skill.id))) as packed:
        inside = {name: packed.read(name) for name in packed.namelist()}

    assert sorted(download.files) == sorted(["SKILL.md", *FILES])
    assert (tmp_path / "assets/door.png").read_bytes() == PNG
    assert inside == {path: (tmp_path / path).read_bytes() for path in download.files}


def test_a_folder_around_everything_is_cut_off(agent: AcontextClient) -> None:
    content = archive({"visits/skill.md": skill_md("visits"), "visits/a.txt": "a"})

    skill = agent.skills.create(file=FileUpload(filename="visits.zip", content=content))

    assert [file.path for file in skill.file_index] == ["skill.md", "a.txt"]


def test_the_catalogue_tells_names_and_descriptions_page_by_page(
    agent: AcontextClient, http: httpx.Client
) -> None:
    for name in ("a", "b", "c"):
        agent.skills.create(file=build_upload(name), user="kim" if name == "b" else None)

    assert [item.name for item in agent.skills.list_catalog().items] == ["a", "b", "c"]
    assert [item.name for item in agent.skills.list_catalog(user="kim").items] == ["b"]
    page = agent.skills.list_catalog(limit=2, time_desc=True)
    assert [item.name for item in page.items] == ["c", "b"]
    assert page.has_more
    item = http.get("agent_skills", params={"limit": 1}).json()["data"]["items"][0]
    assert item["file_index"] == [{"path": "SKILL.md", "mime": "text/markdown"}]


def test_the_tools_of_an_agent_read_the_skills_of_a_space(agent: AcontextClient) -> None:
    space = agent.learning_spaces.create()
    skill = agent.skills.create(file=build_upload("visits", {"steps.md": "Ring twice."}))
    agent.learning_spaces.include_skill(space.id, skill_id=skill.id)
    ids = [skill.id for skill in agent.learning_spaces.list_skills(space.id)]

    context = SKILL_TOOLS.format_context(agent, ids)
    text = SKILL_TOOLS.execute_tool(
        context, "get_skill_file", {"skill_name": "visits", "file_path": "steps.md"}
    )

    assert "Ring twice." in text
    assert "user-general-facts" in context.get_context_prompt()


def test_what_a_person_uploads_is_recalled_for_that_person_only(agent: AcontextClient, api: Api) -> None:
    agent.skills.create(file=build_upload("visits"), user="kim")

    def recalled(user: str) -> list[str]:
        result = api.search(user, "What does a good visit look like?", include_skill=True, relativity=0)
        return [skill["skill_value"]["name"] for skill in result["skill_detail_list"]]

    assert recalled("kim") == ["visits"]
    assert recalled("lee") == []


def test_a_deleted_skill_is_gone_from_its_spaces_too(agent: AcontextClient) -> None:
    space = agent.learning_spaces.create()
    skill = agent.skills.create(file=build_upload("visits"))
    agent.learning_spaces.include_skill(space.id, skill_id=skill.id)

    agent.skills.delete(skill.id)

    assert len(agent.learning_spaces.list_skills(space.id)) == 2
    assert get_refused_status(agent.skills.get, skill.id) == 404
    assert get_refused_status(agent.skills.download_zip, skill.id) == 404


def bad(content: bytes, name: str = "a.zip") -> FileUpload:
    return FileUpload(filename=name, content=content)


REFUSED = {
    "another extension": (bad(archive({"SKILL.md": skill_md("a")}), "a.tar"), 400),
    "no archive": (bad(b"hello"), 400),
    "no SKILL.md": (bad(archive({"a.txt": "a"})), 400),
    "no description": (bad(archive({"SKILL.md": "---\nname: a\n---\n"})), 400),
    "a path that climbs": (bad(archive({"SKILL.md": skill_md("a"), "../a.txt": "a"})), 400),
    "too many files": (
        bad(archive({"SKILL.md": skill_md("a"), **{f"{n}.txt": "" for n in range(200)}})),
        413,
    ),
    "a long SKILL.md": (bad(archive({"SKILL.md": skill_md("a") + "x" * 110_000})), 413),
    "a large file": (bad(archive({"SKILL.md": skill_md("a"), "a.bin": bytes(10 * 1024 * 1024 + 1)})), 413),
}


@pytest.mark.parametrize(("upload", "status"), REFUSED.values(), ids=REFUSED.keys())
def test_a_package_that_breaks_the_rules_is_refused(
    agent: AcontextClient, upload: FileUpload, status: int
) -> None:
    assert get_refused_status(agent.skills.create, file=upload) == status
    assert agent.skills.list_catalog().items == []


def test_an_upload_without_a_package_is_refused(http: httpx.Client) -> None:
    content = archive({"SKILL.md": skill_md("a")})

    assert http.post("agent_skills", json={}).status_code == 400
    assert http.post("agent_skills", data={"user": "kim"}).status_code == 400
    assert http.post("agent_skills", files={"other": ("a.zip", content)}).status_code == 400
    form = {"meta": "[1]"}
    assert http.post("agent_skills", data=form, files={"file": ("a.zip", content)}).status_code == 400


def test_an_upload_of_two_packages_is_refused_in_english_whatever_the_client_reads(
    http: httpx.Client,
) -> None:
    package = ("a.zip", archive({"SKILL.md": skill_md("a")}))

    answer = http.post(
        "agent_skills", files=[("file", package), ("file", package)], headers={"Accept-Language": "zh-Hans"}
    )

    assert answer.status_code == 400
    assert answer.json()["msg"] == "Invalid request parameters: file: send one file"


def test_a_package_over_twenty_megabytes_is_too_large_in_the_same_envelope(http: httpx.Client) -> None:
    answer = http.post("agent_skills", files={"file": ("a.zip", bytes(21 * 1024 * 1024))})

    assert answer.status_code == 413
    assert answer.json()["code"] == 413


def test_a_file_is_asked_for_by_its_path(agent: AcontextClient, http: httpx.Client) -> None:
    skill = agent.skills.create(file=build_upload("visits"))

    assert http.get(f"agent_skills/{skill.id}/file").status_code == 400
    assert http.get(f"agent_skills/{skill.id}/file?file_path=SKILL.md&expire=x").status_code == 400
    assert get_refused_status(agent.skills.get_file, skill_id=skill.id, file_path="gone.md") == 404
    assert get_refused_status(agent.skills.get_file, skill_id=NOBODY, file_path="SKILL.md") == 404
