"""What a process made while it began lasts as long as it does: the collector need not go through it again and again.

Going through the two hundred thousand objects of Django and Engram's rules takes 0.1 s, in which no request moves;
and in a worker's child it writes to every page that it shares with its parent.
"""

from __future__ import annotations

import gc


def set_aside() -> None:
    """To be called when the process is ready, or about to fork."""
    gc.collect()
    gc.freeze()
