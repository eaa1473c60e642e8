"""Addresses of the MemOS contract. With and without a trailing slash: never a redirect, which loses the body."""

from __future__ import annotations

from django.urls import re_path

from memories.api import chat, model_views, profiles, views

urlpatterns = [
    re_path(r"^add/message/?$", views.AddMessageView.as_view(), name="add/message"),
    re_path(r"^add/feedback/?$", views.AddFeedbackView.as_view(), name="add/feedback"),
    re_path(r"^get/status/?$", views.GetStatusView.as_view(), name="get/status"),
    re_path(r"^search/memory/?$", views.SearchView.as_view(), name="search/memory"),
    re_path(r"^get/memory/?$", views.GetMemoryView.as_view(), name="get/memory"),
    re_path(r"^get/memory/(?P<memory_id>[^/]+)/?$", views.OneMemoryView.as_view(), name="get/memory/{id}"),
    re_path(r"^update/memory/?$", views.UpdateMemoryView.as_view(), name="update/memory"),
    re_path(r"^get/message/?$", views.GetMessageView.as_view(), name="get/message"),
    re_path(r"^delete/memory/?$", views.DeleteMemoryView.as_view(), name="delete/memory"),
    re_path(r"^extract/memory/?$", model_views.ExtractView.as_view(), name="extract/memory"),
    re_path(r"^add/profile_template/?$", profiles.AddTemplateView.as_view(), name="add/profile_template"),
    re_path(
        r"^update/profile_template/?$", profiles.UpdateTemplateView.as_view(), name="update/profile_template"
    ),
    re_path(
        r"^delete/profile_template/?$", profiles.DeleteTemplateView.as_view(), name="delete/profile_template"
    ),
    re_path(r"^bind/profile_template/?$", profiles.BindView.as_view(), name="bind/profile_template"),
    re_path(r"^edit/profile/?$", profiles.EditProfileView.as_view(), name="edit/profile"),
    re_path(r"^delete/profile/?$", profiles.DeleteProfileView.as_view(), name="delete/profile"),
    re_path(r"^rerank/?$", model_views.RerankView.as_view(), name="rerank"),
    re_path(r"^chat/?$", chat.ChatView.as_view(), name="chat"),
    re_path(r"^ping/?$", views.PingView.as_view(), name="ping"),
]
