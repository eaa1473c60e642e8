"""Context that pages of spaces and sessions share: permissions, JSON fields, tabs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.pages.shell.access import format_roles_for, get_access
from console.pages.shell.explain_codes import describe_failure
from console.templatetags.console import about
from console.ui.lists.paging import KeyedPage
from skills.merge_meta import refuse_large
from skills.models.user_rows import MAX_IDENTIFIER
from tenancy.api.bodies.parsing import parse_object
from tenancy.errors import CatalogueError
from tenancy.models import Project


def change_context(request: HttpRequest) -> dict[str, Any]:
    return {
        "may_change": get_access(request).may("change_spaces"),
        "change_hint": _("Only %(roles)s can change spaces and sessions.")
        % {"roles": format_roles_for("change_spaces")},
    }


def list_context(project: Project, shown: str, words: str, page: KeyedPage, count: int) -> dict[str, Any]:
    """List what the three lists show alike: `words` are searched for, `count` rows are on all pages together."""
    return {
        "project": project,
        "words": words,
        "caption": _("%(count)s in all, newest first") % {"count": about(count)},
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "list_tabs": _list_tabs(project, shown),
    }


def _list_tabs(project: Project, shown: str) -> list[dict[str, Any]]:
    """Build the tabs that connect the lists of spaces, sessions and people."""
    titles = {"spaces": _("Learning spaces"), "sessions": _("Sessions"), "spaces_people": _("Users")}
    return [
        {"title": title, "url": reverse(f"console:{name}", args=[project.pk]), "is_shown": name == shown}
        for name, title in titles.items()
    ]


class JsonField(forms.CharField):
    """An object of the caller's own, as a person writes it; empty is an empty one."""

    widget = forms.Textarea

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, strip=False, **options)
        self.widget.attrs |= {"class": "mono json", "rows": 8, "spellcheck": "false", "autocomplete": "off"}

    def to_python(self, value: Any) -> Any:
        text = (super().to_python(value) or "").strip()
        return read_object(text) if text else {}


def read_object(text: str) -> dict[str, Any]:
    """Parse a JSON object by the API's own rules. Raises `ValidationError` that names the place."""
    try:
        value = parse_object(text.encode())
        refuse_large(value, "JSON")
    except CatalogueError as refusal:
        raise ValidationError(describe_failure(refusal)) from None
    return value


def build_person_field() -> forms.CharField:
    return forms.CharField(
        label=gettext_lazy("User"),
        required=False,
        max_length=MAX_IDENTIFIER,
        help_text=gettext_lazy("Your own identifier, such as an e-mail address. Leave empty for no user."),
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "off", "spellcheck": "false"}),
    )
