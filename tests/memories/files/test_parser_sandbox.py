"""A parser that a stranger's file has taken over reaches nothing of the installation, no matter who started it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from memories.files import parser as parsing
from memories.files.values import FileKind
from tenancy.errors import InvalidFile
from tests.support.documents.parsing import child_that_tries, parsed

HOUSE = Path(parsing.__file__).resolve().parents[2]
# Root becomes a user whose number nobody has.
ORDINARY, BECOME = (os.geteuid(), {}) if os.geteuid() else (64_801, {"user": 64_801, "group": 64_801})
# As code that has taken over would: by calls of the system, past Python's own functions.
ATTACKS = {
    "read the secrets": "os.read(os.open({secret!r}, os.O_RDONLY), 9)",
    "list the data folder": "os.listdir({data!r})",
    "make a file": "os.open({made!r}, os.O_CREAT | os.O_WRONLY, 0o600)",
    "write to a file": "os.open({secret!r}, os.O_WRONLY)",
    "remove a file": "os.unlink({secret!r})",
    "rename a file": "os.rename({secret!r}, {made!r})",
    "open a socket": "c(libc.socket(1, 1, 0))",
    "make a process": "c(libc.fork())",
    "run a program": "os.execv('/bin/true', ['true'])",
    "end the worker": "os.kill(os.getppid(), 0)",
    "look into the worker": "c(libc.ptrace(16, os.getppid(), 0, 0))",
    "set limits of the worker": "__import__('resource').prlimit(os.getppid(), 7, (9, 9))",
    "become root again": "os.setuid(0) if os.getuid() else c(-1)",
    "mount": "c(libc.unshare(0x10000000))",
}
CALLS = """import ctypes
libc = ctypes.CDLL(None)
def c(result):
    if result < 0: raise OSError
"""


@pytest.fixture
def data() -> Iterator[str]:
    """A data folder that every user may pass through, so that only the sandbox can be what refuses."""
    folder = Path(mkdtemp(prefix="engram-walls-", dir="/tmp"))
    (folder / "secrets").mkdir()
    (folder / "secrets" / "postgres_password").write_text("s3cret")
    for path in (folder, folder / "secrets", folder / "secrets" / "postgres_password"):
        path.chmod(0o777)
        os.chown(path, ORDINARY, -1)
    yield str(folder)
    shutil.rmtree(folder)


def attacks(data: str, without: str) -> dict[str, str]:
    secret, made = f"{data}/secrets/postgres_password", f"{data}/secrets/made"
    return {
        name: act.format(data=data, secret=secret, made=made)
        for name, act in ATTACKS.items()
        if name != without
    }


@pytest.mark.parametrize(
    ("kind", "without"),
    # The reader of old documents starts a program: which one, "run a program" shows.
    [(FileKind.TXT, ""), (FileKind.DOC, "make a process")],
)
def test_what_takes_a_parser_over_gets_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: str, kind: FileKind, without: str
) -> None:
    child_that_tries(tmp_path, monkeypatch, attacks(data, without), refusal="OSError", first=CALLS)

    with pytest.raises(InvalidFile) as refusal:
        parsed(kind, b"x")
    assert refusal.value.detail == "not refused: nothing"
    assert Path(data, "secrets", "postgres_password").read_text() == "s3cret"
    assert os.listdir(f"{data}/secrets") == ["postgres_password"]


def test_the_owner_of_the_data_folder_confines_its_parsers_as_well(data: str) -> None:
    script = (
        f"import os, sys; sys.path.insert(0, {str(HOUSE)!r})\nfrom memories.files.sandbox.confine import shut_in\n"
        f"assert os.getuid() == {ORDINARY}\nrefused = shut_in()\nassert not refused, refused\n{CALLS}"
    ) + "".join(
        f"try:\n    {act}\n    print({name!r})\nexcept OSError: pass\n"
        for name, act in attacks(data, without="become root again").items()
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"{script}print('nothing else')"],
        capture_output=True,
        text=True,
        cwd="/",
        **BECOME,
    )

    assert (done.stdout, done.stderr) == ("nothing else\n", "")
    assert Path(data, "secrets", "postgres_password").read_text() == "s3cret"


# What kernels and containers without Landlock answer; then what an operator looks at.
WITHOUT_LANDLOCK = """
import ctypes, errno, json, os, struct, sys
def step(code, value, so=0, no=0): return struct.pack("=HBBI", code, so, no, value)
calls = [step(0x20, 0)]
for number in (444, 445, 446): calls += [step(0x15, number, 0, 1), step(0x06, 0x50000 | errno.ENOSYS)]
calls += [step(0x06, 0x7FFF0000)]
class Program(ctypes.Structure): _fields_ = [("count", ctypes.c_ushort), ("steps", ctypes.c_char_p)]
libc = ctypes.CDLL(None)
libc.prctl(38, 1, 0, 0, 0)
assert libc.prctl(22, 2, ctypes.byref(Program(len(calls), b"".join(calls))), 0, 0) == 0
import django
django.setup()
from tempfile import TemporaryFile
from django.core.checks import run_checks
from django.test import Client
from memories.files.parser import parse_file
from memories.files.values import FileKind
answer = Client().get("/readyz", headers={"host": "localhost"})
with TemporaryFile() as file:
    file.write(b"I live in Porto.")
    file.seek(0)
    fragments = len(parse_file(file, FileKind.TXT, 9).fragments)
found = [one.msg for one in run_checks(tags=["security"], include_deployment_checks=True) if one.id == "engram.W002"]
print(json.dumps([answer.status_code, answer.json(), fragments, found]))
"""


def test_a_machine_that_refuses_a_restriction_says_so_and_reads_on() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_LANDLOCK], cwd=HOUSE, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    status, ready, fragments, (warning,) = json.loads(done.stdout)
    assert (status, ready["status"], fragments) == (200, "degraded", 1)
    assert ready["checks"]["parsers"] == "not confined by landlock"
    assert "landlock" in warning
    assert '"restriction": "landlock"' in done.stderr
