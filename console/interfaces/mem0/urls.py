"""Addresses of mem0's contract. With and without a trailing slash: never a redirect, which loses the body.

A segment stays encoded until its view decodes it (`encoded_paths.EncodedSegments`).
"""

from __future__ import annotations

from typing import Any

from django.urls import re_path

from console.interfaces.mem0 import add, entities, events, memories, projects, search
from console.interfaces.mem0.base import Mem0View

_ID = r"(?P<memory_id>[^/]+)"
_ENTITY = r"(?P<kind>[^/]+)/(?P<name>[^/]+)"
_ORGS = r"api/v1/orgs/organizations"
_PROJECT = rf"{_ORGS}/(?P<org_id>[^/]+)/projects/(?P<project_id>[^/]+)"


def _build_route(pattern: str, view: type[Mem0View], name: str) -> Any:
    return re_path(rf"^{pattern}/?$", view.as_view(), name=f"mem0/{name}")


urlpatterns = [
    _build_route("v1/ping", projects.PingView, "ping"),
    _build_route("v3/memories/add", add.AddView, "add"),
    _build_route("v3/memories/search", search.SearchView, "search"),
    _build_route("v3/memories", search.ListView, "list"),
    _build_route("v1/memories", memories.MemoriesView, "memories"),
    _build_route("v2/memories", search.OldListView, "list"),
    _build_route("v[12]/memories/search", search.OldSearchView, "search"),
    _build_route("v1/memories/events", projects.UnservedView, "unserved"),
    _build_route(rf"v1/memories/{_ID}", memories.MemoryView, "memory"),
    _build_route(rf"v1/memories/{_ID}/history", memories.HistoryView, "history"),
    _build_route(rf"v1/memories/{_ENTITY}", projects.UnservedView, "unserved"),
    _build_route("v1/batch", memories.BatchView, "batch"),
    _build_route("v1/feedback", memories.FeedbackView, "feedback"),
    _build_route("v1/entities", entities.EntitiesView, "entities"),
    _build_route("v1/entities/filters", projects.UnservedView, "unserved"),
    _build_route(rf"v[12]/entities/{_ENTITY}", entities.EntityView, "entity"),
    _build_route(rf"v2/entities/{_ENTITY}/profile", entities.ProfileView, "profile"),
    _build_route("v1/events", events.EventsView, "events"),
    _build_route("v1/event/(?P<event_id>[^/]+)", events.EventView, "event"),
    _build_route("v1/exports(?:/get)?", projects.LaterView, "exports"),
    _build_route("v1/summary", projects.SummaryView, "summary"),
    _build_route("v2/profiles/settings", projects.ProfileSettingsView, "profile_settings"),
    _build_route("v2/profiles/jobs(?:/[^/]+)?", projects.ProfileSettingsView, "profile_jobs"),
    _build_route("v1/(?:stats|users|agents|apps|runs)", projects.UnservedView, "unserved"),
    _build_route(_PROJECT, projects.ProjectView, "project"),
    _build_route(rf"{_ORGS}(?:/.*)?", projects.ConsoleView, "organizations"),
    _build_route("api/v1/webhooks(?:/.*)?", projects.LaterView, "webhooks"),
]
