"""Project settings of the trash: for how long, and whether deletions by programs go there too."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tenancy.errors import InvalidParameters
from tenancy.models import Project

SETTING = "trash"
LONGEST_DAYS = 30


@dataclass(frozen=True, slots=True)
class TrashPolicies:
    """`days` is 0 where nothing is kept. A program that deletes means it, unless the project says otherwise."""

    days: int = 7
    from_api: bool = False

    @classmethod
    def of(cls, project: Project) -> TrashPolicies:
        return cls(**project.get_settings(SETTING, cls.__slots__))

    def as_setting(self) -> dict[str, Any]:
        """Raises `InvalidParameters` for days that the trash does not have."""
        if not 0 <= self.days <= LONGEST_DAYS:
            raise InvalidParameters(f"days: 0 to {LONGEST_DAYS}")
        return asdict(self)
