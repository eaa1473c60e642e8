"""What an account stores, in words and bars, beside what its plan allows."""

from __future__ import annotations

from dataclasses import dataclass

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from console.templatetags.console import num
from tenancy.models import Account, Plan
from tenancy.storage.allowance import MEGABYTE
from tenancy.storage.counted_tables import NAMES
from tenancy.storage.counts import count_bytes_by_part

# A bar that is not empty can be seen.
LEAST_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class StorageShare:
    """`share` is its part of the bar, in percent."""

    key: str
    name: str
    size: int
    share: float
    start: float


@dataclass(frozen=True, slots=True)
class Storage:
    """Bytes; `allowed` is None for no limit."""

    used: int
    allowed: int | None
    parts: list[StorageShare]

    @property
    def percent(self) -> int:
        """Rounded down, so that 100 means that nothing is left."""
        return (
            min(100, 100 * self.used // self.allowed) if self.allowed else 0 if self.allowed is None else 100
        )

    @property
    def look(self) -> str:
        return "bad" if self.percent >= 100 else "warn" if self.percent >= 80 else "calm"

    @property
    def left(self) -> int | None:
        return None if self.allowed is None else max(0, self.allowed - self.used)

    @property
    def over(self) -> int:
        return 0 if self.allowed is None else max(0, self.used - self.allowed)


def load_storage(account: Account, plan: Plan | None = None) -> Storage:
    """Load stored bytes against the limits of the account's plan, or of another one if given."""
    sizes = count_bytes_by_part(account.pk)
    megabytes = (plan or account.plan).storage_megabytes
    allowed = None if megabytes is None else megabytes * MEGABYTE
    used = sum(sizes.values())
    whole, start, parts = max(used, allowed or 0, 1), 0.0, []
    for part, size in sizes.items():
        share = max(LEAST_SHARE, 100 * size / whole) if size else 0.0
        parts.append(StorageShare(part.value, str(NAMES[part]), size, share, start))
        start += share
    return Storage(used, allowed, parts)


def format_storage_allowance(plan: Plan) -> str:
    """As tables of plans say it."""
    if plan.storage_megabytes is None:
        return _("by agreement") if plan.is_by_agreement else _("no limit")
    gigabytes = plan.storage_megabytes / 1024
    return (
        f"{num(gigabytes)} GB"
        if gigabytes.is_integer()
        else str(filesizeformat(plan.storage_megabytes * MEGABYTE))
    )
