"""An operator backs up a running installation and restores it elsewhere: nothing is lost, and nothing overwritten."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from psycopg.conninfo import make_conninfo

from console.embedded.folder import DataFolder
from console.embedded.preparation.prepare import PROJECT
from console.embedded.services import roles
from console.embedded.services.postgres import Postgres
from console.embedded.stack import OF_ANOTHER_INSTALLATION, Stack
from tests.support.api_client import Api
from tests.support.installations import lend_static_files, own_stack
from tests.support.knowledge.knowledge import filled_base
from tests.support.servers.bucket import Bucket
from tests.support.waiting import wait_until

KIM, LIN = "kim", "林"
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


def command(data: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """A management command in a terminal of the operator's."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name.removesuffix("_FILE") not in (*OF_ANOTHER_INSTALLATION, "DEMO_PASSWORD", "STORAGE_URL")
    }
    return subprocess.run(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=PROJECT,
        env={**inherited, "ENGRAM_DATA": str(data), **variables},
        capture_output=True,
        text=True,
        timeout=300,
    )


def connect_api(stack: Stack) -> Api:
    return Api(stack.url, stack.demo["api_key"])


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with own_stack(tmp_path_factory.mktemp("backup")) as stack:
        (stack.path / "calibration").mkdir()
        (stack.path / "calibration" / FITTED).write_bytes(b"fitted for a model that is not asked")
        with connect_api(stack) as api:
            api.add(KIM, "I am allergic to peanuts and I work as a carpenter in Leeds.")
            api.add(LIN, "我住在杭州，最喜欢的饮料是龙井茶。")
            sheet = base64.b64encode(b"# Trip\n\nThe ferry leaves at 6:40 from pier nine.\n").decode()
            part = {"type": "file", "file": {"file_data": sheet, "filename": "trip.md"}}
            api.add(KIM, {"role": "user", "content": [part]})
            filled_base(api, {"returns.md": GUIDE.encode()})
        yield stack


@pytest.fixture(scope="module")
def backup(own: Stack) -> Path:
    """Made while somebody writes, with a secret key that is still accepted: second factors may be encrypted with it."""
    folder, enough = own.path.parent / "backup", Event()

    def write() -> None:
        with connect_api(own) as api:
            number = 0
            while not enough.wait(0.5):
                number += 1
                api.add("busy", f"I bought lamp number {number} today.", async_mode=True)

    writer = Thread(target=write)
    writer.start()
    try:
        done = command(own.path, "backup", folder, SECRET_KEY_FALLBACKS=OLD_KEY)
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
    own: Stack, backup: Path, tmp_path: Path
) -> None:
    restored = command(tmp_path / "data", "restore", backup, "--verify")
    assert restored.returncode == 0, restored.stderr
    assert "as the manifest says" in restored.stdout
    lend_static_files(tmp_path / "data")

    with Stack(tmp_path / "data") as other, connect_api(own) as before, connect_api(other) as after:
        assert other.demo["api_key"] == own.demo["api_key"]
        assert answers(after) == answers(before)
        assert rights(other.path) == rights(own.path)
        assert Path(other.environment["SECRET_KEY_FALLBACKS_FILE"]).read_text() == OLD_KEY
        after.add(KIM, "I also play the cello.")
        wait_until(lambda: any("cello" in fact for fact in after.facts(KIM, "music")))
    assert read_files(tmp_path / "data" / "calibration") == read_files(own.path / "calibration")
    kept = read_files(tmp_path / "data" / "files")
    assert kept
    assert kept == {key: own_file for key, own_file in read_files(own.path / "files").items() if key in kept}


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
def incomplete(own: Stack) -> Incomplete:
    with connect_api(own) as api:
        filled_base(api, {"lease.md": b"# Lease\n\nThe flat is let until March.\n"})
    doomed = max((own.path / "files").rglob("*"), key=lambda path: (path.is_file(), path.stat().st_mtime_ns))
    content, folder = doomed.read_bytes(), own.path.parent / "incomplete"
    doomed.unlink()
    try:
        made = command(own.path, "backup", folder, "--without-secrets")
    finally:
        doomed.write_bytes(content)
    assert made.returncode == 0, made.stderr
    return Incomplete(folder, str(doomed.relative_to(own.path / "files")), made.stdout)


def test_a_restore_asks_for_secrets_that_it_lacks_takes_no_others_and_names_a_file_that_was_gone(
    own: Stack, incomplete: Incomplete, tmp_path: Path
) -> None:
    folder, data = incomplete.folder, tmp_path / "data"
    assert not (folder / "secrets").exists()
    assert (
        f"Left out: {incomplete.gone}, not in the file storage although a row names it." in incomplete.output
    )

    nothing = command(data, "restore", folder)
    assert nothing.returncode != 0
    assert "Give SECRET_KEY, KEY_PEPPERS, ENCRYPTION_KEYS" in nothing.stderr

    names = {"SECRET_KEY": "secret_key", "KEY_PEPPERS": "key_pepper", "ENCRYPTION_KEYS": "encryption_key"}
    names["DEMO_PASSWORD"] = "demo_password"
    given = {f"{name}_FILE": str(own.path / "secrets" / file) for name, file in names.items()}
    wrong = command(data, "restore", folder, **{**given, "KEY_PEPPERS": "somebody else's pepper"})
    assert wrong.returncode != 0
    assert "no API key of the backup is recognised" in wrong.stderr
    assert not data.exists()

    right = command(data, "restore", folder, "--verify", **given)
    assert right.returncode == 0, right.stderr
    assert f"Not in the backup: {incomplete.gone}" in right.stdout


def test_a_folder_of_files_may_be_restored_into_a_bucket(own: Stack, backup: Path, tmp_path: Path) -> None:
    bucket = Bucket()
    try:
        done = command(tmp_path / "data", "restore", backup, "--verify", STORAGE_URL=bucket.url)
        again = command(tmp_path / "more", "restore", backup, "--verify", STORAGE_URL=bucket.url)
    finally:
        bucket.close()

    assert done.returncode == 0, done.stderr
    assert set(bucket.objects) == set(json.loads((backup / "manifest.json").read_text())["files"])
    assert GUIDE.encode() in bucket.objects.values()
    assert "The file storage is not empty" in again.stderr


def test_an_outside_database_is_restored_by_its_owner_alone(own: Stack, backup: Path, tmp_path: Path) -> None:
    """No administrator is asked where the operator made the four roles."""
    roles.create_database(Postgres(DataFolder(own.path)).admin_url, "moved")
    urls = {
        name: make_conninfo(own.environment[name], dbname="moved")
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_SWEEP_URL", "DATABASE_BACKUP_URL")
    }

    done = command(tmp_path / "data", "restore", backup, "--verify", **urls)
    again = command(tmp_path / "more", "restore", backup, **urls)

    assert done.returncode == 0, done.stderr
    assert rights(own.path, "moved") == rights(own.path)
    assert "The database moved has tables" in again.stderr


def restore_here(data: Path, backup: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Why the command refuses it, in this process: it does so before it writes anything."""
    monkeypatch.setenv("ENGRAM_DATA", str(data))
    with pytest.raises(CommandError) as refused:
        call_command("restore", backup)
    return str(refused.value)


def test_nothing_is_ever_overwritten(
    own: Stack, backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "notes.txt").write_text("mine")

    assert "is not empty" in command(own.path, "backup", backup).stderr
    assert "is not empty" in restore_here(own.path, backup, monkeypatch)
    assert "is not empty" in restore_here(tmp_path / "data", backup, monkeypatch)
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["notes.txt"]


def test_a_backup_that_was_harmed_is_refused_before_anything_is_made(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, data = tmp_path / "copy", tmp_path / "data"
    subprocess.run(["cp", "-a", backup, copy], check=True)
    manifest = json.loads((copy / "manifest.json").read_text())
    stored = copy / "files" / next(iter(manifest["files"]))
    content = stored.read_bytes()

    def refused() -> str:
        return restore_here(data, copy, monkeypatch)

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
    other_secret = command(data, "restore", copy)  # where the environment has none
    assert "encryption_key is not what it was" in other_secret.stderr

    assert not data.exists()


def test_without_a_running_installation_a_backup_says_so(tmp_path: Path) -> None:
    done = command(tmp_path / "data", "backup", tmp_path / "backup")

    assert done.returncode != 0
    assert "Engram does not run on this data folder" in done.stderr
    assert not (tmp_path / "backup").exists()


def test_a_role_that_does_not_see_every_row_makes_no_backup(own: Stack, tmp_path: Path) -> None:
    urls = {name: own.environment[name] for name in ("DATABASE_URL", "DATABASE_OWNER_URL")}
    done = command(own.path, "backup", tmp_path / "backup", **urls)

    assert done.returncode != 0
    assert "does not see every row" in done.stderr
    assert not (tmp_path / "backup" / "manifest.json").exists()
