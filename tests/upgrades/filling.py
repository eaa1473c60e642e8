"""Fills a running installation of any release over its API, and reads back what its clients see.

    python -m tests.upgrades.filling URL DATA_FOLDER BACKUP_FOLDER

made what lies in `tests/upgrades/release_9ac2045`: the installation ran with the secrets below, its worker was stopped
before the last messages, and `manage.py backup` of a later release copied it while it ran. Everything here is public
API of that release, so that the same script fills a later one.
"""

from __future__ import annotations

import base64
import io
import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import httpx

from tests.support.api_client import Api
from tests.support.knowledge.knowledge import filled_base, upload
from tests.support.waiting import wait_until

# Of the installations that are upgraded in the tests, and of nothing else.
SECRETS = {
    "SECRET_KEY": "only-for-the-upgrade-test",
    "KEY_PEPPERS": "only-for-the-upgrade-test",
    "ENCRYPTION_KEYS": "only-for-the-upgrade-test-only-for-the-upgrade-test",
    "DEMO_PASSWORD": "only-for-the-upgrade-test",
}
USERS = ("nadia@example.org", "秀英", "tom/7", "owen")
TALKS: dict[str, list[tuple[str, list[str]]]] = {
    "nadia@example.org": [
        (
            "spring",
            [
                "I work as a nurse in Leeds and I am allergic to penicillin.",
                "My sister Carla lives in Porto.",
                "I prefer short answers.",
            ],
        ),
        ("summer", ["I moved to Bristol in June.", "I bought a cello last week."]),
    ],
    "秀英": [
        ("家", ["我住在杭州，最喜欢的饮料是龙井茶。", "我女儿今年上小学一年级。"]),
        ("工作", ["我在一家印刷厂当会计。", "以后请用中文回答我。"]),
    ],
    "tom/7": [("bikes", ["I ride a gravel bike to the office.", "I never eat mushrooms."])],
    "owen": [("to delete", ["I keep bees in the garden."])],
}
IN_FLIGHT = {
    "nadia@example.org": "I started to learn Portuguese in September.",
    "秀英": "我下个月要去成都出差。",
}
GUIDE = (
    b"# Returns\n\nGoods may be returned within 45 days if the seal is unbroken.\n\n"
    b"# Opening hours\n\nThe workshop is open from 9 to 17, on Fridays until 13.\n"
)
HANDBOOK = "# 报销制度\n\n出差住宿每晚不超过四百元，需提供发票。\n".encode()
LATE_FILE = b"# Parking\n\nVisitors park on level two. The gate code changes every Monday.\n"
TRIP = b"# Trip\n\nThe ferry leaves at 6:40 from pier nine.\n"
SKILL = """---
name: Customer Return Processing
description: Guide customer service through returns
---

## Procedure
1. Check the order number
2. Offer pickup first
"""


def fill(url: str, key: str) -> dict[str, Any]:
    """Everything but work in flight. The ids that `read` needs."""
    with Api(url, key) as api:
        for user, talks in TALKS.items():
            for conversation, messages in talks:
                for message in messages:
                    api.add(user, message, conversation_id=conversation)
        part = {
            "type": "file",
            "file": {"file_data": base64.b64encode(TRIP).decode(), "filename": "trip.md"},
        }
        added = api.add(
            "tom/7", {"role": "user", "content": [part]}, conversation_id="ferry", async_mode=True
        )
        api.wait_until_done(added["task_id"])
        feedback = {
            "user_id": "tom/7",
            "conversation_id": "bikes",
            "feedback_content": "Change it: I ride a cargo bike to the office.",
            "async_mode": False,
        }
        api.data("add/feedback", feedback)
        gone = api.listed("owen")["memory_detail_list"]
        api.data("delete/memory", {"memory_ids": [gone[0]["id"]]})
        base = filled_base(api, {"returns.md": GUIDE, "报销.md": HANDBOOK}, name="Handbook")
        skill = io.BytesIO()
        with zipfile.ZipFile(skill, "w") as archive:
            archive.writestr("SKILL.md", SKILL)
            archive.writestr("scripts/label.py", "print('label')\n")
        upload(api, base, {"returns.zip": skill.getvalue()}, type="skill")
        wait_until(lambda: "running" not in str(_files(api, base)))
    return {"base": base, **_fill_sessions(url, key)}


def _fill_sessions(url: str, key: str) -> dict[str, Any]:
    with _acontext(url, key) as http:
        space = http.post("learning_spaces", json={"user": "agent-7", "meta": {"team": "support"}})
        session = http.post("session", json={"user": "agent-7"})
        space_id, session_id = (_data(answer)["id"] for answer in (space, session))
        _data(http.post(f"learning_spaces/{space_id}/learn", json={"session_id": session_id}))
        for role, text in (
            ("user", "Please refund the duplicate charge on invoice 4711 and tell me when it is done."),
            ("assistant", "I compared the charges, found the second one and refunded it to the card."),
            ("user", "Great, that worked. By the way, my name is Gus and I live in Porto."),
        ):
            message = {"blob": {"role": role, "content": text}, "format": "openai"}
            _data(http.post(f"session/{session_id}/messages", json=message))
        _data(http.post(f"session/{session_id}/flush"))
    return {"space": space_id, "session": session_id}


def read(url: str, key: str, ids: dict[str, Any]) -> dict[str, Any]:
    """What clients see, without what a newer release may say otherwise: times of now, scores, addresses."""
    with Api(url, key) as api, _acontext(url, key) as http:
        session = _data(http.get(f"session/{ids['session']}/messages", params={"format": "openai"}))
        skills = _data(http.get(f"learning_spaces/{ids['space']}/skills"))
        return {
            "memories": {user: _memories(api, user) for user in USERS},
            "messages": {user: _messages(api, user) for user in USERS},
            "files": _files(api, ids["base"]),
            "session": session["items"],
            "skills": sorted(_skill(http, skill["id"]) for skill in skills),
        }


def _memories(api: Api, user: str) -> list[list[Any]]:
    listed = api.listed(user, include_preference=True, include_tool_memory=True)
    rows = [
        *(
            ["fact", memory["id"], memory["memory_value"], memory["create_time"]]
            for memory in listed["memory_detail_list"]
        ),
        *(
            ["preference", memory["id"], memory["preference"], memory["create_time"]]
            for memory in listed["preference_detail_list"]
        ),
    ]
    return sorted(rows)


def _messages(api: Api, user: str) -> dict[str, Any]:
    conversations = [conversation for conversation, _ in TALKS[user]]
    return {
        conversation: [
            [message["role"], message["content"], message["create_time"]]
            for message in api.data("get/message", {"user_id": user, "conversation_id": conversation})[
                "message_detail_list"
            ]
        ]
        for conversation in conversations
    }


def _files(api: Api, base: str) -> list[list[Any]]:
    body = {"knowledgebase_id": base, "page_size": 100}
    listed = api.data("get/knowledgebase-file", body)["file_detail_list"]
    return sorted([file["id"], file["name"], file["status"], file["size"]] for file in listed)


def _skill(http: httpx.Client, skill_id: str) -> list[Any]:
    skill = _data(http.get(f"agent_skills/{skill_id}"))
    texts = [
        _data(
            http.get(
                f"agent_skills/{skill_id}/file", params={"file_path": file["path"], "with_content": True}
            )
        )["content"]["raw"]
        for file in skill["file_index"]
    ]
    return [skill["name"], skill["description"], texts]


def _acontext(url: str, key: str) -> httpx.Client:
    return httpx.Client(
        base_url=f"{url}/api/v1/",
        headers={"Authorization": f"Bearer {key}"},
        timeout=120,
        trust_env=False,
        verify=False,
    )


def _data(answer: httpx.Response) -> Any:
    answer.raise_for_status()
    return answer.json()["data"]


def leave_work_in_flight(url: str, key: str, ids: dict[str, Any], workers: list[int]) -> dict[str, Any]:
    """Stops the workers as a machine that hangs would, and hands in what nobody then does."""
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    with Api(url, key) as api:
        tasks = [
            api.add(user, message, conversation_id="in flight", async_mode=True)["task_id"]
            for user, message in IN_FLIGHT.items()
        ]
        (late,) = upload(api, ids["base"], {"parking.md": LATE_FILE})
    return {"tasks": tasks, "late_file": late["id"]}


def _main(url: str, data: Path, backup: Path) -> None:
    key = json.loads((data / "demo.json").read_text())["api_key"]
    ids = fill(url, key)
    with _acontext(url, key) as http:
        wait_until(
            lambda: (
                _data(http.get(f"learning_spaces/{ids['space']}/sessions/{ids['session']}"))["status"]
                == "completed"
            ),
        )
    worker = json.loads((data / "state.json").read_text())["pids"]["worker"]
    children = subprocess.run(["pgrep", "-P", str(worker)], capture_output=True, text=True).stdout.split()
    ids |= {"api_key": key, "before": read(url, key, ids)}
    ids |= leave_work_in_flight(url, key, ids, [worker, *map(int, children)])
    variables = {**os.environ, **SECRETS, "ENGRAM_DATA": str(data)}
    subprocess.run(
        [sys.executable, "manage.py", "backup", str(backup), "--without-secrets"], env=variables, check=True
    )
    (backup / "clients.json").write_text(json.dumps(ids, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
