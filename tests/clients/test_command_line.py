"""Every command of `engram` against the running installation."""

from __future__ import annotations

import json
import stat
import zipfile
from pathlib import Path

import pytest

from tests.support.api_client import Tenant
from tests.support.clients.command_line import CommandLine

SKILL_MD = "---\nname: brew-tea\ndescription: How to brew tea.\n---\n\n# Tea\n\nBoil water first.\n"


@pytest.fixture
def remembered(engram: CommandLine) -> str:
    """The id of a memory of kim's."""
    assert engram("add", "I moved to Shanghai in June.", "-c", "talk", "--wait").code == 0
    result = engram("search", "Which city does the user live in?", "--format", "json").data
    return str(result["memory_detail_list"][0]["id"])


def test_search_shows_each_format_and_where_nobody_looks_that_for_agents(
    engram: CommandLine, remembered: str
) -> None:
    ask = ("search", "Which city does the user live in?")
    for format, start in {"table": "memory", "markdown": "| memory |", "agent": "- ", "json": "{"}.items():
        shown = engram(*ask, "--format", format, "--detail", "detail")

        assert shown.code == 0
        assert "Shanghai" in shown.out
        assert shown.out.lstrip("\n").startswith(start)
        assert remembered in shown.out

    table = engram(*ask, "--format", "table").out
    assert "relativity" in table
    assert "Shanghai" in table
    assert engram(*ask).out.startswith("- ")


def test_get_lists_what_is_remembered(engram: CommandLine, remembered: str) -> None:
    everything = engram("get", "kim", "--format", "json").data
    page = engram("get", "--user-id", "kim", "--page", "1", "--size", "5", "--format", "json").data

    assert remembered in [item["id"] for item in everything["memory_detail_list"]]
    assert page["current"] == 1
    assert "Nothing found" in engram("get", "nobody").out
    assert engram("get", "kim", "--page", "0").code == 2
    assert engram("get", "kim", "--size", "0").code == 2


def test_origin_shows_the_words_it_came_from(engram: CommandLine, remembered: str) -> None:
    assert "I moved to Shanghai in June." in engram("origin", remembered, "--format", "markdown").out
    assert engram("origin", remembered, "--format", "json").data["id"] == remembered


def test_a_memory_is_updated_and_deleted_by_id(engram: CommandLine, remembered: str) -> None:
    assert engram("update", remembered, "Kim lives in Hangzhou.", "--title", "Home").code == 0
    assert "Hangzhou" in engram("get").out
    assert engram("delete", remembered).code == 0
    assert remembered not in engram("get", "--format", "json").out


def test_all_of_a_user_is_deleted_only_after_a_yes(engram: CommandLine, remembered: str) -> None:
    assert engram("delete", "--user-id", "kim").code == 2
    refused = engram("delete", "--user-id", "kim", typed="n\n")
    assert refused.code == 1
    assert "Nothing was changed" in refused.err
    assert remembered in engram("get", "--format", "json").out

    assert engram("delete", "--user-id", "kim", typed="y\n").code == 0
    assert "Nothing found" in engram("get").out


def test_delete_takes_one_selector(engram: CommandLine) -> None:
    assert engram("delete").code == 2
    assert engram("delete", "some-id", "--user-id", "kim", "--yes").code == 2


def test_chat_answers_from_memory(engram: CommandLine, remembered: str) -> None:
    assert "Shanghai" in engram("chat", "Which city do I live in?", "-c", "new").out
    assert (
        "Shanghai"
        in engram("chat", "Which city do I live in?", "--no-remember", "-f", "json").data["response"]
    )


def test_extract_and_rerank(engram: CommandLine) -> None:
    assert "short answers" in engram("extract", "-", piped="I prefer short answers.\n").out
    ranked = engram(
        "rerank", "Does the user play badminton?", "Lives in Porto.", "Plays badminton.", "--top-n", "1"
    )
    assert "Plays badminton." in ranked.out
    assert "Porto" not in ranked.out


def test_feedback_message_and_status(engram: CommandLine, remembered: str) -> None:
    task = engram("feedback", "I moved to Hangzhou in August.", "-c", "talk", "--format", "json").data

    assert engram("status", task["task_id"], "--wait", "-f", "json").data["status"] == "completed"
    assert "I moved to Shanghai in June." in engram("message", "-c", "talk", "--limit", "5").out
    assert engram("message").code == 2


def test_knowledge_bases(engram: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "hotels.md"
    path.write_text("# Hotels\n\nA night may cost 120 euros.\n")
    base = engram("kb", "create", "--name", "Travel", "-f", "json").data["id"]

    file = engram("kb", "add-file", str(path), "--kb-id", base, "-f", "json").data[0]["id"]

    assert "hotels.md" in engram("kb", "list-file", "--kb-id", base).out
    assert "hotels.md" in engram("kb", "get-file", file).out
    assert engram("kb", "add-file", "missing.md", "--kb-id", base).code == 2
    assert engram("kb", "delete-file", file).code == 2
    assert engram("kb", "delete-file", file, "--yes").code == 0
    assert engram("kb", "remove", base, typed="y\n").code == 0


def test_skills(engram: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "brew-tea"
    folder.mkdir()
    assert engram("skill", "upload", str(folder)).code == 2
    (folder / "SKILL.md").write_text(SKILL_MD)

    skill = engram("skill", "upload", str(folder), "--user", "kim", "-f", "json").data["id"]

    assert "brew-tea" in engram("skill", "list").out
    assert "SKILL.md" in engram("skill", "show", skill).out
    assert "Boil water" in engram("skill", "show", skill, "--file", "SKILL.md").out
    target = tmp_path / "tea.zip"
    assert engram("skill", "download", skill, "--to", str(target)).code == 0
    assert zipfile.is_zipfile(target)
    assert engram("skill", "download", skill, "--to", str(target)).code == 2
    assert engram("skill", "delete", skill, "--yes").code == 0


def test_project_configs(engram: CommandLine) -> None:
    assert engram("project", "set", "task_success_criteria", "The user says so.").code == 0
    assert "The user says so." in engram("project", "show").out


def test_doctor_finds_what_is_wrong(engram: CommandLine, tenant: Tenant) -> None:
    healthy = engram("doctor", "--scopes", "-f", "json")
    checks = {row["check"]: row for row in healthy.data}
    assert healthy.code == 0
    assert set(checks) == {"configuration", "address", "version", "clock", "key", "scopes"}
    assert checks["scopes"]["says"] == "read, write, delete, knowledge, chat"

    wrong_key = engram("--api-key", "mpg-wrong", "doctor", "-f", "json")
    assert wrong_key.code == 1
    assert {row["check"] for row in wrong_key.data if row["result"] == "failed"} == {"key"}
    nobody = engram("--base-url", "http://127.0.0.1:1", "doctor", "-f", "json")
    assert {row["check"] for row in nobody.data if row["result"] == "failed"} == {"address"}


def test_login_keeps_a_key_that_works_for_its_owner_only(anonymous: CommandLine, tenant: Tenant) -> None:
    assert "engram login" in anonymous("search", "x", "-u", "kim").err
    refused = anonymous("login", "--url", tenant.url, "--key", "mpg-wrong")
    assert refused.code == 1
    assert not anonymous.config.exists()

    done = anonymous("login", "--url", f"{tenant.url}/", "--key", tenant.key)

    assert done.code == 0
    assert stat.S_IMODE(anonymous.config.stat().st_mode) == 0o600
    assert "Nothing found" in anonymous("get", "nobody").out


def test_settings_are_set_read_listed_and_removed(
    anonymous: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    anonymous("config", "set", "api_key", "mpg-abcdefghijklmnop")
    anonymous("config", "set", "user_id", 'O\'Neill "李雷"')

    assert anonymous("config", "get", "user_id").out == 'O\'Neill "李雷"\n'
    listed = anonymous("config", "list", "--format", "json").out
    assert "abcdefgh" not in listed
    assert json.loads(listed)["api_key"] == "mpg-…mnop"
    monkeypatch.setenv("ENGRAM_USER_ID", "lee")
    assert anonymous("config", "get", "user_id").out == "lee\n"
    monkeypatch.delenv("ENGRAM_USER_ID")
    anonymous("config", "unset", "user_id")
    assert anonymous("config", "get", "user_id").code == 1
    assert anonymous("config", "set", "colour", "red").code == 2
    assert anonymous("config", "set", "format", "xml").code == 2
    assert anonymous("config", "path").out.strip() == str(anonymous.config)


def test_a_broken_configuration_file_is_named(anonymous: CommandLine) -> None:
    anonymous.config.parent.mkdir(parents=True)
    anonymous.config.write_text("api_key = ")

    result = anonymous("get", "kim")

    assert result.code == 1
    assert str(anonymous.config) in result.err


def test_errors_read_well(engram: CommandLine) -> None:
    refused = engram("search", "x", "--memory-limit-number", "999")
    assert refused.code == 1
    assert refused.err.startswith("Error: [40000] Invalid request parameters: memory_limit_number")
    assert "Request " in refused.err
    for_programs = engram("search", "x", "--memory-limit-number", "999", "--format", "json")
    error = json.loads(for_programs.err)["error"]
    assert (error["code"], error["field"]) == (40000, "memory_limit_number")
    assert for_programs.out == ""
    assert engram("search", "x", "--filter", "{").code == 2
    assert engram("search", "x", "--detail", "all").code == 2
    assert engram("search", "x", "--format", "xml").code == 2
    assert engram("search").code == 2
    assert engram("serch").code == 2
    for address in ("engram.example", "http://", "http://[::1", "http://x:port"):
        assert "base URL" in engram("--base-url", address, "get", "kim").err
        assert engram("--base-url", address, "doctor").code == 1
    assert "copy it again" in engram("--api-key", "mpg-ünïcode", "get", "kim").err
    unreachable = engram("--base-url", "http://127.0.0.1:1", "get", "kim")
    assert unreachable.code == 1
    assert "Could not reach" in unreachable.err


def test_what_is_stored_cannot_command_the_terminal(engram: CommandLine) -> None:
    shown = engram("extract", "I prefer red \x1b[31m cars | and \\ bikes.", "-f", "markdown").out
    error = engram("update", "no\x1b[2Jsuch", "text").err

    assert "\x1b" not in shown + error
    assert "red" in shown


def test_whose_memories_are_meant_must_be_said(anonymous: CommandLine) -> None:
    result = anonymous("--api-key", "mpg-x", "search", "x")

    assert result.code == 2
    assert "--user-id" in result.err


def test_version_help_and_completion(anonymous: CommandLine) -> None:
    assert anonymous("--version").out == "engram 0.2.0\n"
    assert "search" in anonymous("--help").out
    assert anonymous("search", "-h").code == 0
