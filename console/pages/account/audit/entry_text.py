"""Format an entry of the audit log: actor, action, object, values before and after."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.pages.account.audit.audit_actions import ACTIONS, FACTS, OBJECTS
from console.pages.account.audit.audit_values import Words, get_label, get_words
from tenancy.models import Account, ApiKey, AuditEvent, User

ACTOR_KINDS: dict[str, Any] = {
    "member": gettext_lazy("Member"),
    "key": gettext_lazy("API key"),
    "worker": gettext_lazy("Worker"),
    "stripe": gettext_lazy("Stripe"),
    "operator": gettext_lazy("Operator"),
}


@dataclass(frozen=True, slots=True)
class AuditChange:
    """`before` is empty for what was made, `after` for what was deleted."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class EntryText:
    """`who` is a name where there still is one, else the id that the log keeps."""

    event: AuditEvent
    who: str
    kind: Any
    action: Any
    object: Any
    project: str
    changes: list[AuditChange]
    facts: list[tuple[str, str]]


def build_entries(account: Account, events: list[AuditEvent]) -> list[EntryText]:
    """With the names that the ids have today, in two queries however many there are."""
    projects = dict(account.projects.values_list("pk", "name"))
    keys = _load_key_names(account, events)
    people = _load_people_names(events)
    return [_build_entry(event, projects, keys, people) for event in events]


def _build_entry(
    event: AuditEvent, projects: dict[Any, str], keys: dict[str, str], people: dict[int, str]
) -> EntryText:
    before, after = event.detail.get("before"), event.detail.get("after")
    given = {name: value for name, value in event.detail.items() if name not in {"before", "after"}}
    section = str(event.detail.get("section", ""))
    names = {str(key): name for key, name in projects.items()}
    facts = [
        (_get_name(name), _format_value(value, names | dict(get_words(name))))
        for name, value in given.items()
        if value is not None
    ]
    known = projects.get(event.project_id, str(event.project_id or ""))
    return EntryText(
        event,
        _describe_actor(event, keys, people),
        ACTOR_KINDS.get(event.actor_kind, ""),
        ACTIONS.get(event.action, event.action),
        OBJECTS.get(event.object_kind, event.object_kind),
        known,
        _list_changes(before, after, section, names),
        facts,
    )


def _describe_actor(event: AuditEvent, keys: dict[str, str], people: dict[int, str]) -> str:
    if event.actor_id is not None:
        return people.get(event.actor_id) or _("deleted login %(id)s") % {"id": event.actor_id}
    return keys.get(event.actor_label, event.actor_label) or "–"


def _load_people_names(events: list[AuditEvent]) -> dict[int, str]:
    ids = {event.actor_id for event in events if event.actor_id is not None}
    return dict(User.objects.filter(pk__in=ids).values_list("pk", "email"))


def _load_key_names(account: Account, events: list[AuditEvent]) -> dict[str, str]:
    ids = [key_id for event in events if event.actor_kind == "key" and (key_id := _as_id(event.actor_label))]
    named = ApiKey.objects.filter(account=account, pk__in=ids).values_list("pk", "name")
    return {str(key): name for key, name in named}


def _as_id(label: str) -> UUID | None:
    try:
        return UUID(label)
    except ValueError:
        return None


def _get_name(name: str, section: str = "") -> str:
    return str(get_label(name, section) or FACTS.get(name, name))


def _list_changes(before: Any, after: Any, section: str, names: Words) -> list[AuditChange]:
    """List what differs, field by field; values that are not fields are one change."""
    if not isinstance(before, dict) and not isinstance(after, dict):
        return (
            []
            if before is None and after is None
            else [AuditChange("", _format_value(before), _format_value(after))]
        )
    was, now = before or {}, after or {}
    changes = []
    for name in dict.fromkeys([*was, *now]):
        words = {**names, **get_words(name, section)}
        old, new = _format_value(was.get(name), words), _format_value(now.get(name), words)
        if old != new:
            changes.append(AuditChange(_get_name(name, section), old if before else "", new if after else ""))
    return changes


# As `isoformat` writes the times of entries.
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00")


def _format_value(value: Any, words: Words = MappingProxyType({})) -> str:
    """The value for people, in their language where there is a word for it."""
    if value in (None, "", [], {}):
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, dict):
        return ", ".join(
            f"{words.get(name, name)}: {_format_value(item, words)}" for name, item in value.items()
        )
    if isinstance(value, list):
        return ", ".join(_format_value(item, words) for item in value)
    if isinstance(value, str) and _TIME.fullmatch(value):
        return f"{value[:10]} {value[11:16]} UTC"
    return str(words.get(value, value) if isinstance(value, str) else value)
