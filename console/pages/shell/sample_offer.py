"""Whether pages of an empty project offer sample data."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from console.pages.shell.access import format_roles_for, get_access


def build_sample_offer(request: HttpRequest) -> dict[str, Any]:
    """Return whether the member may add sample data, and why not."""
    return {
        "may_add_sample": get_access(request).may("edit_project"),
        "sample_hint": _("Only %(roles)s can add and remove sample data.")
        % {"roles": format_roles_for("edit_project")},
    }
