"""Words for the values in entries of the audit log, by the detail that they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy

from console.pages.memory.bulk.words import OUTCOMES, WORDS
from console.pages.memory.memories.edit_form import MemoryForm
from console.pages.monitoring.tasks.task_words import STATES as TASK_STATES
from console.pages.project.keys.key_forms import SCOPES
from console.pages.project.settings import SECTIONS
from console.pages.shell.access import ROLE_NAMES
from console.templatetags.console import STATUSES
from console.templatetags.skills import STATES as SKILL_STATES

Words = Mapping[str, Any]

_ROLES = {role.value: name for role, name in ROLE_NAMES.items()}
VALUES: dict[str, Words] = {
    "action": {action.value: words.name for action, words in WORDS.items()},
    "counts": OUTCOMES,
    "fields": {name: field.label for name, field in MemoryForm.base_fields.items()}
    | {"status": gettext_lazy("Status"), "expires_on": gettext_lazy("Last day")},
    "interval": {"month": gettext_lazy("Monthly"), "year": gettext_lazy("Yearly")},
    "projects": _ROLES,
    "role": _ROLES,
    "scopes": {"all": gettext_lazy("Full"), **dict(SCOPES)},
    "section": {name: section.title for name, section in SECTIONS.items()},
    "state": {
        name: look[0] for looks in (STATUSES, SKILL_STATES, TASK_STATES) for name, look in looks.items()
    },
}


def get_words(name: str, section: str = "") -> Words:
    """Words for the values of one detail; in a section of the project's settings those of its form's choices."""
    field = _get_field(name, section)
    if isinstance(field, forms.ChoiceField):
        return dict(cast("Iterable[tuple[str, Any]]", field.choices))
    return VALUES.get(name, {})


def get_label(name: str, section: str) -> Any:
    """What the form of this section calls a setting; None for what is not in a form."""
    field = _get_field(name, section)
    return field.label if field else None


def _get_field(name: str, section: str) -> forms.Field | None:
    known = SECTIONS.get(section)
    return known.form.base_fields.get(name) if known else None
