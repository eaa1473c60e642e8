"""An operator backs up a running installation and restores it elsewhere: nothing is lost, and nothing overwritten."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings
from psycopg.conninfo import make_conninfo

from console.configuration import environment
from console.embedded.folder import DataFolder
from console.embedded.preparation.prepare import PROJECT
from console.embedded.services import roles
from console.embedded.services.postgres import Postgres
from console.embedded.stack import OF_ANOTHER_INSTALLATION, Stack
from tests.support.api_client import Api
from tests.support.installations import lend_static_files
from tests.support.knowledge.knowledge import filled_base
from tests.support.servers.bucket import Bucket
from tests.support.waiting import wait_until

KIM, LIN = "kim the carpenter", "林"
OLD_KEY = "the key before this one"
FITTED = "another-model.npz"
GUIDE = "# Returns\n\nGoods may be returned within 45 days if the seal is unbroken.\n"
# Whatever may be done with a table, by whom: rights, policies, triggers.
RIGHTS = """
SELECT relname, relrowsecurity, relforcerowsecurity, relowner::regrole::text,
  (SELECT array_agg(one::text ORDER BY one::text) FROM unnest(relacl) AS one),
  (SELECT array_agg(pg_get_triggerdef(oid) ORDER BY tgname) FROM pg_trigger
   WHERE tgrelid = pg_class.oid AND NOT tgisinternal),
  (SELECT array_agg(polname || pg_get_expr(polqual, polrelid) ORDER BY polname) FROM pg_policy
   WHERE polrelid = pg_class.oid)
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'S') ORDER BY relname
"""


def inherit() -> dict[str, str]:
    """The environment of a terminal in which nothing of an installation is set."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.removesuffix("_FILE") not in (*OF_ANOTHER_INSTALLATION, "DEMO_PASSWORD", "STORAGE_URL")
    }


def command(data: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """A management command in a terminal of the operator's."""
    return subprocess.run(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=PROJECT,
        env={**inherit(), "ENGRAM_DATA": str(data), **variables},
        capture_output=True,
        text=True,
        timeout=300,
    )


Refusal = Callable[..., str]


@pytest.fixture
def refusal(monkeypatch: pytest.MonkeyPatch) -> Refusal:
    """Why a command refuses what it is given, in this process: it does so before it writes anything."""

    def run(data: Path, name: str, folder: Path, **variables: str) -> str:
        with monkeypatch.context() as terminal:
            for variable in os.environ.keys() - inherit().keys():
                terminal.delenv(variable)
            for variable, value in {"ENGRAM_DATA": str(data), **variables}.items():
                terminal.setenv(variable, value)
            stored = {"files": environment.read_file_storage(data / "files")}
            with override_settings(STORAGES=stored), pytest.raises(CommandError) as refused:
                call_command(name, folder)
        return str(refused.value)

    return run


def connect_api(stack: Stack) -> Api:
    return Api(stack.url, stack.demo["api_key"])


@pytest.fixture(scope="module")
def filled(own: Stack) -> Stack:
    (own.path / "calibration").mkdir()
    (own.path / "calibration" / FITTED).write_bytes(b"fitted for a model that is not asked")
    with connect_api(own) as api:
        api.add(KIM, "I am allergic to peanuts and I work as a carpenter in Leeds.")
        api.add(LIN, "我住在杭州，最喜欢的饮料是龙井茶。")
        sheet = base64.b64encode(b"# Trip\n\nThe ferry leaves at 6:40 from pier nine.\n").decode()
        part = {"type": "file", "file": {"file_data": sheet, "filename": "trip.md"}}
        api.add(KIM, {"role": "user", "content": [part]})
        filled_base(api, {"returns.md": GUIDE.encode()})
    return own


@pytest.fixture(scope="module")
def backup(filled: Stack) -> Path:
    """Made while somebody writes, with a secret key that is still accepted: second factors may be encrypted with it."""
    folder, enough = filled.path.parent / "backup", Event()

    def write() -> None:
        with connect_api(filled) as api:
            number = 0
            while not enough.wait(1):
                number += 1
                api.add("busy", f"I bought lamp number {number} today.", async_mode=True)

    writer = Thread(target=write)
    writer.start()
    try:
        done = command(filled.path, "backup", folder, SECRET_KEY_FALLBACKS=OLD_KEY)
    finally:
        enough.set()
        writer.join()
    assert done.returncode == 0, done.stderr
    return folder


def answers(api: Api) -> dict[str, Any]:
    """What the two people's programs see."""
    return {
        "facts": [sorted(api.facts(user, "what do you know about me?")) for user in (KIM, LIN)],
        "tea": api.search(LIN, "我喜欢喝什么？")["preference_detail_list"],
        "ferry": api.facts(KIM, "When does the ferry leave?"),
        "memories": [api.listed(user) for user in (KIM, LIN)],
        "messages": api.data("get/message", {"user_id": KIM, "conversation_id": "talk"}),
        "returns": api.facts(KIM, "Until when may goods be returned?", knowledgebase_ids=["all"]),
    }


def rights(data: Path, database: str = "engram") -> list[Any]:
    admin = Postgres(DataFolder(data)).admin_url
    with psycopg.connect(admin, dbname=database) as connection:
        return connection.execute(RIGHTS).fetchall()


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_memories_files_keys_secrets_and_searches_are_the_same_in_the_restored_installation(
    filled: Stack, backup: Path, tmp_path: Path
) -> None:
    restored = command(tmp_path / "data", "restore", backup, "--verify")
    assert restored.returncode == 0, restored.stderr
    assert "as the manifest says" in restored.stdout
    lend_static_files(tmp_path / "data")

    with Stack(tmp_path / "data") as other, connect_api(filled) as before, connect_api(other) as after:
        assert other.demo["api_key"] == filled.demo["api_key"]
        assert answers(after) == answers(before)
        assert rights(other.path) == rights(filled.path)
        assert Path(other.environment["SECRET_KEY_FALLBACKS_FILE"]).read_text() == OLD_KEY
        after.add(KIM, "I also play the cello.")
        wait_until(lambda: any("cello" in fact for fact in after.facts(KIM, "music")))
    assert read_files(tmp_path / "data" / "calibration") == read_files(filled.path / "calibration")
    kept = read_files(tmp_path / "data" / "files")
    assert kept
    assert kept == {
        key: own_file for key, own_file in read_files(filled.path / "files").items() if key in kept
    }


def test_only_the_owner_reads_a_backup_and_it_says_what_is_in_it(backup: Path) -> None:
    manifest = json.loads((backup / "manifest.json").read_text())

    assert manifest["tables"]["memories_memory"] > 4
    assert len(manifest["files"]) >= 2
    assert set(manifest["fingerprints"]) >= {"SECRET_KEY", "KEY_PEPPERS", "ENCRYPTION_KEYS"}
    secret = (backup / "secrets" / "key_pepper").read_text().strip()
    assert secret not in (backup / "manifest.json").read_text()
    for path in [backup, *backup.rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


@dataclass
class Incomplete:
    """A backup without secrets, made while a file of a row was gone: its key, and what the command said."""

    folder: Path
    gone: str
    output: str


@pytest.fixture(scope="module")
def incomplete(filled: Stack) -> Incomplete:
    with connect_api(filled) as api:
        filled_base(api, {"lease.md": b"# Lease\n\nThe flat is let until March.\n"})
    doomed = max(
        (filled.path / "files").rglob("*"), key=lambda path: (path.is_file(), path.stat().st_mtime_ns)
    )
    content, folder = doomed.read_bytes(), filled.path.parent / "incomplete"
    doomed.unlink()
    try:
        made = command(filled.path, "backup", folder, "--without-secrets")
    finally:
        doomed.write_bytes(content)
    assert made.returncode == 0, made.stderr
    return Incomplete(folder, str(doomed.relative_to(filled.path / "files")), made.stdout)


def test_a_restore_asks_for_secrets_that_it_lacks_and_takes_no_others(
    filled: Stack, incomplete: Incomplete, refusal: Refusal, tmp_path: Path
) -> None:
    folder, data = incomplete.folder, tmp_path / "data"
    assert not (folder / "secrets").exists()

    assert "Give SECRET_KEY, KEY_PEPPERS, ENCRYPTION_KEYS" in refusal(data, "restore", folder)
    others = secrets_of(filled) | {"KEY_PEPPERS": "somebody else's pepper"}
    assert "no API key of the backup is recognised" in refusal(data, "restore", folder, **others)
    assert not data.exists()


def secrets_of(stack: Stack) -> dict[str, str]:
    files = {"SECRET_KEY": "secret_key", "KEY_PEPPERS": "key_pepper", "ENCRYPTION_KEYS": "encryption_key"}
    files["DEMO_PASSWORD"] = "demo_password"
    return {f"{name}_FILE": str(stack.path / "secrets" / file) for name, file in files.items()}


def test_an_outside_database_and_a_bucket_are_restored_with_the_secrets_given(
    filled: Stack, backup: Path, incomplete: Incomplete, refusal: Refusal, tmp_path: Path
) -> None:
    """No administrator is asked where the operator made the four roles."""
    gone = incomplete.gone
    assert f"Left out: {gone}, not in the file storage although a row names it." in incomplete.output
    roles.create_database(Postgres(DataFolder(filled.path)).admin_url, "moved")
    urls = {
        name: make_conninfo(filled.environment[name], dbname="moved")
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_SWEEP_URL", "DATABASE_BACKUP_URL")
    }
    outside, bucket = secrets_of(filled) | urls, Bucket()
    try:
        outside["STORAGE_URL"] = bucket.url
        done = command(tmp_path / "data", "restore", incomplete.folder, "--verify", **outside)
        second_bucket = refusal(tmp_path / "more", "restore", backup, STORAGE_URL=bucket.url)
    finally:
        bucket.close()

    assert done.returncode == 0, done.stderr
    assert "as the manifest says" in done.stdout
    assert f"Not in the backup: {gone}" in done.stdout
    assert set(bucket.objects) == set(json.loads((incomplete.folder / "manifest.json").read_text())["files"])
    assert GUIDE.encode() in bucket.objects.values()
    assert rights(filled.path, "moved") == rights(filled.path)
    assert "The file storage is not empty" in second_bucket
    assert "The database moved has tables" in refusal(tmp_path / "more", "restore", backup, **urls)


def test_nothing_is_ever_overwritten(filled: Stack, backup: Path, refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "notes.txt").write_text("mine")

    assert "is not empty" in refusal(filled.path, "backup", backup)
    assert "is not empty" in refusal(filled.path, "restore", backup)
    assert "is not empty" in refusal(tmp_path / "data", "restore", backup)
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["notes.txt"]


def test_a_backup_that_was_harmed_is_refused_before_anything_is_made(
    backup: Path, refusal: Refusal, tmp_path: Path
) -> None:
    copy, data = tmp_path / "copy", tmp_path / "data"
    subprocess.run(["cp", "-a", backup, copy], check=True)
    manifest = json.loads((copy / "manifest.json").read_text())
    stored = copy / "files" / next(iter(manifest["files"]))
    content = stored.read_bytes()

    def refused() -> str:
        return refusal(data, "restore", copy)

    stored.write_bytes(content + b"!")
    assert "its checksum differs" in refused()
    stored.unlink()
    assert "cannot be read" in refused()
    stored.write_bytes(content)
    fitted = (copy / "calibration" / FITTED).read_bytes()
    (copy / "calibration" / FITTED).write_bytes(fitted + b"!")
    assert "its checksum differs" in refused()
    (copy / "calibration" / FITTED).write_bytes(fitted)
    elsewhere = {"../../etc/passwd": {"size": 1, "sha256": "0"}}
    (copy / "manifest.json").write_text(json.dumps({**manifest, "files": elsewhere}))
    assert "a file that cannot be one" in refused()
    (copy / "manifest.json").write_text(json.dumps({**manifest, "migrations": ["tenancy.9999_later"]}))
    assert "made by a newer release" in refused()
    (copy / "manifest.json").write_text("{}")
    assert "cannot be read" in refused()
    (copy / "manifest.json").unlink()
    assert "it is not a backup" in refused()
    (copy / "manifest.json").write_text(json.dumps(manifest))
    (copy / "secrets" / "encryption_key").write_text("k" * 40)
    assert "encryption_key is not what it was" in refused()

    assert not data.exists()


def test_without_a_running_installation_a_backup_says_so(refusal: Refusal, tmp_path: Path) -> None:
    reason = refusal(tmp_path / "data", "backup", tmp_path / "backup")

    assert "Engram does not run on this data folder" in reason
    assert not (tmp_path / "backup").exists()


def test_a_role_that_does_not_see_every_row_makes_no_backup(filled: Stack, tmp_path: Path) -> None:
    urls = {name: filled.environment[name] for name in ("DATABASE_URL", "DATABASE_OWNER_URL")}
    done = command(filled.path, "backup", tmp_path / "backup", **urls)

    assert done.returncode != 0
    assert "does not see every row" in done.stderr
    assert not (tmp_path / "backup" / "manifest.json").exists()
