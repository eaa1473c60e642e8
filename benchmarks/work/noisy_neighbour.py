"""What a tenant notices while another one attacks: time until a message is found, and `/healthz`.

    python -m benchmarks.work.noisy_neighbour [--seconds 60] [ATTACK ...]

The second tenant sends a message, waits until it is refined and searches for it, again and again, or uploads a document
and searches for that (`UNTIL_FOUND`); beside it `/healthz` is asked 20 times a second. First in quiet, then under each
attack of the first tenant, each followed by quiet until the attack's work is done or given up. What counts are the
ratios to the quiet figures around it.

To add an attack, write a context manager that begins it, yields and ends it, and enter it in `ATTACKS`.
"""

from __future__ import annotations

import argparse
import base64
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import count, islice
from multiprocessing import get_context
from socket import create_connection, socket
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

import httpx

from benchmarks.requests.session_reading import filled_session, pictures, words
from benchmarks.support.installation import Developer, installation, make_developer
from benchmarks.support.loopback import dripping_server
from benchmarks.support.report import SPREAD_COLUMNS, Promise, Report, Table, machine, percentile, spread
from benchmarks.support.sentences import statement

TIMES_QUIET = 2.0
HEALTH_A_SECOND = 20
POLL_SECONDS = 0.02
DONE_SECONDS, DOCUMENT_SECONDS = 60.0, 300.0
FILES_A_CALL = 20
SLOW_BASES = 3
MESSAGES, STATEMENTS = 100, 5
# As long as a document of 200 pages may be, of what takes the reader longest.
HOSTILE_CHARACTERS = 590_000
SETTLED_SECONDS = 3.0
LARGE_BODY, SHORT_BODY, SLOW_CONNECTIONS = 9 * 1024 * 1024, 60 * 1024, 1_000
# Of the loopback interface; the second tenant's is 127.0.0.1.
ADDRESSES = ("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5")
SESSION_PICTURES, PICTURE_BYTES, SESSION_MESSAGES = 6, 4_000_000, 2_000


@dataclass(frozen=True, slots=True)
class Attacker:
    """The first tenant, and a server of theirs that lets its bytes drip."""

    developer: Developer
    tarpit: str
    over: Event

    def send(self, body: dict[str, Any]) -> int:
        """The status of a message; refusals are answers, too."""
        return self.post("add/message", body).status_code

    def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        return httpx.post(
            f"{self.developer.api_base}/{path}",
            json=body,
            headers=self.developer.headers,
            timeout=120,
            trust_env=False,
        )


@dataclass(slots=True)
class Noticed:
    """Milliseconds of the second tenant: from sending until found, and of the answers of `/healthz`."""

    add_latencies: list[float] = field(default_factory=list)
    healthy: list[float] = field(default_factory=list)


@contextmanager
def slow_addresses(attacker: Attacker) -> Iterator[None]:
    """Calls with twenty addresses of a server that never comes to an end: five at once, then one every five seconds."""

    def call(number: int) -> dict[str, Any]:
        parts = [
            file_part(f"http://{attacker.tarpit}/{number}-{at}.md", f"{at}.md") for at in range(FILES_A_CALL)
        ]
        return message(f"slow-{number}", parts)

    with _flooding(attacker, call, at_once=5, every=5.0):
        yield


@contextmanager
def slow_files(attacker: Attacker) -> Iterator[None]:
    """Three knowledge bases with twenty such addresses each, and the calls of `slow_addresses` beside them."""
    for number in range(SLOW_BASES):
        made = attacker.post("create/knowledgebase", {"knowledgebase_name": f"slow {number}"}).json()
        addresses = [f"http://{attacker.tarpit}/{number}-{at}.md" for at in range(FILES_A_CALL)]
        files = [{"name": address.rpartition("/")[2], "content": address} for address in addresses]
        order = {"knowledgebase_id": made["data"]["id"], "file": files}
        attacker.post("add/knowledgebase-file", order).raise_for_status()
    with slow_addresses(attacker):
        yield


@contextmanager
def hostile_markdown(attacker: Attacker) -> Iterator[None]:
    """Calls with twenty Markdown files that take their reader longest: two at once, then one every ten seconds."""
    content = hostile_text()

    def call(number: int) -> dict[str, Any]:
        return message(f"hostile-{number}", [file_part(content, f"{at}.md") for at in range(FILES_A_CALL)])

    with _flooding(attacker, call, at_once=2, every=10.0):
        yield


@contextmanager
def long_messages(attacker: Attacker) -> Iterator[None]:
    """A hundred messages of five statements, of a new end user each: four at once, then every five seconds."""
    numbers = count()

    def call(number: int) -> dict[str, Any]:
        texts = [" ".join(statement(next(numbers), "I") for _ in range(STATEMENTS)) for _ in range(MESSAGES)]
        user = f"long-{number}"
        messages = [{"role": "user", "content": text} for text in texts]
        return {"user_id": user, "conversation_id": user, "messages": messages}

    with _flooding(attacker, call, at_once=4, every=5.0):
        yield


@contextmanager
def slow_model(attacker: Attacker) -> Iterator[None]:
    """Messages to a project whose own model lets its answers drip: ten at once, then one a second."""
    from django.test import override_settings

    from memories.engine.provider_settings import delete_own_model, save_own_model
    from tenancy.models import Membership, Project
    from tenancy.projects.model_providers import ProviderInput

    project = Project.objects.get(pk=attacker.developer.project_id)
    owner = Membership.objects.filter(account=project.account).select_related("user")[0].user
    with override_settings(FETCH_ALLOW=[attacker.tarpit]):
        save_own_model(project, ProviderInput(f"http://{attacker.tarpit}/v1", "drips", key=""), owner)

    def call(number: int) -> dict[str, Any]:
        return message(f"model-{number}", [{"type": "text", "text": statement(number, "I")}])

    try:
        with _flooding(attacker, call, at_once=10, every=1.0):
            yield
    finally:
        delete_own_model(project, owner)


@contextmanager
def huge_sessions(attacker: Attacker) -> Iterator[None]:
    """A process stores and reads sessions of large pictures and of many messages whole, again and again.

    Four clients read and two store; each reader counts the tokens of a session and lists the sessions in between.
    """
    key = attacker.developer.headers["Authorization"].partition(" ")[2]
    base_url = attacker.developer.api_base.replace("/api/openmem/v1", "/api/v1/")
    headers = {"Authorization": f"Bearer {key}"}
    with _client(base_url, headers) as client:
        sessions = [
            filled_session(client, blobs)
            for blobs in (pictures(SESSION_PICTURES, PICTURE_BYTES), words(SESSION_MESSAGES))
        ]
    with _process(keep_using_sessions, base_url, headers, sessions):
        yield


def keep_using_sessions(base_url: str, headers: dict[str, str], sessions: list[str]) -> None:
    picture = next(pictures(1, PICTURE_BYTES))

    def read(client: httpx.Client) -> None:
        while True:
            for session in sessions:
                client.get(f"session/{session}/messages")
                client.get(f"session/{session}/token_counts")
                client.get("session")

    def store(client: httpx.Client) -> None:
        while True:
            client.post(f"session/{sessions[0]}/messages", json={"blob": picture})

    _from_threads([read] * 4 + [store] * 2, base_url, headers)


@contextmanager
def large_bodies(attacker: Attacker) -> Iterator[None]:
    """A process with eight clients sends bodies of 9 MB without a pause: millions of values and one text, in turn."""
    with _process(keep_sending, attacker.developer.api_base, attacker.developer.headers):
        yield


@contextmanager
def large_bodies_wrong_key(attacker: Attacker) -> Iterator[None]:
    """The same bodies with a key of the right form that is nobody's."""
    from tenancy.keys.keys import generate_key

    headers = attacker.developer.headers | {"Authorization": f"Token {generate_key()}"}
    with _process(keep_sending, attacker.developer.api_base, headers):
        yield


def keep_sending(base_url: str, headers: dict[str, str]) -> None:
    bodies = [
        b'{"user_id": "kim", "x": [' + b"{}," * (LARGE_BODY // 3) + b"{}]}",
        b'{"user_id": "kim", "x": "' + b"x" * LARGE_BODY + b'"}',
    ]

    def flood(client: httpx.Client) -> None:
        for number in count():
            try:
                client.post("get/memory", content=bodies[number % 2])
            except httpx.TransportError:
                continue  # the server answers before it has read all, and hangs up

    _from_threads([flood] * 8, f"{base_url}/", headers)


@contextmanager
def _process(target: Callable[..., None], *arguments: Any) -> Iterator[None]:
    """A process of its own, so that what the attack costs its client is not taken from who measures."""
    process = get_context("spawn").Process(target=target, args=arguments, daemon=True)
    process.start()
    try:
        yield
        if not process.is_alive():
            raise RuntimeError("the attack ended before its time")
    finally:
        process.terminate()
        process.join()


def _client(base_url: str, headers: dict[str, str], number: int = 0) -> httpx.Client:
    """From an address of the attack's own: what is refused to that is not refused to the second tenant's."""
    transport = httpx.HTTPTransport(local_address=ADDRESSES[number % len(ADDRESSES)])
    return httpx.Client(base_url=base_url, headers=headers, timeout=120, trust_env=False, transport=transport)


def _from_threads(
    attacks: Sequence[Callable[[httpx.Client], None]], base_url: str, headers: dict[str, str]
) -> None:
    """Runs them with a client each until the process is ended; refusals are answers, too."""

    def run(attack: Callable[[httpx.Client], None], number: int) -> None:
        with _client(base_url, headers, number) as client:
            attack(client)

    threads = [
        Thread(target=run, args=(attack, number), daemon=True) for number, attack in enumerate(attacks)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextmanager
def slow_heads(attacker: Attacker) -> Iterator[None]:
    """A thousand connections whose heads come a byte a second; those that are closed are opened anew."""
    with _process(keep_dripping, attacker.developer.api_base, [b""]):
        yield


@contextmanager
def slow_bodies(attacker: Attacker) -> Iterator[None]:
    """The same with whole heads, whose bodies come a byte a second: long ones with a right key, short ones without."""
    path = urlsplit(attacker.developer.api_base).path
    key = f"Authorization: {attacker.developer.headers['Authorization']}\r\n"
    heads = [
        f"POST {path}/add/message HTTP/1.1\r\nHost: localhost\r\n{who}Content-Length: {size}\r\n\r\n{{".encode()
        for who, size in ((key, LARGE_BODY), ("", SHORT_BODY))
    ]
    with _process(keep_dripping, attacker.developer.api_base, heads):
        yield


def keep_dripping(base_url: str, first: list[bytes]) -> None:
    """Connections that send one of these at once and a byte a second from then on."""
    url = urlsplit(base_url)
    address, lines, numbers = (url.hostname or "", url.port or 80), list[socket](), count()
    while True:
        for number in islice(numbers, SLOW_CONNECTIONS - len(lines)):
            line = create_connection(address, 10, (ADDRESSES[number % len(ADDRESSES)], 0))
            _is_sent(line, first[number // len(ADDRESSES) % len(first)])
            lines.append(line)
        time.sleep(1.0)
        lines = [line for line in lines if _is_sent(line, b"G")]


def _is_sent(line: socket, piece: bytes) -> bool:
    """Return whether the other end still takes it; a connection that it has closed is closed here, too."""
    try:
        line.sendall(piece)
    except OSError:
        line.close()
        return False
    return True


ATTACKS: dict[str, Callable[[Attacker], AbstractContextManager[None]]] = {
    "slow_addresses": slow_addresses,
    "slow_files": slow_files,
    "hostile_markdown": hostile_markdown,
    "long_messages": long_messages,
    "slow_model": slow_model,
    "huge_sessions": huge_sessions,
    "large_bodies": large_bodies,
    "large_bodies_wrong_key": large_bodies_wrong_key,
    "slow_heads": slow_heads,
    "slow_bodies": slow_bodies,
}


def hostile_text() -> str:
    """Markdown of what takes its reader longest, as Base64."""
    lines = ["![" * 50_000, "# a" + " " * 40_000 + "x", "[a](" * 50_000, "**a " * 50_000]
    return base64.b64encode("\n\n".join(lines)[:HOSTILE_CHARACTERS].encode()).decode()


def message(user: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    message = {"role": "user", "content": [{"type": "text", "text": "Please read these."}, *parts]}
    return {"user_id": user, "conversation_id": user, "messages": [message]}


def file_part(value: str, name: str) -> dict[str, Any]:
    return {"type": "file", "file": {"file_data": value, "filename": name}}


@contextmanager
def _flooding(
    attacker: Attacker, call: Callable[[int], dict[str, Any]], at_once: int, every: float
) -> Iterator[None]:
    """Sends calls from threads of their own until the block ends. The first are accepted before it begins."""
    over, numbers = Event(), count()
    for _ in range(at_once):
        status = attacker.send(call(next(numbers)))
        if status != 200:
            raise RuntimeError(f"the attack was answered {status}")

    def go_on() -> None:
        while not over.wait(every):
            attacker.send(call(next(numbers)))

    thread = Thread(target=go_on, name="attack", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def run_measurement(seconds: int, names: list[str]) -> Report:
    report = Report("noisy_neighbour", circumstances=machine() | {"seconds_of_each": seconds})
    refined: list[list[str | float | int]] = []
    healthy: list[list[str | float | int]] = []
    with dripping_server() as (tarpit, over), installation(FETCH_ALLOW=tarpit) as (stack, second):
        attacker = Attacker(make_developer(stack, "attacker"), tarpit, over)
        last: dict[str, Noticed] = {}
        for name in names:
            until_found = UNTIL_FOUND.get(name, until_message_found)
            if until_found.__name__ not in last:
                _notice(stack.url, second, 5, until_found)  # connections, prepared statements, the model
                last[until_found.__name__] = _notice(stack.url, second, seconds, until_found)
            before = last[until_found.__name__]
            with ATTACKS[name](attacker):
                time.sleep(SETTLED_SECONDS)
                under = _notice(stack.url, second, seconds, until_found)
            _end_open_work(attacker.developer)
            time.sleep(SETTLED_SECONDS)
            after = last[until_found.__name__] = _notice(stack.url, second, seconds, until_found)
            quiet = Noticed(before.add_latencies + after.add_latencies, before.healthy + after.healthy)
            refined += [spread(f"{name}: quiet", quiet.add_latencies), spread(name, under.add_latencies)]
            healthy += [spread(f"{name}: quiet", quiet.healthy), spread(name, under.healthy)]
            report.promises += [
                _ratio(f"{name}: until found, median", quiet.add_latencies, under.add_latencies, 50),
                _ratio(f"{name}: until found, p95", quiet.add_latencies, under.add_latencies, 95),
                _ratio(f"{name}: /healthz, p95", quiet.healthy, under.healthy, 95),
            ]
    report.tables = [
        Table("add/message, or a document, of the second tenant until it is found", SPREAD_COLUMNS, refined),
        Table("/healthz", SPREAD_COLUMNS, healthy),
    ]
    return report


def _ratio(what: str, quiet: list[float], under: list[float], percent: float) -> Promise:
    ratio = percentile(under, percent) / percentile(quiet, percent)
    return Promise(f"{what} over quiet", round(ratio, 2), TIMES_QUIET)


def _notice(url: str, developer: Developer, seconds: float, until_found: UntilFound) -> Noticed:
    noticed, over = Noticed(), Event()
    asking = Thread(target=_ask_health, args=(url, noticed, over), name="healthz", daemon=True)
    asking.start()
    until, headers = time.perf_counter() + seconds, developer.headers
    with httpx.Client(base_url=developer.api_base, headers=headers, timeout=60, trust_env=False) as api:
        for number in count(1):
            noticed.add_latencies.append(until_found(api, number))
            if time.perf_counter() > until and number >= 5:
                break
    over.set()
    asking.join()
    return noticed


def until_message_found(api: httpx.Client, number: int) -> float:
    """Milliseconds from the sending until the message is refined and a search has answered with what was made of it."""
    user = f"victim-{time.time_ns()}"
    message = {"role": "user", "content": statement(number, "I").replace("I is ", "I am ")}
    began = time.perf_counter()
    body = {"user_id": user, "conversation_id": user, "messages": [message], "async_mode": True}
    task = api.post("/add/message", json=body).raise_for_status().json()["data"]["task_id"]
    while True:
        answer = api.post("/get/status", json={"task_id": task}).raise_for_status().json()
        took = time.perf_counter() - began
        if answer["data"]["status"] == "completed":
            break
        if took > DONE_SECONDS or answer["data"]["status"] == "failed":
            raise RuntimeError(f"the message was not refined within {took:.0f} s: {answer}")
        time.sleep(POLL_SECONDS)
    search = {"user_id": user, "query": message["content"]}
    results = api.post("/search/memory", json=search).raise_for_status().json()["data"]
    if not any(results.values()):
        raise RuntimeError("what was refined is not found")
    return (time.perf_counter() - began) * 1000


def until_document_found(api: httpx.Client, number: int) -> float:
    """Milliseconds from the upload of a small document, which needs no fetch, until a search has answered with it."""

    def call(path: str, body: dict[str, Any]) -> Any:
        return api.post(path, json=body).raise_for_status().json()["data"]

    code, began = f"archive-{time.time_ns()}", time.perf_counter()
    content = base64.b64encode(f"# Codes\n\nThe access code of {code} is {number}.".encode()).decode()
    base = call("/create/knowledgebase", {"knowledgebase_name": f"manual {number}"})["id"]
    file = {"name": "codes.md", "content": content}
    call("/add/knowledgebase-file", {"knowledgebase_id": base, "file": [file]})
    search = {"user_id": "reader", "query": code, "knowledgebase_ids": [base], "relativity": 0}
    while code not in str(call("/search/memory", search)):
        if time.perf_counter() - began > DOCUMENT_SECONDS:
            raise RuntimeError(f"the document was not found within {DOCUMENT_SECONDS:.0f} s")
        time.sleep(POLL_SECONDS)
    took = (time.perf_counter() - began) * 1000
    call("/delete/knowledgebase", {"knowledgebase_id": base})
    return took


UntilFound = Callable[[httpx.Client, int], float]
# What the second tenant waits for where it is no message.
UNTIL_FOUND: dict[str, UntilFound] = {"slow_files": until_document_found}


def _ask_health(url: str, noticed: Noticed, over: Event) -> None:
    """Each from the moment it was due, so that a stall counts for all that wait behind it."""
    with httpx.Client(timeout=60, trust_env=False) as client:
        began = time.perf_counter()
        for number in count():
            due = began + number / HEALTH_A_SECOND
            if over.wait(max(0.0, due - time.perf_counter())):
                return
            client.get(f"{url}/healthz").raise_for_status()
            noticed.healthy.append((time.perf_counter() - due) * 1000)


def _end_open_work(developer: Developer) -> None:
    """What is left of an attack is ended, so that the next figures are quiet again."""
    from memories.models import Task
    from memories.models.task import OPEN_STATES
    from memories.values import TaskState

    work = Task.objects.within([developer.project_id]).filter(state__in=OPEN_STATES)
    work.update(state=TaskState.DEAD, lease_until=None)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=", ".join(ATTACKS))
    asked = parser.parse_args()
    if unknown := set(asked.attacks) - ATTACKS.keys():
        parser.error(f"there is no attack {', '.join(sorted(unknown))}")
    run_measurement(asked.seconds, asked.attacks or list(ATTACKS)).publish()


if __name__ == "__main__":
    main()
