"""Primary keys: UUID version 7, so that rows made later sort later and no sequence tells how many there are."""

from uuid_utils.compat import uuid7

__all__ = ["uuid7"]
