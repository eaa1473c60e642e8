"""Addresses of the console's pages."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path
from django.views.i18n import set_language

from console.pages import (
    api_keys,
    forgetting,
    home,
    logs,
    memories,
    memory,
    projects,
    quickstart,
    settings,
    status,
    styleguide,
)
from console.pages.knowledge.addresses import knowledge_pages
from console.pages.knowledge.dashboard import knowledge_of_dashboard
from console.pages.knowledge.downloads import download

app_name = "console"

project_pages: list[URLPattern | URLResolver] = [
    path("quickstart/", quickstart.quickstart, name="quickstart"),
    path("quickstart/progress/", quickstart.quickstart_progress, name="quickstart_progress"),
    path("quickstart/key/", quickstart.quickstart_key, name="quickstart_key"),
    path("api-keys/", api_keys.api_keys, name="api_keys"),
    path("api-keys/new/", api_keys.api_key_new, name="api_key_new"),
    path("api-keys/<uuid:key_id>/revoke/", api_keys.api_key_revoke, name="api_key_revoke"),
    path("memories/", memories.memories, name="memories"),
    path("memories/news/", memories.memories_news, name="memories_news"),
    path("memories/delete/", forgetting.memories_delete, name="memories_delete"),
    path("memories/<uuid:memory_id>/", memory.memory, name="memory"),
    path("memories/<uuid:memory_id>/delete/", forgetting.memory_delete, name="memory_delete"),
    path("memories/<uuid:memory_id>/status/<slug:move>/", status.memory_status, name="memory_status"),
    path("knowledge/", include(knowledge_pages)),
    path("settings/", settings.project_settings, name="settings"),
    path("logs/", logs.logs, name="logs"),
    path("logs/<slug:request_id>/", logs.log, name="log"),
]
account_pages = [
    path("", projects.projects, name="projects"),
    path("projects/new/", projects.project_new, name="project_new"),
    path("projects/<uuid:project_id>/", projects.project_edit, name="project_edit"),
    path("projects/<uuid:project_id>/delete/", projects.project_delete, name="project_delete"),
]
urlpatterns = [
    path("", home.landing, name="landing"),
    path("home/", home.home, name="home"),
    path("language/", set_language, name="set_language"),
    path("console/_styleguide/", styleguide.styleguide, name="styleguide"),
    path("files/<str:signed>/", download, name="download"),
    *(
        path(f"{language}knowledgeBase{rest}", knowledge_of_dashboard)
        for language in ("", "en/", "cn/")
        for rest in ("", "/", "/<slug:base_id>", "/<slug:base_id>/")
    ),
    path("p/<uuid:project_id>/", include(project_pages)),
    path("a/<uuid:account_id>/", include(account_pages)),
]
