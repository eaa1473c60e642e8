"""The operators' side bar, as far as their permissions allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Area:
    """`about` says on the first page what is found there."""

    name: str
    title: Any
    about: Any
    icon: str
    permission: str

    @property
    def url(self) -> str:
        return reverse(f"admin:{self.name}")


AREAS = [
    Area(
        "tenancy_account_changelist",
        _("Accounts"),
        _("Plans, members, quotas and usage."),
        "boxes",
        "tenancy.view_account",
    ),
    Area(
        "queues",
        _("Queues"),
        _("Waiting, running and failed tasks, with their age."),
        "inbox",
        "memories.view_task",
    ),
    Area(
        "slow_requests",
        _("Slow requests"),
        _("Which calls take long, and for whom."),
        "clock",
        "tenancy.view_requestlog",
    ),
    Area("storage", _("Storage"), _("Disk and database usage."), "database", "tenancy.view_account"),
    Area(
        "health",
        _("Health"),
        _("Database, broker, workers, models, versions."),
        "activity",
        "memories.view_task",
    ),
    Area(
        "tenancy_operatorvisit_changelist",
        _("Visits"),
        _("Which operator looked at whose console, and why."),
        "eye",
        "tenancy.view_operatorvisit",
    ),
]
# It has a place of its own above.
ELSEWHERE = {"OperatorVisit"}
# In our words and languages where Django would make some of the class's name.
NAMES: dict[str, Any] = {
    "ApiKey": _("API keys"),
    "Authenticator": _("Second factors"),
    "Group": _("Groups of operators"),
    "OperatorVisit": _("Visits"),
    "Plan": _("Plans"),
    "PlanApplication": _("Plan applications"),
    "Project": _("Projects"),
    "Task": _("Tasks"),
    "User": _("People"),
}


def get_model_name(model: str, otherwise: Any) -> Any:
    return NAMES.get(model, str(otherwise).capitalize())


def list_areas_for(request: HttpRequest) -> list[Area]:
    return [area for area in AREAS if request.user.has_perm(area.permission)]


def list_admin_records(apps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lists of rows that Django's admin shows this operator, by name."""
    models = [model for app in apps for model in app["models"] if model["object_name"] not in ELSEWHERE]
    named = [
        model | {"name": get_model_name(model["object_name"], model["name"])}
        for model in models
        if model["admin_url"]
    ]
    return sorted(named, key=lambda model: str(model["name"]))
