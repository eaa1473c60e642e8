"""Send the quickstart's calls on behalf of the member: the same bodies as its snippets show."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from console.ui.texts.snippets import SAMPLE
from memories.api.views import AddMessageView, SearchView
from tenancy.api.member_calls import MemberCall, call_as_member
from tenancy.models import Project

API_PATH = "/api/openmem/v1"
PATHS = {"add": "add/message", "search": "search/memory"}


class MemberAdd(MemberCall, AddMessageView):
    """`add/message` for a member."""


class MemberSearch(MemberCall, SearchView):
    """`search/memory` for a member."""


VIEWS = {"add": MemberAdd.as_view(), "search": MemberSearch.as_view()}


@dataclass(frozen=True, slots=True)
class Ran:
    """A call and what it answered: `answer` is the JSON, indented."""

    call: str
    request_id: str
    http_status: int
    code: int
    answer: str


def build_sample_body(call: str) -> dict[str, Any]:
    """The body of `templates/console/snippets/add/curl.txt` or `search/curl.txt`; a test compares them."""
    if call == "search":
        return {"user_id": "kim", "query": str(SAMPLE["asked"])}
    messages = [
        {"role": "user", "content": str(SAMPLE["said"])},
        {"role": "assistant", "content": str(SAMPLE["answered"])},
    ]
    return {"user_id": "kim", "conversation_id": "first-steps", "messages": messages}


def run_call(request: HttpRequest, project: Project, call: str) -> Ran:
    """Counts and is logged as any call of the API, refusals too."""
    path = f"{API_PATH}/{PATHS[call]}"
    response = call_as_member(VIEWS[call], request, project, path, build_sample_body(call))
    return Ran(
        call,
        str(response["X-Request-Id"]),
        response.status_code,
        int(response.data.get("code", 0)),
        json.dumps(response.data, ensure_ascii=False, indent=2, default=str),
    )
