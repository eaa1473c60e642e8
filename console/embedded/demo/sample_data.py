"""Sample data for the demo account: a project that is filled through the API, and deleted as any other."""

from __future__ import annotations

import base64
import random
import time
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
from django.db import transaction
from django.db.models import F, Max, Min, Value
from django.db.models.functions import Least

from memories.consolidation.versions import member_actor
from memories.cubes.access import within_reach
from memories.lifecycle.states import set_status
from memories.lifecycle.trash import move_to_trash
from memories.models import Conversation, Feedback, MemCube, Memory, MemoryVersion, Message
from memories.values import Kind, Status
from skills.catalogue.edit import Edit, edit_skill, move_skill
from skills.catalogue.write import PATH, NewSkill, create_skill, parse_skill_text
from skills.models.user_rows import person_of
from skills.packages.files import NewFile
from skills.packages.ownership import Place
from skills.values import Origin, SkillState
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import create_key
from tenancy.metering.meters import Meter
from tenancy.metering.quota import open_hold, reserve_quota, settle_hold
from tenancy.metering.rollup import count_refused, fold_usage
from tenancy.models import Account, ApiKey, Project, RequestLog, User
from tenancy.projects.projects import change_settings, create_project
from tenancy.requests.partitions import create_partitions, today

SAMPLE = tomllib.loads(Path(__file__).with_name("sample_data.toml").read_text(encoding="utf-8"))
KEY_NAME = "sample data"
# Among the settings of the project that was filled here.
MARK = "sample_data"
DAYS = 29
# Requests of one past day, fewest and most; weekends have a third.
A_DAY = (12, 34)
WAIT = 120.0  # seconds for the log writer and for the file


class NotFilled(Exception):
    """The API refused a call, or the work behind it did not end."""


def sample_project(account: Account) -> Project | None:
    """The project that was filled with the sample data, where there is one; not another of its name, and not one that
    somebody has renamed, and so made their own."""
    named = account.projects.filter(name=SAMPLE["project"], deleting_at=None)
    return named.filter(settings__has_key=MARK).first()


def fill_sample_project(account: Account, owner: User, api_url: str) -> Project:
    """Make the project and say the sample data to the API at `api_url`. Raises `NotFilled`, and what
    `create_project` raises.

    What was said on past days is dated so. Requests of past days are copies of those that were really answered, charged
    to their day.
    """
    with transaction.atomic():
        project = create_project(account, SAMPLE["project"], SAMPLE["description"], owner)
        change_settings(project, MARK, {"is_filled": True}, owner)
    new = create_key(project, KEY_NAME, created_by=owner)
    with httpx.Client(
        base_url=api_url, headers={"Authorization": f"Token {new.plaintext}"}, timeout=120, trust_env=False
    ) as api:
        _say_conversations(api)
        _date_memories(project)
        _add_base(api)
        _add_skills(project, owner)
        _change_states(project, owner)
        _ask(api)
    _spread_over_days(project, new.key)
    return project


def _send(api: httpx.Client, path: str, body: dict[str, Any]) -> Any:
    answer = api.post(f"{api.base_url}".rstrip("/") + f"/{path}", json=body).json()
    if answer.get("code") != 0:
        raise NotFilled(f"{path}: {answer.get('message')}")
    return answer["data"]


def _say_conversations(api: httpx.Client) -> None:
    for talk in SAMPLE["conversations"]:
        body = {
            "user_id": talk["user"],
            "conversation_id": talk["id"],
            "messages": list(_messages(talk)),
            "async_mode": False,
        }
        if agent := talk.get("agent"):
            body["agent_id"] = agent
        _send(api, "add/message", body)
    for message in SAMPLE["feedback"]:
        body = {
            "user_id": message["user"],
            "conversation_id": message["conversation"],
            "feedback_content": message["text"],
            "feedback_time": _time_of(message["days_ago"], 0),
        }
        _wait_for(api, _send(api, "add/feedback", body)["task_id"])


def _messages(talk: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for number, message in enumerate(talk["messages"]):
        role = "assistant" if number % 2 else "user"
        whole = message if isinstance(message, dict) else {"role": role, "content": message}
        yield whole | {"chat_time": _time_of(talk["days_ago"], number)}


def _date_memories(project: Project) -> None:
    """As if each conversation had been sent on its day: its messages, what was learned from them, its end user."""
    with tenant_scope(project):
        messages = Message.objects.within(project)
        messages.update(created_at=F("said_at"))
        for talk in messages.values("conversation", "conversation__cube").annotate(
            first=Min("said_at"), last=Max("said_at")
        ):
            dated = {"created_at": talk["first"], "updated_at": talk["last"]}
            Conversation.objects.within(project).filter(pk=talk["conversation"]).update(**dated)
            cube = MemCube.objects.within(project).filter(pk=talk["conversation__cube"])
            cube.update(created_at=Least("created_at", Value(talk["first"])))
        memories = Memory.objects.within(MemCube.objects.within(project))
        learned = dict(memories.annotate(said=Max("sources__message__said_at")).values_list("pk", "said"))
        sent = dict(Feedback.objects.within(project).values_list("cube").annotate(Max("said_at")))
        for memory in memories.only("pk", "cube_id", "superseded_by_id"):
            begun = learned[memory.pk] or sent.get(memory.cube_id)
            if begun is None:
                continue
            successor = memory.superseded_by_id
            changed = (learned[successor] or sent.get(memory.cube_id) if successor else None) or begun
            memories.filter(pk=memory.pk).update(created_at=begun, updated_at=max(begun, changed))
            MemoryVersion.objects.within([memory.pk]).update(created_at=max(begun, changed))


def _time_of(days_ago: int, minute: int) -> str:
    at = datetime.now(UTC).replace(hour=9, minute=0) - timedelta(days=days_ago) + timedelta(minutes=minute)
    return f"{at:%Y-%m-%d %H:%M:%S}"


def _wait_for(api: httpx.Client, task_id: str) -> None:
    _wait(lambda: _send(api, "get/status", {"task_id": task_id})["status"] != "running", "feedback")


def _add_base(api: httpx.Client) -> None:
    base = SAMPLE["base"]
    created = _send(
        api,
        "create/knowledgebase",
        {"knowledgebase_name": base["name"], "knowledgebase_description": base["description"]},
    )
    content = base64.b64encode(base["text"].strip().encode()).decode()
    body = {
        "knowledgebase_id": created["id"],
        "file": [{"name": base["file"], "type": "document", "content": content}],
    }
    (file,) = _send(api, "add/knowledgebase-file", body)

    def is_read() -> bool:
        found = _send(api, "get/knowledgebase-file", {"file_ids": [file["id"]]})
        return bool(found["file_detail_list"][0]["status"] != "running")

    _wait(is_read, base["file"])


def _add_skills(project: Project, owner: User) -> None:
    for given in SAMPLE["skills"]:
        text = given["text"].strip() + "\n"
        is_draft = given["state"] == SkillState.DRAFT
        with tenant_scope(project):
            place, person = Place.of_person(project, given["user"]), person_of(project, given["user"])
            skill = create_skill(
                NewSkill(
                    place,
                    parse_skill_text(text),
                    [NewFile.of_text(PATH, text)],
                    Origin.UPLOADED,
                    member_actor(owner),
                    "uploaded",
                    state=SkillState.DRAFT if is_draft else SkillState.ACTIVE,
                    person=person,
                )
            )
        if edited := given.get("edited"):
            change = Edit(edited.strip() + "\n", skill.version, member_actor(owner), "clearer steps")
            edit_skill(project, skill.pk, change)
        if given["state"] == SkillState.ARCHIVED:
            move_skill(project, skill.pk, SkillState.ARCHIVED, member_actor(owner))


def _change_states(project: Project, owner: User) -> None:
    """One memory of each state that only a person gives."""
    actor = member_actor(owner)
    with tenant_scope(project):
        mine = within_reach(project).filter(project=project, kind=Kind.FACT, status=Status.ACTIVATED)
        keys: Sequence[UUID] = list(mine.order_by("created_at").values_list("pk", flat=True)[:3])
    for key, status in zip(keys, (Status.FROZEN, Status.ARCHIVED), strict=False):
        set_status(project, key, status, actor, "sample data")
    with tenant_scope(project):
        move_to_trash(project, within_reach(project).filter(pk__in=keys[2:]), actor)


def _ask(api: httpx.Client) -> None:
    for asked in SAMPLE["searches"]:
        body = {"user_id": asked["user"], "query": asked["query"], "include_skill": True}
        _send(api, "search/memory", body)
    for user in {asked["user"] for asked in SAMPLE["searches"]}:
        _send(api, "get/memory", {"user_id": user})
    # Two that are refused: an id that is too long, and a number out of range.
    long, wide = {"user_id": "x" * 101, "query": "?"}, {"user_id": "maya", "query": "?", "relativity": 7}
    for wrong in (long, wide):
        api.post(f"{api.base_url}".rstrip("/") + "/search/memory", json=wrong)


def _spread_over_days(project: Project, key: ApiKey) -> None:
    """A month of requests: copies of the real ones, at other times, each charged to its day."""
    real = _logged(project)
    create_partitions(today())
    chance = random.Random(SAMPLE["project"])
    for ago in range(1, DAYS + 1):
        day = datetime.now(UTC) - timedelta(days=ago)
        count = chance.randint(*A_DAY) // (3 if day.weekday() >= 5 else 1)
        rows = [_copy(chance.choice(real), day, chance) for _ in range(count)]
        with tenant_scope(project):
            RequestLog.objects.bulk_create(rows)
            count_refused(rows)
        for row in rows:
            if row.code == 0:
                _charge(row, key)
    fold_usage(project.account_id)


def _logged(project: Project) -> list[RequestLog]:
    expected = len(SAMPLE["conversations"]) + len(SAMPLE["searches"])

    def rows() -> list[RequestLog]:
        with tenant_scope(project):
            return list(RequestLog.objects.within(project).exclude(endpoint="get/status"))

    _wait(lambda: len(rows()) >= expected, "request log")
    return rows()


def _copy(row: RequestLog, day: datetime, chance: random.Random) -> RequestLog:
    at = day.replace(hour=chance.choice((8, 9, 10, 11, 13, 14, 15, 16, 20)), minute=chance.randrange(60))
    fresh = RequestLog(
        **{
            field.attname: getattr(row, field.attname)
            for field in RequestLog._meta.fields
            if field.name != "id"
        }
    )
    fresh.id, fresh.request_id = uuid7(), str(uuid7())
    fresh.created_at = at.replace(second=chance.randrange(60))
    fresh.milliseconds = round(row.milliseconds * chance.uniform(0.7, 1.6), 1)
    fresh.meter = row.endpoint
    return fresh


def _charge(row: RequestLog, key: ApiKey) -> None:
    meter = next((one for one in Meter if one == row.endpoint), Meter.OTHER)
    held = open_hold(key, row.created_at)
    reserve_quota(held, {meter: 1})
    settle_hold(held, row.subjects[0] if row.subjects else "")


def _wait(is_done: Any, what: str) -> None:
    until = time.monotonic() + WAIT
    while not is_done():
        if time.monotonic() > until:
            raise NotFilled(f"{what}: not done after {WAIT:.0f} s")
        time.sleep(0.5)
