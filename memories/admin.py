"""Admin of tasks: ages and failures, by ids only, without texts of people.

What a task carries and has worked out so far, and the text of its error, may quote what somebody sent: none of it is
shown.
"""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memories.jobs.rerun_failed_tasks import run_each_again
from memories.models import Task
from tenancy.admin import MOST_AT_ONCE, limit_selected_rows

SHOWN = "id kind state project account attempts crashes error_code worker fence".split()
TIME_FIELDS = "due_at announced_at lease_until created_at finished_at".split()

COUNTED_TO = 10_000


class Capped(Paginator):
    """Counts so far and no further: every task of every account would take longer than the page may."""

    @cached_property
    def count(self) -> int:
        return cast(QuerySet, self.object_list).order_by()[:COUNTED_TO].count()


@admin.register(Task)
class TaskAdmin(admin.ModelAdmin):
    list_display = [
        "id",
        "kind",
        "state",
        "project",
        "attempts",
        "crashes",
        "error_code",
        "created_at",
        "finished_at",
    ]
    list_filter = ["state", "kind"]
    search_fields = ["id"]
    search_help_text = _("The id of a task or of a project")
    list_select_related = ["project"]
    paginator = Capped
    # Both would count beside the paginator, and without its bound.
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = MOST_AT_ONCE
    actions = ["run_again"]
    fields = [*SHOWN, *TIME_FIELDS]

    def get_search_results(self, request: HttpRequest, queryset: QuerySet, search_term: str) -> Any:
        """Search by a whole id only: a part of one would be looked for in every task there is."""
        if not search_term:
            return queryset, False
        try:
            key = UUID(search_term.strip())
        except ValueError:
            return queryset.none(), False
        return queryset.filter(Q(pk=key) | Q(project=key)), False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memories.change_task")

    @admin.action(description=_("Run again what failed"), permissions=["retry"])
    def run_again(self, request: HttpRequest, tasks: QuerySet) -> None:
        count = run_each_again(limit_selected_rows(self, request, tasks.values_list("pk", flat=True)))
        message = ngettext("%(count)s task runs again.", "%(count)s tasks run again.", count)
        self.message_user(request, message % {"count": count})
