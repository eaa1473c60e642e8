"""What a process makes while it begins lasts as long as it does: the collector need not go through it again and again.

A tenth of what a process computes until it is ready is looking for garbage that is not there. Afterwards, going through
the two hundred thousand objects of Django and Engram's rules takes 0.1 s, in which no request moves; and in a worker's
child it writes to every page that it shares with its parent.
"""

from __future__ import annotations

import gc


def begin() -> None:
    """To be called first of all; `set_aside` ends it."""
    gc.disable()


def set_aside() -> None:
    """To be called when the process is ready, or about to fork."""
    gc.enable()
    gc.collect()
    gc.freeze()
