"""Which processes there are, how a web process leaves, and how one that hangs is replaced."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import httpx
import psutil
import pytest
from django.core.checks import run_checks
from django.test import override_settings

from console.embedded.folder import DataFolder
from console.embedded.process_plan import ProcessRole, plan_children
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from tests.support.api_client import Api
from tests.support.installations import own_stack
from tests.support.waiting import LIMIT, look_until, wait_until


def status(stack: Stack, path: str) -> int:
    """0 where nobody answers."""
    try:
        return httpx.get(f"{stack.url}{path}", timeout=2, trust_env=False).status_code
    except httpx.TransportError:
        return 0


def until_ready(stack: Stack) -> None:
    wait_until(lambda: status(stack, "/readyz") == 200)


def test_a_web_process_that_shall_stop_says_so_first_and_answers_until_it_does(own: Stack) -> None:
    until_ready(own)
    web = own.pids["web"]
    assert web

    os.kill(web, signal.SIGTERM)

    wait_until(lambda: status(own, "/readyz") == 503)
    answer = httpx.get(f"{own.url}/readyz", trust_env=False, timeout=LIMIT)
    assert answer.json()["checks"]["process"] == "stopping"
    with Api(own.url, own.demo["api_key"]) as api:
        api.add("kim", "I grow tomatoes on the balcony.", async_mode=True)
    assert status(own, "/healthz") == 200
    assert own.pids["web"] == web
    look_until(
        lambda: own.pids["web"], lambda pid: pid not in {None, web}, otherwise="web is not started again"
    )
    until_ready(own)


def test_a_web_process_that_hangs_is_replaced(own: Stack) -> None:
    until_ready(own)
    # An answer that the test gets is none to the supervisor, which lets a process start in peace until it has one.
    wait_until(lambda: own.last_answering_pid is not None and own.last_answering_pid == own.pids["web"])
    web = own.last_answering_pid
    assert web

    os.kill(web, signal.SIGSTOP)
    try:
        look_until(lambda: own.pids["web"], lambda pid: pid not in {None, web}, otherwise="web hangs on")
    finally:
        if own.pids["web"] == web:
            os.kill(web, signal.SIGCONT)
    until_ready(own)

    assert "does not answer; is replaced" in own.output.read_text()


def test_a_full_disk_ends_nothing_and_what_could_not_be_written_is_written_later(own: Stack) -> None:
    """A folder stands in the file's way: no more can be written than on a full disk."""
    until_ready(own)
    beat, written = own.pids["beat"], own.output.stat().st_size
    in_the_way = own.path / ".state.json.new"
    in_the_way.mkdir()
    try:
        own.kill("beat")
        wait_until(lambda: "beat     | started again" in own.output.read_text()[written:] or own.has_ended)
    finally:
        in_the_way.rmdir()

    assert not own.has_ended
    look_until(lambda: own.pids["beat"], lambda pid: pid not in {None, beat}, otherwise="nothing is noted")
    assert own.output.read_text()[written:].count("is tried again") == 1


def test_all_processes_end_by_themselves_when_their_supervisor_is_killed(tmp_path: Path) -> None:
    """Broker and database go at the same time as those who use them, so nobody can say goodbye to them."""
    with own_stack(tmp_path) as own:
        with Api(own.url, own.demo["api_key"]) as api:
            answer = api.add("kim", "I am a glassblower in Turku.", async_mode=True)
            assert api.wait_until_done(answer["task_id"]) == "completed"
        started = [psutil.Process(pid) for name, pid in own.pids.items() if pid and name != "postgres"]
        family = [*started, *(child for process in started for child in process.children(recursive=True))]

        own.kill("supervisor")

        try:
            _, left = psutil.wait_procs(family, timeout=LIMIT)
            assert [process.name() for process in left] == []
        finally:  # the next start would take it over
            Postgres(DataFolder(own.path)).stop()


def test_a_role_without_outside_services_is_refused_with_a_sentence(tmp_path: Path) -> None:
    alone = Stack(tmp_path / "data", role="worker")

    with pytest.raises(RuntimeError, match="give DATABASE_URL and REDIS_URL"):
        alone.start()


@pytest.mark.parametrize("role", list(ProcessRole))
def test_counts_follow_the_cores_and_the_operator(
    role: ProcessRole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEB_COUNT", "3")
    monkeypatch.setenv("WORKER_COUNT", "5")
    monkeypatch.setenv("FILES_COUNT", "4")

    commands = {
        child.name: " ".join(child.command) for child in plan_children(DataFolder(tmp_path), {}, role)
    }

    assert set(commands) == ({"web", "worker", "files", "beat"} if role == ProcessRole.ALL else {role.value})
    assert "--workers 3" in commands.get("web", "--workers 3")
    assert "--concurrency=5" in commands.get("worker", "--concurrency=5")
    assert "--concurrency=4" in commands.get("files", "--concurrency=4")


def test_a_file_of_one_account_leaves_place_for_another_accounts_file_on_one_host(tmp_path: Path) -> None:
    """An account has one file at work, and a slow server may hold that for a minute."""
    (files,) = (child for child in plan_children(DataFolder(tmp_path), {}) if child.name == "files")

    assert "--concurrency=2" in files.command


@pytest.mark.parametrize(
    ("given", "expected"),
    [({}, "1"), ({"WORKER_COUNT": "9"}, "4"), ({"WORKER_COUNT": "9", "LONG_TASKS_PER_ACCOUNT": "7"}, "7")],
)
def test_long_tasks_of_one_account_leave_half_of_a_worker_to_others(
    given: dict[str, str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)

    (worker,) = (child for child in plan_children(DataFolder(tmp_path), {}) if child.name == "worker")

    assert worker.environment["LONG_TASKS_PER_ACCOUNT"] == expected


def test_an_unknown_balancer_is_warned_of_where_https_ends_before_engram() -> None:
    def warned() -> bool:
        messages = run_checks(include_deployment_checks=True, tags=["security"])
        return "engram.W001" in {message.id for message in messages}

    with override_settings(IS_HTTPS=True, FORWARDED_ALLOW_IPS=""):
        assert warned()
    with override_settings(IS_HTTPS=True, FORWARDED_ALLOW_IPS="10.0.0.5"):
        assert not warned()
    with override_settings(IS_HTTPS=False, FORWARDED_ALLOW_IPS=""):
        assert not warned()
