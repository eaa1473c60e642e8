"""What was thought out for a task, until the task is done.

While the embedder is away a task begins again every few seconds: the chat model that read its messages already is not
asked, and paid, each time. Kept by the process only; another process thinks for itself.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from uuid import UUID

from memories.engine.metering import counted
from memories.engine.protocols import Extraction
from tenancy.scoping import Scope

_MOST = 64
_kept: OrderedDict[UUID, Extraction] = OrderedDict()


def think_once(task: UUID, scope: Scope, think: Callable[[], Extraction]) -> Extraction:
    """What `think` says, or said before for the same task. What it spends is counted for the project."""
    if task in _kept:
        return _kept[task]
    with counted(scope) as spent:
        thought = think()
        if spent:
            _kept[task] = thought
            while len(_kept) > _MOST:
                _kept.popitem(last=False)
    return thought


def forget(task: UUID) -> None:
    """For a task that is done."""
    _kept.pop(task, None)
