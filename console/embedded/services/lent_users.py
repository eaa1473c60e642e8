"""System users for processes that must not run as root."""

from __future__ import annotations

import os
import pwd
import subprocess


class NoSuchUser(Exception):
    """The user does not exist and could not be created; the message says why."""


def provide_user(name: str) -> pwd.struct_passwd:
    """The user of this name, made where it is missing; for anybody but root, that one's own. Raises `NoSuchUser`."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    if not _is_there(name):
        command = ["useradd", "--system", "--no-create-home", "--shell", "/bin/sh", name]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (FileNotFoundError, subprocess.CalledProcessError) as error:
            if not _is_there(name):  # else another start on this machine made it meanwhile
                raise NoSuchUser(f"the user {name} could not be made ({error})") from error
    return pwd.getpwnam(name)


def _is_there(name: str) -> bool:
    return name in {user.pw_name for user in pwd.getpwall()}
