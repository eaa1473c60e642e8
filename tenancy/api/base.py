"""Base class of API views: key, scope, rate limit, envelope, log. A view itself parses, calls one function, answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, ClassVar, TypeVar

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.http import HttpRequest, QueryDict, StreamingHttpResponse
from rest_framework.request import Empty, Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenancy.api.bill import AWAY, Bill
from tenancy.api.bodies.parsing import parse_object
from tenancy.api.identify_sender import rate_was_counted
from tenancy.api.rendering import wrap_success
from tenancy.api.serializing import ChangingContract, Contract, refuse_unsupported
from tenancy.audit.request_context import get_current_context
from tenancy.errors import CallQuotaExceeded, CatalogueError, InvalidParameters
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import mask_keys
from tenancy.keys.restrictions import check_key
from tenancy.metering.count_tokens import count_charged_tokens
from tenancy.metering.meters import Meter
from tenancy.metering.rate_limits import charge_tokens, check_rate
from tenancy.models import ApiKey, Project, RequestLog
from tenancy.models.request_log import MAX_PATH
from tenancy.people.permissions import require_scope
from tenancy.requests import trace
from tenancy.requests.idempotency import find_stored_answer, run_once, was_answered
from tenancy.requests.log import (
    MAX_BODY_KEPT,
    MAX_ENDPOINT,
    MAX_METHOD,
    MAX_SUBJECT,
    MAX_SUBJECTS,
    READING,
    find_subjects,
    list_subjects_in,
    name_subject,
    writer,
)
from tenancy.runtime.deadlocks import retry_deadlocks

Body = TypeVar("Body", bound=Contract)
Result = TypeVar("Result")
# In the ASGI scope of a request that another protocol made: its name in the request log.
INTERFACE = "engram.interface"
# With and without hyphens.
_ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Of those that a call may be about, whose usage is kept.
PEOPLE = frozenset({"end_user", "agent", "person"})


class ContractView(APIView):
    """A view of the MemOS contract. `scope` is the scope that the key needs."""

    scope: ClassVar[str] = "read"
    # Whether its log rows may say whom they were about; the row of an erasure must not outlive what it erased.
    logs_subjects: ClassVar[bool] = True
    # What its calls are counted as.
    meter: ClassVar[Meter] = Meter.OTHER
    # Without OPTIONS and TRACE, which Django and DRF would answer in their own words.
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    trace: trace.Trace
    request_id = ""
    bill: Bill
    replayed = False
    # Whether each write of the view goes through `run_once`, so that its repeats are known by an `Idempotency-Key`.
    knows_repeats: ClassVar[bool] = True
    # Why the call must not be carried out, though what it was answered before may be repeated.
    over_quota: CallQuotaExceeded | None = None
    about: str = ""

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        self.trace = trace.begin_trace()
        self.bill = Bill()
        # The middleware names each request, for the failure and audit logs too.
        self.request_id = request.request_id  # type: ignore[attr-defined]
        _note_length(request)
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        _refuse_many_parameters(request._request)
        with self._repeating():
            check_key(self.key, get_current_context().address)
        require_scope(self.key, self.scope)
        with trace.trace_stage("limit"):
            if not rate_was_counted(getattr(request._request, "scope", None)):
                check_rate(self.project.account)
        if self.over_quota is None:
            with self._repeating():
                self.bill.open(self.key, self.meter)

    @contextmanager
    def _repeating(self) -> Iterator[None]:
        """Over a quota, a repeat under an `Idempotency-Key` is still given the stored answer, and nothing else."""
        try:
            yield
        except CallQuotaExceeded as refusal:
            key = self.request.headers.get("Idempotency-Key", "")
            if not self.knows_repeats or not key or not was_answered(self.project, key):
                raise
            self.over_quota = refusal

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        response = super().dispatch(request, *args, **kwargs)
        if isinstance(response, Response):  # who streams logs at its end
            response.add_post_render_callback(lambda _: _release_body(self.request))
        return response

    @property
    def key(self) -> ApiKey:
        key: Any = self.request.auth
        return key

    @property
    def project(self) -> Project:
        return self.key.project

    def read(self, serializer: type[Body]) -> Body:
        """The checked body. Raises the catalogue's error of its first fault."""
        with trace.trace_stage("validate") as note:
            if issubclass(serializer, ChangingContract):
                refuse_unsupported(self.request.query_params.dict())
            body = serializer(data=self.request.data, context={"project": self.project})
            body.is_valid(raise_exception=True)
            note.update(body.noted)
        return body

    def charge(self, texts: list[str], of_files: int = 0) -> int:
        """Counts the call's input tokens against the limits, and says how many they are. `of_files` are those of what
        is no text."""
        with trace.trace_stage("tokens") as note:
            note["tokens"] = tokens = count_charged_tokens(texts) + of_files
            charge_tokens(self.project.account, tokens)
        return tokens

    def is_about(self, kind: str, subject_id: str) -> None:
        """Name the subject of the call where the body does not: an erasure must find its log row."""
        self.about = name_subject(kind, subject_id)

    def run_once(
        self, write: Callable[[], dict[str, Any]], unless: Callable[[], bool] | None = None
    ) -> dict[str, Any]:
        """Does a write; under an `Idempotency-Key` that was answered before, gives that answer instead.

        `unless` says, after the write, that its answer must not be kept.
        """
        write = self._pay_and_write(write)
        key = self.request.headers.get("Idempotency-Key", "")
        if not key:
            return self._run_write(write)
        sent = self.request.data
        subjects = self._subjects(sent) if self.logs_subjects else []
        data, self.replayed = self._run_write(
            lambda: run_once(
                self.project, key, self.repeated_as(), sent, write, subjects=subjects, unless=unless
            )
        )
        return data

    def _run_write(self, write: Callable[[], Result]) -> Result:
        """Run the write. What costs something is not tried again: its price is taken but once."""
        return retry_deadlocks(write) if self.meter == Meter.OTHER else write()

    def repeated_as(self) -> str:
        """Return what must be the same, beside the body, for a request to be a repetition of another."""
        return self.request.path

    def _pay_and_write(self, write: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
        def paid() -> dict[str, Any]:
            with self.paying():
                return write()

        return paid

    @contextmanager
    def paying(self) -> Iterator[None]:
        """A write and its price are one transaction: both are stored, or neither."""
        self.refuse_over_quota()
        if self.meter == Meter.OTHER:
            yield
            return
        with tenant_scope(self.project):
            yield
            self.bill.settle(self._about())

    def find_stored_answer(self) -> dict[str, Any] | None:
        """The answer that this `Idempotency-Key` got before: for writes that work for long before they store."""
        key = self.request.headers.get("Idempotency-Key", "")
        data = find_stored_answer(self.project, key, self.repeated_as(), self.request.data) if key else None
        self.replayed = data is not None
        if data is None:
            self.refuse_over_quota()
        return data

    def refuse_over_quota(self) -> None:
        """Refuse what has no stored answer: a new write, or a stream, which holds a reservation until it ends."""
        if self.over_quota is not None:
            raise self.over_quota

    def answer(self, data: Any) -> Response:
        headers = {"Idempotent-Replayed": "true"} if self.replayed else None
        return Response(wrap_success(data), headers=headers)

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, self._settle_price(response), *args, **kwargs)
        response["X-Request-Id"] = self.request_id
        for name, value in self.bill.headers.items():
            response[name] = value
        if isinstance(response, StreamingHttpResponse):
            return response  # who streams logs at its end
        response["Cache-Control"] = "no-store"
        if getattr(request, "_auth", None) is not None and isinstance(response.data, dict):
            self.log(request, response.status_code, response.data)
        return response

    def _settle_price(self, response: Any) -> Any:
        """No answer goes out before its price is settled, or given back; what cannot be settled is no answer."""
        if self.over_quota is not None and response.status_code < 400 and not self.replayed:
            return self.handle_exception(self.over_quota)
        if self.bill.is_deferred and response.status_code < 400:
            return response
        if response.status_code >= 400 or self.replayed:
            self.bill.release()
            return response
        try:
            self.bill.settle(self._about())
            self.bill.return_spare()
        except (CatalogueError, *AWAY) as error:
            self.bill.release()
            return self.handle_exception(error)
        return response

    def _about(self) -> str:
        """The end user that the call is charged to: the first that it is about, or "" if it is about none."""
        sent = getattr(self.request, "_full_data", None)
        subjects = self._subjects(sent) if self.logs_subjects else []
        return next((subject for subject in subjects if subject.partition(":")[0] in PEOPLE), "")

    def log(
        self, request: Request, status: int, answered: dict[str, Any], *, is_silent: bool = False
    ) -> None:
        """`is_silent`: without what was said, and about whom."""
        writer.put(self._log_row(request, status, answered, is_silent))

    def _subjects(self, sent: Any, refused: bytes = b"") -> list[str]:
        named = find_subjects(sent) if isinstance(sent, dict) else []
        return named or _drop_repeated_subjects(
            [*([self.about] if self.about else []), *list_subjects_in(refused)]
        )

    def _log_row(
        self, request: Request, status: int, answered: dict[str, Any], is_silent: bool
    ) -> RequestLog:
        key = self.key
        # What the parser made of the body, if it got that far; reading `data` here would parse again.
        body = getattr(request, "_full_data", None)
        asked = self._parse_address(request, status)
        sent = asked or (body if isinstance(body, dict) else {})
        refused = getattr(request, "refused_body", b"")
        subjects = self._subjects(sent, refused)
        # People may be named where nobody looks for them.
        if (status >= 400 and not find_subjects(sent)) or (asked and not subjects):
            subjects = _drop_repeated_subjects(
                [*subjects, *list_subjects_in(_shorten_logged_body(sent).encode(errors="replace"))]
            )
        is_silent = is_silent or (bool(subjects) and not self.logs_subjects)
        subjects = [] if is_silent else subjects
        row = RequestLog(
            account_id=key.account_id,
            project_id=key.project_id,
            api_key=key,
            request_id=self.request_id,
            endpoint=self.endpoint(request),
            method=(request.method or "")[:MAX_METHOD],
            path=_get_path_with_ids(request._request),
            address=get_current_context().address,
            origin=str((sent if not asked else {}).get("source") or "api")[:20],
            code=answered.get("code", 0),
            http_status=status,
            milliseconds=round(self.trace.get_milliseconds(), 2),
            charged=self.bill.charged,
            subject_id=subjects[0].partition(":")[2][:MAX_SUBJECT] if subjects else "",
            subjects=subjects,
            request_body="" if is_silent else _decode_body(refused) or _shorten_body_read(request, sent),
            response_body="" if is_silent else _shorten_logged_body(answered),
            trace=self.trace.stages,
        )
        row.meter = self.meter
        return row

    def _parse_address(self, request: Request, status: int) -> dict[str, Any]:
        """Return what the address said, where the log keeps that instead of a body: the query of a call that only
        reads."""
        return parse_query(request) if request.method in READING else {}

    @staticmethod
    def endpoint(request: Request) -> str:
        """The name in the request log: that of the REST address, or of another protocol's operation."""
        scope = getattr(request._request, "scope", None)
        if scope and INTERFACE in scope:
            return str(scope[INTERFACE])[:MAX_ENDPOINT]
        match = request._request.resolver_match
        return (match.url_name or "") if match else ""


def _get_path_with_ids(request: HttpRequest) -> str:
    """The path of a call about something whose id stands in it; empty where what stands there may be a name."""
    match = request.resolver_match
    named = list(match.kwargs.values()) if match and INTERFACE not in getattr(request, "scope", {}) else []
    is_plain = all(_ID.fullmatch(str(segment)) for segment in named) and len(request.path) <= MAX_PATH
    return request.path if named and is_plain else ""


def _refuse_many_parameters(request: HttpRequest) -> None:
    """Raise `InvalidParameters` where Django would end the request outside the view, with neither shape nor log row.

    As many parameters as are allowed are kept: the log has them, and an erasure finds whom they name.
    """
    most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    try:
        _ = request.GET
    except TooManyFieldsSent:
        kept = "&".join(request.META.get("QUERY_STRING", "").split("&", most)[:most])
        request.GET = QueryDict(kept, encoding=request.encoding)
        raise InvalidParameters(
            f"the address has more than {most:,} parameters; send fewer, or several requests"
        ) from None


def parse_query(request: Request) -> dict[str, Any]:
    """The parameters of the address; JSON in one is read, so that whom it names is found."""
    parameters = {
        name: [_parse_json(text) for text in values] for name, values in request.query_params.lists()
    }
    return {name: values[0] if len(values) == 1 else values for name, values in parameters.items()}


def _parse_json(text: str) -> Any:
    text = text.replace("\0", "\ufffd")  # which PostgreSQL cannot store
    if not text.startswith("{"):
        return text
    try:
        return parse_object(text.encode(errors="replace"))
    except InvalidParameters:
        return text


def _drop_repeated_subjects(subjects: list[str]) -> list[str]:
    return list(dict.fromkeys(subjects))[:MAX_SUBJECTS]


def _note_length(request: HttpRequest) -> None:
    """Give a chunked body its length; without it DRF takes the body for empty."""
    if not request.META.get("CONTENT_LENGTH"):
        request.META["CONTENT_LENGTH"] = str(len(request.body))


def _release_body(request: Any) -> None:
    """View, request and response hold each other until the garbage collector finds them, minutes later: what was sent,
    up to 10 MB and several times that when it is parsed, is not to wait for it."""
    request.parser_context = {}
    sent = getattr(request, "_full_data", None)
    if type(sent) is dict:
        sent.clear()  # serializers hold the same
    request._data = request._full_data = {}
    request.refused_body = b""
    if hasattr(request._request, "_body"):
        request._request._body = b""


def _decode_body(body: bytes) -> str:
    """The beginning of the text as sent, except for characters that PostgreSQL cannot store."""
    beginning = body[: 4 * MAX_BODY_KEPT].decode(errors="replace")[:MAX_BODY_KEPT]
    return mask_keys(beginning.replace("\0", "\ufffd"))


def _shorten_body_read(request: Request, sent: Any) -> str:
    """Return the body for the log; empty where a limit refused the call before its body was read."""
    has_body = request.method not in READING and request.META.get("CONTENT_LENGTH") not in {None, "", "0"}
    is_unread = getattr(request, "_full_data", None) is Empty
    return "" if has_body and is_unread else _shorten_logged_body(sent)


def _shorten_logged_body(body: Any) -> str:
    return mask_keys(json.dumps(_shorten_logged_value(body), ensure_ascii=False, default=str)[:MAX_BODY_KEPT])


def _shorten_logged_value(value: Any) -> Any:
    """The value with no more of any text or list than is kept: writing 9 MB as JSON would keep all other threads
    waiting for 40 ms."""
    if isinstance(value, str):
        return value[:MAX_BODY_KEPT]
    if isinstance(value, dict):
        return {name: _shorten_logged_value(member) for name, member in islice(value.items(), MAX_BODY_KEPT)}
    if isinstance(value, (list, tuple)):
        return [_shorten_logged_value(member) for member in value[:MAX_BODY_KEPT]]
    return value
