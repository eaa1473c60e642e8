"""Addresses below a project's `spaces/` and `sessions/`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from console.pages.spaces import people, session, session_changes, sessions, space, space_contents, spaces

space_page: list[URLPattern | URLResolver] = [
    path("", space.space, name="space"),
    path("edit/", spaces.space_edit, name="space_edit"),
    path("meta/", space.space_meta, name="space_meta"),
    path("delete/", spaces.space_delete, name="space_delete"),
    path("skills/add/", space_contents.space_include, name="space_include"),
    path("skills/<uuid:skill_id>/remove/", space_contents.space_exclude, name="space_exclude"),
    path("learn/", space_contents.space_learn, name="space_learn"),
]
space_pages: list[URLPattern | URLResolver] = [
    path("", spaces.spaces, name="spaces"),
    path("new/", spaces.space_new, name="space_new"),
    path("people/", people.people, name="spaces_people"),
    path("people/<uuid:person_id>/delete/", people.person_delete, name="spaces_person_delete"),
    path("<uuid:space_id>/", include(space_page)),
]
session_page: list[URLPattern | URLResolver] = [
    path("", session.session, name="session"),
    path("configs/", session_changes.session_configs, name="session_configs"),
    path("download/", session_changes.session_download, name="session_download"),
    path("delete/", session_changes.session_delete, name="session_delete"),
]
session_pages: list[URLPattern | URLResolver] = [
    path("", sessions.sessions, name="sessions"),
    path("new/", sessions.session_new, name="session_new"),
    path("<uuid:session_id>/", include(session_page)),
]
