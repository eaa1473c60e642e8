"""The operator's view of the work: tasks, their ages and failures. Ids only; nobody's words."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from memories.models import Task
from memories.retry import run_again


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
    search_fields = ["id", "project__name"]
    list_select_related = ["project"]
    date_hierarchy = "created_at"
    actions = ["run_again"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.action(description="Run again what failed")
    def run_again(self, request: HttpRequest, tasks: QuerySet) -> None:
        count = run_again(tasks)
        self.message_user(request, f"{count} tasks run again.")
