"""An operator inside an account's console: read only, and without texts of people.

The session holds the visit's id, the row says until when. Only pages that are named here are open to a visit: one that
is new stays closed until somebody has made sure that it shows nobody's words.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.contrib.auth.signals import user_logged_out
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from console.sign_in.operator_factor import has_proven_factor
from console.ui.htmx_triggers import show_toast
from tenancy.isolation.private_fields import hide_private_fields
from tenancy.models import Account, Membership, Project, Role, User
from tenancy.models.operator import OperatorVisit
from tenancy.people.operator_visits import (
    BEGAN_ANOTHER,
    SIGNED_OUT,
    TIME_IS_OVER,
    begin_visit,
    end_visit,
    note_address,
    open_visit,
)
from tenancy.projects.viewer_privacy import SETTING, as_setting

SESSION = "operator_visit"
PERMISSION = "tenancy.add_operatorvisit"
READING = frozenset({"GET", "HEAD", "OPTIONS"})
# What words they show come out of the database masked; the rest is ids, names that members gave, counts and times.
OPEN_PAGES = frozenset(
    "projects members usage limits start overview quickstart api_keys memories memory users user conversations "
    "conversation knowledge skills skill spaces space sessions session settings logs log".split()
)
# What is handed out as a file is somebody's words, whatever it is.
CLOSED_ROUTES = frozenset({"console:download", "material", "session_file"})
# To leave, to begin another visit, and to say once more who is there before that.
MAY_BE_POSTED = frozenset(
    "admin:visit_end admin:account_visit account_logout admin:logout account_reauthenticate mfa_reauthenticate "
    "mfa_reauthenticate_webauthn".split()
)


def get_visit(request: HttpRequest) -> OperatorVisit | None:
    """The visit that this request is a part of."""
    return getattr(request, "visit", None)


def build_visitor(request: HttpRequest, account_id: UUID) -> Membership | None:
    """Build the unsaved viewer membership of an operator's visit; it leaves no trace but in the audit log.

    During the visit the operator sees no other account, not even an own one: what is opened is written into the log of
    the visited account.
    """
    visit = get_visit(request)
    if visit is None:
        return None
    if visit.account_id != account_id:
        raise Http404
    visitor = Membership(account=visit.account, user=cast(User, request.user), role=Role.VIEWER)
    visitor.current_project = visit.account.projects.here().first()
    visitor.differing = None  # type: ignore[attr-defined]
    return visitor


def get_visited_project(request: HttpRequest, project_id: UUID) -> tuple[Membership, Project] | None:
    """A project of the account that is visited, and who looks at it; during a visit no other one is there."""
    visit = get_visit(request)
    visitor = build_visitor(request, visit.account_id) if visit else None
    if visitor is None:
        return None
    project = visitor.account.projects.here().filter(pk=project_id).first()
    if project is None:
        raise Http404
    project.account, visitor.current_project = visitor.account, project
    # In this row in memory alone: the account may show its viewers more than it shows an operator.
    project.settings = {**project.settings, SETTING: as_setting(metadata_only=True)}
    return visitor, project


def begin(request: HttpRequest, account: Account, reason: str) -> None:
    if (earlier := get_visit(request)) is not None:
        end_visit(earlier, BEGAN_ANOTHER)
    request.session[SESSION] = str(begin_visit(account, cast(User, request.user), reason).pk)


def end(request: HttpRequest, because: str) -> None:
    if (visit := get_visit(request)) is not None:
        end_visit(visit, because)
    request.session.pop(SESSION, None)
    request.visit = None  # type: ignore[attr-defined]


@receiver(user_logged_out)
def end_with_the_session(sender: Any, request: HttpRequest | None, **_: Any) -> None:
    if request is not None and (visit := get_visit(request)) is not None:
        end_visit(visit, SIGNED_OUT)


class Visiting:
    """Around every request of a session that visits: reading only, noted, and over when its time is."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Programs bring no cookie: nothing is read for them.
        if settings.SESSION_COOKIE_NAME in request.COOKIES and SESSION in request.session:
            self._find_visit(request)
        with hide_private_fields() if get_visit(request) else nullcontext():
            response = self.get_response(request)
        if (visit := get_visit(request)) is not None and _is_worth_noting(request, response):
            note_address(visit, request.path)
        return response

    def process_view(self, request: HttpRequest, view: Any, *_: Any) -> HttpResponseBase | None:
        visit = get_visit(request)
        if visit is None:
            return None
        match = request.resolver_match
        route = match.view_name if match else ""
        if request.method not in READING and route not in MAY_BE_POSTED:
            return _refuse_visit(request, visit, is_change=True)
        if route in CLOSED_ROUTES or (_shows_a_tenant(view) and not _is_open(request)):
            return _refuse_visit(request, visit, is_change=False)
        return None

    @staticmethod
    def _find_visit(request: HttpRequest) -> None:
        visit = None
        if request.user.is_staff and request.user.has_perm(PERMISSION) and has_proven_factor(request):
            visit = open_visit(UUID(request.session[SESSION]), request.user)
        if visit is None:
            del request.session[SESSION]
        elif visit.until <= timezone.now():
            request.visit = visit  # type: ignore[attr-defined]
            end(request, TIME_IS_OVER)
        else:
            request.visit = visit  # type: ignore[attr-defined]


def _shows_a_tenant(view: Any) -> bool:
    level, *_rest = getattr(view, "needs", None) or ("",)
    return level in {"project", "account"}


def _is_open(request: HttpRequest) -> bool:
    """An open page, and not the file that it hands out for a requested format."""
    match = request.resolver_match
    return match is not None and match.url_name in OPEN_PAGES and "format" not in request.GET


def _is_worth_noting(request: HttpRequest, response: HttpResponse) -> bool:
    match = request.resolver_match
    shown = match is not None and _shows_a_tenant(match.func)
    return shown and request.method == "GET" and response.status_code == 200


def _refuse_visit(request: HttpRequest, visit: OperatorVisit, *, is_change: bool) -> HttpResponse:
    context = {"visit": visit, "is_change": is_change, "back": get_start_url(visit)}
    response = render(request, "console/operators/refused.html", context, status=403)
    response["Cache-Control"] = "no-store"
    message = _("You see this account as an operator, read only.")
    return show_toast(response, message)


def get_start_url(visit: OperatorVisit) -> str:
    return reverse("console:projects", args=[visit.account_id])
