"""Admin of logins, operators and their groups, and forms that replace those of other packages.

Registered by the packages themselves are forms with which an operator could sign in as somebody else: their addresses,
their connections, their sessions. Of these only the second factors stay, so that operators can remove a lost one.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from console.pages.shell.reauthenticate import reauthenticated
from tenancy.admin import UndeletableAdmin
from tenancy.audit.log import record_event
from tenancy.models import Account, User

# Those of installed apps that come later would otherwise be registered after this.
for _module in ("account", "mfa", "socialaccount", "usersessions"):
    import_module(f"allauth.{_module}.admin")
for _model in (
    EmailAddress,
    EmailConfirmation,
    Authenticator,
    Group,
    SocialAccount,
    SocialApp,
    SocialToken,
    UserSession,
):
    if admin.site.is_registered(_model):
        admin.site.unregister(_model)


class Guarded(admin.ModelAdmin):
    """Require a recent sign-in to change logins and permissions."""

    def changeform_view(self, request: HttpRequest, *arguments: Any, **named: Any) -> Any:
        view = super().changeform_view
        if self.has_add_permission(request) or self.has_change_permission(request):
            view = reauthenticated(view)
        return view(request, *arguments, **named)

    def delete_view(self, request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
        return reauthenticated(super().delete_view)(request, *arguments, **named)


@admin.register(User)
class PersonAdmin(Guarded, UndeletableAdmin):
    """Operators' page of a person: whether they may sign in, and what an operator may do.

    Not the address and not the password: with either an operator could sign in as somebody else. People are added by
    signing up, the first operator by `manage.py createsuperuser`.
    """

    ordering = ["email"]
    list_display = ["email", "first_name", "last_name", "is_active", "is_staff", "last_login"]
    list_filter = ["is_staff", "is_superuser", "is_active"]
    search_fields = ["email"]
    fields = ["email", "first_name", "last_name", "is_active", "is_staff", "is_superuser", "groups"]
    filter_horizontal = ["groups"]
    known = ["email", "first_name", "last_name"]
    # Anyone who may give permissions could give them to themselves.
    rights = ["is_staff", "is_superuser", "groups"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only a superuser may lock other operators out."""
        is_allowed = super().has_change_permission(request, obj)
        return is_allowed and (request.user.is_superuser or not (obj and obj.is_staff))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return self.known if request.user.is_superuser else [*self.known, *self.rights]

    @transaction.atomic
    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if form.changed_data:
            for account in Account.objects.filter(memberships__user=form.instance).order_by("pk"):
                record_event(account, None, "login.changed", form.instance, detail=_compare_form(form))


def _compare_form(form: Any) -> dict[str, Any]:
    """The fields that were changed, from what to what."""
    return {
        "before": {name: _simplify_value(form.initial.get(name)) for name in form.changed_data},
        "after": {name: _simplify_value(form.cleaned_data.get(name)) for name in form.changed_data},
    }


def _simplify_value(value: Any) -> Any:
    """Groups by their names."""
    return (
        [str(item) for item in value] if isinstance(value, Iterable) and not isinstance(value, str) else value
    )


@admin.register(Group)
class OperatorGroupAdmin(Guarded, GroupAdmin):
    """Rights for several operators. Anyone who may change a group could give their own group every permission."""

    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)


@admin.register(Authenticator)
class FactorAdmin(Guarded):
    """Second factors of users, without secrets. Each removal is recorded in the audit logs of their accounts."""

    list_display = ["user", "type", "created_at", "last_used_at"]
    list_filter = ["type"]
    list_select_related = ["user"]
    search_fields = ["user__email"]
    fields = ["user", "type", "created_at", "last_used_at"]
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only a superuser may weaken the sign-in of other operators."""
        is_allowed = super().has_delete_permission(request, obj)
        return is_allowed and (request.user.is_superuser or not (obj and obj.user.is_staff))

    @transaction.atomic
    def delete_model(self, request: HttpRequest, obj: Authenticator) -> None:
        for account in Account.objects.filter(memberships__user=obj.user).order_by("pk"):
            record_event(account, None, "login.factor_removed", obj.user, detail={"factor": obj.type})
        super().delete_model(request, obj)
