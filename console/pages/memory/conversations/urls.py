"""Addresses below a project's `conversations/`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from console.pages.memory.conversations import (
    conversation,
    conversations,
    download,
    feedback,
    reextraction,
    removal,
)

conversation_pages: list[URLPattern | URLResolver] = [
    path("", conversations.conversations, name="conversations"),
    path("<uuid:conversation_id>/", conversation.conversation, name="conversation"),
    path("<uuid:conversation_id>/download/", download.conversation_download, name="conversation_download"),
    path("<uuid:conversation_id>/feedback/", feedback.conversation_feedback, name="conversation_feedback"),
    path(
        "<uuid:conversation_id>/reextract/",
        reextraction.conversation_reextract,
        name="conversation_reextract",
    ),
    path(
        "<uuid:conversation_id>/memories/delete/",
        removal.conversation_memories_delete,
        name="conversation_memories_delete",
    ),
]
