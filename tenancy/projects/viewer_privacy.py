"""The project setting that hides texts from viewers: they see metadata only."""

from __future__ import annotations

from typing import Any

from tenancy.models import Project, Role

SETTING = "privacy"


def as_setting(*, metadata_only: bool) -> dict[str, Any]:
    return {"viewers_see_metadata_only": metadata_only}


def is_private(project: Project) -> bool:
    return bool(project.settings.get(SETTING, {}).get("viewers_see_metadata_only", False))


def hides_words_from(role: str, project: Project | None) -> bool:
    return role == Role.VIEWER and project is not None and is_private(project)
