"""The confirmation of a bulk job: what is chosen, what follows, and for large deletions the number to type."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from console.pages.memory.bulk.choice import BulkChoice, Figures
from console.pages.memory.bulk.words import EFFECTS, WORDS, format_with_count
from console.pages.shell.access import MANY, get_access, get_person, project_view, refuse_access
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from console.pages.shell.rendering import wants_only_fragment
from console.templatetags.console import num
from console.ui.lists.query_values import parse_search_words
from console.ui.lists.selection import SAMPLES, TYPED_ABOVE
from memories.api.serializers.fields import MAX_ID
from memories.lifecycle.bulk.actions import SPARING
from memories.lifecycle.bulk.orders import MOST_ITEMS, MOST_OPEN, BulkOrder, open_jobs, start_job
from memories.models import BulkJob
from memories.settings.trash import TrashPolicies
from memories.values import BulkAction
from tenancy.models import Project

TAGGING = frozenset({BulkAction.TAG, BulkAction.UNTAG})
MOST_SUGGESTED = 20


@project_view("change_memories")
@require_POST
def bulk_order(request: HttpRequest, project: Project, action: str) -> HttpResponse:
    """First the question with its count and samples; with `confirmed` the job is written."""
    if action not in set(BulkAction):
        raise Http404
    return ask_or_start(request, project, BulkAction(action), BulkChoice.of(request.POST))


def ask_or_start(
    request: HttpRequest, project: Project, action: BulkAction, choice: BulkChoice
) -> HttpResponse:
    if action == BulkAction.DELETE and not get_access(request).may("delete_memories"):
        raise refuse_access("delete_memories")
    if choice.everything and choice.wanted.dropped:
        # Without the filter that is no longer valid, more would match than the member saw.
        return _show_message(
            request, project, _("The filters of the list are no longer valid. Reload the page.")
        )
    tag = parse_search_words(request.POST.get("tag", ""), MAX_ID) if action in TAGGING else ""
    order = choice.order(project, action, tag)
    figures = Figures.of(order.memories)
    count = figures.total - (figures.frozen if action in SPARING else 0)
    if refusal := find_refusal(project, figures, count):
        return _show_message(request, project, refusal)
    if action == BulkAction.DELETE and count > MANY and not get_access(request).may("delete_many_memories"):
        raise refuse_access("delete_many_memories")
    is_sent = request.POST.get("confirmed") == "yes"
    needs_typing = action == BulkAction.DELETE and count > TYPED_ABOVE
    error = ""
    if is_sent and choice.everything and request.POST.get("count", str(count)) != str(count):
        # A filter may match more by now that was not changed itself: what was recalled since, or conflicts with news.
        error = _("The number does not match.")
    elif is_sent and needs_typing and request.POST.get("typed", "").strip() != str(count):
        error = _("The number does not match.")
    elif is_sent and action in TAGGING and not tag:
        error = _("Enter a tag.")
    if is_sent and not error:
        return answer_started(request, project, start_job(project, order, get_person(request)), count)
    return _ask_confirmation(
        request, project, order=order, choice=choice, figures=figures, count=count, error=error
    )


def answer_started(request: HttpRequest, project: Project, job: BulkJob, count: int) -> HttpResponse:
    message = _("Job started: %(what)s.") % {
        "what": format_with_count(WORDS[BulkAction(job.action)].verb, count)
    }
    page = reverse("console:bulk_job", args=[project.pk, job.pk])
    return answer_done(request, message, page, "bulk-started", "selection-spent")


def find_refusal(project: Project, figures: Figures, count: int) -> str:
    """Find why no job is made of these, `count` of which would be changed; "" where one can be."""
    if figures.total > MOST_ITEMS:
        return _("At most %(count)s memories at once. Narrow the filters.") % {"count": num(MOST_ITEMS)}
    if figures.total and not count:
        return _("All of these are frozen. Unfreeze them first.")
    if not count:
        return _("There is nothing left to change.")
    if open_jobs(project).count() >= MOST_OPEN:
        return _("At most %(count)s jobs at once. Wait until one is over.") % {"count": num(MOST_OPEN)}
    return ""


def _show_message(request: HttpRequest, project: Project, message: str) -> HttpResponse:
    back = reverse("console:memories", args=[project.pk])
    return answer_done(request, message, back, "memory-changed", "selection-spent")


def _ask_confirmation(
    request: HttpRequest,
    project: Project,
    *,
    order: BulkOrder,
    choice: BulkChoice,
    figures: Figures,
    count: int,
    error: str,
) -> HttpResponse:
    dialog = _build_dialog(project, order.action, count, error)
    context: dict[str, Any] = {
        "project": project,
        "count": count,
        "asked_about": str(count),
        **_build_figures_context(order, figures, count),
        "effect": EFFECTS.get(order.action, ""),
        "days": TrashPolicies.of(project).days,
        "ids": [] if choice.everything else choice.ids,
        "everything": choice.everything,
        "excluded": choice.excluded,
        "filter": choice.filter,
        "cutoff": choice.cutoff.isoformat(),
        "needs_tag": order.action in TAGGING,
        "tag": order.tag,
        "suggested": _suggest_tags(order) if order.action in TAGGING else [],
        "is_deletion": order.action == BulkAction.DELETE,
    }
    response = show_dialog(request, dialog, context, 422 if error else 200)
    if not wants_only_fragment(request):
        response["Cache-Control"] = "no-store"
    return response


def _build_dialog(project: Project, action: BulkAction, count: int, error: str) -> Dialog:
    words = WORDS[action]
    is_deletion = action == BulkAction.DELETE
    return Dialog(
        template="console/memory/bulk/_dialog.html",
        title=format_with_count(words.title, count),
        verb=format_with_count(words.verb, count),
        action=reverse("console:bulk_order", args=[project.pk, action]),
        back=reverse("console:memories", args=[project.pk]),
        is_danger=is_deletion,
        typed=str(count) if is_deletion and count > TYPED_ABOVE else "",
        error=error,
    )


def _build_figures_context(order: BulkOrder, figures: Figures, count: int) -> dict[str, Any]:
    """Return what is chosen: the kinds, some of the texts, and how many of them stay as they are."""
    skipped = figures.total - count
    skipped_text = ngettext(
        "%(count)s frozen memory is skipped.", "%(count)s frozen memories are skipped.", skipped
    )
    return {
        "kinds": sorted(figures.by_kind.items()),
        "skipped": skipped_text % {"count": num(skipped)} if skipped else "",
        "samples": list(order.memories.only("pk", "text")[:SAMPLES]),
        "rest": max(0, figures.total - SAMPLES),
    }


def _suggest_tags(order: BulkOrder) -> list[str]:
    """Tags that some of the chosen memories have, to choose from."""
    rows = order.memories.exclude(tags=[]).order_by().values_list("tags", flat=True)[:200]
    return sorted({tag for tags in rows for tag in tags})[:MOST_SUGGESTED]
