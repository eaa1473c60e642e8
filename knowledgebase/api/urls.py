"""URLs of the MemOS contract for knowledge bases, with and without a trailing slash."""

from __future__ import annotations

from django.urls import re_path

from knowledgebase.api import views

urlpatterns = [
    re_path(r"^create/knowledgebase/?$", views.CreateBaseView.as_view(), name="create/knowledgebase"),
    re_path(r"^delete/knowledgebase/?$", views.DeleteBaseView.as_view(), name="delete/knowledgebase"),
    re_path(r"^add/knowledgebase-file/?$", views.AddFilesView.as_view(), name="add/knowledgebase-file"),
    re_path(r"^get/knowledgebase-file/?$", views.GetFilesView.as_view(), name="get/knowledgebase-file"),
    re_path(
        r"^delete/knowledgebase-file/?$", views.DeleteFilesView.as_view(), name="delete/knowledgebase-file"
    ),
]
