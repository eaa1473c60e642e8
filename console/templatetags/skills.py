"""Badges of skills, spaces and sessions: origin, state, progress."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.translation import gettext_lazy

from skills.catalogue.console_list import OF_BASE
from skills.values import LearningState, MessageState, SessionTaskState, SkillOrigin, SkillState

register = template.Library()
Look = tuple[Any, str, str]

ORIGINS: dict[str, Look] = {
    SkillOrigin.GENERATED: (gettext_lazy("Generated"), "violet", "sparkles"),
    SkillOrigin.UPLOADED: (gettext_lazy("Uploaded"), "accent", "upload"),
    OF_BASE: (gettext_lazy("Knowledge base"), "sky", "book-open"),
    SkillOrigin.LEARNED: (gettext_lazy("Learned"), "teal", "graduation-cap"),
    SkillOrigin.DEFAULT: (gettext_lazy("Default"), "plain", "boxes"),
}
STATES: dict[str, Look] = {
    SkillState.DRAFT: (gettext_lazy("Draft"), "dashed", "pencil"),
    SkillState.ACTIVE: (gettext_lazy("Active"), "ok", "circle-check"),
    SkillState.ARCHIVED: (gettext_lazy("Archived"), "muted", "archive"),
}
LEARNING: dict[str, Look] = {
    LearningState.PENDING: (gettext_lazy("Pending"), "dashed", "clock"),
    LearningState.DISTILLING: (gettext_lazy("Distilling"), "accent", "list-filter"),
    LearningState.QUEUED: (gettext_lazy("Queued"), "amber", "clock"),
    LearningState.SKILL_WRITING: (gettext_lazy("Writing skills"), "accent", "pencil"),
    LearningState.COMPLETED: (gettext_lazy("Completed"), "ok", "circle-check"),
    LearningState.FAILED: (gettext_lazy("Failed"), "bad", "circle-x"),
}
TASKS: dict[str, Look] = {
    SessionTaskState.PENDING: (gettext_lazy("Pending"), "dashed", "clock"),
    SessionTaskState.RUNNING: (gettext_lazy("Running"), "accent", "loader-circle"),
    SessionTaskState.SUCCESS: (gettext_lazy("Succeeded"), "ok", "circle-check"),
    SessionTaskState.FAILED: (gettext_lazy("Failed"), "bad", "circle-x"),
}
MESSAGES: dict[str, Look] = {
    MessageState.PENDING: (gettext_lazy("Waiting to be read"), "dashed", "clock"),
    MessageState.RUNNING: (gettext_lazy("Being read"), "accent", "loader-circle"),
    MessageState.SUCCESS: (gettext_lazy("Read"), "ok", "check"),
    MessageState.FAILED: (gettext_lazy("Not read"), "bad", "circle-x"),
    MessageState.DISABLE_TRACKING: (gettext_lazy("Not tracked"), "muted", "eye-off"),
    MessageState.LIMIT_EXCEED: (gettext_lazy("Over the limit"), "amber", "triangle-alert"),
}
SECTIONS: dict[str, Any] = {
    "procedure": gettext_lazy("Procedure"),
    "experience": gettext_lazy("Experience"),
    "preference": gettext_lazy("Preferences"),
    "examples": gettext_lazy("Examples"),
}


def _build_badge_context(looks: Mapping[str, Look], value: str) -> dict[str, Any]:
    """A word that a later release writes is shown as it is."""
    label, look, icon = looks.get(value, (value, "plain", "info"))
    return {"label": label, "look": look, "icon": icon}


@register.inclusion_tag("console/ui/badge.html")
def origin_badge(origin: str) -> dict[str, Any]:
    return _build_badge_context(ORIGINS, origin)


@register.inclusion_tag("console/ui/badge.html")
def skill_state(state: str) -> dict[str, Any]:
    return _build_badge_context(STATES, state)


@register.inclusion_tag("console/ui/badge.html")
def learning_badge(status: str) -> dict[str, Any]:
    return _build_badge_context(LEARNING, status)


@register.inclusion_tag("console/ui/badge.html")
def task_badge(status: str) -> dict[str, Any]:
    return _build_badge_context(TASKS, status)


@register.inclusion_tag("console/ui/badge.html")
def message_badge(state: str) -> dict[str, Any]:
    return _build_badge_context(MESSAGES, state)


@register.filter
def task_word(status: str) -> Any:
    return TASKS[status][0] if status in TASKS else status


@register.filter
def section_name(section: str) -> Any:
    return SECTIONS.get(section, section)


@register.filter
def as_json(value: Any) -> str:
    """Indented, as a person reads and edits it."""
    return json.dumps(value if value is not None else {}, indent=2, ensure_ascii=False)


@register.filter
def in_brief(value: Any) -> str:
    """The value on one line, for lists."""
    return json.dumps(value, ensure_ascii=False) if value else ""
