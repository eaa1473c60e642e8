"""Sample data: a project of invented people that is filled by calls of the API, step by step.

What is there already is looked up in the tables, so that filling may stop anywhere and go on.
"""

from __future__ import annotations

import base64
import random
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Max, Min, Value
from django.db.models.functions import Least

from knowledgebase.bases.bases import list_linked_bases
from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.work.progress import FINAL
from memories.consolidation.versions import build_member_actor
from memories.cubes.access import select_reachable_memories
from memories.lifecycle.states import set_status
from memories.lifecycle.trash import move_to_trash
from memories.models import Conversation, Feedback, MemCube, Memory, MemoryVersion, Message, Task
from memories.models.task import OPEN_STATES
from memories.values import MemoryKind, MemoryStatus, TaskKind
from skills.catalogue.edit import SkillEdit, edit_skill, move_skill
from skills.catalogue.write import PATH, NewSkill, create_skill, parse_skill_text
from skills.models import Skill
from skills.models.user_rows import get_or_create_person
from skills.packages.files import NewFile
from skills.packages.ownership import SkillOwner
from skills.values import SkillOrigin, SkillState
from tenancy.errors import PlanLimitReached
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.meters import Meter
from tenancy.metering.quota import open_hold, reserve_quota, settle_hold
from tenancy.metering.rollup import count_refused, fold_usage
from tenancy.models import Account, ApiKey, Project, RequestLog, User
from tenancy.projects.projects import create_project
from tenancy.requests.partitions import create_partitions, get_today

SAMPLE = tomllib.loads(Path(__file__).with_name("content.toml").read_text(encoding="utf-8"))
KEY_NAME = "sample data"
# Among the settings of the project that was filled here.
MARK = "sample_data"
DAYS = 29
# Requests of one past day, fewest and most; weekends have a third.
A_DAY = (12, 34)
# Sends a body to a path of the API and returns its data. Raises `NotFilled`.
Send = Callable[[str, dict[str, Any]], Any]


class NotFilled(Exception):
    """The API refused a call with this code."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


def find_sample_project(account: Account) -> Project | None:
    """The project that was filled with the sample data, where there is one; not another of its name, and not one that
    somebody has renamed, and so made their own."""
    named = account.projects.filter(name=SAMPLE["project"], deleting_at=None)
    return named.filter(settings__has_key=MARK).first()


def open_sample_project(account: Account, owner: User) -> Project:
    """The empty project, marked as the sample data's. Raises what `create_project` raises."""
    with transaction.atomic():
        project = create_project(account, SAMPLE["project"], SAMPLE["description"], owner)
        # A part of making it, not a change that somebody made.
        project.settings = {MARK: {}}
        project.save(update_fields=["settings"])
    return project


def fill_further(project: Project, owner: User, send: Send, key: ApiKey | None = None) -> bool:
    """Do what can be done now, and say whether everything is there; False while workers are at what was sent.

    What was said on past days is dated so. Requests of past days are copies of those that were really answered, charged
    to their day with a `key`, and to nobody without. Outside of transactions.
    """
    if _say_conversations(project, send) or _say_feedback(project, send):
        return False
    if _add_base(project, send):
        return False
    _date_memories(project)
    _add_skills(project, owner)
    _change_states(project, owner)
    if not _is_logged(project):
        _send_searches(send)
        return False
    _spread_over_days(project, key)
    return True


def _say_conversations(project: Project, send: Send) -> bool:
    """Return whether workers are still at it."""
    with tenant_scope(project):
        ids = set(Conversation.objects.within(project).values_list("external_id", flat=True))
    for talk in SAMPLE["conversations"]:
        if talk["id"] not in ids:
            _send_talk(talk, send)
    return _are_workers_at_it(project)


def _send_talk(talk: dict[str, Any], send: Send) -> None:
    body = {
        "user_id": talk["user"],
        "conversation_id": talk["id"],
        "messages": list(_build_messages(talk)),
        "async_mode": True,
    }
    if agent := talk.get("agent"):
        body["agent_id"] = agent
    send("add/message", body)


def _say_feedback(project: Project, send: Send) -> bool:
    """One after the other, each about what the one before has changed. Whether workers are still at it."""
    with tenant_scope(project):
        count = Feedback.objects.within(project).count()
    for message in SAMPLE["feedback"][count : count + 1]:
        body = {
            "user_id": message["user"],
            "conversation_id": message["conversation"],
            "feedback_content": message["text"],
            "feedback_time": _format_time(message["days_ago"], 0),
        }
        send("add/feedback", body)
        return True
    return _are_workers_at_it(project)


def _are_workers_at_it(project: Project) -> bool:
    """Return whether workers still make memories of the messages; skills are generated later."""
    with tenant_scope(project):
        open_tasks = Task.objects.within(project).filter(state__in=OPEN_STATES)
        return bool(open_tasks.filter(kind__in=[TaskKind.REFINE, TaskKind.FEEDBACK]).exists())


def _build_messages(talk: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for number, message in enumerate(talk["messages"]):
        role = "assistant" if number % 2 else "user"
        whole = message if isinstance(message, dict) else {"role": role, "content": message}
        yield whole | {"chat_time": _format_time(talk["days_ago"], number)}


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
        learned = dict(
            memories.annotate(last_said_at=Max("sources__message__said_at")).values_list("pk", "last_said_at")
        )
        sent = dict(Feedback.objects.within(project).values_list("cube").annotate(Max("said_at")))
        for memory in memories.only("pk", "cube_id", "superseded_by_id"):
            begun = learned[memory.pk] or sent.get(memory.cube_id)
            if begun is None:
                continue
            successor = memory.superseded_by_id
            changed = (learned[successor] or sent.get(memory.cube_id) if successor else None) or begun
            memories.filter(pk=memory.pk).update(created_at=begun, updated_at=max(begun, changed))
            MemoryVersion.objects.within([memory.pk]).update(created_at=max(begun, changed))


def _format_time(days_ago: int, minute: int) -> str:
    at = datetime.now(UTC).replace(hour=9, minute=0) - timedelta(days=days_ago) + timedelta(minutes=minute)
    return f"{at:%Y-%m-%d %H:%M:%S}"


def find_sample_base(project: Project) -> KnowledgeBase | None:
    """Find the knowledge base of the sample data. Inside the project's tenant scope."""
    base: KnowledgeBase | None = list_linked_bases(project).filter(name=SAMPLE["base"]["name"]).first()
    return base


def _add_base(project: Project, send: Send) -> bool:
    """Return whether its file is still being read. Where the plan allows no further base, the sample data has none."""
    wanted = SAMPLE["base"]
    with tenant_scope(project):
        base = find_sample_base(project)
        files = KnowledgeFile.objects.within(project.account_id).filter(base=base) if base else None
        if files is not None and files.exists():
            return files.exclude(state__in=FINAL).exists()
    try:
        public_id = base.public_id if base else _create_base(wanted, send)
    except NotFilled as error:
        if error.code != PlanLimitReached.code:
            raise
        return False
    content = base64.b64encode(wanted["text"].strip().encode()).decode()
    file = {"name": wanted["file"], "type": "document", "content": content}
    send("add/knowledgebase-file", {"knowledgebase_id": public_id, "file": [file]})
    return True


def _create_base(wanted: dict[str, Any], send: Send) -> str:
    named = {"knowledgebase_name": wanted["name"], "knowledgebase_description": wanted["description"]}
    return str(send("create/knowledgebase", named)["id"])


def _add_skills(project: Project, owner: User) -> None:
    for given in SAMPLE["skills"]:
        text = given["text"].strip() + "\n"
        title = parse_skill_text(text).title
        is_draft = given["state"] == SkillState.DRAFT
        with tenant_scope(project):
            if Skill.objects.within(project.account_id).filter(project=project, title=title).exists():
                continue
            skill_owner, person = (
                SkillOwner.of_person(project, given["user"]),
                get_or_create_person(project, given["user"]),
            )
            skill = create_skill(
                NewSkill(
                    skill_owner,
                    parse_skill_text(text),
                    [NewFile.of_text(PATH, text)],
                    SkillOrigin.UPLOADED,
                    build_member_actor(owner),
                    "uploaded",
                    state=SkillState.DRAFT if is_draft else SkillState.ACTIVE,
                    person=person,
                )
            )
        if edited := given.get("edited"):
            change = SkillEdit(
                edited.strip() + "\n", skill.version, build_member_actor(owner), "clearer steps"
            )
            edit_skill(project, skill.pk, change)
        if given["state"] == SkillState.ARCHIVED:
            move_skill(project, skill.pk, SkillState.ARCHIVED, build_member_actor(owner))


def _change_states(project: Project, owner: User) -> None:
    """One memory of each state that only a person gives."""
    actor = build_member_actor(owner)
    with tenant_scope(project):
        if select_reachable_memories(project).filter(project=project, status=MemoryStatus.FROZEN).exists():
            return
        mine = select_reachable_memories(project).filter(
            project=project, kind=MemoryKind.FACT, status=MemoryStatus.ACTIVATED
        )
        keys: Sequence[UUID] = list(mine.order_by("created_at").values_list("pk", flat=True)[:3])
    for key, status in zip(keys, (MemoryStatus.FROZEN, MemoryStatus.ARCHIVED), strict=False):
        set_status(project, key, status, actor, "sample data")
    with tenant_scope(project):
        move_to_trash(project, select_reachable_memories(project).filter(pk__in=keys[2:]), actor)


def _send_searches(send: Send) -> None:
    for asked in SAMPLE["searches"]:
        body = {"user_id": asked["user"], "query": asked["query"], "include_skill": True}
        send("search/memory", body)
    for user in {asked["user"] for asked in SAMPLE["searches"]}:
        send("get/memory", {"user_id": user})
    # Two that are refused: an id that is too long, and a number out of range.
    long, wide = {"user_id": "x" * 101, "query": "?"}, {"user_id": "maya", "query": "?", "relativity": 7}
    for wrong in (long, wide):
        with suppress(NotFilled):
            send("search/memory", wrong)


def _list_logged_requests(project: Project) -> list[RequestLog]:
    """The requests that were really answered."""
    with tenant_scope(project):
        rows = RequestLog.objects.within(project).filter(created_at__gte=project.created_at)
        return list(rows.exclude(endpoint="get/status"))


def _is_logged(project: Project) -> bool:
    """Rows are written a moment after the answers."""
    return {"add/message", "search/memory"} <= {row.endpoint for row in _list_logged_requests(project)}


def _spread_over_days(project: Project, key: ApiKey | None) -> None:
    """A month of requests: copies of the real ones, at other times, each charged to its day."""
    real = _list_logged_requests(project)
    create_partitions(get_today())
    for ago in range(1, DAYS + 1):
        chance = random.Random(f"{SAMPLE['project']} {ago}")
        day = datetime.now(UTC) - timedelta(days=ago)
        count = chance.randint(*A_DAY) // (3 if day.weekday() >= 5 else 1)
        rows = [_copy_request(chance.choice(real), day, chance) for _ in range(count)]
        with tenant_scope(project):
            if RequestLog.objects.within(project).filter(created_at__date=day.date()).exists():
                continue
            RequestLog.objects.bulk_create(rows)
            if key:
                count_refused(rows)
        for row in rows:
            if key and row.code == 0:
                _charge_request(row, key)
    fold_usage(project.account_id)


def _copy_request(row: RequestLog, day: datetime, chance: random.Random) -> RequestLog:
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


def _charge_request(row: RequestLog, key: ApiKey) -> None:
    meter = next((meter for meter in Meter if meter == row.endpoint), Meter.OTHER)
    held = open_hold(key, row.created_at)
    reserve_quota(held, {meter: 1})
    settle_hold(held, row.subjects[0] if row.subjects else "")
