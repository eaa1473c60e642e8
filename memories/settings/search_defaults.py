"""Project settings of searches: the defaults of fields that a request leaves out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tenancy.errors import InvalidParameters
from tenancy.models import Project

SETTING = "search"
# Of each kind of memory in the answer to a search.
MOST_ITEMS = 25


@dataclass(frozen=True, slots=True)
class SearchDefaults:
    """Defaults of a project's searches; None is the contract's own default.

    `relativity`: the least, 0 to 1; the others are counts.
    """

    relativity: float | None = None
    facts: int | None = None
    preferences: int | None = None
    tools: int | None = None
    skills: int | None = None

    @classmethod
    def of(cls, project: Project) -> SearchDefaults:
        return cls(**project.get_settings(SETTING, cls.__slots__))

    def as_setting(self) -> dict[str, Any]:
        """The chosen values only. Raises `InvalidParameters` for what no request may ask for."""
        chosen = {name: value for name, value in asdict(self).items() if value is not None}
        for name, value in chosen.items():
            most = 1 if name == "relativity" else MOST_ITEMS
            if not 0 <= value <= most:
                raise InvalidParameters(f"{name}: 0 to {most}")
        return chosen
