"""URLs of the skill memory contract, with and without a trailing slash: its clients follow no redirects."""

from __future__ import annotations

from django.urls import URLPattern, re_path

from skills.api.base import SkillView
from skills.api.views import people as views_people
from skills.api.views import sessions as views_sessions
from skills.api.views import skills as views_skills
from skills.api.views import spaces as views_spaces


def _build_path(path: str, view: type[SkillView], name: str) -> URLPattern:
    """`<space>` in a path is any segment: whether it is an id is the view's to say, once the key is known."""
    for word in ("space", "session", "message", "skill"):
        path = path.replace(f"<{word}>", f"(?P<{word}_id>[^/]+)")
    return re_path(f"^{path}/?$", view.as_view(), name=f"v1/{name}")


urlpatterns = [
    _build_path("ping", views_people.PingView, "ping"),
    _build_path("learning_spaces", views_spaces.SpacesView, "spaces"),
    _build_path("learning_spaces/<space>", views_spaces.SpaceView, "space"),
    _build_path("learning_spaces/<space>/learn", views_spaces.LearnView, "space/learn"),
    _build_path("learning_spaces/<space>/sessions", views_spaces.RecordsView, "space/sessions"),
    _build_path("learning_spaces/<space>/sessions/<session>", views_spaces.RecordView, "space/session"),
    _build_path("learning_spaces/<space>/skills", views_spaces.SpaceSkillsView, "space/skills"),
    _build_path("learning_spaces/<space>/skills/<skill>", views_spaces.SpaceSkillView, "space/skill"),
    _build_path("session", views_sessions.SessionsView, "sessions"),
    _build_path("session/<session>", views_sessions.SessionView, "session"),
    _build_path("session/<session>/configs", views_sessions.ConfigsView, "session/configs"),
    _build_path("session/<session>/task", views_sessions.TasksView, "session/tasks"),
    _build_path("session/<session>/messages", views_sessions.MessagesView, "session/messages"),
    _build_path(
        "session/<session>/messages/<message>/meta", views_sessions.MessageMetaView, "session/message/meta"
    ),
    _build_path("session/<session>/flush", views_sessions.FlushView, "session/flush"),
    _build_path("session/<session>/observing_status", views_sessions.ObservingView, "session/observing"),
    _build_path("session/<session>/token_counts", views_sessions.TokensView, "session/tokens"),
    _build_path("agent_skills", views_skills.SkillsView, "skills"),
    _build_path("agent_skills/<skill>", views_skills.OneSkillView, "skill"),
    _build_path("agent_skills/<skill>/file", views_skills.SkillFileView, "skill/file"),
    _build_path("agent_skills/<skill>/download_zip", views_skills.SkillArchiveView, "skill/archive"),
    _build_path("project/configs", views_people.ProjectConfigsView, "project/configs"),
    re_path(r"^user/", views_people.UserView.as_view(), name="v1/user"),
    re_path(r"", views_people.UnknownView.as_view(), name="v1/unknown"),
]
