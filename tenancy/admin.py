"""Django admin for operators: tenants, plans, keys. Shows no end users' texts and no secrets.

What an operator changes of one account's is written into its audit log. Plans belong to none: their changes stand in
Django's own history of the row. Accounts have pages of their own in the console, and so have people and their rights.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from tenancy.audit.log import record_event
from tenancy.billing.applications import grant_application, refuse_application
from tenancy.errors import Conflict, InvalidParameters
from tenancy.keys.keys import revoke_key
from tenancy.models import ApiKey, Plan, Project
from tenancy.models.billing import PlanApplication
from tenancy.models.operator import OperatorVisit

# Each is an entry of an audit log and a transaction of its own, all of them in one request.
MOST_AT_ONCE = 50


class UndeletableAdmin(admin.ModelAdmin):
    """Deleting needs the tenant's scope, so it happens in the console; Postgres would refuse it here."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(UndeletableAdmin):
    """Read-only admin."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin):
    list_display = ["name", "account", "created_at"]
    search_fields = ["id", "name", "account__name"]
    list_select_related = ["account"]
    fields = ["id", "name", "description", "account", "created_at"]


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    """Keys can be viewed and revoked, not created: only the developer may see the plaintext."""

    list_display = ["hint", "name", "project", "created_at", "last_used_at", "revoked_at"]
    list_filter = ["revoked_at"]
    search_fields = ["id", "public_id", "name"]
    list_select_related = ["project"]
    fields = ["name", "project", "scopes", "created_at", "expires_at", "revoked_at", "last_used_at"]
    list_per_page = MOST_AT_ONCE
    actions = ["revoke"]

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("tenancy.change_apikey")

    @admin.action(description=_("Revoke"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, keys: QuerySet) -> None:
        live = keys.filter(revoked_at=None).select_related("project__account")
        chosen = limit_selected_rows(self, request, live)
        count = sum(_revoke_key(key) for key in chosen)
        message = ngettext("%(count)s key is revoked.", "%(count)s keys are revoked.", count)
        self.message_user(request, message % {"count": count})


def limit_selected_rows(shown: admin.ModelAdmin, request: HttpRequest, rows: QuerySet) -> list[Any]:
    """The rows selected for an action; none, with a message, when they are more than one request may change."""
    chosen = list(rows[: MOST_AT_ONCE + 1])
    if len(chosen) <= MOST_AT_ONCE:
        return chosen
    message = _("Choose at most %(count)s at once.") % {"count": MOST_AT_ONCE}
    shown.message_user(request, message, messages.ERROR)
    return []


@transaction.atomic
def _revoke_key(key: ApiKey) -> bool:
    """Revoke a key in a transaction of its own, so that audit logs do not wait for each other. False when already
    revoked.
    """
    if not revoke_key(key):
        return False
    record_event(
        key.project.account, None, "key.revoked", key, project=key.project, detail={"name": key.name}
    )
    return True


@admin.register(Plan)
class PlanAdmin(UndeletableAdmin):
    list_display = ["name", "requests_per_second", "tokens_per_minute", "knowledge_bases", "keys_per_project"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Another code would make another plan beside it."""
        return ["code"] if obj else []


@admin.register(OperatorVisit)
class OperatorVisitAdmin(ReadOnlyAdmin):
    """Read-only list of operators' visits to consoles, with their reasons."""

    list_display = ["began_at", "operator", "account", "reason", "ended_at"]
    list_select_related = ["operator", "account"]
    search_fields = ["account__name", "operator__email", "reason"]
    date_hierarchy = "began_at"
    fields = ["account", "operator", "reason", "began_at", "until", "ended_at", "seen"]


@admin.register(PlanApplication)
class PlanApplicationAdmin(ReadOnlyAdmin):
    """Plan applications of owners, and the decisions."""

    list_display = ["created_at", "account", "plan", "applied_by", "state", "decided_at"]
    list_filter = ["state", "plan"]
    list_select_related = ["account", "plan", "applied_by"]
    search_fields = ["account__name", "applied_by__email"]
    fields = ["account", "plan", "applied_by", "state", "created_at", "decided_at"]
    actions = ["grant", "refuse"]

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("tenancy.change_planapplication")

    @admin.action(description=_("Grant the plan"), permissions=["decide"])
    def grant(self, request: HttpRequest, applications: QuerySet) -> None:
        self._decide_applications(request, applications, grant_application)

    @admin.action(description=_("Refuse"), permissions=["decide"])
    def refuse(self, request: HttpRequest, applications: QuerySet) -> None:
        self._decide_applications(request, applications, refuse_application)

    def _decide_applications(
        self, request: HttpRequest, applications: QuerySet, decide: Callable[[PlanApplication], None]
    ) -> None:
        chosen, decided = limit_selected_rows(self, request, applications), 0
        for application in chosen:
            # Decided by somebody else, granted in another way or gone meanwhile: the others are decided all the same.
            with suppress(Conflict, InvalidParameters, PlanApplication.DoesNotExist):
                decide(application)
                decided += 1
        message = ngettext(
            "%(count)s application is decided.", "%(count)s applications are decided.", decided
        )
        self.message_user(request, message % {"count": decided})
        if left := len(chosen) - decided:
            message = ngettext(
                "%(count)s could not be decided: it was changed meanwhile.",
                "%(count)s could not be decided: they were changed meanwhile.",
                left,
            )
            self.message_user(request, message % {"count": left}, messages.WARNING)
