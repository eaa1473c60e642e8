"""Places for large bodies are few: nobody holds one by sending slowly. Neither do small bodies fill the disk."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile

import pytest

from tenancy.api.bodies import body_limit
from tenancy.api.bodies.body_limit import UPLOADS_AT_ONCE, UPLOADS_OF_ONE, BodyLimit
from tenancy.storage import disk as stored_disk
from tests.support.api_client import Tenant
from tests.support.servers.loops import run
from tests.support.servers.slow_uploads import PART, PARTS, Message, Reader, sending, upload
from tests.support.waiting import let_loop_run


def refused_as_slow(answer: list[Message]) -> bool:
    return refused_for_now(answer, "too slowly")


def refused_for_now(answer: list[Message], reason: str) -> bool:
    return answer[0]["status"] == 503 and reason in json.loads(answer[1]["body"])["message"]


def test_slow_clients_are_turned_away_and_their_places_are_free_again(
    tenant: Tenant, stranger: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_limit, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(body_limit, "LEAST_RATE", 10 * len(PART))
    reader = Reader()
    limit = BodyLimit(reader)

    async def all_at_once() -> list[list[Message]]:
        clients = [tenant, stranger] * (UPLOADS_AT_ONCE // 2)
        return await asyncio.gather(*(upload(limit, client, sending(30)) for client in clients))

    assert all(refused_as_slow(answer) for answer in run(all_at_once()))
    assert run(upload(limit, tenant, sending(0))) == []
    assert reader.read == PARTS * len(PART)


def test_one_account_does_not_hold_all_places_for_uploads(tenant: Tenant, stranger: Tenant) -> None:
    limit = BodyLimit(Reader())

    async def several() -> tuple[list[Message], list[Message]]:
        under_way = [asyncio.create_task(upload(limit, tenant, sending(0.1))) for _ in range(UPLOADS_OF_ONE)]
        await let_loop_run(0.3)
        one_more = await upload(limit, tenant, sending(0))
        somebody_elses = await upload(limit, stranger, sending(0))
        await asyncio.gather(*under_way)
        return one_more, somebody_elses

    one_more, somebody_elses = run(several())

    assert one_more[0]["status"] == 429
    assert (b"retry-after", b"5") in one_more[0]["headers"]
    assert json.loads(one_more[1]["body"])["code"] == 40300
    assert somebody_elses == []


def test_a_body_that_trickles_is_as_slow_as_one_that_stands_still(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_limit, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(body_limit, "LEAST_RATE", 100 * len(PART))
    reader = Reader()

    assert refused_as_slow(run(upload(BodyLimit(reader), tenant, sending(0.1))))
    assert 0 < reader.read < PARTS * len(PART)


def test_a_body_that_stands_still_is_not_waited_for_however_much_came_before(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_limit, "WINDOW_SECONDS", 0.3)
    reader, came = Reader(), [PART, PART]

    async def receive() -> Message:
        await let_loop_run(0 if came else 60)
        return {"type": "http.request", "body": came.pop(), "more_body": True}

    assert refused_as_slow(run(upload(BodyLimit(reader), tenant, receive)))
    assert reader.read == 2 * len(PART)


def test_no_upload_lasts_longer_than_the_longest(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limit, "UPLOAD_SECONDS", 0.3)

    assert refused_as_slow(run(upload(BodyLimit(Reader()), tenant, sending(0.1))))


def test_the_time_for_the_answer_is_not_the_clients(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limit, "UPLOAD_SECONDS", 0.3)
    reader = Reader()

    assert run(upload(BodyLimit(reader), tenant, sending(0, before_leaving=0.6))) == []
    assert reader.heard == "http.disconnect"


@pytest.mark.parametrize("declared", [3 * len(PART), None], ids=["declared", "chunked"])
def test_small_bodies_must_not_trickle_either(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, declared: int | None
) -> None:
    monkeypatch.setattr(body_limit, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(body_limit, "LEAST_RATE", 100 * len(PART))
    reader = Reader()

    assert refused_as_slow(run(upload(BodyLimit(reader), tenant, sending(0.15, parts=3), declared)))
    assert reader.read < 3 * len(PART)


@pytest.mark.parametrize("declared", [3 * len(PART), None], ids=["declared", "chunked"])
def test_while_the_disk_is_nearly_full_only_bodies_that_stay_in_memory_are_read(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, declared: int | None
) -> None:
    monkeypatch.setattr(stored_disk, "LOW_DISK", 10**18)
    monkeypatch.setattr(stored_disk, "LEAST_FREE_DISK", 10**18)
    limit = BodyLimit(reader := Reader())

    assert refused_for_now(run(upload(limit, tenant, sending(0, parts=3), declared)), "disk")
    assert reader.read == 0
    assert run(upload(limit, tenant, sending(0, parts=2, part=b"x" * 30_000), None)) == []
    assert reader.read == 60_000


def test_uploads_under_way_keep_the_room_that_their_copies_will_take(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is room for one upload's three copies and a half."""
    room = round(3.5 * PARTS * len(PART))
    disk = shutil.disk_usage(tempfile.gettempdir())
    # As it was, for other tests' installations write on it meanwhile.
    monkeypatch.setattr(shutil, "disk_usage", lambda place: disk)
    monkeypatch.setattr(stored_disk, "LOW_DISK", disk.free - room)
    monkeypatch.setattr(stored_disk, "LEAST_FREE_DISK", disk.free - room)
    limit = BodyLimit(Reader())

    async def both() -> list[list[Message]]:
        first = asyncio.create_task(upload(limit, tenant, sending(0.05)))
        await let_loop_run(0.2)
        return [await upload(limit, tenant, sending(0)), await first]

    second, first = run(both())

    assert first == []
    assert refused_for_now(second, "too many uploads")
    assert run(upload(limit, tenant, sending(0))) == []
