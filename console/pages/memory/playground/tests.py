"""Recall tests: saved from a run of the playground, listed with their last results, run again by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from console.data.recall_tests.run import compute_ranks
from console.pages.memory.playground.forms import SearchForm
from console.pages.memory.playground.runs import run_search_as_member
from console.pages.shell.access import format_roles_for, get_access, get_person, project_view
from console.pages.shell.dialogs import redirect_with_message
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import render_page
from console.ui.lists.query_values import parse_uuids
from knowledgebase.bases.bases import list_linked_bases
from memories.models import RecallMark, RecallTest
from memories.retrieval.browse.recall_tests import (
    BY_HAND,
    MOST_TESTS,
    delete_recall_test,
    list_recall_tests,
    load_recall_marks,
    note_result,
    save_recall_test,
)
from memories.values import MemoryKind
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project


@dataclass(frozen=True, slots=True)
class RecallTestRow:
    """A test as the page lists it; `history` are its last runs from the oldest to the newest."""

    test: RecallTest
    marks: list[RecallMark]
    history: list[dict[str, Any]]
    address: str


@project_view("see")
@require_safe
def recall_tests(request: HttpRequest, project: Project) -> HttpResponse:
    tests = list(list_recall_tests(project)[:MOST_TESTS])
    marks = load_recall_marks(project, tests)
    context = {
        "project": project,
        "rows": [_build_row(project, test, marks[test.pk]) for test in tests],
        "failing": sum(test.passed is False for test in tests),
        "may_run": get_access(request).may("run_playground"),
        "run_hint": _("Only %(roles)s can run searches here.")
        % {"roles": format_roles_for("run_playground")},
    }
    page, fragment = "console/memory/playground/tests.html", "console/memory/playground/_tests.html"
    return render_page(request, page, fragment, context)


@project_view("run_playground", is_scoped=False)
@require_POST
def recall_test_new(request: HttpRequest, project: Project) -> HttpResponse:
    """Saves the search that was run, with the memories that were marked."""
    with tenant_scope(project):
        bases = [(base.public_id, base.name) for base in list_linked_bases(project)]
        form = SearchForm(_read_sent_search(request), bases=bases)
        if not form.is_valid():
            return redirect_with_message(
                request, _("This search cannot be saved: run it again first."), _build_playground_url(project)
            )
        marked = {name: request.POST.get(name) for name in request.POST if name.startswith(MARK)}
        right, wrong = (
            parse_uuids([name.removeprefix(MARK) for name, mark in marked.items() if mark == wanted])
            for wanted in ("right", "wrong")
        )
        try:
            save_recall_test(project, get_person(request), form.body(), right, wrong)
        except CatalogueError as refusal:
            return redirect_with_message(
                request, describe_failure(refusal), _build_playground_url(project, form.body())
            )
    return redirect_with_message(request, _("Recall test saved."), _get_tests_url(project))


@project_view("run_playground", is_scoped=False)
@require_POST
def recall_tests_run(request: HttpRequest, project: Project) -> HttpResponse:
    """Runs one test, or all of them; each costs a search."""
    only = parse_uuids([request.POST.get("test", "")])
    with tenant_scope(project):
        tests = list_recall_tests(project)
        chosen = list(tests.filter(pk__in=only) if only else tests)
    passed = 0
    for test in chosen:
        run = run_search_as_member(request, project, test.body)
        if run.code:
            return redirect_with_message(request, run.refusal, _get_tests_url(project))
        items = [item.memory for group in run.groups for item in group.items]
        ranks = compute_ranks((memory.pk, MemoryKind(memory.kind)) for memory in items)
        with tenant_scope(project):
            if RecallTest.objects.within(project).filter(pk=test.pk).exists():
                passed += note_result(test, ranks, BY_HAND)
    message = ngettext(
        "%(passed)s of %(count)s test passed.", "%(passed)s of %(count)s tests passed.", len(chosen)
    )
    return redirect_with_message(
        request, message % {"passed": passed, "count": len(chosen)}, _get_tests_url(project)
    )


@project_view("run_playground")
@require_POST
def recall_test_delete(request: HttpRequest, project: Project, test_id: UUID) -> HttpResponse:
    test = list_recall_tests(project).filter(pk=test_id).first()
    if test is None:
        raise Http404
    delete_recall_test(project, test, get_person(request))
    return redirect_with_message(request, _("Recall test deleted."), _get_tests_url(project))


MARK = "mark_"


def _read_sent_search(request: HttpRequest) -> QueryDict:
    """The fields of the search form, as the run's page kept them."""
    return QueryDict(request.POST.get("search", ""))


def _build_row(project: Project, test: RecallTest, marks: list[RecallMark]) -> RecallTestRow:
    history = [result | {"at": parse_datetime(result["at"])} for result in reversed(test.results)]
    return RecallTestRow(test, marks, history, _build_playground_url(project, test.body))


def _get_tests_url(project: Project) -> str:
    return reverse("console:recall_tests", args=[project.pk])


def _build_playground_url(project: Project, body: dict[str, Any] | None = None) -> str:
    """With the search filled in; words that a viewer may not read are left out with it."""
    place = reverse("console:playground", args=[project.pk])
    fields: list[tuple[str, str]] = []
    for name, value in (body or {}).items():
        if isinstance(value, bool):
            fields += [(name, "on")] if value else []
        elif isinstance(value, list):
            fields += [(name, str(item)) for item in value]
        else:
            fields.append(
                (name, json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value))
            )
    return f"{place}?{urlencode(fields)}" if fields else place
