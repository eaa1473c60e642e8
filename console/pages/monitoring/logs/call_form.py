"""How one operation is called: its address, what is written around a body, and what checks a body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal

from rest_framework.exceptions import ValidationError

from tenancy.api.serializing import find_first_fault
from tenancy.errors import CatalogueError
from tenancy.models import Project, RequestLog
from tenancy.requests.log import READING

Body = dict[str, Any]
# Raises what is wrong with a body; may change the body.
Checker = Callable[[Body, Project], object]
BODILESS = frozenset({"GET", "HEAD", "DELETE"})


@dataclass(frozen=True, slots=True)
class CallForm:
    """`check` raises what is wrong with a body, None where nothing checks one; `example` is a body that passes.

    `names` are the fields that are known. `headers` are those beside the key's, `content` is what is sent for a body.
    Without one of its fields, a call that deletes or overwrites would change more than was meant: of it nothing
    `may_leave_out`. But where `lists_orders`, items of its lists are orders of their own: without one, less is done.
    """

    method: str
    path: str
    example: Mapping[str, Any]
    names: frozenset[str] = frozenset()
    check: Checker | None = None
    _: KW_ONLY
    may_leave_out: bool = True
    lists_orders: bool = False
    # Where what a DELETE says stands, which its method does not tell: in its query, in its body, or in fields that are
    # parts of its path; nowhere, where an id of ours says it all.
    deletes_by: Literal["", "query", "body", "path"] = ""
    scheme: str = "Token"
    headers: Callable[[Body], Mapping[str, str]] = lambda body: {}
    content: Callable[[Body], Any] = lambda body: body

    @property
    def has_query(self) -> bool:
        """Return whether what is said stands in the address."""
        return self.method in READING or self.deletes_by == "query"

    @property
    def has_body(self) -> bool:
        return self.method not in BODILESS or self.deletes_by == "body"

    def fault(self, body: Body, project: Project) -> CatalogueError | None:
        if self.check is None:
            return None
        try:
            self.check(deepcopy(body), project)
        except ValidationError as error:
            return find_first_fault(error.detail)
        except CatalogueError as refusal:
            return refusal
        return None


def fill_form_path(form: CallForm | None, entry: RequestLog) -> CallForm | None:
    """With the ids that stood in the address; None where the log does not keep them."""
    if form is None or "{" not in form.path or form.deletes_by == "path":
        return form
    return replace(form, path=entry.path) if entry.path else None
