"""Environment of the child processes: the variables that an operator would set for external services."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from console.configuration import environment
from console.embedded.folder import DataFolder, StartRefused
from console.embedded.preparation.locks import Lock, LockTaken, hold_lock
from console.embedded.process import MARK
from console.embedded.services import roles

DATABASE = "engram"
ROLES_SECONDS = 60
VARIABLES = {
    "engram_app": "DATABASE_URL",
    "engram_owner": "DATABASE_OWNER_URL",
    "engram_sweep": "DATABASE_SWEEP_URL",
    "engram_backup": "DATABASE_BACKUP_URL",
}
SECRETS = {
    "SECRET_KEY": "secret_key",
    "KEY_PEPPERS": "key_pepper",
    "ENCRYPTION_KEYS": "encryption_key",
    "DEMO_PASSWORD": "demo_password",
}
# Never made up: a restore puts them there.
RESTORED_SECRETS = {"SECRET_KEY_FALLBACKS": "secret_key_fallbacks"}
# Web and worker must not hold credentials that bypass row-level security.
NOT_FOR_CHILDREN = ("DATABASE_OWNER_URL", "DATABASE_BACKUP_URL")


@dataclass
class Addresses:
    """The decided variables, collected while the services start."""

    folder: DataFolder
    decided: dict[str, str] = field(default_factory=dict)
    has_own_broker: bool = False

    def collect_secrets(self) -> None:
        self.decided["PORT"] = str(environment.read_port())
        given = environment.list_own_variables()
        for name, file in SECRETS.items():
            if not given.get(name) and not given.get(f"{name}_FILE"):
                self.decided[f"{name}_FILE"] = str(self.folder.provide_secret_file(file))
        for name, file in RESTORED_SECRETS.items():
            if not given.get(name) and not given.get(f"{name}_FILE") and self.folder.has_secret(file):
                self.decided[f"{name}_FILE"] = str(self.folder.provide_secret_file(file))

    def provide_database(self, admin_url: str, database: str = DATABASE) -> None:
        """Roles, database and rights, and one URL for each role. One host at a time: PostgreSQL refuses a role that two
        change at once. Raises `StartRefused`."""
        passwords = {role: self.folder.read_secret(f"{role}_password") for role in roles.ROLES}
        try:
            with hold_lock(admin_url, Lock.ROLES, ROLES_SECONDS):
                roles.create_roles(admin_url, passwords)
                roles.create_database(admin_url, database)
        except LockTaken:
            raise StartRefused(
                f"Another host has been making the database's roles for {ROLES_SECONDS} s."
            ) from None
        for role, variable in VARIABLES.items():
            self.decided[variable] = roles.build_role_url(admin_url, role, passwords[role], database)

    def use_outside_database(self, url: str) -> None:
        given = {name: environment.read_text(name) for name in VARIABLES.values()}
        if given["DATABASE_OWNER_URL"] and given["DATABASE_SWEEP_URL"]:
            self.decided.update({name: value for name, value in given.items() if value})
        elif roles.is_superuser(url):
            self._require_own_roles(url)
            self.provide_database(url, str(conninfo_to_dict(url).get("dbname", DATABASE)))
        else:
            raise StartRefused(
                "DATABASE_URL names an ordinary role. Give DATABASE_OWNER_URL and DATABASE_SWEEP_URL too, "
                "or a superuser's DATABASE_URL once, with which Engram makes its roles itself."
            )

    def _require_own_roles(self, url: str) -> None:
        """Roles belong to the whole server: new passwords would lock out another installation."""
        if roles.roles_exist(url) and not self.folder.has_secret("engram_app_password"):
            raise StartRefused(
                "The server of DATABASE_URL already has the roles of another installation. "
                "Give DATABASE_URL, DATABASE_OWNER_URL and DATABASE_SWEEP_URL with their passwords."
            )

    def for_commands(self) -> dict[str, str]:
        """The environment of migrations and other one-time commands."""
        defaults = {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
        is_alone = self.has_own_broker and environment.read_number("WEB_COUNT", 1, 1, 64) == 1
        if is_alone and not environment.list_own_variables().get("WEB_PROCESSES_FILE"):
            defaults["WEB_PROCESSES"] = "1"  # nobody else's requests are counted in the bundled broker
        fixed = {"ENGRAM_DATA": str(self.folder.path), MARK: str(self.folder.path), "PYTHONUNBUFFERED": "1"}
        settings = {"DJANGO_SETTINGS_MODULE": "console.settings"}
        return {**defaults, **environment.list_own_variables(), **self.decided, **fixed, **settings}

    def for_children(self) -> dict[str, str]:
        whole = self.for_commands()
        return {name: value for name, value in whole.items() if name not in NOT_FOR_CHILDREN}

    def hand_over(self) -> None:
        """Write the decided variables to a file, for management commands in other terminals."""
        lines = "".join(f"{name}={value}\n" for name, value in self.decided.items())
        self.folder.write_private(self.handover, lines)

    @property
    def handover(self) -> Path:
        return self.folder.path / environment.HANDOVER

    def remove_handover(self) -> None:
        if self.handover.exists():
            os.unlink(self.handover)
