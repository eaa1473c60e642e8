"""Delete a project: confirmation with counts, progress, receipt."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from console.data.erasure.delete_project import delete_project, list_remaining_bases
from console.data.erasure.delete_rows import count_holdings
from console.data.erasure.receipts import as_csv, as_json, build_receipt_lines
from console.pages.project.archive import answer_changed, load_project
from console.pages.shell.access import Access, account_view, format_roles_for, get_access, get_person
from console.pages.shell.dialogs import Dialog, show_dialog
from console.pages.shell.reauthenticate import reauthenticated
from console.pages.shell.rendering import render_page
from console.templatetags.console import num
from console.ui.lists.paging import load_page
from tenancy.errors import NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account, Project
from tenancy.models.deletion import BYTES, ProjectDeletion

FORMATS: dict[str, tuple[Callable[[ProjectDeletion], str], str]] = {
    "json": (as_json, "application/json"),
    "csv": (as_csv, "text/csv; charset=utf-8"),
}


def delete_hint(access: Access, project: Project) -> str:
    """Return why this member cannot delete it; "" when they can."""
    if not access.may("delete_project"):
        return _("Only %(roles)s can delete projects.") % {"roles": format_roles_for("delete_project")}
    if project.pk == access.membership.current_project_id:
        return _("Switch to another project first.")
    return ""


@account_view("delete_project")
@require_http_methods(["GET", "HEAD", "POST"])
@reauthenticated
def project_delete(request: HttpRequest, account: Account, project_id: UUID) -> HttpResponse:
    project = load_project(account, project_id)
    if hint := delete_hint(get_access(request), project):  # such as one that another tab has opened meanwhile
        raise PermissionDenied(hint)
    is_typed = request.POST.get("typed", "").strip() == project.name
    if request.method == "POST" and is_typed:
        try:
            delete_project(project, get_person(request))
        except NotFound:  # somebody else was a moment earlier
            raise Http404 from None
        message = _("“%(name)s” is being deleted. A receipt follows.") % {"name": project.name}
        return answer_changed(request, account, message)
    is_wrong = request.method == "POST"
    with tenant_scope(account):
        losses, kept = count_holdings(project), list_remaining_bases(project)
    error = _("The project name does not match.") if is_wrong else ""
    dialog = _build_dialog(account, project, losses.get("memories", 0), error)
    context = {
        "account": account,
        "doomed": project,
        "lines": build_receipt_lines(losses),
        "bytes": losses[BYTES],
        "kept": kept,
    }
    return show_dialog(request, dialog, context, 422 if is_wrong else 200)


def _build_dialog(account: Account, project: Project, memories: int, error: str) -> Dialog:
    verb = _("Delete project")
    if memories:
        verb = ngettext("Delete project and %(n)s memory", "Delete project and %(n)s memories", memories)
    return Dialog(
        template="console/project/projects/_delete_dialog.html",
        title=_("Delete project “%(name)s”?") % {"name": project.name},
        verb=verb % {"n": num(memories)},
        action=reverse("console:project_delete", args=[account.pk, project.pk]),
        back=reverse("console:projects", args=[account.pk]),
        is_danger=True,
        typed=project.name,
        error=error,
    )


@account_view("see")
@require_safe
def deletions(request: HttpRequest, account: Account) -> HttpResponse:
    with tenant_scope(account):
        page = load_page(request, ProjectDeletion.objects.within(account).select_related("actor"))
    context = {
        "account": account,
        "deletions": page.rows,
        "caption": _("Newest first"),
        "previous_url": page.first_url,
        "next_url": page.next_url,
    }
    return render_page(
        request, "console/project/deletions/page.html", "console/project/deletions/_list.html", context
    )


@account_view("see")
@require_safe
def deletion(request: HttpRequest, account: Account, deletion_id: UUID) -> HttpResponse:
    deletion = _get_deletion(account, deletion_id)
    context = {
        "account": account,
        "deletion": deletion,
        "lines": build_receipt_lines(deletion.expected, deletion.removed),
        "bytes": deletion.removed.get(BYTES, 0),
        "took": deletion.took.total_seconds() * 1000 if deletion.took else 0,
        "memories": deletion.removed.get("memories", 0),
    }
    return render_page(
        request, "console/project/deletions/receipt.html", "console/project/deletions/_receipt.html", context
    )


@account_view("see")
@require_safe
def deletion_file(request: HttpRequest, account: Account, deletion_id: UUID) -> HttpResponse:
    """The receipt to be put on record."""
    form = request.GET.get("format", "")
    if form not in FORMATS:
        raise Http404
    write, content_type = FORMATS[form]
    deletion = _get_deletion(account, deletion_id)
    response = HttpResponse(write(deletion), content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="deletion-{deletion.pk}.{form}"'
    response["Cache-Control"] = "no-store"
    return response


def _get_deletion(account: Account, deletion_id: UUID) -> ProjectDeletion:
    with tenant_scope(account):
        rows = ProjectDeletion.objects.within(account).select_related("actor")
        deletion: ProjectDeletion | None = rows.filter(pk=deletion_id).first()
    if deletion is None:
        raise Http404
    return deletion
