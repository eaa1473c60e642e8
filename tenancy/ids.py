"""Primary keys: UUID version 7, which sort by creation time and do not reveal how many rows there are."""

from datetime import datetime, timedelta
from uuid import UUID

from uuid_utils.compat import uuid7

# The last millisecond since 1970 that an id can hold: a time beyond what `datetime` knows.
LATEST = 2**48 - 1


def build_uuid7_at(at: datetime) -> UUID:
    """The smallest UUID of this time: ids created earlier are not greater, ids created later not smaller.

    Of a time before 1970 it is the smallest of all.
    """
    return UUID(int=max(0, int(at.timestamp() * 1000)) << 80)


def get_id_bounds_near(key: UUID, within: timedelta) -> tuple[UUID, UUID]:
    """The bounds of the ids of version 7 that were made so long before or after this one, whatever time it tells."""
    made_at, most = key.int >> 80, int(within.total_seconds() * 1000)
    return UUID(int=max(0, made_at - most) << 80), UUID(int=min(LATEST, made_at + most) << 80)


__all__ = ["get_id_bounds_near", "uuid7", "build_uuid7_at"]
