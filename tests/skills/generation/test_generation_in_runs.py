"""A model that reads and writes for longer than one run of a task may take: the next go on, and ask nothing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from memories.engine.protocols import ProviderUnavailable
from memories.jobs import outbox
from memories.jobs.outbox import Unfinished
from memories.models import MemCube, Task
from memories.values import TaskKind, TaskState
from skills.generation import generate
from skills.generation.generate import generate_skills
from skills.generation.schedule import GenerationInput, schedule_generation
from skills.models import Episode, Skill
from skills.settings.skill_settings import SECTION
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Api, Tenant
from tests.support.servers.model_server import Body, ModelServer, Reply, completion, embeddings, parse_data
from tests.support.servers.own_embedder import embedding_by
from tests.support.servers.own_provider import lend_model
from tests.support.skills.travellers import INTENSE, RETURN, TRIP, talk, tell
from tests.support.tasks.crashes import SimulatedKill, dying_at
from tests.support.tasks.refine_tasks import take

BACK: Body = {
    "first": 0,
    "last": 6,
    "kind": "other",
    "title": "Return of headphones",
    "purpose": "Returns what was bought when somebody wants it refunded.",
    "asked": 0,
    "request": "The user wants to return headphones.",
    "language": "en",
    "findings": [
        {"part": "liking", "text": "Prefers a pickup by courier", "turn": 4, "slot": ""},
        {"part": "wish", "text": "Refund to the original card", "turn": 4, "slot": ""},
        {"part": "step", "text": "Ask for the order number", "turn": 1, "slot": ""},
        {"part": "step", "text": "Book the pickup", "turn": 5, "slot": ""},
        {"part": "success", "text": "", "turn": 6, "slot": ""},
    ],
}
# A task of which nobody says how it is done: no skill that could be followed comes of it.
CHOSEN = [
    {"part": "choice", "text": "Chose a pickup by courier", "turn": 4, "slot": ""},
    {"part": "choice", "text": "Chose the original card", "turn": 4, "slot": ""},
    {"part": "failure", "text": "Going to the post office", "turn": 4, "slot": ""},
    {"part": "failure", "text": "Waiting for the refund", "turn": 4, "slot": ""},
    {"part": "success", "text": "", "turn": 6, "slot": ""},
]
SKILLS = {
    "Trip planning": ("Trips without detours", ["Ask for the dates", "Draw one line through the sights"]),
    "Return of headphones": ("Returns by courier", ["Ask for the order number", "Book the pickup"]),
}


class Model:
    """Reads trips and returns, and writes a skill of each; counts what it was asked."""

    def __init__(self) -> None:
        self.read: Counter[str] = Counter()
        self.written: Counter[str] = Counter()
        self.back = BACK
        self.skills = SKILLS

    def __call__(self, body: Body) -> Reply:
        asked = parse_data(body)
        if "messages" in asked:
            begin = asked["messages"][0]["text"]
            self.read[begin] += 1
            return completion({"tasks": [self.back if "headphones" in begin else TRIP]})
        self.written[asked["name"]] += 1
        name, procedure = self.skills[asked["name"]]
        return completion(
            {
                "name": name,
                "description": f"{name}, for somebody who wants it so.",
                "procedure": procedure,
                "experience": [],
                "preferences": [],
                "examples": [],
                "additional_information": "",
            }
        )


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def server(tenant: Tenant, model: Model, model_port: int) -> Iterator[ModelServer]:
    with closing(ModelServer(model, model_port)) as running:
        yield running


@pytest.fixture
def cube(tenant: Tenant, api: Api, server: ModelServer) -> MemCube:
    """Of a user whose conversations no skill was generated from so far."""
    Project.objects.filter(pk=tenant.project_id).update(settings={SECTION: {"generate": False}})
    again = talk("Also plan a trip to Xi'an.", *(message["content"] for message in INTENSE[1:]))
    for number, messages in enumerate([RETURN, INTENSE, again]):
        tell(tenant, api, "kim", messages, f"talk {number}")
    Project.objects.filter(pk=tenant.project_id).update(settings={SECTION: {"generate": True}})
    lend_model(tenant, server)
    with tenant_scope(tenant.project):
        cube: MemCube = MemCube.objects.within(tenant.project).get(owner_id="kim")
    return cube


@pytest.fixture
def task(tenant: Tenant, cube: MemCube) -> Task:
    """For all conversations; the test does it, for the stack's own worker does not find it due."""
    with tenant_scope(tenant.project):
        keys = tuple(str(key) for key in cube.conversations.order_by("pk").values_list("pk", flat=True))
        schedule_generation(cube, "all of it", GenerationInput(keys), timedelta(hours=1))
        task: Task = Task.objects.within(tenant.project).get(kind=TaskKind.SKILL)
    return task


def is_completed(tenant: Tenant, task: Task) -> bool:
    return bool(Task.objects.within(tenant.project).get(pk=task.pk).state == TaskState.COMPLETED)


def names(tenant: Tenant) -> list[str]:
    with tenant_scope(tenant.project):
        return sorted(skill.title for skill in Skill.objects.within(tenant.project.account_id))


def conversations(tenant: Tenant) -> list[str]:
    """Those that the episodes stand for, one for each episode."""
    with tenant_scope(tenant.project):
        rows = Episode.objects.within(tenant.project).values_list("conversation__external_id", flat=True)
        return sorted(rows)


def test_a_model_reads_no_conversation_and_writes_no_skill_twice_in_many_short_runs(
    tenant: Tenant, task: Task, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate, "RUN_SECONDS", 0.0)
    runs = 0

    while not is_completed(tenant, task):
        runs += 1
        with suppress(Unfinished):
            generate_skills(take(task))

    assert runs == 5
    assert list(model.read.values()) == [1, 1, 1]
    assert model.written == {"Trip planning": 1, "Return of headphones": 1}
    assert names(tenant) == ["Returns by courier", "Trips without detours"]
    assert len(Task.objects.within(tenant.project).get(pk=task.pk).result["created"]) == 2


def test_a_model_reads_no_conversation_again_while_the_embedder_is_away(
    tenant: Tenant, task: Task, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = Reply(status=503)

    with closing(ModelServer(lambda _: away)) as server, embedding_by(server, 384):
        with pytest.raises(ProviderUnavailable):
            generate_skills(take(task))
        assert not is_completed(tenant, task)
        assert list(model.read.values()) == [1, 1, 1]
        server.answer = embeddings(lambda text: [float(len(text) % number == 0) for number in range(2, 386)])
        generate_skills(take(task))

    assert is_completed(tenant, task)
    assert list(model.read.values()) == [1, 1, 1]
    assert model.written == {"Trip planning": 1, "Return of headphones": 1}
    with tenant_scope(tenant.project):
        assert not Episode.objects.within(tenant.project).filter(embedding=None).exists()


def test_short_runs_that_die_at_any_statement_store_each_episode_and_skill_once(
    tenant: Tenant, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate, "RUN_SECONDS", 0.0)
    statement = deaths = 0

    while not is_completed(tenant, task):
        statement += 5
        with dying_at(statement):
            try:
                generate_skills(take(task))
            except SimulatedKill:
                deaths += 1
            except Unfinished:
                pass

    assert deaths > 5
    assert conversations(tenant) == ["talk 0", "talk 1", "talk 2"]
    assert names(tenant) == ["Returns by courier", "Trips without detours"]


def test_a_conversation_that_goes_on_between_two_runs_is_read_again_and_no_other(
    tenant: Tenant, task: Task, cube: MemCube, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate, "RUN_SECONDS", 0.0)
    first = task.payload["conversations"][0]
    with pytest.raises(Unfinished):
        generate_skills(take(task))
    later = timezone.now() + timedelta(hours=1)
    Task.every.using(outbox.SWEEP).filter(pk=task.pk).update(state=TaskState.WAITING, due_at=later)

    with tenant_scope(tenant.project), transaction.atomic():
        schedule_generation(cube, "more of it", GenerationInput((first,)))
    while not is_completed(tenant, task):
        with suppress(Unfinished):
            generate_skills(take(task))

    assert sorted(model.read.values()) == [1, 1, 2]


def test_a_skill_that_no_model_can_write_keeps_no_other_from_being_written(
    tenant: Tenant, task: Task, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate, "RUN_SECONDS", 0.0)
    model.back = BACK | {"findings": CHOSEN}
    model.skills = SKILLS | {"Return of headphones": ("Returns by courier", [])}

    for _ in range(5):
        with suppress(Unfinished):
            generate_skills(take(task))

    assert is_completed(tenant, task)
    assert model.written == {"Return of headphones": 1, "Trip planning": 1}
    assert names(tenant) == ["Trips without detours"]
