"""Addresses of the OpenAI-compatible API, with and without a trailing slash."""

from __future__ import annotations

from django.urls import re_path

from console.interfaces.openai import views

urlpatterns = [
    re_path(r"^chat/completions/?$", views.ChatCompletionsView.as_view(), name="openai/chat/completions"),
    re_path(r"^models/?$", views.ModelsView.as_view(), name="openai/models"),
    # Names of models may have slashes in them.
    re_path(r"^models/(?P<name>.+?)/?$", views.ModelView.as_view(), name="openai/model"),
    re_path(r"", views.UnknownView.as_view(), name="openai/unknown"),
]
