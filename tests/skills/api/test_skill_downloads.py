"""Skills as downloads: each account has its own share of the packing, and every text is where the API says."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import httpx
from acontext import AcontextClient, FileUpload
from django.core import signing

from skills.catalogue.downloads import SALT, build_signed_url
from skills.catalogue.listing import find_skill
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.skills.contract import connect_client, connect_http, skill_md
from tests.support.skills.packages import zipped
from tests.support.waiting import LIMIT

MB = 1024 * 1024


def build_zeros(name: str, megabytes: int, files: int = 1) -> FileUpload:
    """A package that is small as it comes."""
    contents = {f"{number}.bin": bytes(megabytes * MB) for number in range(files)}
    return FileUpload(filename="skill.zip", content=zipped({"SKILL.md": skill_md(name), **contents}))


def build_link(tenant: Tenant, skill_id: str) -> str:
    """The address of the whole skill, as searches and the console give it out."""
    with tenant_scope(tenant.project):
        return build_signed_url(find_skill(tenant.project, skill_id))


def test_texts_come_as_content_however_many_a_package_has(agent: AcontextClient) -> None:
    texts = {f"{number:02}.py": "# line of text\n" * 6_500 for number in range(25)}
    pictures = {"a.png": b"\x89PNG\r\n\x1a\n", "b.txt": b"\xff\x00"}
    package = zipped({"SKILL.md": skill_md("texts"), **texts, **pictures})
    skill = agent.skills.create(file=FileUpload(filename="skill.zip", content=package))

    read = {path: agent.skills.get_file(skill_id=skill.id, file_path=path) for path in [*texts, *pictures]}

    assert {path: file.content.raw for path, file in read.items() if file.content} == texts
    assert {file.content.type for file in read.values() if file.content} == {"code"}
    for path, content in pictures.items():
        assert httpx.get(str(read[path].url), timeout=LIMIT, trust_env=False).content == content


def test_a_link_works_as_long_as_was_asked_for_up_to_a_week(agent: AcontextClient) -> None:
    package = zipped({"SKILL.md": skill_md("picture"), "a.png": b"\x89PNG\r\n\x1a\n"})
    skill = agent.skills.create(file=FileUpload(filename="skill.zip", content=package))

    for seconds in (60, 7 * 24 * 3_600):
        before = time.time()
        file = agent.skills.get_file(skill_id=skill.id, file_path="a.png", expire=seconds)

        assert httpx.get(str(file.url), timeout=LIMIT, trust_env=False).status_code == 200
        *_, until = signing.loads(str(file.url).rsplit("/", 1)[1], salt=SALT)
        assert before + seconds - 1 <= until <= time.time() + seconds


def test_downloads_of_one_account_never_refuse_those_of_another(
    agent: AcontextClient, tenant: Tenant, stranger: Tenant
) -> None:
    link = build_link(tenant, agent.skills.create(file=build_zeros("zeros", 9, files=6)).id)
    with connect_client(stranger) as other:
        large = other.skills.create(file=build_zeros("visits", 2))

    with ThreadPoolExecutor(8) as at_once, connect_http(stranger) as http:
        downloads = [at_once.submit(httpx.get, link, timeout=LIMIT, trust_env=False) for _ in range(8)]
        seen = {http.get(f"agent_skills/{large.id}/download_zip").status_code}
        while not all(download.done() for download in downloads):
            seen.add(http.get(f"agent_skills/{large.id}/download_zip").status_code)

    assert seen == {200}
    answers = [download.result() for download in downloads]
    assert {answer.status_code for answer in answers} == {200, 429}
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.headers["retry-after"] == "1"
    assert "at most 2 archives of more than 1 MB at once" in refused.json()["message"]
