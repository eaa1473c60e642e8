"""Primary keys: UUID version 7, which sort by creation time and do not reveal how many rows there are."""

from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7


def uuid7_at(at: datetime) -> UUID:
    """The smallest UUID of this time: ids created earlier are not greater, ids created later not smaller.

    Of a time before 1970 it is the smallest of all.
    """
    return UUID(int=max(0, int(at.timestamp() * 1000)) << 80)


__all__ = ["uuid7", "uuid7_at"]
