"""One request: its code in words, its trace, and what was sent and answered."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.pages.monitoring.logs.calls import LoggedCall, build_call
from console.pages.monitoring.logs.corrections import CallCorrection, correct_call
from console.pages.monitoring.logs.named_memories import find_memories_named_in
from console.pages.monitoring.logs.trace_words import describe_stage, describe_verdict
from console.pages.shell.access import get_access, project_view
from console.pages.shell.explain_codes import explain_status
from console.pages.shell.rendering import show_page
from console.ui.waterfall import build_stages
from knowledgebase.bases.bases import list_linked_bases
from memories.models import MemCube, Task
from memories.values import OwnerKind
from tenancy.models import Project, RequestLog
from tenancy.projects.log_sharing import allows_links, build_share_token, find_share

# Fields of a search that the playground's address holds as they are, and switches with what they usually are.
MOST_BASES = 5
MOST_PEOPLE = 10
REPLAYED = (
    "user_id",
    "query",
    "conversation_id",
    "memory_limit_number",
    "preference_limit_number",
    "tool_memory_limit_number",
    "skill_limit_number",
    "relativity",
)
SWITCHES = {"include_preference": True, "include_tool_memory": False, "include_skill": False}
_TASK_ID = re.compile(r'"task_id": "([0-9a-f-]{36})"')


@dataclass(frozen=True, slots=True)
class LogSubject:
    """Or a session, a space: what the log calls the subject of a request."""

    kind: str
    id: str
    url: str

    @property
    def is_owner(self) -> bool:
        """Return whether memories can be its own."""
        return self.kind in set(OwnerKind)


@project_view("see")
@require_safe
def log(request: HttpRequest, project: Project, request_id: str) -> HttpResponse:
    entry = RequestLog.objects.within(project).select_related("api_key").filter(request_id=request_id).first()
    if entry is None:
        raise Http404
    task = find_requested_task(project, entry)
    call = build_call(entry) if get_access(request).reads_words else None
    correction = _find_correction(project, entry, call)
    outcome = serialize_outcome(entry, task)
    context = {
        "project": project,
        "entry": entry,
        "people": _list_people(project, entry),
        "conversation": _get_conversation_id(call),
        "memories": find_memories_named_in(project, entry.response_body, outcome, entry.request_body),
        "stages": build_stages(entry.trace, entry.milliseconds, describe_stage),
        "verdict": describe_verdict(entry.trace) if entry.code == 0 else "",
        "explained": explain_status(entry) if entry.code != 0 else None,
        "shows_prefix": get_access(request).may("create_key"),
        "task": task,
        "replay_url": _replay_url(project, entry, call, correction),
        "outcome": outcome,
        "share": _build_share_context(project, entry),
        "may_share": get_access(request).may("share_request"),
        "allows_links": allows_links(project),
        "redacted_url": settings.PUBLIC_URL.rstrip("/")
        + reverse("console:log_redacted", args=[project.pk, request_id]),
        "curl": call.as_curl() if call else "",
        "correction": correction,
    }
    return show_page(request, "console/monitoring/logs/log.html", context)


def _list_people(project: Project, entry: RequestLog) -> list[LogSubject]:
    """List the people that the request is about."""
    named = [
        (kind, who) for kind, _, who in (subject.partition(":") for subject in entry.subjects[:MOST_PEOPLE])
    ]
    cubes = MemCube.objects.within(project).filter(owner_kind=OwnerKind.END_USER)
    known = set(cubes.filter(owner_id__in=[who for _, who in named]).values_list("owner_id", flat=True))
    return [LogSubject(kind, who, _build_subject_url(project, kind, who, known)) for kind, who in named]


def _build_subject_url(project: Project, kind: str, who: str, known: set[str]) -> str:
    """The end user's page; the other requests of whom nothing is stored."""
    if kind == OwnerKind.END_USER and who in known:
        return reverse("console:user", args=[project.pk, who])
    return f"{reverse('console:logs', args=[project.pk])}?{urlencode({'subject': who})}"


def _get_conversation_id(call: LoggedCall | None) -> str:
    named = call and call.body and call.body.get("conversation_id")
    return named if isinstance(named, str) else ""


def _build_share_context(project: Project, entry: RequestLog) -> dict[str, Any] | None:
    if not allows_links(project) or (share := find_share(project, entry)) is None:
        return None
    address = reverse("console:log_shared", args=[build_share_token(share)])
    return {"url": settings.PUBLIC_URL.rstrip("/") + address, "expires_at": share.expires_at}


def _find_correction(project: Project, entry: RequestLog, call: LoggedCall | None) -> CallCorrection | None:
    if call is None or entry.code == 0:
        return None
    linked = [base.public_id for base in list_linked_bases(project)[:MOST_BASES]]
    return correct_call(call, project, entry.code, entry.http_status, linked)


def _replay_url(
    project: Project, entry: RequestLog, call: LoggedCall | None, correction: CallCorrection | None
) -> str:
    """The playground with the same search, corrected where it was refused; empty for what is none."""
    sent = call and call.body
    if sent and correction and correction.body:
        sent = correction.body
    if entry.endpoint not in {"search/memory", "chat"} or not sent or not sent.get("query"):
        return ""
    kept = [(name, str(sent[name])) for name in REPLAYED if isinstance(sent.get(name), str | int | float)]
    kept += [(name, "on") for name, is_usual in SWITCHES.items() if sent.get(name, is_usual) is True]
    if isinstance(sent.get("filter"), dict):
        kept.append(("filter", json.dumps(sent["filter"], ensure_ascii=False)))
    bases = sent.get("knowledgebase_ids")
    kept += [("knowledgebase_ids", str(base_id)) for base_id in bases] if isinstance(bases, list) else []
    return f"{reverse('console:playground', args=[project.pk])}?{urlencode(kept)}"


def find_requested_task(project: Project, entry: RequestLog) -> Task | None:
    """The work that the request asked for, if it is still known; inside the project's scope."""
    match = _TASK_ID.search(entry.response_body)
    if match is None or entry.code != 0:
        return None
    try:
        key = UUID(match[1])
    except ValueError:
        return None
    task: Task | None = Task.objects.within(project).filter(pk=key).first()
    return task


def serialize_outcome(entry: RequestLog, task: Task | None) -> str:
    """Return what came of the feedback or the messages of the request: which memories changed, and why others did
    not."""
    if entry.endpoint not in {"add/feedback", "add/message"} or task is None:
        return ""
    return json.dumps(task.result) if task.result else ""
