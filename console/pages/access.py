"""Who may open a page and do what on it. Another tenant's id answers like a made-up one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from tenancy.models import Account, Membership, Project, Role, User
from tenancy.projects import switch_project
from tenancy.scoping import tenant_scope

EVERYBODY = frozenset(Role.values)
WRITERS = EVERYBODY - {Role.VIEWER}
LEADERS = frozenset({Role.OWNER, Role.ADMIN})
MAY: dict[str, frozenset[str]] = {
    "see": EVERYBODY,
    "create_key": WRITERS,
    "revoke_any_key": LEADERS,
    "change_memories": WRITERS,
    "delete_memories": WRITERS,
    "delete_many_memories": LEADERS,
    "change_bases": WRITERS,
    "link_bases": LEADERS,
    "delete_base": LEADERS,
    "edit_project": LEADERS,
    "delete_project": frozenset({Role.OWNER}),
}
# How many memories a developer may delete at once; above it an admin must.
MANY = 1_000

View = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class Access:
    """The member behind a request, and the account and project they opened."""

    membership: Membership
    account: Account
    project: Project | None

    def may(self, action: str) -> bool:
        return may(self.membership.role, action)


def may(role: str, action: str) -> bool:
    return role in MAY[action]


def person(request: HttpRequest) -> User:
    """Who is signed in, on pages that let nobody else in."""
    return cast(User, request.user)


def access_of(request: HttpRequest) -> Access:
    """What the guard around the view found out."""
    return cast(Access, request.access)  # type: ignore[attr-defined]


def project_for(request: HttpRequest, project_id: UUID) -> Project:
    """The project, when the signed-in person is a member of its account; else 404."""
    project = (
        Project.objects.select_related("account__plan")
        .filter(pk=project_id, account__memberships__user=person(request))
        .first()
    )
    if project is None:
        raise Http404
    return project


def project_view(action: str, *, is_scoped: bool = True) -> Callable[[View], View]:
    """A page of one project: signs in, checks membership and role, opens the tenant's scope around the view.

    Where not scoped, the view opens scopes itself: one that stores files holds no transaction meanwhile, and one
    that shows what the account's projects share needs the account's.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, project_id: UUID, **arguments: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return sign_in_first(request)
            project = project_for(request, project_id)
            access = Access(_membership(request, project.account), project.account, project)
            _admit(request, access, action)
            if access.membership.current_project_id != project.pk:
                switch_project(access.membership, project)
            with tenant_scope(project) if is_scoped else nullcontext():
                return view(request, project, **arguments)

        return guarded

    return decorate


def account_view(action: str) -> Callable[[View], View]:
    """A page of one account, above its projects."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, account_id: UUID, **arguments: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return sign_in_first(request)
            account = Account.objects.filter(pk=account_id, memberships__user=person(request)).first()
            if account is None:
                raise Http404
            _admit(request, Access(_membership(request, account), account, None), action)
            return view(request, account, **arguments)

        return guarded

    return decorate


def sign_in_first(request: HttpRequest) -> HttpResponse:
    """A browser is redirected; htmx is told to leave the page, or it would swap the form into a fragment."""
    htmx = request.htmx  # type: ignore[attr-defined]
    page = htmx.current_url_abs_path if htmx else request.get_full_path()
    address = f"{settings.LOGIN_URL}?{urlencode({'next': page or '/'})}"
    if htmx:
        return HttpResponse(status=401, headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)


def refuse(needs: str) -> PermissionDenied:
    return PermissionDenied(_("Only %(roles)s can do that.") % {"roles": roles_for(needs)})


def roles_for(action: str) -> str:
    """The roles that may, in words: "owners and admins"."""
    names = {
        Role.OWNER: _("owners"),
        Role.ADMIN: _("admins"),
        Role.DEVELOPER: _("developers"),
        Role.VIEWER: _("viewers"),
    }
    allowed = [str(name) for role, name in names.items() if role in MAY[action]]
    if len(allowed) == 1:
        return allowed[0]
    return _("%(most)s and %(last)s") % {"most": ", ".join(allowed[:-1]), "last": allowed[-1]}


def _membership(request: HttpRequest, account: Account) -> Membership:
    return Membership.objects.select_related("current_project").get(user=person(request), account=account)


def _admit(request: HttpRequest, access: Access, action: str) -> None:
    if not access.may(action):
        raise refuse(action)
    request.access = access  # type: ignore[attr-defined]
