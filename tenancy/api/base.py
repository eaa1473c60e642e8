"""What every API view shares: key, scope, rate, envelope, log. A view itself parses, calls one verb, answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from django.http import HttpRequest, StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenancy import trace
from tenancy.api.rendering import envelope
from tenancy.api.serializing import Contract
from tenancy.idempotency import answered_before, once
from tenancy.identify import require_scope
from tenancy.ids import uuid7
from tenancy.limits import MAX_CALL_TOKENS, charge_tokens, check_rate, count_tokens
from tenancy.models import ApiKey, Project, RequestLog
from tenancy.request_log import MAX_BODY_KEPT, MAX_METHOD, MAX_SUBJECT, subjects_of, writer

Body = TypeVar("Body", bound=Contract)

# A token has at least one byte, so a text of fewer bytes than one call may have tokens needs no tokenizer to be let
# through (20 microseconds a token); for the minute's sum it counts with four bytes a token.
CHEAP_BYTES = MAX_CALL_TOKENS


class ContractView(APIView):
    """A view of the MemOS contract. `scope` is what its key must be allowed to do."""

    scope: ClassVar[str] = "read"
    # Whether its log rows may say whom they were about; the row of an erasure must not outlive what it erased.
    logs_subjects: ClassVar[bool] = True
    # Without OPTIONS and TRACE, which Django and DRF would answer in their own words.
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    trace: trace.Trace
    request_id = ""
    replayed = False
    about: str = ""

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        self.trace = trace.begin()
        self.request_id = uuid7().hex
        request.request_id = self.request_id  # type: ignore[attr-defined]  # for the failure log
        _measure(request)
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        require_scope(self.key, self.scope)
        with trace.stage("limit"):
            check_rate(self.project.account)

    @property
    def key(self) -> ApiKey:
        key: Any = self.request.auth
        return key

    @property
    def project(self) -> Project:
        return self.key.project

    def read(self, serializer: type[Body]) -> Body:
        """The checked body. Raises the catalogue's error of its first fault."""
        with trace.stage("validate"):
            body = serializer(data=self.request.data)
            body.is_valid(raise_exception=True)
        return body

    def charge(self, texts: list[str]) -> None:
        """Counts the call's input tokens against the limits."""
        with trace.stage("tokens") as note:
            size = sum(len(text.encode()) for text in texts)
            tokens = count_tokens(texts) if size > CHEAP_BYTES else max(1, size // 4)
            note["tokens"] = tokens
            charge_tokens(self.project.account, tokens)

    def is_about(self, kind: str, subject_id: str) -> None:
        """Whose memories the call reads or writes, where its body does not say: an erasure must find its log row."""
        self.about = f"{kind}:{subject_id}"

    def once(
        self, write: Callable[[], dict[str, Any]], unless: Callable[[], bool] | None = None
    ) -> dict[str, Any]:
        """Does a write; under an `Idempotency-Key` that was answered before, gives that answer instead.

        `unless` says, after the write, that its answer must not be kept.
        """
        key = self.request.headers.get("Idempotency-Key", "")
        if not key:
            return write()
        sent = self.request.data
        subjects = self._subjects(sent) if self.logs_subjects else []
        data, self.replayed = once(
            self.project, key, self.request.path, sent, write, subjects=subjects, unless=unless
        )
        return data

    def answered_before(self) -> dict[str, Any] | None:
        """The answer that this `Idempotency-Key` got before: for writes that work for long before they store."""
        key = self.request.headers.get("Idempotency-Key", "")
        data = answered_before(self.project, key, self.request.path, self.request.data) if key else None
        self.replayed = data is not None
        return data

    def answer(self, data: Any) -> Response:
        headers = {"Idempotent-Replayed": "true"} if self.replayed else None
        return Response(envelope(data), headers=headers)

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["X-Request-Id"] = self.request_id
        if isinstance(response, StreamingHttpResponse):
            return response  # who streams logs at its end
        response["Cache-Control"] = "no-store"
        if getattr(request, "_auth", None) is not None and isinstance(response.data, dict):
            self.log(request, response.status_code, response.data)
        return response

    def log(
        self, request: Request, status: int, answered: dict[str, Any], *, is_silent: bool = False
    ) -> None:
        """`is_silent`: without what was said, and about whom."""
        writer.put(self._log_row(request, status, answered, is_silent))

    def _subjects(self, sent: Any) -> list[str]:
        return (subjects_of(sent) if isinstance(sent, dict) else []) or ([self.about] if self.about else [])

    def _log_row(
        self, request: Request, status: int, answered: dict[str, Any], is_silent: bool
    ) -> RequestLog:
        key = self.key
        # What the parser made of the body, if it got that far; reading `data` here would parse again.
        body = getattr(request, "_full_data", None)
        sent = body if isinstance(body, dict) else {}
        subjects = self._subjects(sent)
        is_silent = is_silent or (bool(subjects) and not self.logs_subjects)
        subjects = [] if is_silent else subjects
        return RequestLog(
            account_id=key.account_id,
            project_id=key.project_id,
            api_key=key,
            request_id=self.request_id,
            endpoint=self.endpoint(request),
            method=(request.method or "")[:MAX_METHOD],
            origin=str(sent.get("source") or "api")[:20],
            code=answered.get("code", 0),
            http_status=status,
            milliseconds=round(self.trace.milliseconds(), 2),
            subject_id=subjects[0].partition(":")[2][:MAX_SUBJECT] if subjects else "",
            subjects=subjects,
            request_body="" if is_silent else _kept(sent),
            response_body="" if is_silent else _kept(answered),
            trace=self.trace.stages,
        )

    @staticmethod
    def endpoint(request: Request) -> str:
        match = request._request.resolver_match
        return (match.url_name or "") if match else ""


def _measure(request: HttpRequest) -> None:
    """A chunked body names no length, without which DRF takes it for empty."""
    if not request.META.get("CONTENT_LENGTH"):
        request.META["CONTENT_LENGTH"] = str(len(request.body))


def _kept(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False, default=str)[:MAX_BODY_KEPT]
