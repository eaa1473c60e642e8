"""Project settings for the retention of request logs and messages."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from tenancy.errors import InvalidParameters
from tenancy.models import Project

SETTING = "retention"
# Every plan keeps request logs so long; a project may keep its own for less.
LONGEST_LOG_DAYS = 30
# Messages that work has still to read are kept until it is done, however late.
SHORTEST_MESSAGE_DAYS, LONGEST_MESSAGE_DAYS = 7, 3_650


@dataclass(frozen=True, slots=True)
class RetentionPolicies:
    """Retention in days; `message_days` 0 keeps messages permanently."""

    request_log_days: int = LONGEST_LOG_DAYS
    message_days: int = 0

    @classmethod
    def of(cls, project: Project) -> RetentionPolicies:
        stored = project.get_settings(SETTING, cls.__slots__)
        return cls(**{name: int(days) for name, days in stored.items()})

    def as_setting(self) -> dict[str, int]:
        """Raises `InvalidParameters` for days that are out of bounds."""
        if not 1 <= self.request_log_days <= LONGEST_LOG_DAYS:
            raise InvalidParameters(f"request_log_days: 1 to {LONGEST_LOG_DAYS}")
        if self.message_days and not SHORTEST_MESSAGE_DAYS <= self.message_days <= LONGEST_MESSAGE_DAYS:
            allowed = f"{SHORTEST_MESSAGE_DAYS} to {LONGEST_MESSAGE_DAYS}"
            raise InvalidParameters(f"message_days: 0, or {allowed}")
        return asdict(self)

    def get_message_cutoff(self, now: datetime) -> datetime | None:
        return now - timedelta(days=self.message_days) if self.message_days else None
