"""Addresses of the MemOS contract. With and without a trailing slash: never a redirect, which loses the body."""

from __future__ import annotations

from django.urls import re_path

from memories.api import model_views, views

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
    re_path(r"^rerank/?$", model_views.RerankView.as_view(), name="rerank"),
    re_path(r"^ping/?$", views.PingView.as_view(), name="ping"),
]
