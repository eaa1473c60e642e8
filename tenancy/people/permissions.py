"""Permissions: one table for pages, API and websockets, and one function that reads it."""

from __future__ import annotations

from collections.abc import Iterable

from tenancy.errors import DeletionForbidden, ScopeMissing
from tenancy.models import ApiKey, Role

EVERYBODY = frozenset(Role.values)
WRITERS = EVERYBODY - {Role.VIEWER}
LEADERS = frozenset({Role.OWNER, Role.ADMIN})
OWNERS = frozenset({Role.OWNER})


def _build_key_permissions(scope: str) -> frozenset[str]:
    return frozenset({f"key:{scope}", "key:all"})


# What is done, and by whom: members by their role, programs by a scope of their key.
TABLE: dict[str, frozenset[str]] = {
    "see": EVERYBODY,
    "listen": EVERYBODY,
    "read_words": EVERYBODY,  # viewers as far as the project does not show them metadata only
    "create_key": WRITERS,
    "revoke_any_key": LEADERS,
    "grant_key_management": LEADERS,  # the scope of keys that make and revoke keys
    "run_playground": WRITERS,
    "change_memories": WRITERS,
    "delete_memories": WRITERS,
    "delete_many_memories": LEADERS,
    "purge_memories": LEADERS,
    "change_bases": WRITERS,
    "link_bases": LEADERS,
    "delete_base": LEADERS,
    "change_skills": WRITERS,
    "change_spaces": WRITERS,
    "delete_person": LEADERS,
    "edit_project": LEADERS,
    "archive_project": LEADERS,
    "delete_project": OWNERS,
    "change_provider": LEADERS,
    "allow_public_links": OWNERS,
    "share_request": WRITERS,
    "edit_account": LEADERS,
    "see_members": EVERYBODY,
    "manage_members": LEADERS,
    "manage_owners": OWNERS,
    "ask_second_factors": OWNERS,
    "leave": EVERYBODY,
    "see_audit": LEADERS,
    "see_own_audit": WRITERS,
    "see_invoices": LEADERS,
    "change_billing": OWNERS,
    "transfer_account": OWNERS,
    "delete_account": OWNERS,
    "api.read": _build_key_permissions("read"),
    "api.write": _build_key_permissions("write"),
    "api.delete": _build_key_permissions("delete"),
    "api.knowledge": _build_key_permissions("knowledge"),
    "api.chat": _build_key_permissions("chat"),
    "api.keys": frozenset({"key:keys"}),
    "api.usage": frozenset({"key:usage"}),
    "api.logs": frozenset({"key:logs"}),
}


def is_allowed(grantees: Iterable[str], action: str) -> bool:
    """Return whether one of these roles or key scopes allows the action. Raises for an unknown action."""
    return not TABLE[action].isdisjoint(grantees)


# What an archived project still allows.
WHILE_ARCHIVED = frozenset({"see", "listen", "read_words"})


def get_member_action(*roles: str) -> str:
    """The action of changing a member from or to these roles: only owners make, lower and remove owners."""
    return "manage_owners" if Role.OWNER in roles else "manage_members"


def get_grantees(key: ApiKey) -> list[str]:
    return [f"key:{scope}" for scope in key.scopes]


def require_scope(key: ApiKey, scope: str) -> None:
    """Raise unless the key allows the action; the message says which scope is needed."""
    if is_allowed(get_grantees(key), f"api.{scope}"):
        return
    if scope == "delete":
        raise DeletionForbidden("this key has no delete scope")
    raise ScopeMissing(f"it has no {scope} scope")
