"""How a child process shuts itself in before it reads what a stranger sent.

Several restrictions, each effective where another one is missing or has a gap: limits, a user of its own, files by
Landlock, system calls by seccomp, and Python's audit hooks. `python -I confine.py` prints a JSON list of those
that this machine refuses.
"""

from __future__ import annotations

import ctypes
import json
import os
import pwd
import resource
import sys
from collections.abc import Sequence
from typing import Any

ROOT = os.path.realpath(__file__).removesuffix("/memories/files/sandbox/confine.py")
if __name__ == "__main__":
    sys.path.insert(0, ROOT)

from memories.files.sandbox.landlock import restrict_to  # noqa: E402
from memories.files.sandbox.limits import LIMITS, MEMORY  # noqa: E402
from memories.files.sandbox.seccomp import refuse_calls  # noqa: E402

# Only where Engram is started by root; an ordinary user cannot switch to another.
USER = "engram-parser"
# Code that is loaded for some files only, and what the C library and the readers look up.
READABLE = (
    f"{ROOT}/memories",
    f"{ROOT}/skills",
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/usr/share/fonts",
    "/usr/share/antiword",
    "/usr/share/catdoc",
)
# A process that may run a program must be able to run its loader.
LOADERS = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
_NO_NEW_PRIVILEGES = 38
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_SHUT = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system", "shutil.", "ftplib.")


def shut_in(memory: int = MEMORY, programs: Sequence[str] = ()) -> list[str]:
    """Confine this process; return the names of restrictions that the system refused.

    From here on no process is started but these programs, no socket opened, and no file opened for writing or, except
    code, for reading. What is open stays open. `memory` limits addresses, of which a process never fills all.
    """
    refused = []
    for what, most in (LIMITS | {resource.RLIMIT_AS: memory}).items():
        # A second more, in which the end by this limit differs from other ends.
        resource.setrlimit(what, (most, most + (what == resource.RLIMIT_CPU)))
    if not _become_another():
        refused.append("user")
    if not programs:
        forbid_processes()
    library = ctypes.CDLL(None)
    if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        refused.append("no_new_privs")
    try:
        restrict_to(
            (*(path for path in sys.path if path != ROOT), *READABLE),
            (*programs, *LOADERS) if programs else (),
        )
    except OSError:
        refused.append("landlock")
    try:
        refuse_calls(may_start=bool(programs))
    except OSError:
        refused.append("seccomp")
        # A network of its own, with nothing in it.
        if library.unshare(_NEW_USER | _NEW_NETWORK):
            refused.append("network")
    if not programs:
        sys.addaudithook(_refuse_event)
    return refused


def forbid_processes() -> None:
    """No further process or thread of this user can be made by this process."""
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def _become_another() -> bool:
    """Root has no business here. False when nobody is lent, or that one could not read the code."""
    if os.geteuid() != 0:
        return True
    try:
        lent = pwd.getpwnam(USER)
        os.setgroups([])
        os.setegid(lent.pw_gid)
        os.seteuid(lent.pw_uid)
    except (KeyError, OSError):
        return False
    if not _can_load():
        os.seteuid(0)
        os.setegid(0)
        return False
    os.seteuid(0)
    os.setresgid(lent.pw_gid, lent.pw_gid, lent.pw_gid)
    os.setresuid(lent.pw_uid, lent.pw_uid, lent.pw_uid)
    return True


def _can_load() -> bool:
    """Return whether the user that is in effect reads the code that is still to be loaded."""
    folders = [path for path in sys.path if path != ROOT and os.path.isdir(path)]
    return all(os.access(path, os.R_OK | os.X_OK, effective_ids=True) for path in folders) and os.access(
        __file__, os.R_OK, effective_ids=True
    )


def _refuse_event(event: str, arguments: Any) -> None:
    if event.startswith(_SHUT):
        raise PermissionError(event)
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        raise PermissionError(event)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(shut_in()))
