"""Keys that a program makes and revokes with a key of its own, which never reach further than that key."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from ipaddress import ip_network
from uuid import UUID

from django.db import transaction

from tenancy.audit.log import record_event
from tenancy.errors import InvalidParameters, NotFound
from tenancy.keys.changes import KeyRules, issue_key
from tenancy.keys.keys import NewKey, revoke_key
from tenancy.keys.lifetime import is_live
from tenancy.keys.scopes import ADMINISTRATION_SCOPES, MEMORY_SCOPES
from tenancy.models import ApiKey, Project

# With those that ended: as many as a project has made, which no plan limits.
MOST_LISTED = 500


def list_keys(project: Project, *, with_ended: bool = False) -> list[ApiKey]:
    """Keys of the project, newest first; without those that were revoked or have expired unless asked for."""
    if with_ended:
        return list(project.api_keys.all()[:MOST_LISTED])
    return [key for key in project.api_keys.filter(revoked_at=None) if is_live(key)]


def issue_by_key(maker: ApiKey, rules: KeyRules, expires_at: datetime | None = None) -> NewKey:
    """Make a key for the maker's project. What is not named is limited as the maker is.

    Made with a secret that is being replaced, it ends with that. Raises `InvalidParameters` for what the maker itself
    may not do, for the scope `keys`, which only people give, and when the plan allows no more keys.
    """
    _refuse_wider_scopes(maker, rules.scopes)
    if maker.daily_cap and (rules.daily_cap or 0) > maker.daily_cap:
        raise InvalidParameters(f"daily_cap: this key itself may make {maker.daily_cap} calls a day")
    ends = min((end for end in (maker.expires_at, maker.shown_until) if end is not None), default=None)
    if ends and expires_at and expires_at > ends:
        raise InvalidParameters(f"expires_at: this key itself ends at {ends.isoformat()}")
    limited = KeyRules(
        rules.name,
        rules.scopes,
        _narrow_ranges(maker.ranges, rules.ranges),
        rules.daily_cap or maker.daily_cap,
    )
    return issue_key(maker.project, limited, None, expires_at or ends, made_with=maker)


def revoke_by_key(maker: ApiKey, key_id: UUID) -> None:
    """Revoke a key of the maker's project; its own too. Raises `NotFound`."""
    with transaction.atomic():
        key = maker.project.api_keys.filter(pk=key_id, revoked_at=None).first()
        if key is None or not revoke_key(key):
            raise NotFound("key_id")
        record_event(maker.project.account, None, "key.revoked", key, project=maker.project)


def list_grantable_scopes(maker: ApiKey) -> list[str]:
    """Scopes that the key may pass on."""
    own = set(maker.scopes)
    if "all" in own or own >= set(MEMORY_SCOPES):
        own |= {*MEMORY_SCOPES, "all"}
    return [scope for scope in (*MEMORY_SCOPES, "all", *ADMINISTRATION_SCOPES) if scope in own - {"keys"}]


def _refuse_wider_scopes(maker: ApiKey, scopes: Sequence[str]) -> None:
    allowed = list_grantable_scopes(maker)
    for scope in scopes:
        if scope not in allowed:
            raise InvalidParameters(
                f"scopes: this key may not give the scope {scope}, but {', '.join(allowed) or 'none'}",
                cure="Name scopes that this key has, or create the key on the API keys page.",
            )


def _narrow_ranges(own: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    if not own or not wanted:
        return tuple(wanted or own)
    outer = [ip_network(ip_range) for ip_range in own]
    for ip_range in wanted:
        inner = ip_network(ip_range)
        if not any(inner.version == net.version and inner.subnet_of(net) for net in outer):  # type: ignore[arg-type]
            raise InvalidParameters(f"ranges: {ip_range} is outside of this key's own, {', '.join(own)}")
    return tuple(wanted)
