"""A profile that is bound to a user fills itself from what the user says, and stays true."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connections, transaction
from django.db.models import F
from django.utils import timezone

from memories.ingest.accept_messages import add_messages
from memories.ingest.refine import refine_messages
from memories.jobs import outbox
from memories.jobs.outbox import LeaseLost
from memories.models import MemCube, Memory, Profile, ProfileTemplate, Task
from memories.profiles.bindings import Binding, bind_profiles, show_profiles
from memories.profiles.fields import find_field_slots, get_field_value, holds_many
from memories.profiles.templates import Leaf, add_template, build_template_id
from memories.values import NewMessage, NewMessages, OwnerKind, Subject, TaskState
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Api, Tenant
from tests.support.tasks.crashes import SimulatedFailure, dying_at, dying_at_change

KIM = Subject(OwnerKind.END_USER, "kim")
PERSON = {
    "Basic": {name: {"value": ""} for name in ("Name", "City", "Age", "Job", "Company", "Diet")},
    "Home": {"Pets": {"value": ""}},
    "Emergency contact": {"Name": {"value": ""}},
    "Travel": {"Seat preference": {"value": ""}},
}


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def bound(api: Api, tree: dict[str, Any], user: str = "kim") -> str:
    made = api.data("add/profile_template", {"name": "Person", "metadata": tree})
    key = str(made["profile_template_id"])
    api.data("bind/profile_template", {"bind_list": [{"user_id": user, "profile_template_id": key}]})
    return key


def values(api: Api, user: str = "kim") -> dict[str, Any]:
    """What the user's only profile says, by dotted path."""
    (tree,) = api.listed(user, include_memory_view=["profile"])["profile_detail_list"]
    return dict(_flat(tree["properties"], ""))


def _flat(branch: dict[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    for name, node in branch.items():
        if "algorithm_updatable" in node:
            yield above + name, node["value"]
        else:
            yield from _flat(node, f"{above}{name}.")


def test_what_an_english_user_says_fills_the_fields(api: Api) -> None:
    bound(api, PERSON)

    api.add("kim", "My name is Kim Lee. I am 34 years old. I live in Porto.", "I work as a nurse at Acme.")
    api.add("kim", "I'm vegetarian. I have a dog called Rex. I have a cat called Tom. I prefer window seats.")

    fields = values(api)
    assert fields["Basic.Name"] == "Kim Lee"
    assert (fields["Basic.City"], fields["Basic.Age"]) == ("Porto", "34")
    assert (fields["Basic.Job"], fields["Basic.Company"], fields["Basic.Diet"]) == (
        "nurse",
        "Acme",
        "vegetarian",
    )
    assert "Rex" in fields["Home.Pets"]
    assert "Tom" in fields["Home.Pets"]
    assert "window" in fields["Travel.Seat preference"]
    assert fields["Emergency contact.Name"] == ""


def test_what_a_chinese_user_says_fills_the_fields(api: Api) -> None:
    leaf = {"value": ""}
    bound(api, {"基础信息": {"姓名": leaf, "常住城市": leaf, "职业": leaf}, "兴趣": {"喜欢的音乐": leaf}})

    api.add("kim", "我叫李雷。我住在北京。我是一名医生。我喜欢听民谣音乐。")

    fields = values(api)
    assert (fields["基础信息.姓名"], fields["基础信息.常住城市"], fields["基础信息.职业"]) == (
        "李雷",
        "北京",
        "医生",
    )
    assert "民谣" in fields["兴趣.喜欢的音乐"]


def test_by_meaning_a_memory_reaches_the_nearest_field_only(api: Api) -> None:
    leaf = {"value": ""}
    bound(
        api, {"Interests": {"Favourite films": leaf, "Music taste": leaf}, "Finance": {"Risk appetite": leaf}}
    )

    api.add("kim", "I like jazz and blues.", "My favourite movie is Dune.", "I had lunch with Tom today.")

    fields = values(api)
    assert "jazz" in fields["Interests.Music taste"]
    assert fields["Interests.Favourite films"] == "The user's favourite movie is Dune"
    assert fields["Finance.Risk appetite"] == ""
    assert "lunch" not in repr(fields)


def test_a_field_follows_the_state_and_its_corrections(api: Api) -> None:
    bound(api, PERSON)
    api.add("kim", "I live in Porto.")
    api.add("kim", "I moved to Oslo.")
    assert values(api)["Basic.City"] == "Oslo"

    newest = next(
        row["id"] for row in api.listed("kim")["memory_detail_list"] if "Oslo" in row["memory_value"]
    )
    api.data("update/memory", {"memory_id": newest, "content": "The user lives in Bergen."})
    assert values(api)["Basic.City"] == "Bergen"

    api.data("delete/memory", {"memory_ids": [newest]})
    assert "Bergen" not in repr(values(api))


def test_a_field_whose_state_is_over_is_empty_again(api: Api) -> None:
    bound(api, PERSON)
    api.add("kim", "I work at Acme.")
    assert values(api)["Basic.Company"] == "Acme"

    api.add("kim", "I no longer work at Acme.")

    assert values(api)["Basic.Company"] == ""


def test_a_field_is_empty_when_the_last_day_of_its_memory_is_over(api: Api, tenant: Tenant) -> None:
    bound(api, PERSON)
    api.add("kim", "I live in Bergen.")
    assert values(api)["Basic.City"] == "Bergen"

    with tenant_scope(tenant.project):
        yesterday = timezone.now().date() - timedelta(days=1)
        assert Memory.objects.within(MemCube.objects.within(tenant.project)).update(expires_on=yesterday) == 1

    assert values(api)["Basic.City"] == ""


def test_what_a_person_edited_is_never_overwritten(api: Api) -> None:
    key = bound(api, PERSON)
    api.add("kim", "I live in Porto.")
    whose = {"user_id": "kim", "profile_template_id": key}
    api.data("edit/profile", {**whose, "metadata": {"Basic": {"City": {"value": "Braga"}}}})

    api.add("kim", "I moved to Oslo. I am 34 years old.")

    fields = values(api)
    assert (fields["Basic.City"], fields["Basic.Age"]) == ("Braga", "34")


def test_a_field_that_is_locked_keeps_what_talk_had_filled_in(api: Api) -> None:
    key = bound(api, PERSON)
    api.add("kim", "I live in Porto.")
    lock = {"Basic": {"City": {"algorithm_updatable": False}}}
    api.data("edit/profile", {"user_id": "kim", "profile_template_id": key, "metadata": lock})

    api.add("kim", "I moved to Oslo.")

    assert values(api)["Basic.City"] == "Porto"


def test_a_field_closed_to_talk_and_a_removed_one_stay_as_they_are(api: Api) -> None:
    key = bound(api, {"Basic": {"City": {"value": "?", "algorithm_updatable": False}, "Age": {"value": ""}}})
    api.data("edit/profile", {"user_id": "kim", "profile_template_id": key, "remove_fields": ["Basic.Age"]})

    api.add("kim", "I live in Porto. I am 34 years old.")

    assert values(api) == {"Basic.City": "?"}


def test_the_sisters_city_is_not_the_users(api: Api) -> None:
    bound(api, PERSON)

    api.add("kim", "My sister lives in Paris.")

    assert values(api)["Basic.City"] == ""


def test_a_deleted_user_begins_anew(api: Api, tenant: Tenant) -> None:
    key = bound(api, PERSON)
    api.add("kim", "I live in Porto.")

    api.data("delete/memory", {"user_id": "kim"})

    with tenant_scope(tenant.project):
        assert not Profile.objects.within(tenant.project).exists()
    api.data("bind/profile_template", {"bind_list": [{"user_id": "kim", "profile_template_id": key}]})
    assert set(values(api).values()) == {""}


def test_who_only_has_a_profile_can_be_deleted_too(api: Api) -> None:
    bound(api, PERSON)

    api.data("delete/memory", {"user_id": "kim"})

    assert api.listed("kim", include_memory_view=["profile"])["profile_detail_list"] == []


def test_strangers_see_nothing_of_it(api: Api, strangers_api: Api, tenant: Tenant, stranger: Tenant) -> None:
    bound(api, PERSON)
    api.add("kim", "I live in Porto.")

    assert strangers_api.listed("kim", include_memory_view=["profile"])["profile_detail_list"] == []
    with tenant_scope(stranger.project):
        assert not Profile.objects.within(tenant.project).exists()
        assert not ProfileTemplate.objects.within(tenant.project).exists()


def say(project: Project, *texts: str) -> Task:
    """Adds messages whose task waits until the test does it."""
    at = datetime(2025, 7, 1, 12, tzinfo=UTC)
    messages = tuple(NewMessage("user", text, text, at, at.isoformat()) for text in texts)
    with transaction.atomic():
        task = add_messages(project, NewMessages((KIM,), texts[0], messages))
        Task.objects.within(project).filter(pk=task.pk).update(due_at=timezone.now() + timedelta(hours=1))
    return task


def take(task: Task) -> Task:
    row = Task.every.using(outbox.SWEEP).filter(pk=task.pk)
    lease_until = timezone.now() + outbox.LEASE
    row.update(state=TaskState.RUNNING, fence=F("fence") + 1, attempts=1, lease_until=lease_until)
    mine: Task = row.get()
    return mine


def bound_here(project: Project) -> None:
    template = add_template(project, "Person", [Leaf("Basic.City"), Leaf("Interests.Music taste")])
    bind_profiles(project, [Binding(KIM, build_template_id(template))])


def shown(project: Project) -> dict[str, Any]:
    return {field.path: field.value for profile in show_profiles(project, KIM) for field in profile.fields}


def test_work_that_dies_at_any_statement_fills_all_or_nothing_and_is_done_later(tenant: Tenant) -> None:
    project = tenant.project
    bound_here(project)
    task = say(project, "I live in Porto.", "I like jazz and blues.")
    change = deaths = 0

    while Task.objects.within(project).get(pk=task.pk).state != TaskState.COMPLETED:
        change += 1
        assert set(shown(project).values()) == {""}
        with dying_at_change(change, SimulatedFailure):
            try:
                refine_messages(take(task))
            except SimulatedFailure:
                deaths += 1

    assert deaths == change - 1 > 5
    assert shown(project)["Basic.City"] == "Porto"
    assert "jazz" in shown(project)["Interests.Music taste"]


def test_work_that_is_done_twice_fills_once(tenant: Tenant) -> None:
    project = tenant.project
    bound_here(project)
    task = say(project, "I live in Porto.")
    lost, mine = take(task), take(task)

    refine_messages(mine)
    before = shown(project)
    with pytest.raises(LeaseLost):
        refine_messages(lost)

    assert shown(project) == before == {"Basic.City": "Porto", "Interests.Music taste": ""}
    with tenant_scope(project):
        (profile,) = Profile.objects.within(project)
    assert [len(keys) for keys in profile.filled.values()] == [1]


def test_without_a_profile_the_work_asks_once_for_one(tenant: Tenant) -> None:
    project = tenant.project
    task = take(say(project, "I live in Porto."))

    with dying_at(0) as asked:
        refine_messages(task)

    assert len([sql for sql in asked if "memories_profile" in sql]) == 1


@pytest.mark.parametrize(
    ("path", "slot"),
    [
        ("Basic Info.Location", "residence"),
        ("Personal.current_city", "residence"),
        ("profile.firstName", "name"),
        ("基础信息.常住城市", "residence"),
        ("基础信息.职业", "job"),
        ("Work.Company", "employer"),
        ("Family.Children", "children"),
        ("Pet.Name", "pet:"),
        ("Mother.Name", "mother:name"),
        ("妈妈.城市", "mother:residence"),
        ("紧急联系人.姓名", None),
        ("Service.Hours", None),
    ],
)
def test_the_name_of_a_field_says_which_state_it_is(path: str, slot: str | None) -> None:
    slots = find_field_slots(path)

    assert slots == (frozenset() if slot is None else {slot})
    assert holds_many(path) == (slot in {None, "children", "pet:"})


@pytest.mark.parametrize(
    ("slot", "text", "value"),
    [
        ("residence", "The user moved to Shanghai in June 2025 and lives there now.", "Shanghai"),
        ("residence", "用户搬到上海了（2025年7月1日），现在住在那里。", "上海"),
        ("age", "The user is 34 years old (as of 1 July 2025).", "34"),
        ("salary", "The user's salary is 5000 euros.", "5000 euros"),
        ("job", "The user quit their job.", "The user quit their job"),
        (
            "residence",
            "The user does not live in Porto any more.",
            "The user does not live in Porto any more",
        ),
        ("pet:rex", "The user has a dog called Rex.", "The user has a dog called Rex"),
    ],
)
def test_a_state_is_told_in_few_words(slot: str, text: str, value: str) -> None:
    assert get_field_value(Memory(slot=slot, text=text), "Some.Field") == value
