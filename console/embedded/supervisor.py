"""Starts everything in order, keeps it alive, and stops it in order."""

import json
import os
import signal
import socket
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

from console.configuration import environment
from console.embedded.demo import demo_file
from console.embedded.folder import DataFolder, StartRefused
from console.embedded.hung_web_process import HungWatch
from console.embedded.logs import Echo
from console.embedded.preparation.prepare import DEMO, FIRST_DEMO, Preparation
from console.embedded.preparation.same_secrets import require_same_secrets
from console.embedded.process import Child, end_strays
from console.embedded.process_plan import ProcessRole, plan_children
from console.embedded.ready import find_missing, is_answering
from console.embedded.services.environment import Addresses
from console.embedded.services.lent_users import NoSuchUser, provide_user
from console.embedded.services.postgres import Postgres
from console.embedded.services.valkey import Valkey
from memories.files.sandbox import confine

READY_SECONDS = 300  # a process that cannot start ends, which is noticed at once
PREPARE_SECONDS = 3600  # a migration of a large database may take its time
LOOK_EVERY = 0.3
HUNG_SECONDS = 60
SETTLED_SECONDS = 3.0  # a process that lives for so long did not end at its start


class StopRequested(BaseException):  # as KeyboardInterrupt: nobody on the way may swallow it
    """SIGTERM or Ctrl-C asked the supervisor to stop."""


class Supervisor:
    def __init__(self, path: Path, role: ProcessRole = ProcessRole.ALL) -> None:
        self.folder = DataFolder(path)
        self.role = role
        self.hung = HungWatch(
            is_answering, environment.read_number("WEB_HUNG_SECONDS", HUNG_SECONDS, 0, 3600)
        )
        self.addresses = Addresses(self.folder)
        self.echo = Echo()
        self.postgres: Postgres | None = None
        self.valkey: Valkey | None = None
        self.children: list[Child] = []
        self.stopping = False
        self.hurried = False
        self.ready = False
        self._state = ""
        self._troubles: set[str] = set()

    def run(self) -> None:
        """Run the services until a signal asks to stop.

        Raises `StartRefused` when they cannot be started; those that end later are started again, however often.
        """
        signal.signal(signal.SIGINT, self._handle_signal)
        signal.signal(signal.SIGTERM, self._handle_signal)
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # under nohup the terminal's end means nothing
            signal.signal(signal.SIGHUP, self._handle_signal)
        self.folder.prepare()
        self.folder.lock()
        try:
            self.start()
            self.watch()
        except StopRequested:
            self.echo.say("Stopping.")
        finally:
            self.stop()

    def _handle_signal(self, number: int, frame: FrameType | None) -> None:
        self.hurried = self.stopping
        if not self.stopping:
            self.stopping = True
            raise StopRequested

    def start(self) -> None:
        self.addresses.remove_handover()  # a killed supervisor's addresses are not ours
        if count := end_strays(self.folder.path):
            self.echo.say(f"Ended {count} processes that an earlier run left behind.")
        self._require_what_the_role_needs()
        self._lend_a_user_to_parsers()
        self.addresses.collect_secrets()
        self._start_database()
        self._start_broker()
        self.addresses.hand_over()
        self._start_processes()
        self._note_state()
        self._greet_operator()

    def _start_processes(self) -> None:
        self._prepare_services()
        children = plan_children(self.folder, self.addresses.for_children(), self.role)
        # Nobody waits for the schedule or for files, and starting them would slow the others down.
        last = [
            child for child in children if child.name in {"files", "beat"} and self.role == ProcessRole.ALL
        ]
        serving = [child for child in children if child not in last]
        for child in serving:
            self._begin_child(child)
        self._wait_for_services(READY_SECONDS, partial(self._find_missing, serving))
        for child in last:
            self._begin_child(child)
        if self._has_web:
            self.hung.start()
        self.ready = True

    @property
    def _has_web(self) -> bool:
        return self.role in {ProcessRole.ALL, ProcessRole.WEB}

    def _require_what_the_role_needs(self) -> None:
        if self._has_web:
            self._require_port()
        if self.role != ProcessRole.ALL and not (
            environment.read_database_url() and environment.read_redis_url()
        ):
            raise StartRefused(
                f"A host that runs {self.role} only shares its database and broker with others: give "
                "DATABASE_URL and REDIS_URL."
            )
        if self.role not in {ProcessRole.ALL, ProcessRole.BEAT} and not environment.read_text("STORAGE_URL"):
            self.echo.say(
                "STORAGE_URL is not set: files lie in the data folder, which every host must share then."
            )

    def _lend_a_user_to_parsers(self) -> None:
        """Give parsers a user of their own.

        Without it they run as root, in their other sandbox layers, and `/readyz` says so.
        """
        try:
            provide_user(confine.USER)
        except NoSuchUser as error:
            self.echo.say(f"Files are parsed as root, because {error}.")

    def _prepare_services(self) -> None:
        variables = self.addresses.for_commands()
        preparation = Preparation(self.folder, variables, self._write_demo())
        if preparation.is_due():
            preparation.start()
            self._wait_for_services(PREPARE_SECONDS, preparation.missing)
        else:
            require_same_secrets(variables["DATABASE_OWNER_URL"], variables)
        if demo_file.is_whole(self.folder.path):
            demo_file.refresh(self.folder.path)

    def _write_demo(self) -> str:
        """Other hosts may have made the demo tenant in a database that they share with this one."""
        if not environment.read_flag("DEMO", default=True):
            return ""
        return FIRST_DEMO if environment.read_database_url() else DEMO

    def _find_missing(self, serving: list[Child]) -> str:
        """One that ends at its start ends again: most often a setting is wrong, and its last words tell which."""
        for child in serving:
            if child.has_failed:
                raise StartRefused(f"{child.name} ended at its start. {child.last_words}")
        if self._has_web:
            return find_missing()
        return "" if all(child.age > SETTLED_SECONDS for child in serving) else "the processes just started"

    def _require_port(self) -> None:
        host, port = environment.read_host(), environment.read_port()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                raise StartRefused(
                    f"Port {port} of {host} cannot be used ({error.strerror}). Set PORT to another number."
                ) from error

    def _start_database(self) -> None:
        if url := environment.read_database_url():
            self.addresses.use_outside_database(url)
            return
        self.postgres = Postgres(self.folder, environment.read_shared_buffers())
        self.postgres.start()
        self.addresses.provide_database(self.postgres.admin_url)

    def _start_broker(self) -> None:
        if url := environment.read_redis_url():
            self.addresses.decided["REDIS_URL"] = url
            return
        self.addresses.has_own_broker = True
        self.valkey = Valkey(self.folder, self.addresses.for_children())
        self.children.append(self.valkey.child)
        self.valkey.start()
        self.addresses.decided["REDIS_URL"] = self.valkey.url

    def _begin_child(self, child: Child) -> None:
        self.children.append(child)
        self.echo.follow(child.name, child.log)
        child.start()

    def _wait_for_services(self, seconds: float, missing: Callable[[], str]) -> None:
        """Wait until nothing is missing, while looking after the services that run already."""
        deadline = time.monotonic() + seconds
        while answer := missing():
            self._look_after_all()
            if time.monotonic() > deadline:
                raise StartRefused(f"Engram did not become ready in {seconds} s: {answer}")
            time.sleep(0.1)

    def _greet_operator(self) -> None:
        self.echo.show()
        if self.role not in {ProcessRole.ALL, ProcessRole.WEB}:
            self.echo.say(f"\nEngram's {self.role} runs. Ctrl-C stops it.\n")
            return
        if not demo_file.is_whole(self.folder.path):
            self.echo.say(
                f"\nEngram is ready at {environment.read_public_url()}/. Ctrl-C stops everything.\n"
            )
            return
        demo = demo_file.read(self.folder.path)
        self.echo.say(
            f"\nEngram is ready.\n\n  Console   {demo['console_url']}\n  Login     {demo['email']}\n"
            f"  Password  {demo['password']}\n  API       {demo['api_base_url']}\n"
            f"  API key   {demo['api_key']}\n\n"
            "Sample data to look around in: manage.py fill_demo (and fill_demo --remove).\n"
            f"The same is in {self.folder.path / demo_file.NAME}. Ctrl-C stops everything.\n"
        )

    def watch(self) -> None:
        while True:
            self._look_after_all()
            time.sleep(LOOK_EVERY)

    def _look_after_all(self) -> None:
        """A full disk, or a process that cannot be started just then, passes.

        What it hinders is tried at the next look, and all else goes on.
        """
        steps: list[Callable[[], None]] = [self.echo.show, self._look_after_database]
        steps += [partial(self._look_after, child) for child in self.children]
        troubles = {trouble for step in [*steps, self._note_state] if (trouble := _find_trouble(step))}
        for trouble in sorted(troubles - self._troubles):
            self.echo.say(f"{trouble}; is tried again")
        self._troubles = troubles

    def _look_after_database(self) -> None:
        if self.postgres and not self.postgres.is_alive():
            self.echo.say("postgres | ended; starts again")
            self.postgres.start()

    def _look_after(self, child: Child) -> None:
        if child.name == "web" and self.hung.is_hung(child.pid):
            self.echo.say("web      | does not answer; is replaced")
            child.kill()
        if news := child.revive():
            self.echo.say(f"{child.name:<8} | {news}")
        child.shorten_log()

    def _note_state(self) -> None:
        """Note which processes run, for `Stack` and for operators."""
        pids = {"supervisor": os.getpid(), **{child.name: child.pid for child in self.children}}
        if self.postgres:
            pids["postgres"] = self.postgres.pid
        state = json.dumps({"ready": self.ready, "pids": pids, "answered": self.hung.last_answering_pid})
        if state != self._state:
            self.folder.write_private(self.folder.path / "state.json", state)
            self._state = state

    def stop(self) -> None:
        self.stopping = True
        self.hung.stop()
        broker = [child for child in self.children if child.name == "valkey"]
        for child in [child for child in self.children if child.name != "valkey"] + broker:
            child.ask_to_stop()
            child.wait(lambda: self.hurried)
        if self.postgres:
            self.postgres.stop()
        end_strays(self.folder.path)  # a signal may have come between the birth of a child and our noting it
        self.echo.show()
        self.addresses.remove_handover()
        (self.folder.path / "state.json").unlink(missing_ok=True)
        self.folder.release()


def _find_trouble(step: Callable[[], None]) -> str:
    """Take the step. The answer is why it could not be taken."""
    try:
        step()
    except (OSError, StartRefused) as error:
        return str(error)
    return ""
