"""Primary keys: UUID version 7, so that rows made later sort later and no sequence tells how many there are."""

from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7


def uuid7_at(moment: datetime) -> UUID:
    """No id that was made before that moment is greater, none that is made after it is smaller."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)


__all__ = ["uuid7", "uuid7_at"]
