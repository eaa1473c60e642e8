"""Feedback that orders: words replaced everywhere, something remembered or forgotten; and what changes nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from memories import tasks
from memories.consolidation.cube_locks import lock_cube
from memories.feedback import replace_words
from memories.feedback.accept import add_feedback
from memories.feedback.parse_orders import ForgetRequest, Replacement, read_feedback
from memories.jobs import outbox
from memories.models import MemCube, Memory, Task
from memories.text.clauses.contrast import find_contrast
from memories.text.clauses.replacer import make_replacer
from memories.values import NewFeedback, TaskKind
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant, message
from tests.support.tasks.feedback import current, give
from tests.support.tasks.refine_tasks import KIM, take
from tests.support.waiting import wait_until_somebody_waits

RENAMED = "From now on, I changed my name. Replace User 1 with User 2 everywhere."
QUOTED = "Change 'Zhang San' to 'Li Si' in all documents."


REPLACED = [
    ("User 1 plays chess with User 10.", RENAMED, "User 2 plays chess with User 10", "User 1 "),
    ("Zhang San leads Zhang San's team.", QUOTED, "Li Si leads Li Si's team", "Zhang"),
    ("The team uses MySQL for reports.", "Please replace mysql by Postgres", "uses Postgres for reports", "MySQL"),
    ("项目负责人是张三。", "把张三改成李四。", "李四", "张三"),
    ("苹果公司的合同在王五那里。", "我改名了，把王五全部替换成赵六", "赵六", "王五"),
]  # fmt: skip


def test_words_are_replaced_everywhere(api: Api, tenant: Tenant) -> None:
    api.add("kim", *(held for held, *_ in REPLACED))

    for _, feedback, right, wrong in REPLACED:
        result = give(api, tenant, feedback)

        assert (result["applied"], len(result["replaced"]), result["added"]) == (True, 1, []), feedback
        held = current(api)
        assert right in held
        assert wrong not in held
        assert right in api.facts("kim", right, relativity=0)[0]


def test_every_memory_of_the_user_with_the_word_is_rewritten_and_keeps_its_version(
    api: Api, tenant: Tenant
) -> None:
    api.add("kim", "Falcon starts in May.", "My team tests Falcon on Mondays.", "I like tea.")
    api.add("lee", "Falcon is late.")

    result = give(api, tenant, "Replace Falcon with Phoenix everywhere")

    assert len(result["replaced"]) == 2
    assert current(api).count("Phoenix") == 2
    assert "Falcon" in current(api, user_id="lee")
    with tenant_scope(tenant.project):
        memory = Memory.objects.within(MemCube.objects.within(tenant.project)).get(pk=result["replaced"][0])
        version = memory.versions.latest("number")
    assert version.actor == "feedback"
    assert "Falcon" in version.text


def test_rewritten_memories_that_then_say_the_same_become_one(api: Api, tenant: Tenant) -> None:
    api.add("kim", "Falcon starts in May 2026.", "Phoenix starts in May 2026.")

    result = give(api, tenant, "Replace Falcon with Phoenix everywhere")

    assert len(result["merged"]) == 1
    assert current(api).count("Phoenix starts") == 1


BLANKS = ['Replace " " with "-" everywhere.', "把“ ”全部换成“-”。"]
BLANKS += ['Replace "foo" with " " everywhere', "把所有foo换成“ ”"]


@pytest.mark.parametrize("feedback", BLANKS)
def test_a_blank_is_no_word_to_be_replaced_or_to_replace_one(feedback: str) -> None:
    assert read_feedback(feedback).replacements == ()


def test_an_order_to_replace_a_blank_or_what_nobody_said_changes_nothing(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Lisbon.")

    blank = give(api, tenant, 'Replace " " with "-" everywhere.')
    unsaid = give(api, tenant, "Replace Falcon with Phoenix everywhere")

    assert blank["replaced"] == []
    assert (unsaid["applied"], unsaid["reason"]) == (False, "not_found")
    assert current(api) == "The user lives in Lisbon."


def test_what_is_to_be_remembered_is(api: Api, tenant: Tenant) -> None:
    api.add("kim", "Where is the station?", message("assistant", "The station is in Mill Road."))

    for feedback, kept in (
        ("Also remember that the office code is 4711.", "office code is 4711"),
        ("Don't forget that I like sushi", "likes sushi"),
        ("记住我对花生过敏", "花生过敏"),
        ("I prefer short answers.", "short answers"),
    ):
        result = give(api, tenant, feedback)

        assert (result["applied"], len(result["added"]), result["superseded"]) == (True, 1, []), feedback
        assert kept in current(api)


def test_what_is_surely_meant_is_forgotten(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I like sushi.", "I like curry.", "我喜欢寿司。", "我喜欢咖喱。", "I live in Porto.")

    for feedback in (
        "Forget that I like sushi.",
        "User wants to delete memories about curry.",
        "忘记我喜欢寿司",
        "请删除关于咖喱的记忆",
    ):
        result = give(api, tenant, feedback)

        assert (result["applied"], len(result["deleted"])) == (True, 1), feedback

    assert current(api) == "The user lives in Porto."


def test_what_has_nothing_to_do_with_the_talk_changes_nothing_and_says_so(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I like sushi. My sister works for a bank.")
    before = current(api)

    for feedback, reason in (
        ("Forget it.", "not_certain"),
        ("Forget that I like curry.", "not_found"),
        ("Delete the memories about hotels.", "not_found"),
        ("Great answer!", "says_nothing"),
        ("Your answer was wrong.", "says_nothing"),
        ("谢谢", "says_nothing"),
        ("Bananas are yellow.", "off_topic"),
        ("The weather in Paris is lovely today.", "off_topic"),
        ("法国的首都是巴黎。", "off_topic"),
        ("The capital of Australia is Canberra, not Sydney.", "off_topic"),
        ("I had pasta for lunch.", "off_topic"),
        ("Not 12, 15.", "not_found"),
    ):
        result = give(api, tenant, feedback)

        assert (result["applied"], result["reason"]) == (False, reason), feedback
        assert not any(result[name] for name in ("added", "merged", "replaced", "superseded", "deleted"))
    assert current(api) == before


def test_an_order_that_would_take_too_much_is_left_to_people(api: Api, tenant: Tenant) -> None:
    api.add("kim", *(f"Invoice {number} is paid on {number + 1} May." for number in range(21)))

    result = give(api, tenant, "Delete the memories about invoices.")

    assert (result["applied"], result["reason"]) == (False, "too_many")


@pytest.mark.parametrize(
    ("sentence", "right", "wrong"),
    [
        ("It's not 800, it's 600", "600", "800"),
        ("I prefer window seats, not aisle seats", "window seats", "aisle seats"),
        ("The deadline is June 5, not June 3.", "June 5", "June 3"),
        ("The limit changed from 800 to 600.", "600", "800"),
        ("上限应为600，而不是800。", "600", "800"),
        ("我叫李四，不叫张三", "李四", "张三"),
    ],
)
def test_two_values_are_held_against_each_other(sentence: str, right: str, wrong: str) -> None:
    contrast = find_contrast(sentence)

    assert contrast is not None
    assert (contrast.right, contrast.wrong) == (right, wrong)


@pytest.mark.parametrize(
    "sentence", ["I am not sure", "I do not eat meat", "Not only tea", "不是", "I like tea"]
)
def test_a_mere_denial_is_no_contrast(sentence: str) -> None:
    assert find_contrast(sentence) is None


@pytest.mark.parametrize("sentence", ["I forgot my umbrella", "I want to change my job to something else"])
def test_what_somebody_does_is_no_order(sentence: str) -> None:
    wishes = read_feedback(sentence)

    assert not wishes.forget_requests
    assert not wishes.replacements


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("你忘了我对花生过敏", "我对花生过敏"),
        ("你怎么又忘了我不吃辣", "我不吃辣"),
        ("忘了说，我住在上海", "我住在上海"),
        ("You forgot that I am allergic to nuts", "I am allergic to nuts"),
        ("I forgot to mention that I have a dog", "I have a dog"),
        ("Delete key is broken on my keyboard", "Delete key is broken on my keyboard"),
        ("Drop shipping is my business", "Drop shipping is my business"),
    ],
)
def test_a_complaint_and_a_statement_are_no_order_to_forget(sentence: str, fact: str) -> None:
    wishes = read_feedback(sentence)

    assert not wishes.forget_requests
    assert [statement.text for statement in wishes.facts] == [fact]


@pytest.mark.parametrize(
    ("sentence", "topic", "fact"),
    [
        ("Forget it, I live in Paris", "", "I live in Paris"),
        ("Forget what I said, I am allergic to nuts", "", "I am allergic to nuts"),
        ("Forget my address, I moved to Paris", "address", "I moved to Paris"),
        ("删除我的地址，我搬到了上海", "我的地址", "我搬到了上海"),
    ],
)
def test_what_is_so_behind_an_order_to_forget_is_remembered(sentence: str, topic: str, fact: str) -> None:
    wishes = read_feedback(sentence)

    assert [request.topic for request in wishes.forget_requests] == [topic]
    assert [statement.text for statement in wishes.facts] == [fact]


@pytest.mark.parametrize(
    ("sentence", "topic"),
    [
        ("Delete everything about my mother, my father and my sister", "my mother, my father and my sister"),
        ("Forget that I like tea, coffee and milk", "I like tea, coffee and milk"),
        ("删除我的地址，我的电话", "我的地址，我的电话"),
        ("Delete the address I have on file", "address I have on file"),
        ("Remove the nickname I was given", "nickname I was given"),
    ],
)
def test_all_that_is_to_be_forgotten_is_one_order(sentence: str, topic: str) -> None:
    wishes = read_feedback(sentence)

    assert [request.topic for request in wishes.forget_requests] == [topic]
    assert not wishes.facts


def test_a_complaint_deletes_nothing(api: Api, tenant: Tenant) -> None:
    api.add("kim", "我对花生过敏。", "I live in Porto.")
    before = current(api)

    for feedback in ("你忘了我对花生过敏", "Forget it, I live in Porto"):
        assert "deleted" not in (result := give(api, tenant, feedback)) or not result["deleted"], feedback

    assert current(api) == before


def test_an_order_and_a_statement_may_come_together() -> None:
    wishes = read_feedback("Forget everything about Anna. Replace User 1 with User 2. I live in Oslo.")

    assert wishes.forget_requests == (ForgetRequest("Anna", False),)
    assert wishes.replacements == (Replacement("User 1", "User 2"),)
    assert [statement.text for statement in wishes.facts] == ["I live in Oslo."]


@pytest.mark.parametrize(
    ("old", "new", "text", "becomes"),
    [
        ("User 1", "User 2", "User 1's, user 1, USER 1, User 10.", "User 2's, user 2, USER 2, User 10."),
        ("Mark", "Bob", "Mark will mark the date. MARK", "Bob will mark the date. BOB"),
        ("tea", "coffee", "Tea, tea and steam", "Coffee, coffee and steam"),
        ("张三", "李四", "张三和张三丰", "李四和李四丰"),
        ("800", "600", "800元, 1,800, 800.5", "600元, 1,800, 800.5"),
        ("C++", "Rust", "C++ and C++11", "Rust and C++11"),
        ("Tom", "Tom Smith", "Tom met Tom Smith. TOM", "Tom Smith met Tom Smith. TOM SMITH"),
        ("张三", "张三丰", "张三和张三丰", "张三丰和张三丰"),
    ],
)  # fmt: skip
def test_whole_words_are_replaced_in_the_case_they_have(old: str, new: str, text: str, becomes: str) -> None:
    assert make_replacer(old, new)(text) == becomes


def do_again(api: Api, task: str) -> dict[str, Any]:
    """As when the worker had died after its last batch, before it could write that it was done."""
    Task.every.filter(pk=task).update(state="waiting", due_at=timezone.now())
    outbox.notify_workers(task, TaskKind.FEEDBACK)
    assert api.wait_until_done(task) == "completed"
    result: dict[str, Any] = Task.every.get(pk=task).result
    return result


@pytest.mark.parametrize(
    "feedback",
    [
        "Replace 'Tom' with 'Tom Smith' everywhere.",
        "Replace Bea with Cleo everywhere. Replace Tom with Bea everywhere. Replace Dan with Tom everywhere.",
    ],
)
def test_words_are_replaced_once_however_often_the_task_is_tried(
    api: Api, tenant: Tenant, feedback: str
) -> None:
    api.add("kim", "Tom leads the sales team.", "Dan plays chess on Mondays.", "Bea collects old maps.")
    first = give(api, tenant, feedback)
    after = current(api)

    again = do_again(api, str(Task.every.get(project=tenant.project_id, kind="feedback").pk))

    assert current(api) == after
    assert first["replaced"]
    assert sorted(again["replaced"]) == sorted(first["replaced"])


def test_an_order_that_would_rewrite_too_much_changes_nothing(
    api: Api, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.add("kim", "Falcon starts in May.", "My team tests Falcon on Mondays.", "I have a plan of Falcon.")
    monkeypatch.setattr(replace_words, "MOST", 2)
    order = NewFeedback(KIM, "talk", "Replace Falcon with Phoenix everywhere", timezone.now())
    with transaction.atomic():
        task = add_feedback(tenant.project, order)
        later = timezone.now() + timedelta(hours=1)
        Task.objects.within(tenant.project).filter(pk=task.pk).update(due_at=later)  # the test does it itself

    tasks.execute_task(take(task))

    result = Task.every.get(pk=task.pk).result
    assert (result["applied"], result["reason"]) == (False, "too_many")
    assert current(api).count("Falcon") == 3


def test_more_orders_than_a_person_gives_change_nothing(api: Api, tenant: Tenant) -> None:
    api.add("kim", "Falcon starts in May.")

    result = give(api, tenant, "Replace Falcon with Phoenix everywhere. " * 21)

    assert (result["applied"], result["reason"]) == (False, "too_many")
    assert "Falcon" in current(api)


def test_what_was_frozen_after_an_order_to_forget_was_read_stays(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I like sushi.")
    body = {"user_id": "kim", "feedback_content": "Forget that I like sushi."}
    with tenant_scope(tenant.project):
        cube = MemCube.objects.within(tenant.project).get(owner_id="kim")
        lock_cube(cube.pk)  # the worker may read, and must wait before it writes
        task = api.data("add/feedback", body)["task_id"]
        wait_until_somebody_waits()
        Memory.objects.within(cube).update(status="frozen")

    assert api.wait_until_done(task) == "completed"

    result = Task.every.get(pk=task).result
    assert (result["deleted"], result["reason"], len(result["frozen"])) == ([], "frozen", 1)
    assert "sushi" in current(api)
