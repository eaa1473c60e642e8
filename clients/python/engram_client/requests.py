"""What is sent and how answers are read: the part that the sync and the async client share. Nothing here does I/O."""

from __future__ import annotations

import io
import json
import os
import random
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal
from urllib.parse import quote
from uuid import uuid4

import httpx

from engram_client.errors import (
    APIError,
    ConnectionFailed,
    EngramError,
    RateLimited,
    ServerError,
    StreamFailed,
    TimedOut,
)
from engram_client.options import OPTIONS
from engram_client.version import VERSION

if TYPE_CHECKING:
    from engram_client.types import MessageBody

MEMORIES = "/api/openmem/v1/"
SKILLS = "/api/v1/"
CONSOLE = "/api/console/v1/"
VERBATIM = "/api/mem0/v3/memories/add/"
DEFAULT_URL = "http://localhost:8000"
CONNECT_SECONDS = 10.0
# A longer Retry-After means a quota of a month: an error says so better than hours of silence.
LONGEST_WAIT = 30.0
FIRST_BACKOFF, LONGEST_BACKOFF = 0.5, 8.0
# Wait times between two looks at a task, in seconds.
FIRST_LOOK, LONGEST_LOOK = 0.1, 2.0

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the server is and who asks. `timeout` in seconds, `retries` beside the first try."""

    base_url: str
    api_key: str = field(repr=False)
    timeout: float
    retries: int

    @property
    def headers(self) -> dict[str, str]:
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        agent = f"engram-console-client/{VERSION} python/{python} httpx/{httpx.__version__}"
        return {"Authorization": f"Bearer {self.api_key}", "User-Agent": agent}

    @property
    def has_tls(self) -> bool:
        """Whether certificates are needed: loading all authorities takes 50 ms, and redirects are not followed."""
        return self.base_url.startswith("https:")

    @property
    def limits(self) -> httpx.Timeout:
        return httpx.Timeout(self.timeout, connect=min(self.timeout, CONNECT_SECONDS))


def read_settings(api_key: str | None, base_url: str | None, timeout: float, retries: int) -> Settings:
    """Arguments, else ENGRAM_API_KEY and ENGRAM_BASE_URL. Raises `EngramError` without a key."""
    key = api_key or os.environ.get("ENGRAM_API_KEY", "")
    if not key:
        raise EngramError("No API key: pass api_key, or set ENGRAM_API_KEY.")
    url = (base_url or os.environ.get("ENGRAM_BASE_URL") or DEFAULT_URL).strip().rstrip("/")
    for path in (
        MEMORIES,
        CONSOLE,
        SKILLS,
    ):  # the address of one API in place of the server's is understood too
        url = url.removesuffix(path.rstrip("/"))
    if not is_address(url):
        raise EngramError(f"The base URL must be http:// or https:// with a host: {url}")
    if not key.strip().isascii():
        raise EngramError("The API key holds letters that no key has: copy it again.")
    return Settings(url, key.strip(), timeout, retries)


def is_address(url: str) -> bool:
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        return False
    return parsed.scheme in ("http", "https") and bool(parsed.host)


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `is_repeatable` says whether sending it twice does no harm once it may have arrived."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    params: Mapping[str, Any] | None = None
    form: Mapping[str, str] | None = None
    files: Callable[[], list[tuple[str, Any]]] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_repeatable: bool = True
    fields: Collection[str] = ()

    def request_options(self) -> dict[str, Any]:
        """Arguments for httpx' build_request, made anew for each try: files are read from the start."""
        options: dict[str, Any] = {"headers": dict(self.headers)}
        if self.body is not None:
            options["json"] = self.body
        if self.params:
            options["params"] = {name: value for name, value in self.params.items() if value is not None}
        if self.form is not None:
            options["data"] = dict(self.form)
        if self.files is not None:
            options["files"] = self.files()
        return options


def read(path: str, body: Mapping[str, Any]) -> Call:
    """A call of the memory API that changes nothing."""
    return Call("POST", MEMORIES + path, without_none(body), fields=body.keys())


def write(path: str, body: Mapping[str, Any], idempotency_key: str | None, *, streams: bool = False) -> Call:
    """A call of the memory API that happens once, however often it is sent. A streamed answer is not kept for a
    second try."""
    headers = {"Idempotency-Key": idempotency_key or new_key()}
    return Call(
        "POST",
        MEMORIES + path,
        without_none(body),
        headers={} if streams else headers,
        is_repeatable=not streams,
        fields=body.keys(),
    )


def verbatim(
    text: str, owner: Mapping[str, str | None], info: Mapping[str, Any] | None, idempotency_key: str | None
) -> Call:
    """A call that stores a text as it is. A run of its own keeps a text apart from the same text kept before."""
    body = {**owner, "messages": text, "metadata": info, "infer": False, "immutable": True}
    key = idempotency_key or new_key()
    return Call(
        "POST",
        VERBATIM,
        without_none(body) | {"run_id": f"verbatim-{key}"[:100]},
        headers={"Idempotency-Key": key},
        fields=body.keys(),
    )


def verbatim_id(answer: Any) -> str:
    """Raises `EngramError` where a policy of the project let nothing be stored."""
    if not answer["results"]:
        raise EngramError("Nothing was stored: the project's extraction policies forbid this text.")
    return str(answer["results"][0]["id"])


def skills(method: str, path: str, *parts: str, **options: Any) -> Call:
    """A call of the skills API, which keeps no idempotency keys. `parts` fill the braces of the path."""
    address = SKILLS + path.format(*map(escaped, parts))
    return Call(method, address, is_repeatable=method in ("GET", "PUT"), **options)


def console(method: str, path: str, *parts: str, **options: Any) -> Call:
    """A call of the console API. A key that was made is not made again after a lost answer."""
    address = CONSOLE + path.format(*map(escaped, parts))
    return Call(method, address, is_repeatable=method != "POST", **options)


def new_key() -> str:
    return uuid4().hex


def escaped(part: str) -> str:
    """A part of a path. Raises `EngramError`."""
    try:
        return quote(part, safe="")
    except UnicodeEncodeError as error:
        raise unsendable(error) from None


def build_request(
    http: httpx.Client | httpx.AsyncClient, call: Call, options: Mapping[str, Any]
) -> httpx.Request:
    """Raises `EngramError` for what cannot be written: halves of characters, NaN, letters that no header has."""
    try:
        return http.build_request(call.method, call.path, **options)
    except ValueError as error:
        close_files(options)
        raise unsendable(error) from None


def unsendable(fault: ValueError) -> EngramError:
    """Names the character and its place, and nothing else of the text."""
    return EngramError(f"Nothing was sent: {fault}")


def now() -> float:
    """Seconds of a clock that is never set back."""
    return time.monotonic()


def without_none(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}


def checked(options: Mapping[str, Any], known: str) -> dict[str, Any]:
    """Refuse a misspelt option, which the server would ignore on calls that read or add. Raises `TypeError`."""
    unknown = sorted(set(options) - set(OPTIONS[known]))
    if unknown:
        raise TypeError(f"unknown option {', '.join(unknown)} (use {', '.join(OPTIONS[known])})")
    return dict(options)


def list_messages(messages: str | Sequence[MessageBody]) -> list[Any]:
    """A text is one message of the user."""
    return [{"role": "user", "content": messages}] if isinstance(messages, str) else list(messages)


def delay_after_answer(error: APIError, call: Call, attempt: int, retries: int) -> float | None:
    """Seconds until the next try, or None where the error is for the caller. A refused rate has done nothing and may
    come again whatever it was; after a lost answer 409 says that the first try is still at work."""
    is_passing = isinstance(error, RateLimited) or (
        call.is_repeatable and (isinstance(error, ServerError) or (error.status == 409 and attempt > 0))
    )
    if not is_passing or attempt >= retries:
        return None
    if error.retry_after is None:
        return backoff(attempt)
    return error.retry_after if error.retry_after <= LONGEST_WAIT else None


def delay_after_failure(fault: httpx.TransportError, call: Call, attempt: int, retries: int) -> float | None:
    """A connection that was never made has brought nothing to the server."""
    never_arrived = isinstance(fault, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    return backoff(attempt) if attempt < retries and (call.is_repeatable or never_arrived) else None


def backoff(attempt: int) -> float:
    """Seconds: doubled with each try, with jitter, so that many clients do not come back at once."""
    return min(LONGEST_BACKOFF, FIRST_BACKOFF * 2.0**attempt) * random.uniform(0.5, 1)


def as_connection_failure(fault: httpx.TransportError, url: httpx.URL) -> ConnectionFailed:
    where = f"{url.scheme}://{url.netloc.decode()}"
    if isinstance(fault, httpx.TimeoutException):
        return TimedOut(f"No answer from {where} in time.")
    return ConnectionFailed(f"Could not reach {where}: {fault}")


def read_data(response: httpx.Response) -> Any:
    """The `data` of an envelope; an answer without an envelope (rerank) as it is."""
    try:
        body = response.json()
    except ValueError:
        raise EngramError(f"{response.url} answered something that is not JSON: is this Engram?") from None
    return body["data"] if isinstance(body, dict) and "code" in body and "data" in body else body


@dataclass(frozen=True, slots=True)
class ChatPiece:
    """A piece of a streamed answer: of the answer itself, or of the model's reasoning."""

    type: Literal["text", "reasoning"]
    text: str


class StreamReader:
    """Reads the lines of an event stream. `is_complete` once its last event came."""

    def __init__(self) -> None:
        self.is_complete = False

    def read_line(self, line: str) -> ChatPiece | None:
        """Raises `StreamFailed` for an event of type error."""
        if not line.startswith("data:"):
            return None  # an event's name, a comment that keeps the connection open, an empty line
        event = json.loads(line.removeprefix("data:"))
        if event["type"] == "error":
            raise StreamFailed(str(event["data"]))
        if event["type"] == "end":
            self.is_complete = True
        return ChatPiece(event["type"], event["data"]) if event["type"] in ("text", "reasoning") else None

    def finish(self) -> None:
        """Raises `ConnectionFailed` where the stream ended in the middle."""
        if not self.is_complete:
            raise ConnectionFailed("The connection was closed in the middle of the answer.")


class ProgressFile(io.BufferedReader):
    """A file that reports how many bytes were read of it."""

    def __init__(self, path: Path, on_read: Callable[[int], None]) -> None:
        super().__init__(io.FileIO(path))
        self._on_read = on_read

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(size)
        self._on_read(len(content))
        return content


def files_to_upload(
    paths: Iterable[str | Path], on_progress: OnProgress | None
) -> Callable[[], list[tuple[str, Any]]]:
    """Parts of a form, opened anew for each try. `on_progress` gets bytes sent and bytes in all."""
    files = [Path(path) for path in paths]
    total = sum(file.stat().st_size for file in files)

    def open_files() -> list[tuple[str, tuple[str, IO[bytes]]]]:
        sent = 0

        def count(read: int) -> None:
            nonlocal sent
            sent += read
            if on_progress and read:
                on_progress(min(sent, total), total)

        return [("file", (file.name, ProgressFile(file, count))) for file in files]

    return open_files


def close_files(options: Mapping[str, Any]) -> None:
    for _, (_, content, *_) in options.get("files", ()):
        if isinstance(content, ProgressFile):
            content.close()


def skill_archive(source: str | Path | bytes) -> bytes:
    """A ZIP archive of a skill: bytes and `.zip` files as they are, a folder packed."""
    if isinstance(source, bytes):
        return source
    path = Path(source)
    if path.is_file():
        return path.read_bytes()
    import zipfile  # most programs pack no skills

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path.rglob("*")):
            if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts):
                archive.write(file, file.relative_to(path).as_posix())
    return packed.getvalue()
