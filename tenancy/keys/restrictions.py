"""Restrictions of a key besides its scopes: allowed networks and daily calls. Free for keys without them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from tenancy.errors import CallQuotaExceeded, InvalidParameters, KeyForbidden
from tenancy.metering.rate_limits import count_call
from tenancy.models import ApiKey, Project

MOST_RANGES = 20
# In front of an IPv4 address that is written as IPv6.
MAPPED_BITS = 96


def check_key(key: ApiKey, address: str) -> None:
    """Counts the call. Raises `KeyForbidden` from elsewhere and for a project that is archived or being deleted,
    `CallQuotaExceeded` over the daily cap of the key or of the one that it was made with.

    Calls that are refused for another reason later count too: the cap guards against a program gone wild.
    """
    _refuse_at_rest(key.project)
    if key.ranges and not is_address_allowed(address, tuple(key.ranges)):
        raise KeyForbidden(
            f"this key may not be used from {address or 'an unknown address'}",
            cure="Call from one of the key's address ranges, or change them on the API keys page.",
        )
    _count_towards_cap(key, f"this key may make {key.daily_cap} calls a day")
    if maker := key.made_with:
        message = f"this key and the one it was made with may make {maker.daily_cap} calls a day together"
        _count_towards_cap(maker, message)


def _count_towards_cap(key: ApiKey, message: str) -> None:
    if key.daily_cap and not count_call(f"cap:{key.pk}", key.daily_cap):
        raise CallQuotaExceeded(
            message,
            cure="Wait for midnight UTC, or raise the key's daily cap on the API keys page.",
            retry_after=_get_seconds_until_midnight(),
        )


def refuse_inactive_project(project: Project) -> None:
    """Check the project again before a late write. Raises `KeyForbidden` by its state now."""
    current = Project.objects.filter(pk=project.pk).first()
    if current is None:
        raise _build_deletion_error()
    _refuse_at_rest(current)


def _refuse_at_rest(project: Project) -> None:
    if project.deleting_at is not None:  # of a key that was made at the same moment, and that nobody revoked
        raise _build_deletion_error()
    if project.archived_at is not None:
        raise KeyForbidden(
            "the project is archived",
            cure="Restore the project on the projects page, or use a key of another project.",
        )


def _build_deletion_error() -> KeyForbidden:
    return KeyForbidden("the project is being deleted", cure="Use a key of another project.")


def is_address_allowed(address: str, ranges: tuple[str, ...]) -> bool:
    try:
        place = ip_address(address)
    except ValueError:
        return False
    mapped = getattr(place, "ipv4_mapped", None)
    return any((mapped or place) in network for network in _parse_networks(ranges))


@lru_cache(maxsize=1024)
def _parse_networks(ranges: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(map(_parse_network, ranges))


def clean_networks(words: list[str]) -> list[str]:
    """Normalise CIDR networks. Raises `InvalidParameters` for anything else."""
    if len(words) > MOST_RANGES:
        raise InvalidParameters(f"a key has at most {MOST_RANGES} address ranges")
    try:
        return list(dict.fromkeys(_normalise_network(word) for word in words))
    except ValueError:
        wrong = next(word for word in words if not _is_network(word))
        raise InvalidParameters(f"“{wrong[:50]}” is not an address or a range like 203.0.113.0/24") from None


def _is_network(word: str) -> bool:
    try:
        _normalise_network(word)
    except ValueError:
        return False
    return True


def _normalise_network(word: str) -> str:
    """Raises `ValueError`, also for zone ids, which are meaningful on one machine only."""
    if "%" in word:
        raise ValueError(word)
    return str(_parse_network(word))


def _parse_network(word: str) -> IPv4Network | IPv6Network:
    """IPv4 addresses written as IPv6 (`::ffff:203.0.113.0/120`) become the IPv4 network they are, as callers do."""
    network = ip_network(word, strict=False)
    mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    return network if mapped is None else IPv4Network((mapped, network.prefixlen - MAPPED_BITS))


def _get_seconds_until_midnight() -> float:
    now = datetime.now(UTC)
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - now).total_seconds()
