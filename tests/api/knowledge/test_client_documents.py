"""Published clients keep documents in knowledge bases."""

from __future__ import annotations

import base64
from typing import Any

from tests.support.api_client import Api
from tests.support.clients.client_bodies import post, sdk_search
from tests.support.expect import accepted
from tests.support.knowledge.knowledge import wait_for_files

POLICY = b"# Travel\n\nA night in a hotel may cost 120 euros.\n"
AS_TEXT = base64.b64encode(POLICY).decode()


def sdk_files(base: str) -> dict[str, Any]:
    nothing = {"file_ids": None, "type": None, "page": None, "page_size": None}
    return {"knowledgebase_id": base, **nothing}


def test_the_sdk_fills_a_knowledge_base(api: Api, user: str) -> None:
    made = {"knowledgebase_name": "Policies", "knowledgebase_description": None}
    base = post(api, "create/knowledgebase", made)["id"]
    assert isinstance(base, str)

    body = {"knowledgebase_id": base, "file": [{"name": "travel.md", "content": AS_TEXT}]}
    (added,) = post(api, "add/knowledgebase-file", body)
    form = [("file", ("政策.md", POLICY + b"More.")), ("file", ("b.txt", b"A taxi may cost 50 euros."))]
    asked = {"knowledgebase_id": base, "type": "document"}
    sent = accepted(api.post("add/knowledgebase-file", params=asked, files=form))
    assert [file["name"] for file in sent] == ["政策.md", "b.txt"]
    wait_for_files(api, base)

    listed = post(api, "get/knowledgebase-file", sdk_files(base))
    assert (listed["total"], listed["page"]) == (3, 1)
    assert {file["status"] for file in listed["file_detail_list"]} == {"completed"}
    page = post(
        api,
        "get/knowledgebase-file",
        {**sdk_files(base), "knowledgebase_id": None, "file_ids": [added["id"]]},
    )
    assert [file["name"] for file in page["file_detail_list"]] == ["travel.md"]
    answer = post(
        api, "search/memory", {**sdk_search(user_id=user), "knowledgebase_ids": [base], "relativity": 0.0}
    )
    assert isinstance(answer["memory_detail_list"], list)
    assert post(api, "delete/knowledgebase-file", {"file_ids": [added["id"]]}) == {"success": True}
    assert post(api, "delete/knowledgebase", {"knowledgebase_id": base}) == {"success": True}


def test_the_mcp_server_keeps_documents(api: Api) -> None:
    channel = {"source": "MODELSCOPE_REMOTE"}
    base = post(api, "create/knowledgebase", {"knowledgebase_name": "Policies", **channel})["id"]
    item = {
        "content": f"data:text/markdown;base64,{AS_TEXT}",
        "name": "travel.md",
        "file_name": "travel.md",
        "mime_type": "text/markdown",
    }

    body = {"knowledgebase_id": base, "file": [item], **channel}
    (added,) = post(api, "add/knowledgebase-file", body)

    assert set(added) >= {"id", "name", "sizeMB", "type", "status"}
    assert isinstance(added["sizeMB"], float)
    page = post(api, "get/knowledgebase-file", {"file_ids": [added["id"]], **channel})
    assert page["file_detail_list"][0]["name"] == "travel.md"
    gone = {"file_ids": [added["id"]], **channel}
    assert post(api, "delete/knowledgebase-file", gone) == {"success": True}
    assert post(api, "delete/knowledgebase", {"knowledgebase_id": base, **channel}) == {"success": True}


def test_the_cli_and_the_skill_script_keep_documents(api: Api) -> None:
    channel = {"source": "cli-claude", "framework": "claude"}
    made = {"knowledgebase_name": "Policies", "knowledgebase_description": "Ours", **channel}
    base = post(api, "create/knowledgebase", made)["id"]
    item = {"name": "travel.md", "type": "document", "content": AS_TEXT}

    body = {"knowledgebase_id": base, "file": [item], "type": "document", **channel}
    (added,) = post(api, "add/knowledgebase-file", body)

    page = {"knowledgebase_id": base, "page": 1, "page_size": 20, **channel}
    listed = post(api, "get/knowledgebase-file", page)
    assert [file["id"] for file in listed["file_detail_list"]] == [added["id"]]
    gone = {"knowledgebase_id": base, "file_ids": [added["id"]], **channel}
    assert post(api, "delete/knowledgebase-file", gone) == {"success": True}
