"""Project settings for automatic skills."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tenancy.models import Project

SECTION = "skills"


@dataclass(frozen=True, slots=True)
class SkillPolicies:
    """`generate`: skills are generated from conversations. `approval`: they are drafts until a member approves them."""

    generate: bool = True
    approval: bool = False

    @classmethod
    def of(cls, project: Project) -> SkillPolicies:
        stored = project.settings.get(SECTION, {})
        return cls(**{name: stored[name] for name in cls.__slots__ if isinstance(stored.get(name), bool)})

    def as_setting(self) -> dict[str, Any]:
        return asdict(self)
