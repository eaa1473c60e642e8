"""Decorators that check who may open a page and act on it. The id of another tenant is a 404, like an unknown one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, Subquery
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from console.http.realtime.event_marks import event_marks
from console.pages.shell.metadata_only import hide_content
from console.sign_in.operator_visit import build_visitor, get_visit, get_visited_project
from console.sign_in.second_factor import clear_wish, is_blocked_without_second_factor
from tenancy.errors import NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account, Membership, Project, ProjectRole, Role, User
from tenancy.people import permissions
from tenancy.people.members import get_role_in
from tenancy.projects.projects import note_last_project
from tenancy.projects.viewer_privacy import hides_words_from

ROLE_NAMES: dict[Role, Any] = {
    Role.OWNER: pgettext_lazy("role", "Owner"),
    Role.ADMIN: gettext_lazy("Admin"),
    Role.DEVELOPER: gettext_lazy("Developer"),
    Role.VIEWER: gettext_lazy("Viewer"),
}
READING = frozenset({"GET", "HEAD"})
# How many memories a developer may delete at once; above it an admin must.
MANY = 1_000

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Access:
    """The member behind a request, the account and project they opened, and the role they have there."""

    membership: Membership
    account: Account
    project: Project | None
    role: str

    @property
    def is_archived(self) -> bool:
        return self.project is not None and self.project.archived_at is not None

    @property
    def reads_words(self) -> bool:
        """Viewers do not where the project shows them metadata only."""
        return not hides_words_from(self.role, self.project)

    def may(self, action: str) -> bool:
        if action == "read_words" and not self.reads_words:
            return False
        if self.is_archived and action not in permissions.WHILE_ARCHIVED:
            return False
        return permissions.is_allowed((self.role,), action)

    @property
    def role_name(self) -> str:
        return ROLE_NAMES[Role(self.role)]


def get_person(request: HttpRequest) -> User:
    """The person who is signed in, on pages that require it."""
    return cast(User, request.user)


def get_access(request: HttpRequest) -> Access:
    """Return what the guard around the view found out."""
    return cast(Access, request.access)  # type: ignore[attr-defined]


def project_view(action: str, *, changing: str = "", is_scoped: bool = True) -> Callable[[View], View]:
    """A page of one project: signs in, checks membership and role, opens the tenant's scope around the view.

    `changing` is what a POST needs, where that is more than to see the page. Where not scoped, the view opens scopes
    itself: one that stores files holds no transaction meanwhile, and one that shows what the account's projects share
    needs the account's.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, project_id: UUID, **arguments: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return sign_in_first(request)
            membership, project = _get_membership_and_project(request, project_id)
            if detour := factor_first(request, project.account):
                return detour
            _admit_visitor(
                request, Access(membership, project.account, project, _get_role(membership)), action, changing
            )
            note_last_project(membership, project)
            _mark_events(request, project)
            with mask_for_reader(request), tenant_scope(project) if is_scoped else nullcontext():
                return view(request, project, **arguments)

        return _mark_view(guarded, "project", action, changing)

    return decorate


def account_view(action: str, *, changing: str = "", needs_factor: bool = True) -> Callable[[View], View]:
    """A page of one account, above its projects.

    Where no factor is needed, it is open to members whom the account blocks until they have a second one.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, account_id: UUID, **arguments: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return sign_in_first(request)
            membership = build_visitor(request, account_id) or _get_membership(request, account_id)
            account = membership.account
            if needs_factor and (detour := factor_first(request, account)):
                return detour
            _admit_visitor(request, Access(membership, account, None, membership.role), action, changing)
            if needs_factor:  # the next sign-in leads to where the person was let in
                note_last_project(membership)
            return view(request, account, **arguments)

        return _mark_view(guarded, "account", action, changing)

    return decorate


def person_view(view: View) -> View:
    """A page about the signed-in person alone."""

    @wraps(view)
    def guarded(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return sign_in_first(request)
        return view(request, **arguments)

    return _mark_view(guarded, "person", "", "")


def _mark_events(request: HttpRequest, project: Project) -> None:
    """Read the project's event mark before any data of the page: by it the socket knows whether something changed
    since."""
    if request.method == "GET" and not request.htmx:  # type: ignore[attr-defined]
        request.last_event = event_marks.mark(project.pk)  # type: ignore[attr-defined]


def _mark_view(view: View, level: str, action: str, changing: str) -> View:
    """Store on the view what it requires, for tests that walk all URLs."""
    view.needs = (level, action, changing or action)  # type: ignore[attr-defined]
    return view


def mask_for_reader(request: HttpRequest) -> AbstractContextManager[None]:
    """Context manager that masks user content for members who may not read it."""
    return nullcontext() if get_access(request).reads_words else hide_content(request)


def sign_in_first(request: HttpRequest) -> HttpResponse:
    return _lead(request, f"{settings.LOGIN_URL}?{urlencode({'next': _get_page_path(request) or '/'})}", 401)


def factor_first(request: HttpRequest, account: Account) -> HttpResponse | None:
    """Redirect members without the two-factor that their account requires to the page that explains it.

    Visiting operators are no members, so the account's rule does not apply to them.
    """
    if get_visit(request) or not is_blocked_without_second_factor(get_person(request), account):
        clear_wish(request, account)
        return None
    address = reverse("console:second_factor", args=[account.pk])
    if request.method in READING or request.htmx:  # type: ignore[attr-defined]
        address += f"?{urlencode({'next': _get_page_path(request) or '/'})}"
    return _lead(request, address, 403)


def _get_page_path(request: HttpRequest) -> str | None:
    """Return what is asked for, and of a fragment the page that it is for."""
    return get_page_beside(request) if request.htmx else request.get_full_path()  # type: ignore[attr-defined]


def get_page_beside(request: HttpRequest) -> str | None:
    """Path and query of the page into which htmx loads; None where the header names no address of this host."""
    try:
        path: str | None = request.htmx.current_url_abs_path  # type: ignore[attr-defined]
    except ValueError:
        return None
    return path


def _lead(request: HttpRequest, address: str, status: int) -> HttpResponse:
    """A browser is redirected; htmx gets HX-Redirect, or it would swap the target page into a fragment."""
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(status=status, headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)


def require_in(request: HttpRequest, action: str, projects: Iterable[Project]) -> None:
    """Require an action in other projects too: a role may be higher in the open one. Raises `PermissionDenied`."""
    membership = get_access(request).membership
    if not all(permissions.is_allowed((get_role_in(membership, project),), action) for project in projects):
        raise refuse_access(action)


def require_account_role(request: HttpRequest, action: str) -> None:
    """Require an action in the account, for what belongs to no single project. Raises `PermissionDenied`."""
    if not permissions.is_allowed((get_access(request).membership.role,), action):
        raise refuse_access(action)


def refuse_access(needs: str) -> PermissionDenied:
    if needs == "read_words":
        return PermissionDenied(_("This project shows viewers metadata only."))
    return PermissionDenied(_("Only %(roles)s can do that.") % {"roles": format_roles_for(needs)})


def build_archived_error() -> PermissionDenied:
    return PermissionDenied(_("This project is archived: nothing in it can be changed until it is restored."))


def format_roles_for(action: str) -> str:
    """The roles that may, in words: "owners and admins"."""
    names = {
        Role.OWNER: _("owners"),
        Role.ADMIN: _("admins"),
        Role.DEVELOPER: _("developers"),
        Role.VIEWER: _("viewers"),
    }
    allowed = [str(name) for role, name in names.items() if permissions.is_allowed((role,), action)]
    if len(allowed) == 1:
        return allowed[0]
    return _("%(most)s and %(last)s") % {"most": ", ".join(allowed[:-1]), "last": allowed[-1]}


def _get_membership_and_project(request: HttpRequest, project_id: UUID) -> tuple[Membership, Project]:
    """The project and the membership of its account, with `differing`, the role there instead; else 404.

    The project that was open last comes with the membership, in the same query.
    """
    if visited := get_visited_project(request, project_id):
        return visited
    differing = ProjectRole.objects.filter(project=project_id, user_id=OuterRef("user_id"))
    memberships = Membership.objects.select_related("account__plan", "current_project")
    membership = (
        memberships.annotate(differing=Subquery(differing.values("role")[:1]))
        .filter(user=get_person(request), account__projects=project_id)
        .first()
    )
    if membership is None:
        raise Http404
    project = membership.current_project
    if project is None or project.pk != project_id:
        project = Project.objects.filter(pk=project_id).first()
    if project is None or project.deleting_at is not None:
        raise Http404
    project.account = membership.account
    return membership, project


def _get_membership(request: HttpRequest, account_id: UUID) -> Membership:
    memberships = Membership.objects.select_related("account", "current_project")
    membership = memberships.filter(user=get_person(request), account=account_id).first()
    if membership is None:
        raise Http404
    return membership


def _get_role(membership: Membership) -> str:
    """Owners are owners everywhere."""
    differing = membership.differing  # type: ignore[attr-defined]
    return membership.role if membership.role == Role.OWNER else differing or membership.role


def _admit_visitor(request: HttpRequest, access: Access, action: str, changing: str) -> None:
    request.access = access  # type: ignore[attr-defined]  # of a refusal's page too
    needed = changing if changing and request.method not in READING else action
    if access.is_archived and needed not in permissions.WHILE_ARCHIVED:
        raise build_archived_error()
    if not access.may(needed):
        raise refuse_access(needed)


@contextmanager
def found_or_404(project: Project) -> Iterator[None]:
    """Enter the project's tenant scope; a row of another project is 404 like an unknown one."""
    with tenant_scope(project):
        try:
            yield
        except NotFound:
            raise Http404 from None
