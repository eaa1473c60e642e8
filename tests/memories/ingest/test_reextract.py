"""Memories are made anew from stored messages; what people did stays done."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memories.ingest.reextraction.runs import Counts, ReextractionMode, find_task, get_run_counts, start_run
from memories.ingest.reextraction.work import reextract_memories, sample_changes
from memories.jobs import outbox
from memories.jobs.outbox import Unfinished
from memories.models import Conversation, MemCube, Memory, Task
from memories.text.content import hash_content
from memories.values import OwnerKind, Subject, TaskState
from tenancy.errors import EndUserUnknown
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant
from tests.support.tasks.crashes import SimulatedKill, dying_at
from tests.support.waiting import look_until

KIM = Subject(OwnerKind.END_USER, "kim")


def texts(api: Api, user: str = "kim") -> set[str]:
    return {item["memory_value"] for item in api.listed(user)["memory_detail_list"]}


def badly_said(tenant: Tenant, right: str, wrong: str) -> None:
    """As an earlier version might have written it."""
    with tenant_scope(tenant.project):
        mine = Memory.objects.within(MemCube.objects.within(tenant.project))
        changed = mine.filter(text=right).update(text=wrong, content_hash=hash_content(wrong), slot="")
    assert changed == 1


def run(
    tenant: Tenant,
    mode: ReextractionMode = ReextractionMode.APPLY,
    of: Task | None = None,
    subject: Subject | None = None,
    conversation: UUID | None = None,
) -> Task:
    which = UUID(of.payload["run"]) if of else None
    task = start_run(tenant.project, mode, None, which, subject, conversation=conversation)

    def read() -> Task:
        return Task.every.get(pk=task.pk)

    return look_until(
        read, lambda task: task.state in {"completed", "failed", "dead"}, otherwise=str(task.pk)
    )


def test_what_was_badly_said_is_made_anew_and_the_run_can_be_undone(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Porto.", "I have a cat called Tom.")
    badly_said(tenant, "The user lives in Porto.", "Please note the user lives in Porto.")
    before = texts(api)

    done = run(tenant)

    assert get_run_counts(done) == Counts(requests=1, added=1, removed=1, kept=1)
    assert texts(api) == {"The user lives in Porto.", "The user has a cat called Tom."}

    undone = run(tenant, ReextractionMode.UNDO, done)

    assert undone.state == "completed"
    assert texts(api) == before


def test_a_second_run_finds_nothing_to_do(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Porto.")
    api.add("kim", "I moved to Oslo.", "I have a cat called Tom.")
    run(tenant)
    held = texts(api)

    again = get_run_counts(run(tenant))

    assert (again.added, again.removed) == (0, 0)
    assert texts(api) == held


def test_a_run_that_dies_at_any_statement_goes_on_where_it_was(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Porto.")
    api.add("kim", "I have a cat called Tom.")
    badly_said(tenant, "The user lives in Porto.", "Please note the user lives in Porto.")
    with transaction.atomic():
        task = start_run(tenant.project, ReextractionMode.APPLY, None)
        with tenant_scope(tenant.project):
            Task.objects.within(tenant.project).filter(pk=task.pk).update(
                due_at=timezone.now() + timedelta(hours=1)
            )
    statement = deaths = 0

    while find_task(tenant.project, task.pk).state != TaskState.COMPLETED:
        statement += 4  # not each, for there are two hundred
        with dying_at(statement):
            try:
                reextract_memories(claimed(task))
            except (SimulatedKill, Unfinished):
                deaths += 1

    assert deaths > 5
    assert get_run_counts(find_task(tenant.project, task.pk)) == Counts(
        requests=2, added=1, removed=1, kept=1
    )
    assert texts(api) == {"The user lives in Porto.", "The user has a cat called Tom."}


def claimed(task: Task) -> Task:
    row = Task.every.using(outbox.SWEEP).filter(pk=task.pk)
    lease_until = timezone.now() + outbox.LEASE
    row.update(state=TaskState.RUNNING, fence=F("fence") + 1, attempts=1, lease_until=lease_until)
    mine: Task = row.get()
    return mine


def test_a_preview_changes_nothing(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Porto.")
    badly_said(tenant, "The user lives in Porto.", "Please note the user lives in Porto.")

    counts = get_run_counts(run(tenant, ReextractionMode.PREVIEW))

    assert (counts.added, counts.removed) == (1, 1)
    assert texts(api) == {"Please note the user lives in Porto."}
    sample = sample_changes(tenant.project, KIM)
    assert sample.added == ("The user lives in Porto.",)
    assert sample.removed == ("Please note the user lives in Porto.",)


def test_what_people_edited_froze_or_deleted_is_left_alone(api: Api, tenant: Tenant) -> None:
    for sentence in (
        "I live in Porto.",
        "I have a cat called Tom.",
        "I play the cello.",
        "My birthday is on 4 May.",
    ):
        api.add("kim", sentence)
    keys = {item["memory_value"]: item["id"] for item in api.listed("kim")["memory_detail_list"]}
    edited = next(key for text, key in keys.items() if "Porto" in text)
    deleted = next(key for text, key in keys.items() if "cello" in text)
    api.data("update/memory", {"memory_id": edited, "content": "The user lives in Bergen."})
    api.data("delete/memory", {"memory_ids": [deleted]})
    held = texts(api)

    counts = get_run_counts(run(tenant))

    assert (counts.added, counts.removed) == (0, 0)
    assert texts(api) == held


def test_the_command_previews_and_makes_anew(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Porto.")
    badly_said(tenant, "The user lives in Porto.", "Please note the user lives in Porto.")
    shown = StringIO()

    call_command("reextract", "--project", tenant.project_id, "--preview", stdout=shown)
    call_command("reextract", "--project", tenant.project_id, "--user", "kim", stdout=shown)

    assert "+ The user lives in Porto." in shown.getvalue()
    assert "- Please note the user lives in Porto." in shown.getvalue()
    assert shown.getvalue().count("1 added, 1 removed, 0 kept, 0 left alone.") == 2
    assert texts(api) == {"The user lives in Porto."}


def test_only_the_named_user_is_read_again(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Porto.")
    api.add("lou", "I live in Rome.")
    badly_said(tenant, "The user lives in Porto.", "Please note the user lives in Porto.")
    badly_said(tenant, "The user lives in Rome.", "Please note the user lives in Rome.")

    run(tenant, subject=KIM)

    assert texts(api) == {"The user lives in Porto."}
    assert texts(api, "lou") == {"Please note the user lives in Rome."}
    with pytest.raises(EndUserUnknown):
        start_run(tenant.project, ReextractionMode.APPLY, None, subject=Subject(OwnerKind.END_USER, "nobody"))


@pytest.fixture
def cat(api: Api, tenant: Tenant) -> UUID:
    """A memory that a later message says more of, which an earlier version did not understand."""
    api.add("kim", "I have a cat called Tom.")
    api.add("kim", "I have a grey cat called Tom.")
    with tenant_scope(tenant.project):
        memory = Memory.objects.within(MemCube.objects.within(tenant.project)).get()
        first = memory.versions.get()
        Memory.objects.within(memory.cube_id).update(
            text=first.text, content_hash=hash_content(first.text), version=1
        )
        first.delete()
        memory.sources.latest("pk").delete()
    return UUID(str(memory.pk))


def test_what_a_run_says_more_fully_is_as_it_was_after_an_undo(api: Api, tenant: Tenant, cat: UUID) -> None:
    done = run(tenant)
    assert texts(api) == {"The user has a grey cat called Tom."}

    run(tenant, ReextractionMode.UNDO, done)

    assert [item["id"] for item in api.listed("kim")["memory_detail_list"]] == [str(cat)]
    assert texts(api) == {"The user has a cat called Tom."}


def test_a_run_that_was_undone_can_run_again(api: Api, tenant: Tenant, cat: UUID) -> None:
    run(tenant, ReextractionMode.UNDO, run(tenant))

    run(tenant)

    assert texts(api) == {"The user has a grey cat called Tom."}


def test_what_was_said_again_since_survives_an_undo(api: Api, tenant: Tenant, cat: UUID) -> None:
    done = run(tenant)
    api.add("kim", "I have a fat grey cat called Tom.")

    undone = get_run_counts(run(tenant, ReextractionMode.UNDO, done))

    assert undone.left_alone == 1
    assert texts(api) == {"The user has a fat grey cat called Tom."}


def test_an_undo_spares_what_a_run_of_an_earlier_version_wrote_more_into(
    api: Api, tenant: Tenant, cat: UUID
) -> None:
    done = run(tenant, ReextractionMode.PREVIEW)
    with tenant_scope(tenant.project):
        Memory.objects.within(MemCube.objects.within(tenant.project)).update(
            details={"reextraction": done.payload["run"]}
        )

    run(tenant, ReextractionMode.UNDO, done)

    assert texts(api) == {"The user has a cat called Tom."}


def test_what_a_run_replaced_holds_again_after_an_undo(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I work at Acme.")
    with tenant_scope(tenant.project):
        (known,) = Memory.objects.within(MemCube.objects.within(tenant.project))
    api.add("kim", "I now work at Globex.")
    badly_said(tenant, "The user now works at Globex.", "Please note Globex.")
    with tenant_scope(tenant.project):
        known.versions.all().delete()
        Memory.objects.within(known.cube_id).filter(pk=known.pk).update(
            valid_until=None, superseded_by=None, version=1
        )

    done = run(tenant)
    assert texts(api) == {"The user now works at Globex."}
    run(tenant, ReextractionMode.UNDO, done)

    assert texts(api) == {"The user works at Acme.", "Please note Globex."}


def test_a_run_of_one_conversation_leaves_the_others_alone(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Porto.")
    api.add("kim", "I have a cat called Tom.", conversation_id="other")
    badly_said(tenant, "The user lives in Porto.", "Please note the user lives in Porto.")
    badly_said(tenant, "The user has a cat called Tom.", "Please note the user has a cat.")
    before = texts(api)
    with tenant_scope(tenant.project):
        opened = Conversation.objects.within(tenant.project).get(external_id="talk")

    done = run(tenant, conversation=opened.pk)

    assert get_run_counts(done) == Counts(requests=1, added=1, removed=1)
    assert texts(api) == {"The user lives in Porto.", "Please note the user has a cat."}
    run(tenant, ReextractionMode.UNDO, done)
    assert texts(api) == before
