"""Addresses below a project's `tasks/`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from console.pages.monitoring.tasks import changes, task, tasks

task_pages: list[URLPattern | URLResolver] = [
    path("", tasks.tasks, name="tasks"),
    path("retry/", changes.tasks_retry, name="tasks_retry"),
    path("<uuid:task_id>/", task.task, name="task"),
    path("<uuid:task_id>/retry/", changes.task_retry, name="task_retry"),
    path("<uuid:task_id>/cancel/", changes.task_cancel, name="task_cancel"),
]
