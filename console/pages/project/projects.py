"""The projects of an account: cards, create, edit; archived ones and those being deleted are listed apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from console.pages.project.archive import answer_changed, load_project
from console.pages.project.deletions import delete_hint
from console.pages.shell.access import (
    Access,
    account_view,
    build_archived_error,
    format_roles_for,
    get_access,
    get_person,
)
from console.pages.shell.dialogs import Dialog, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import render_page
from memories.models import MemCube, Memory
from memories.retrieval.browse.bounded_count import BoundedCount
from memories.values import OwnerKind
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.usage import Grouping, UsageFilter, get_today, sum_usage
from tenancy.models import Account, Project, RequestLog
from tenancy.models.deletion import ProjectDeletion
from tenancy.projects.projects import create_project, edit_project

# Memories, end users and requests of the log are counted exactly up to this.
COUNTED = 10_000


class ProjectForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=60,
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "off"}),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=300,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


@dataclass(frozen=True, slots=True)
class ProjectCard:
    """A project with its figures; `delete_hint` says why it cannot be deleted, if it cannot."""

    project: Project
    is_current: bool
    delete_hint: str
    memories: int = 0
    end_users: int = 0
    keys: int = 0
    requests: int = 0
    last_request_at: datetime | None = None


@account_view("see")
@require_safe
def projects(request: HttpRequest, account: Account) -> HttpResponse:
    access = get_access(request)
    with tenant_scope(account):
        cards = _build_cards(access)
        unfinished = ProjectDeletion.objects.within(account).filter(finished_at=None)
        context = {
            "account": account,
            "cards": [card for card in cards if card.project.archived_at is None],
            "archived": [card for card in cards if card.project.archived_at is not None],
            "deletions": list(unfinished.order_by("-created_at")),
            "has_receipts": ProjectDeletion.objects.within(account).exists(),
            "may_edit": access.may("edit_project"),
            "may_archive": access.may("archive_project"),
            "archive_hint": _("Only %(roles)s can archive and restore projects.")
            % {"roles": format_roles_for("archive_project")},
            "edit_hint": _("Only %(roles)s can create projects.")
            % {"roles": format_roles_for("edit_project")},
        }
        return render_page(
            request, "console/project/projects/page.html", "console/project/projects/_list.html", context
        )


@account_view("edit_project")
@require_http_methods(["GET", "HEAD", "POST"])
def project_new(request: HttpRequest, account: Account) -> HttpResponse:
    form = ProjectForm(request.POST or None)
    action = reverse("console:project_new", args=[account.pk])
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        try:
            create_project(account, wanted["name"], wanted["description"], get_person(request))
        except CatalogueError as refusal:
            form.add_error("name", describe_failure(refusal))
        else:
            return answer_changed(
                request, account, _("Project “%(name)s” is ready.") % {"name": wanted["name"]}
            )
    dialog = _build_form_dialog(account, action, _("New project"), _("Create project"))
    return show_dialog(request, dialog, {"form": form, "account": account}, 422 if form.errors else 200)


@account_view("edit_project")
@require_http_methods(["GET", "HEAD", "POST"])
def project_edit(request: HttpRequest, account: Account, project_id: UUID) -> HttpResponse:
    project = load_project(account, project_id)
    if project.archived_at is not None:
        raise build_archived_error()
    initial = {"name": project.name, "description": project.description}
    form = ProjectForm(request.POST or None, initial=initial)
    action = reverse("console:project_edit", args=[account.pk, project.pk])
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        try:
            edit_project(project, wanted["name"], wanted["description"], get_person(request))
        except CatalogueError as refusal:
            form.add_error("name", describe_failure(refusal))
        else:
            return answer_changed(request, account, _("Saved."))
    dialog = _build_form_dialog(account, action, _("Edit project"), _("Save"))
    return show_dialog(request, dialog, {"form": form, "account": account}, 422 if form.errors else 200)


def _build_cards(access: Access) -> list[ProjectCard]:
    projects = list(access.account.projects.here().order_by("name"))
    figures = _load_figures(access.account, projects)
    current = access.membership.current_project_id
    return [
        ProjectCard(
            project,
            project.pk == current,
            delete_hint(access, project),
            **_select_card_figures(figures.get(project.pk, {})),
        )
        for project in projects
    ]


def _select_card_figures(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in figures.items() if value is not None}


def _load_figures(account: Account, projects: list[Project]) -> dict[Any, dict[str, Any]]:
    """Load what each project holds, in one query a figure; read inside the account's scope.

    Requests are those of the days' sums, which stay quick where the log is long, or those that the log has of the week,
    where that knows of more: what the product itself calls, such as for sample data, is logged and not counted.
    """
    users = MemCube.objects.within(projects).filter(owner_kind=OwnerKind.END_USER)
    counted = {
        "memories": _count_rows_by_project(projects, Memory.objects.of_project(OuterRef("pk")).current()),
        "end_users": _count_rows_by_project(projects, users.filter(project=OuterRef("pk"))),
        "last_request_at": _select_projects(projects)
        .annotate(n=Subquery(_select_last_request(projects)))
        .values_list("pk", "n"),
        "requests": _count_rows_by_project(projects, _select_last_week(projects)),
        "keys": _select_projects(projects)
        .annotate(n=Count("api_keys", filter=Q(api_keys__revoked_at=None)))
        .values_list("pk", "n"),
    }
    figures: dict[Any, dict[str, Any]] = {project.pk: {} for project in projects}
    for name, rows in counted.items():
        for key, value in rows:
            figures[key][name] = value
    week = UsageFilter(get_today() - timedelta(days=6), get_today(), with_tokens=False)
    for (key,), sums in sum_usage(account, week, [Grouping.PROJECT]).items():
        if key in figures:
            logged = min(figures[key]["requests"], COUNTED)
            figures[key]["requests"] = max(logged, sums.used + sums.refused)
    return figures


def _select_projects(projects: list[Project]) -> QuerySet[Project]:
    return Project.objects.filter(pk__in=[project.pk for project in projects])


def _count_rows_by_project(projects: list[Project], rows: QuerySet[Any]) -> Iterable[tuple[Any, int]]:
    """Count rows of each project up to a limit, so that a large one does not slow the page down.

    `rows` is filtered by the outer query.
    """
    count = BoundedCount(rows, COUNTED)
    return _select_projects(projects).annotate(n=count).values_list("pk", "n")


def _select_last_request(projects: list[Project]) -> QuerySet[RequestLog, Any]:
    """Select the newest request of a project in an outer query, which the index begins with."""
    return _select_last_week(projects).order_by("-created_at").values("created_at")[:1]


def _select_last_week(projects: list[Project]) -> QuerySet[RequestLog]:
    """Return what the log has of a project in an outer query."""
    since = timezone.now() - timedelta(days=7)
    rows: QuerySet[RequestLog] = RequestLog.objects.within(projects)
    return rows.filter(project_id=OuterRef("pk"), created_at__gte=since)


def _build_form_dialog(account: Account, action: str, title: str, verb: str) -> Dialog:
    back = reverse("console:projects", args=[account.pk])
    return Dialog("console/ui/forms/form_dialog.html", title, verb, action, back)
