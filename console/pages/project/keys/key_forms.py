"""Forms of API keys."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.pages.shell.explain_codes import describe_failure
from tenancy.errors import CatalogueError
from tenancy.keys.changes import KeyRules
from tenancy.keys.restrictions import clean_networks

EXPIRIES = [
    ("", gettext_lazy("Never")),
    ("30", gettext_lazy("In 30 days")),
    ("90", gettext_lazy("In 90 days")),
    ("365", gettext_lazy("In a year")),
    ("date", gettext_lazy("On a date…")),
]
PRESETS: dict[str, tuple[str, ...]] = {
    "all": ("all",),
    "read": ("read",),
    "write": ("write",),
    "keep": ("read", "write", "knowledge", "chat"),
}
CUSTOM = "custom"
ACCESSES = [
    ("all", gettext_lazy("Full: write, read and delete")),
    ("read", gettext_lazy("Read only: search and list")),
    ("write", gettext_lazy("Write only: add messages and feedback")),
    ("keep", gettext_lazy("Everything but deletion")),
    (CUSTOM, gettext_lazy("Custom: choose below")),
]
SCOPES = [
    ("read", gettext_lazy("Search and list memories and messages")),
    ("write", gettext_lazy("Add messages and feedback")),
    ("delete", gettext_lazy("Delete memories and end users")),
    ("knowledge", gettext_lazy("Manage knowledge bases and files")),
    ("chat", gettext_lazy("Chat with memory")),
    ("usage", gettext_lazy("Read usage and quotas")),
    ("logs", gettext_lazy("Read request logs")),
    ("keys", gettext_lazy("List, create and revoke API keys")),
]
OVERLAPS = {
    "0": (timedelta(0), gettext_lazy("Immediately")),
    "1h": (timedelta(hours=1), gettext_lazy("In an hour")),
    "24h": (timedelta(hours=24), gettext_lazy("In 24 hours")),
    "7d": (timedelta(days=7), gettext_lazy("In 7 days")),
}


class RulesForm(forms.Form):
    """Form for the rules of a key: what it is called, what it may do, from where and how often."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=60,
        help_text=gettext_lazy("Where it will be used, like “production backend”."),
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "off"}),
    )
    scope = forms.ChoiceField(label=gettext_lazy("Access"), choices=ACCESSES)
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Permissions"),
        choices=SCOPES,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    ranges = forms.CharField(
        label=gettext_lazy("Address ranges"),
        required=False,
        max_length=1_000,
        help_text=gettext_lazy("For example 203.0.113.0/24, one per line. Empty: any address."),
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off", "spellcheck": "false"}),
    )
    daily_cap = forms.IntegerField(
        label=gettext_lazy("Daily cap"),
        required=False,
        min_value=1,
        max_value=1_000_000_000,
        help_text=gettext_lazy("Maximum calls per day (UTC). Empty: as many as the plan allows."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )

    def __init__(self, *given: Any, may_grant_keys: bool, **named: Any) -> None:
        super().__init__(*given, **named)
        if not may_grant_keys:
            self.fields["scopes"].choices = [pair for pair in SCOPES if pair[0] != "keys"]  # type: ignore[attr-defined]

    def clean_ranges(self) -> list[str]:
        words = self.cleaned_data["ranges"].replace(",", " ").split()
        try:
            return clean_networks(words)
        except CatalogueError as refusal:
            raise forms.ValidationError(describe_failure(refusal)) from None

    def clean(self) -> dict[str, Any]:
        wanted = super().clean() or self.cleaned_data
        if wanted.get("scope") == CUSTOM and not wanted.get("scopes"):
            self.add_error("scopes", _("Choose at least one permission."))
        return wanted

    def build_rules(self) -> KeyRules:
        wanted = self.cleaned_data
        scopes = PRESETS.get(wanted["scope"]) or tuple(wanted["scopes"])
        return KeyRules(wanted["name"], scopes, tuple(wanted["ranges"]), wanted["daily_cap"])


class KeyForm(RulesForm):
    """A new key: its rules, and when it ends."""

    expiry = forms.ChoiceField(label=gettext_lazy("Expires"), choices=EXPIRIES, required=False)
    ends_on = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        help_text=gettext_lazy("The key works until the end of this day (UTC)."),
        widget=forms.DateInput(attrs={"type": "date"}),
    )

    def clean(self) -> dict[str, Any]:
        wanted = super().clean()
        if wanted.get("expiry") != "date" or "ends_on" in self.errors:
            return wanted
        if wanted["ends_on"] is None or self._end_of_last_day() <= timezone.now():
            self.add_error("ends_on", _("Choose today or a later day."))
        return wanted

    def expires_at(self) -> datetime | None:
        """Return when the key ends, of a valid form; None is never."""
        expiry = self.cleaned_data["expiry"]
        if expiry == "date":
            return self._end_of_last_day()
        return timezone.now() + timedelta(days=int(expiry)) if expiry else None

    def _end_of_last_day(self) -> datetime:
        return datetime.combine(self.cleaned_data["ends_on"], time.max, UTC)


class RotationForm(forms.Form):
    """Form for how long the secret that is out keeps working."""

    overlap = forms.ChoiceField(
        label=gettext_lazy("Old key expires"),
        choices=[(value, label) for value, (_time, label) in OVERLAPS.items()],
        initial="24h",
    )


def build_initial_values(rules: KeyRules) -> dict[str, Any]:
    preset = next((name for name, scopes in PRESETS.items() if set(scopes) == set(rules.scopes)), CUSTOM)
    return {
        "name": rules.name,
        "scope": preset,
        "scopes": list(rules.scopes) if preset == CUSTOM else [],
        "ranges": "\n".join(rules.ranges),
        "daily_cap": rules.daily_cap,
    }


def describe_access(scopes: list[str]) -> str:
    """Describe what a key may do, in a word or two for the list."""
    preset = next((name for name, of in PRESETS.items() if set(of) == set(scopes)), CUSTOM)
    labels = {"all": _("Full"), "read": _("Read only"), "write": _("Write only"), "keep": _("No deletion")}
    return labels.get(preset) or ", ".join(scopes)
