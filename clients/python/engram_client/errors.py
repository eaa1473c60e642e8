"""What can fail: one exception per kind of answer, with code, sentence, remedy and request id."""

from __future__ import annotations

import re
from collections.abc import Collection

import httpx

NOT_FOUND_CODE = 40001
# "Required field cannot be empty: messages[0].role" and "Invalid request parameters: size: at most 50"
FIELD = re.compile(r": (?P<path>(?P<name>[a-z_]+)(?:\[\d+\]|\.\w+)*)(?=$|[:\s])")


class EngramError(Exception):
    """Anything that this client raises."""


class ConnectionFailed(EngramError):
    """The server could not be reached, or broke off."""


class TimedOut(ConnectionFailed):
    """No answer came in time."""


class TaskFailed(EngramError):
    """A task that was waited for failed."""


class StreamFailed(EngramError):
    """A streamed answer broke off; what came before has been yielded."""


class APIError(EngramError):
    """A refusal of the server.

    `code` is the number of Engram's error list (of the skills API: the HTTP status), `sentence` what is wrong, `cure`
    what to do about it, `field` the part of the request that is meant (empty where none is named), `request_id` the
    name of the request in the console's logs, `retry_after` seconds.
    """

    def __init__(
        self,
        status: int,
        code: int,
        sentence: str,
        *,
        cure: str = "",
        field: str = "",
        request_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        self.status, self.code, self.sentence = status, code, sentence
        self.cure, self.field, self.request_id, self.retry_after = cure, field, request_id, retry_after
        super().__init__(self.text)

    @property
    def text(self) -> str:
        parts = [
            f"[{self.code}] {self.sentence}",
            self.cure,
            self.request_id and f"request {self.request_id}",
        ]
        return " · ".join(part for part in parts if part)


class AuthenticationError(APIError):
    """The key is missing, wrong, expired, or may not do this."""


class InvalidRequest(APIError):
    """The request can be put right by the caller."""


class NotFound(InvalidRequest):
    """What an id names is not there, or the address is unknown."""


class ConflictError(InvalidRequest):
    """Something is at work on the same thing, or the request contradicts what is there."""


class RateLimited(APIError):
    """A rate or a monthly quota is used up."""


class ServerError(APIError):
    """A fault of the server."""


def choose_error_type(status: int, code: int) -> type[APIError]:
    if status == 401 or status == 403:
        return AuthenticationError
    if status == 429:
        return RateLimited
    if status == 409:
        return ConflictError
    if status >= 500:
        return ServerError
    return NotFound if status == 404 or code == NOT_FOUND_CODE else InvalidRequest


def build_error(response: httpx.Response, fields: Collection[str]) -> APIError:
    """The exception for an answer that is no success. `fields` are the names that the request's body may have."""
    code, sentence = response.status_code, ""
    try:
        body = response.json()
    except ValueError:  # not from Engram, but from a proxy in front of it
        body = None
    if isinstance(body, dict):
        code = body["code"] if isinstance(body.get("code"), int) else code
        sentence = str(body.get("message") or body.get("msg") or body.get("detail") or "")
    if not sentence:
        sentence = f"HTTP {response.status_code} {response.reason_phrase} from {response.url}".strip()
        if response.is_redirect:
            sentence += f", which leads to {response.headers.get('location', '')}: check the base URL"
    named = FIELD.search(sentence)
    return choose_error_type(response.status_code, code)(
        response.status_code,
        code,
        sentence,
        cure=response.headers.get("X-Engram-Remedy", ""),
        field=named["path"] if named and named["name"] in fields else "",
        request_id=response.headers.get("X-Request-Id", ""),
        retry_after=parse_seconds(response.headers.get("Retry-After", "")),
    )


def parse_seconds(header: str) -> float | None:
    """Retry-After as seconds; Engram sends no dates."""
    return float(header) if re.fullmatch(r"[0-9]{1,9}", header.strip()) else None
