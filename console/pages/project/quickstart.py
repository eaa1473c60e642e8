"""Quickstart: from a key to a recalled memory, with live progress."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from console.pages.project.quickstart_run import run_call
from console.pages.shell.access import format_roles_for, get_access, get_person, project_view
from console.pages.shell.explain_codes import describe_failure, explain_status
from console.pages.shell.rendering import render_page, show_page
from console.pages.shell.sample_offer import build_sample_offer
from console.ui.lists.query_values import parse_utc_datetime
from console.ui.texts.api_words import translate_failure
from console.ui.texts.snippets import list_agent_snippets, list_snippets, render_snippet
from memories.models import Memory, Task
from memories.retrieval.browse.bounded_count import count_up_to
from memories.retrieval.browse.listing import MemoryQuery, find_memories
from memories.values import TaskState
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.isolation.private_fields import is_hiding_words
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.changes import KeyRules, issue_key
from tenancy.keys.keys import NewKey
from tenancy.keys.last_refused_request import Mistake, RefusedKey, load_last_refused_key
from tenancy.models import Project, RequestLog
from tenancy.people.onboarding import OpenedAccount, issue_first_key

SHOWN_MEMORIES = 4
# Counted exactly up to this.
COUNTED = 10_000
POLL_SECONDS = 3
RECALLED = ("memory_detail_list", "preference_detail_list", "tool_memory_detail_list", "skill_detail_list")


@dataclass(frozen=True, slots=True)
class LastCall:
    """The last call of a kind: waiting for it, listening, done or failed."""

    state: str
    entry: RequestLog | None = None
    sentence: str = ""
    remedy: str = ""
    recalled: int = 0


@dataclass(frozen=True, slots=True)
class Learned:
    """State of the conversation and the memories made of it."""

    state: str
    count: int = 0
    memories: list[Memory] = field(default_factory=list)
    error: str = ""


@dataclass(frozen=True, slots=True)
class KeyRefusal:
    """A request that was refused because of its key, since the last one that came through."""

    path: str
    at: datetime
    title: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Progress:
    refused: KeyRefusal | None
    added: LastCall
    learned: Learned
    searched: LastCall
    url: str
    restart_url: str

    @property
    def state(self) -> str:
        """The state of the step, for its style and for tests: idle, loading, done or failed."""
        states = {self.added.state, self.learned.state, self.searched.state}
        if self.refused or "failed" in states:
            return "failed"
        if states == {"done"}:
            return "done"
        return "idle" if self.added.entry is None else "loading"


@project_view("see")
@require_safe
def quickstart(request: HttpRequest, project: Project) -> HttpResponse:
    context = (
        _build_steps_context(request, project)
        | _build_progress_context(request, project)
        | {"poll_seconds": POLL_SECONDS}
    )
    return show_page(request, "console/project/quickstart/page.html", context)


@project_view("see")
@require_safe
def quickstart_progress(request: HttpRequest, project: Project) -> HttpResponse:
    context = (
        _build_steps_context(request, project)
        | _build_progress_context(request, project)
        | {"poll_seconds": POLL_SECONDS}
    )
    return render_page(
        request, "console/project/quickstart/page.html", "console/project/quickstart/_progress.html", context
    )


@project_view("create_key")
@require_POST
def quickstart_key(request: HttpRequest, project: Project) -> HttpResponse:
    """Makes a key whose plaintext exists in this answer only."""
    plaintext, refused = "", ""
    try:
        plaintext = _issue_quickstart_key(
            OpenedAccount(get_person(request), get_access(request).account, project)
        ).plaintext
    except CatalogueError as refusal:
        refused = describe_failure(refusal)
    context = (
        _build_steps_context(request, project, plaintext)
        | _build_progress_context(request, project)
        | {"refused": refused}
    )
    response = render_page(
        request,
        "console/project/quickstart/page.html",
        "console/project/quickstart/_steps.html",
        context,
        422 if refused else 200,
    )
    response["Cache-Control"] = "no-store"
    return response


@transaction.atomic
def _issue_quickstart_key(asking: OpenedAccount) -> NewKey:
    new = issue_first_key(asking)
    if new is None:
        return issue_key(asking.project, KeyRules("quickstart", ("all",)), asking.user)
    record_event(asking.account, asking.user, "key.created", new.key, project=asking.project)
    return new


@project_view("see", changing="run_playground", is_scoped=False)
@require_POST
def quickstart_run(request: HttpRequest, project: Project, call: str) -> HttpResponse:
    """Sends the step's call for the member. Outside of a transaction, because quotas are settled in their own."""
    ran = run_call(request, project, call)
    with tenant_scope(project):
        record_event(
            project.account,
            get_person(request),
            "quickstart.ran",
            project,
            project=project,
            detail={"call": call},
        )
        context = _build_steps_context(request, project) | _build_progress_context(request, project)
        context |= {"poll_seconds": POLL_SECONDS, "ran": ran}
        return render_page(
            request, "console/project/quickstart/page.html", "console/project/quickstart/_ran.html", context
        )


def _build_steps_context(request: HttpRequest, project: Project, plaintext: str = "") -> dict[str, Any]:
    may_run = get_access(request).may("run_playground")
    return {
        "project": project,
        "plaintext": plaintext,
        "may_create_key": get_access(request).may("create_key"),
        "needs_first_key": not plaintext and not project.api_keys.exists(),
        "add_snippets": list_snippets("add"),
        "search_snippets": list_snippets("search"),
        "prompt_snippet": render_snippet("prompt_python"),
        "agent_snippets": list_agent_snippets(),
        "may_run": may_run,
        "run_hint": _("Only %(roles)s can send calls here.") % {"roles": format_roles_for("run_playground")},
        **build_sample_offer(request),
    }


def _build_progress_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    since = parse_utc_datetime(request.GET.get("since", ""))  # "Start over" puts its moment into the address
    address = reverse("console:quickstart_progress", args=[project.pk])
    restart = reverse("console:quickstart", args=[project.pk])
    added = _find_call(project, "add/message", since)
    waits_for_search = added.state == "done"
    progress = Progress(
        refused=_find_refusal(project, since),
        added=added,
        learned=_load_learned(project, since),
        searched=_find_call(project, "search/memory", since, "listening" if waits_for_search else "waiting"),
        url=f"{address}?{urlencode({'since': since.isoformat()})}" if since else address,
        restart_url=f"{restart}?{urlencode({'since': timezone.now().isoformat()})}",
    )
    return {"progress": progress, "project": project}


def _find_refusal(project: Project, since: datetime | None) -> KeyRefusal | None:
    last = load_last_refused_key(project.pk)
    if last is None or (since and last.at < since):
        return None
    if RequestLog.objects.within(project).filter(created_at__gt=last.at, api_key__isnull=False).exists():
        return None
    return KeyRefusal(last.path, last.at, *_describe_mistake(last))


def _describe_mistake(last: RefusedKey) -> tuple[str, str]:
    hint = {"hint": last.hint}
    return {
        Mistake.PREFIX: (
            _("The word Token is missing"),
            _("Write the header as “Authorization: Token %(hint)s”: the word Token, a blank, the key.")
            % hint,
        ),
        Mistake.MISTYPED: (
            _("The key is not complete or mistyped"),
            _("It begins like %(hint)s, but the rest differs. Copy the key again, or create a new one.")
            % hint,
        ),
        Mistake.REVOKED: (
            _("This key is revoked"),
            _("%(hint)s was revoked. Create a new key and use it instead.") % hint,
        ),
        Mistake.EXPIRED: (
            _("This key has expired"),
            _("%(hint)s no longer works. Create a new key and use it instead.") % hint,
        ),
    }[last.mistake]


def _find_call(
    project: Project, endpoint: str, since: datetime | None, before: str = "listening"
) -> LastCall:
    entries = RequestLog.objects.within(project).filter(endpoint=endpoint)
    if since:
        entries = entries.filter(created_at__gte=since)
    entry = entries.order_by("-created_at").first()
    if entry is None:
        return LastCall(before)
    if entry.code != 0:
        explained = explain_status(entry)
        return LastCall("failed", entry, explained.title, explained.remedy)
    return LastCall("done", entry, recalled=_count_recalled(entry))


def _count_recalled(entry: RequestLog) -> int:
    """Count the recalled memories in the stored answer; 0 if it was cut off, because it is not JSON any more."""
    try:
        data = json.loads(entry.response_body).get("data")
    except ValueError:
        return 0
    return sum(len(data.get(name) or []) for name in RECALLED) if isinstance(data, dict) else 0


def _load_learned(project: Project, since: datetime | None) -> Learned:
    memories = find_memories(project, MemoryQuery(since=since))
    count = count_up_to(memories, COUNTED)
    shown = list(memories[:SHOWN_MEMORIES])
    tasks = Task.objects.within(project)
    if since:
        tasks = tasks.filter(created_at__gte=since)
    task = tasks.order_by("-created_at").first()
    if task is not None and task.state in {TaskState.FAILED, TaskState.DEAD}:
        # The text may quote what was sent; a code never does.
        reason = translate_failure(task.error_code, task.error_text)
        error = task.error_code if is_hiding_words() else reason
        return Learned("failed", count, shown, error)
    if task is not None and task.public_status == "running":
        return Learned("working", count, shown)
    return Learned("done" if count or task is not None else "waiting", count, shown)
