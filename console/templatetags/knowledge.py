"""How a file of a knowledge base is shown: name, type, progress."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from knowledgebase.models import KnowledgeFile
from knowledgebase.values import FileState
from memories.models import Memory

register = template.Library()

ENDS = {FileState.COMPLETED, FileState.FAILED}
CHAIN = [state for state in FileState if state not in ENDS]
BADGES: dict[str, tuple[Any, str, str]] = {
    FileState.COMPLETED: (gettext_lazy("Completed"), "ok", "circle-check"),
    FileState.FAILED: (gettext_lazy("Failed"), "bad", "circle-x"),
}
STEPS: dict[str, Any] = {
    FileState.QUEUED: gettext_lazy("Queued"),
    FileState.CHECKING: gettext_lazy("Checking"),
    FileState.PARSING: gettext_lazy("Parsing"),
    FileState.SPLITTING: gettext_lazy("Splitting"),
    FileState.GENERATING: gettext_lazy("Generating"),
    FileState.INDEXING: gettext_lazy("Indexing"),
}
# In these the fragments that are done are counted.
COUNTED = {FileState.GENERATING, FileState.INDEXING}


@register.inclusion_tag("console/ui/file_state.html")
def file_state(file: KnowledgeFile) -> dict[str, Any]:
    """A badge at the end of the way, before it the steps with the present one named."""
    state = FileState(file.state)
    if state in ENDS:
        label, look, icon = BADGES[state]
        return {"badge": {"label": label, "look": look, "icon": icon}}
    place = CHAIN.index(state)
    steps = ["done" if at < place else "now" if at == place else "later" for at in range(len(CHAIN))]
    total = file.fragments_total if state in COUNTED else 0
    return {"chain": steps, "label": STEPS[state], "done": file.fragments_done, "total": total}


@register.filter
def is_working(file: KnowledgeFile) -> bool:
    return FileState(file.state) not in ENDS


@register.filter
def file_name(file: KnowledgeFile) -> str:
    """Return what it is called; one of an address that was not fetched yet by that."""
    return file.name or file.url or _("File without a name")


@register.filter
def file_kind(file: KnowledgeFile) -> str:
    """The type that its content has; before that was looked at, the one of its name."""
    suffix = file.name.rpartition(".")[2] if "." in file.name else ""
    return (file.kind or suffix[:8] or "–").upper()


@register.filter
def below_title(memory: Memory) -> str:
    """Return what a memory says where its title stands above: passages begin with it."""
    text = memory.text.removeprefix(memory.title).lstrip()
    return text or memory.text
