"""The data folder of an installation: its lock, its secrets, and the places of sockets."""

import fcntl
import hashlib
import os
import re
import secrets
import shutil
import tempfile
from pathlib import Path

LONGEST_SOCKET_PATH = 107  # bytes of sockaddr_un.sun_path, its closing NUL aside
PLAIN_PATH = re.compile(r"[A-Za-z0-9._/+-]+")  # libpq takes a comma for a second host


class StartRefused(Exception):
    """The installation cannot start; the text tells the operator why and what to do."""


class DataFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = -1

    def prepare(self) -> None:
        """Makes the folder private, whatever it was before."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.path.chmod(0o700)
        for name in ("secrets", "logs", "beat", "files", "valkey"):
            (self.path / name).mkdir(mode=0o700, exist_ok=True)

    def lock(self) -> None:
        """Taken until the process ends, however it ends; children do not inherit the descriptor."""
        descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.pread(descriptor, 20, 0).decode() or "unknown"
            os.close(descriptor)
            raise StartRefused(
                f"Engram is already running on {self.path} (process {owner}). "
                "Stop it first, or give another folder in ENGRAM_DATA and another PORT."
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        self._lock = descriptor

    def release(self) -> None:
        for name in ("postgres/socket", "valkey"):
            shutil.rmtree(self._get_short_folder(name), ignore_errors=True)
        os.ftruncate(self._lock, 0)
        os.close(self._lock)

    def provide_secret_file(self, name: str) -> Path:
        """The file of a secret, which is made up at the first request and never changes."""
        path = self.path / "secrets" / name
        if not path.exists():
            self.write_private(path, secrets.token_urlsafe(48))
        return path

    def has_secret(self, name: str) -> bool:
        return (self.path / "secrets" / name).exists()

    def read_secret(self, name: str) -> str:
        return self.provide_secret_file(name).read_text().strip()

    def write_private(self, path: Path, content: str) -> None:
        """Whole or not at all: a crash in between must not leave an empty secret behind."""
        draft = path.with_name(f".{path.name}.new")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        draft.replace(path)

    def provide_socket_folder(self, name: str, socket: str, owner: int) -> Path:
        """A private folder where the socket's path is short and plain: ours, or one in the temp folder."""
        folder = self.path / name
        is_short = len(os.fsencode(folder / socket)) <= LONGEST_SOCKET_PATH
        if not is_short or not PLAIN_PATH.fullmatch(str(folder)):
            folder = self._get_short_folder(name)
        if len(os.fsencode(folder / socket)) > LONGEST_SOCKET_PATH:
            raise StartRefused(
                f"{folder} is too long for a socket. Set TMPDIR to a short folder such as /tmp."
            )
        folder.mkdir(mode=0o700, exist_ok=True)
        # In a shared temp folder somebody else may have made this name first, as a link or as his own folder.
        if folder.is_symlink() or folder.lstat().st_uid not in {os.geteuid(), owner}:
            raise StartRefused(
                f"{folder} belongs to somebody else. Remove it, or set TMPDIR to another folder."
            )
        folder.chmod(0o700)
        if folder.lstat().st_uid != owner:
            shutil.chown(folder, owner)
        return folder

    def _get_short_folder(self, name: str) -> Path:
        digest = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"engram-{digest}-{name.replace('/', '-')}"
