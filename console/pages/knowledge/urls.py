"""Addresses below a project's `knowledge/`. Bases and files have the ids that the API answers."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from console.pages.knowledge import base, bases, corrections, downloads, files, projects, uploads

file_pages = [
    path("", files.knowledge_file, name="knowledge_file"),
    path("again/", files.knowledge_file_again, name="knowledge_file_again"),
    path("delete/", files.knowledge_file_delete, name="knowledge_file_delete"),
    path("download/", downloads.knowledge_file_download, name="knowledge_file_download"),
]
base_pages: list[URLPattern | URLResolver] = [
    path("", base.knowledge_base, name="knowledge_base"),
    path("upload/", uploads.knowledge_upload, name="knowledge_upload"),
    path("address/", uploads.knowledge_address, name="knowledge_address"),
    path("files/<slug:file_id>/", include(file_pages)),
    path("tell/", corrections.knowledge_tell, name="knowledge_tell"),
    path("corrections/<uuid:correction_id>/revert/", corrections.knowledge_revert, name="knowledge_revert"),
    path("edit/", projects.knowledge_edit, name="knowledge_edit"),
    path("projects/new/", projects.knowledge_link, name="knowledge_link"),
    path("projects/<uuid:linked_id>/delete/", projects.knowledge_unlink, name="knowledge_unlink"),
    path("delete/", projects.knowledge_delete, name="knowledge_delete"),
]
knowledge_pages: list[URLPattern | URLResolver] = [
    path("", bases.knowledge, name="knowledge"),
    path("new/", bases.knowledge_new, name="knowledge_new"),
    path("associate/", bases.knowledge_associate, name="knowledge_associate"),
    path("<slug:base_id>/", include(base_pages)),
]
