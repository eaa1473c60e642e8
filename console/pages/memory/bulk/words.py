"""Texts of bulk jobs: questions, what was done, outcome for each memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy, ngettext

from console.templatetags.console import num
from memories.values import BulkAction, BulkOutcome, BulkState


@dataclass(frozen=True, slots=True)
class ActionWords:
    """`name` is on buttons; `title`, `verb` and `done` are said of a number of memories."""

    icon: str
    name: Any
    title: Callable[[int], str]
    verb: Callable[[int], str]
    done: Callable[[int], str]


WORDS: dict[BulkAction, ActionWords] = {
    BulkAction.DELETE: ActionWords(
        "trash-2",
        gettext_lazy("Delete"),
        lambda count: ngettext("Delete %(count)s memory?", "Delete %(count)s memories?", count),
        lambda count: ngettext("Delete %(count)s memory", "Delete %(count)s memories", count),
        lambda count: ngettext("%(count)s memory deleted.", "%(count)s memories deleted.", count),
    ),
    BulkAction.ARCHIVE: ActionWords(
        "archive",
        gettext_lazy("Archive"),
        lambda count: ngettext("Archive %(count)s memory?", "Archive %(count)s memories?", count),
        lambda count: ngettext("Archive %(count)s memory", "Archive %(count)s memories", count),
        lambda count: ngettext("%(count)s memory archived.", "%(count)s memories archived.", count),
    ),
    BulkAction.RESTORE: ActionWords(
        "undo-2",
        gettext_lazy("Restore"),
        lambda count: ngettext("Restore %(count)s memory?", "Restore %(count)s memories?", count),
        lambda count: ngettext("Restore %(count)s memory", "Restore %(count)s memories", count),
        lambda count: ngettext("%(count)s memory restored.", "%(count)s memories restored.", count),
    ),
    BulkAction.FREEZE: ActionWords(
        "lock",
        gettext_lazy("Freeze"),
        lambda count: ngettext("Freeze %(count)s memory?", "Freeze %(count)s memories?", count),
        lambda count: ngettext("Freeze %(count)s memory", "Freeze %(count)s memories", count),
        lambda count: ngettext("%(count)s memory frozen.", "%(count)s memories frozen.", count),
    ),
    BulkAction.UNFREEZE: ActionWords(
        "lock-open",
        gettext_lazy("Unfreeze"),
        lambda count: ngettext("Unfreeze %(count)s memory?", "Unfreeze %(count)s memories?", count),
        lambda count: ngettext("Unfreeze %(count)s memory", "Unfreeze %(count)s memories", count),
        lambda count: ngettext("%(count)s memory unfrozen.", "%(count)s memories unfrozen.", count),
    ),
    BulkAction.TAG: ActionWords(
        "tag",
        gettext_lazy("Add tag"),
        lambda count: ngettext("Tag %(count)s memory?", "Tag %(count)s memories?", count),
        lambda count: ngettext("Tag %(count)s memory", "Tag %(count)s memories", count),
        lambda count: ngettext("%(count)s memory tagged.", "%(count)s memories tagged.", count),
    ),
    BulkAction.UNTAG: ActionWords(
        "tag",
        gettext_lazy("Remove tag"),
        lambda count: ngettext(
            "Remove a tag from %(count)s memory?", "Remove a tag from %(count)s memories?", count
        ),
        lambda count: ngettext(
            "Remove tag from %(count)s memory", "Remove tag from %(count)s memories", count
        ),
        lambda count: ngettext(
            "Tag removed from %(count)s memory.", "Tag removed from %(count)s memories.", count
        ),
    ),
}
# What the dialog says of what follows; deletions have words of their own.
EFFECTS: dict[BulkAction, Any] = {
    BulkAction.ARCHIVE: gettext_lazy(
        "They are removed from every search at once and stay here with their history."
    ),
    BulkAction.RESTORE: gettext_lazy(
        "Searches find them again. If something else took the place of one meanwhile, that becomes history."
    ),
    BulkAction.FREEZE: gettext_lazy(
        "Searches still find them. Nothing can rewrite, replace or archive them until you unfreeze them."
    ),
    BulkAction.UNFREEZE: gettext_lazy("Later statements may change or replace them again."),
    BulkAction.TAG: gettext_lazy("Each gets the tag as a new version. You can undo it."),
    BulkAction.UNTAG: gettext_lazy("Each loses the tag in a new version. You can undo it."),
}
# (word, look, icon) by state.
STATES: dict[str, tuple[Any, str, str]] = {
    BulkState.OPEN: (gettext_lazy("Running"), "accent", "loader-circle"),
    BulkState.COMPLETED: (gettext_lazy("Completed"), "ok", "circle-check"),
    BulkState.CANCELLED: (gettext_lazy("Cancelled"), "muted", "circle-x"),
    BulkState.UNDOING: (gettext_lazy("Being undone"), "accent", "loader-circle"),
    BulkState.UNDONE: (gettext_lazy("Undone"), "muted", "undo-2"),
}
FAILED: tuple[Any, str, str] = (gettext_lazy("Failed"), "bad", "circle-x")
# In the order of a receipt.
OUTCOMES: dict[str, Any] = {
    BulkOutcome.DONE: gettext_lazy("Done"),
    BulkOutcome.UNDONE: gettext_lazy("Undone"),
    BulkOutcome.SAME: gettext_lazy("Skipped: it was so already"),
    BulkOutcome.FROZEN: gettext_lazy("Skipped: frozen"),
    BulkOutcome.CHANGED: gettext_lazy("Skipped: changed after the order"),
    BulkOutcome.GONE: gettext_lazy("Skipped: deleted in the meantime"),
    BulkOutcome.REFUSED: gettext_lazy("Refused: its status, its number of tags or another memory forbids it"),
    BulkOutcome.KEPT: gettext_lazy("Not undone: changed or deleted since"),
    BulkOutcome.HELD: gettext_lazy("Not undone: another memory says the same now"),
    BulkOutcome.PENDING: gettext_lazy("Not reached"),
}


def format_with_count(sentence: Callable[[int], str], count: int) -> str:
    """A sentence of a number, with the number as its language writes it."""
    return sentence(count) % {"count": num(count)}
