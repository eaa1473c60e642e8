"""Addresses below a project's `skills/`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from console.pages.skills import (
    bulk,
    editing,
    files,
    merging,
    skill,
    skill_actions,
    skills,
    uploads,
    versions,
)

skill_page: list[URLPattern | URLResolver] = [
    path("", skill.skill, name="skill"),
    path("edit/", editing.skill_edit, name="skill_edit"),
    path("preview/", editing.skill_preview, name="skill_preview"),
    path("move/<slug:move>/", skill_actions.skill_move, name="skill_move"),
    path("versions/<int:number>/restore/", versions.skill_restore, name="skill_restore"),
    path("merge/", merging.skill_merge, name="skill_merge"),
    path("copy/", skill_actions.skill_copy, name="skill_copy"),
    path("delete/", skill_actions.skill_delete, name="skill_delete"),
    path("download/", files.skill_download, name="skill_download"),
    path("picture/", files.skill_picture, name="skill_picture"),
]
skill_pages: list[URLPattern | URLResolver] = [
    path("", skills.skills, name="skills"),
    path("upload/", uploads.skill_upload, name="skill_upload"),
    path("bulk/", bulk.skills_bulk, name="skills_bulk"),
    path("<uuid:skill_id>/", include(skill_page)),
]
