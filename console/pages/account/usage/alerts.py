"""The percentages of a quota at which owners and admins get a mail: a part of the usage page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.pages.shell.access import format_roles_for, get_access
from tenancy.metering.alerts import change_alert_thresholds
from tenancy.models import Account, User
from tenancy.models.account import ALERT_THRESHOLDS


class AlertForm(forms.Form):
    """One box for each threshold. None ticked is a choice, too."""

    thresholds = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Send a mail to owners and admins at"),
        choices=[(percent, f"{percent}%") for percent in ALERT_THRESHOLDS],
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    @classmethod
    def of(cls, account: Account, sent: QueryDict | None) -> AlertForm:
        return cls(sent, initial={"thresholds": account.alert_thresholds})

    def save(self, account: Account, actor: User) -> None:
        change_alert_thresholds(account, self.cleaned_data["thresholds"], actor)


def build_alert_context(request: HttpRequest, form: AlertForm) -> dict[str, Any]:
    form.fields["thresholds"].disabled = not get_access(request).may("edit_account")
    return {
        "alert_form": form,
        "may_edit": not form.fields["thresholds"].disabled,
        "edit_hint": _("Only %(roles)s can change this.") % {"roles": format_roles_for("edit_account")},
        "has_mail": settings.HAS_MAIL,
    }
