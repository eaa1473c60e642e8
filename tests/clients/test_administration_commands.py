"""key, usage and logs of the command, against the running installation."""

from __future__ import annotations

import itertools

import pytest

from engram_cli.commands.administration import follow_log
from engram_client import Engram
from tenancy.keys.keys import create_key
from tenancy.keys.scopes import ADMINISTRATION_SCOPES
from tests.support.api_client import Tenant
from tests.support.clients.command_line import CommandLine
from tests.support.waiting import wait_until


@pytest.fixture
def admin_key(tenant: Tenant) -> str:
    return create_key(tenant.project, "laptop", scopes=("all", *ADMINISTRATION_SCOPES)).plaintext


@pytest.fixture
def admin(engram: CommandLine, admin_key: str, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("ENGRAM_API_KEY", admin_key)
    return engram


@pytest.mark.parametrize("command", [["key", "list"], ["usage"], ["logs"], ["logs", "--follow"]])
def test_a_key_without_the_scope_is_refused_in_the_apis_words(
    engram: CommandLine, command: list[str]
) -> None:
    result = engram(*command)

    assert result.code == 1
    assert "scope" in result.err


def test_a_key_is_created_listed_and_revoked(admin: CommandLine, tenant: Tenant) -> None:
    created = admin("key", "create", "batch", "--scope", "read", "--expires", "30d", "-f", "json").data
    assert created["api_key"].startswith("mpg-")
    with Engram(created["api_key"], tenant.url) as client:
        assert list(client.get_memories(user_id="kim")) == []

    assert "batch" in admin("key", "list", "-f", "markdown").out
    assert created["api_key"] not in admin("key", "list", "-f", "json").out
    key_id = created["key"]["id"]
    refused = admin("key", "revoke", key_id, typed="n\n")
    assert (refused.code, "Nothing was changed" in refused.err) == (1, True)
    assert admin("key", "revoke", key_id, "--yes").code == 0
    assert key_id not in admin("key", "list", "-f", "json").out
    assert key_id in admin("key", "list", "--all", "-f", "json").out
    assert admin("key", "revoke", key_id, "--yes").code == 1


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (["key", "create", "more", "--scope", "keys"], 1, "scopes"),
        (["key", "create", "late", "--scope", "read", "--expires", "soon"], 2, "30d"),
        (["usage", "--by", "user"], 1, "group_by"),
        (["usage", "--from", "june"], 1, "first_day"),
        (["logs", "--since", "soon"], 2, "no time"),
        (["logs", "0197", "--follow"], 2, "--follow"),
        (["logs", "0197"], 1, "not found"),
        (["logs", "--outcome", "bad"], 1, "outcome"),
    ],
)
def test_what_cannot_be_meant_is_said(admin: CommandLine, command: list[str], code: int, words: str) -> None:
    result = admin(*command)

    assert result.code == code
    assert words in result.err


def test_usage_shows_what_is_used_and_left(admin: CommandLine) -> None:
    assert admin("search", "Where?").code == 0

    wait_until(lambda: "search/memory" in admin("usage", "-f", "markdown").out)
    assert "account left" in admin("usage", "-f", "markdown").out
    assert {"api", "day", "used"} <= admin("usage", "--by", "day", "-f", "json").data["rows"][0].keys()
    assert "Nothing was used" in admin("usage", "--from", "2024-01-01", "--to", "2024-01-02").out


def test_logs_show_requests_and_one_whole(admin: CommandLine) -> None:
    assert admin("search", "Where does Kim live?").code == 0
    wait_until(lambda: "search/memory" in admin("logs", "--endpoint", "search/memory").out)

    newest = admin("logs", "--since", "5m", "--endpoint", "search/memory", "-f", "json").data[0]
    whole = admin("logs", newest["request_id"], "-f", "agent").out

    assert "Where does Kim live?" in whole
    assert "auth" in whole
    assert "No requests" in admin("logs", "--user-id", "nobody").out


def test_following_shows_what_comes_once_and_in_order(admin_key: str, tenant: Tenant) -> None:
    with Engram(admin_key, tenant.url) as client:
        for query in ("one", "two"):
            client.search(query, user_id="kim")
        wait_until(lambda: len(client.list_requests(endpoint="search/memory")["entries"]) == 2)
        following = follow_log(client, {"endpoint": "search/memory"}, limit=20, look_every=0.1)
        first = list(itertools.islice(following, 2))
        for query in ("three", "four", "five"):
            client.search(query, user_id="kim")

        later = list(itertools.islice(following, 3))

    times = [entry["created_at"] for entry in (*first, *later)]
    assert times == sorted(times)
    assert len({entry["request_id"] for entry in (*first, *later)}) == 5
