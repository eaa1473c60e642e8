"""Requests that wait for workers keep threads free for those that compute."""

from __future__ import annotations

from contextlib import ExitStack
from uuid import UUID, uuid4

from django.conf import settings

from memories.jobs.status import wait_for
from skills.sessions.status import flush_session
from tenancy.runtime.waits import hold_wait
from tests.support.api_client import Tenant
from tests.support.skills.contract import connect_client


def hold_all_waits(account: UUID, held: ExitStack) -> int:
    """As many as the account may have just now."""
    return next(number for number in range(10_000) if not held.enter_context(hold_wait(account)))


def test_the_waiting_requests_of_all_accounts_leave_half_of_the_threads_to_others() -> None:
    with ExitStack() as held:
        held_by_one = hold_all_waits(uuid4(), held)
        in_all = held_by_one + sum(hold_all_waits(uuid4(), held) for _ in range(20))

        assert held_by_one == settings.WEB_THREADS // 8
        assert in_all == settings.WEB_THREADS // 2

    with ExitStack() as held:
        assert hold_all_waits(uuid4(), held) == held_by_one


def test_a_call_that_may_not_wait_is_answered_at_once_that_the_work_is_still_running(tenant: Tenant) -> None:
    with tenant.api() as api, connect_client(tenant) as agent, ExitStack() as held:
        session = agent.sessions.create()
        agent.sessions.store_message(session.id, blob={"role": "user", "content": "Fix the login bug."})
        task = api.add("kim", "I live in Lisbon.", async_mode=True)["task_id"]
        hold_all_waits(tenant.project.account_id, held)

        assert wait_for(tenant.project, task) == "running"
        assert flush_session(tenant.project, UUID(session.id)).status == 202

        held.close()
        assert wait_for(tenant.project, task) == "completed"
        assert flush_session(tenant.project, UUID(session.id)).status == 200
