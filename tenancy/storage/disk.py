"""Fair use of a nearly full disk: accounts that store little may store longest."""

from __future__ import annotations

from uuid import UUID

from tenancy.storage.counts import count_stored_bytes

# From here on each account may hold as much as is left for all, and no more; the database needs the rest to go on.
LOW_DISK = 2 * 1024**3
LEAST_FREE_DISK = 512 * 1024**2


def has_space_for(account: UUID | None, free: int) -> bool:
    """Return whether the account may store something while so many bytes are free.

    While there is enough, everybody may. Below that an account's share is what is free for all: one that holds more is
    refused, so that the largest accounts stop first, and the smaller the disk's rest, the smaller those that stop too.
    No account may when hardly anything is left; nor an unknown account before that.
    """
    if free >= LOW_DISK:
        return True
    share = free - LEAST_FREE_DISK
    return share > 0 and account is not None and count_stored_bytes(account) <= share
