"""Addresses below a project's `memories/` for jobs on many memories."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from console.pages.memory.bulk import job, jobs, order

bulk_pages: list[URLPattern | URLResolver] = [
    path("bulk/<slug:action>/", order.bulk_order, name="bulk_order"),
    path("jobs/", jobs.bulk_jobs, name="bulk_jobs"),
    path("jobs/progress/", jobs.bulk_progress, name="bulk_progress"),
    path("jobs/<uuid:job_id>/", job.bulk_job, name="bulk_job"),
    path("jobs/<uuid:job_id>/cancel/", job.bulk_cancel, name="bulk_cancel"),
    path("jobs/<uuid:job_id>/undo/", job.bulk_undo, name="bulk_undo"),
    path("jobs/<uuid:job_id>/file/", job.bulk_file, name="bulk_file"),
]
