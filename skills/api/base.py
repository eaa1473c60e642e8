"""Base class of the skill memory views: authentication and logging as elsewhere, with this contract's envelope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from skills.api.envelope import answer_failure, build_success_body
from skills.api.query import Query, build_page, parse_uuid
from skills.paging import Slice
from tenancy.api.base import ContractView
from tenancy.api.serializing import refuse_unsupported
from tenancy.errors import InvalidParameters
from tenancy.metering.meters import Meter
from tenancy.requests.log import READING, name_subject

CHANGING = frozenset({"DELETE", "PUT", "PATCH"})
SCOPES = {"GET": "read", "HEAD": "read", "DELETE": "delete"}


class SkillView(ContractView):
    """`logged_as` says of what the object in the path is: deleting it takes its words out of the request log."""

    logged_as: ClassVar[str] = ""
    # What its POSTs are counted as.
    posts_as: ClassVar[Meter] = Meter.OTHER

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.scope = SCOPES.get(request.method or "", "write")  # type: ignore[misc]  # by method, not by address
        self.meter = self.posts_as if request.method == "POST" else Meter.OTHER  # type: ignore[misc]
        super().initial(request, *args, **kwargs)
        if request.method not in READING and "Idempotency-Key" in request.headers:
            # A repeat would be carried out again, which is what its sender wants to be safe from.
            raise InvalidParameters("Idempotency-Key: has no effect on this API; repeat without it")
        self.query = Query(request.query_params)
        if self.logged_as:
            self.is_about(self.logged_as, str(self.id(self.logged_as)))
        if request.method in CHANGING:
            self._refuse_selectors(request)

    @staticmethod
    def _refuse_selectors(request: Request) -> None:
        """The path alone says what is deleted or overwritten: what else may be meant to raises `InvalidParameters`."""
        refuse_unsupported(request.query_params.dict())
        if request.method == "DELETE" and request.data:
            if not isinstance(request.data, Mapping):
                raise InvalidParameters("the body must be empty")
            refuse_unsupported(request.data)

    def _subjects(self, sent: Any, refused: bytes = b"") -> list[str]:
        """With the person whom the body names, also where it is refused: deleting them takes its words, too."""
        subjects = super()._subjects(sent, refused)
        name = sent.get("user") if isinstance(sent, dict) else None
        people = [name_subject("person", name)] if isinstance(name, str) and name else []
        if refused:
            people += [f"person:{subject.partition(':')[2]}" for subject in subjects]
        return list(dict.fromkeys([*subjects, *people]))

    def log(
        self, request: Request, status: int, answered: dict[str, Any], *, is_silent: bool = False
    ) -> None:
        """Log a call without the rows of a list, and without data that belongs to nobody.

        They may name people whose erasure would not find the log row.
        """
        if request.method == "GET" and not self.about:
            answered = {name: value for name, value in answered.items() if name != "data"}
        super().log(request, status, answered, is_silent=is_silent)

    def get_exception_handler(self) -> Any:
        return answer_failure

    def id(self, name: str) -> UUID:
        """An id of the path. Raises `InvalidParameters`."""
        return parse_uuid(str(self.kwargs[f"{name}_id"]), f"{name}_id")

    def answer(self, data: Any = None, status: int = 200) -> Response:
        return Response(build_success_body(data), status=status)

    def answer_list(self, row_slice: Slice, items: Sequence[Mapping[str, object]]) -> Response:
        """A list whose clients take `data` for the items themselves: where it goes on stands beside it."""
        body = build_page(row_slice, items)
        return Response(build_success_body(body.pop("items")) | body)
