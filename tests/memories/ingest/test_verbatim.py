"""What is stored word for word, frozen or with a last day stays so when memories are made anew."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memories.ingest.reextraction.runs import ReextractionMode, get_run_counts, start_run
from memories.models import MemCube, Memory, Task
from memories.text.content import hash_content
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0
from tests.support.waiting import look_until

TOMORROW = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()


def make_anew(tenant: Tenant) -> Task:
    task = start_run(tenant.project, ReextractionMode.APPLY, None, None, None)

    def read() -> Task:
        return Task.every.get(pk=task.pk)

    return look_until(
        read, lambda task: task.state in {"completed", "failed", "dead"}, otherwise=str(task.pk)
    )


def test_what_was_stored_word_for_word_is_left_alone(tenant: Tenant) -> None:
    with Mem0(tenant) as mem0:
        mem0.store("I live in Porto and I have a cat called Tom.", "kim")
        mem0.store("I play the oboe.", run_id="r1")

        counts = get_run_counts(make_anew(tenant))

        assert (counts.added, counts.removed) == (0, 0)
        assert mem0.listed({"user_id": "kim"}) == ["I live in Porto and I have a cat called Tom."]
        assert mem0.listed({"run_id": "r1"}) == ["I play the oboe."]


def test_what_is_made_anew_has_the_last_day_of_its_request(tenant: Tenant) -> None:
    with Mem0(tenant) as mem0:
        fields = {
            "user_id": "kim",
            "expiration_date": TOMORROW,
            "timestamp": 1_700_000_000,
            "async_mode": False,
        }
        mem0.ok("POST", "/v3/memories/add/", {"messages": "I live in Porto.", **fields})
        with tenant_scope(tenant.project):
            wrong = "Please note the user lives in Porto."
            mine = Memory.objects.within(MemCube.objects.within(tenant.project))
            assert mine.update(text=wrong, content_hash=hash_content(wrong), slot="") == 1

        assert get_run_counts(make_anew(tenant)).added == 1

        (row,) = mem0.ok("POST", "/v3/memories/", {"filters": {"user_id": "kim"}})["results"]
        assert (row["memory"], row["expiration_date"]) == ("The user lives in Porto.", TOMORROW)
        assert row["created_at"].startswith("2023-11-14")
