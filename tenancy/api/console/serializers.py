"""Bodies and query parameters of the console API."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from tenancy.api.serializing import ChangingContract, Contract, FieldRefused, Flag, Json, Text, WholeNumber
from tenancy.errors import EmptyList, InvalidParameters
from tenancy.keys.changes import KeyRules
from tenancy.keys.restrictions import MOST_RANGES, clean_networks
from tenancy.keys.scopes import SCOPES
from tenancy.metering.quota import get_first_of_month
from tenancy.metering.usage import Grouping, UsageFilter, get_today
from tenancy.models import Project
from tenancy.requests.read_log import OUTCOMES, LogFilter, LogPlace

GROUPINGS = (Grouping.METER, Grouping.DAY, Grouping.KEY)
GRANTABLE = tuple(scope for scope in SCOPES if scope != "keys")
LONGEST_DAYS = 366
MOST_ENTRIES = 200


class OneOf(Text):
    """One of a few words."""

    def __init__(self, words: Sequence[str], **options: Any) -> None:
        self.words = tuple(map(str, words))
        super().__init__(**options)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words)}

    def to_internal_value(self, data: Any) -> str:
        if super().to_internal_value(data) not in self.words:
            raise FieldRefused(InvalidParameters, f"use one of {', '.join(self.words)}")
        return str(data)


class Words(Json):
    """A list of strings; of the given ones where there are any."""

    def __init__(self, *, words: Sequence[str] = (), most: int, holds: bool = False, **options: Any) -> None:
        self.words, self.most, self.holds = tuple(words), most, holds
        self.refusals = (*type(self).refusals, *((EmptyList,) if holds else ()))
        super().__init__(types=(list,), wanted="a list of strings", **options)

    def json_schema(self) -> dict[str, Any]:
        item: dict[str, Any] = {"enum": list(self.words)} if self.words else {"minLength": 1}
        least = {"minItems": 1} if self.holds else {}
        return {"type": "array", "items": {"type": "string", **item}, **least, "maxItems": self.most}

    def to_internal_value(self, data: Any) -> tuple[str, ...]:
        items = super().to_internal_value(data)
        if self.holds and not items:
            raise FieldRefused(EmptyList)
        if len(items) > self.most:
            raise FieldRefused(InvalidParameters, f"at most {self.most} items")
        if not all(isinstance(item, str) and item.strip() for item in items):
            raise FieldRefused(InvalidParameters, "must be a list of strings")
        if self.words and not set(items) <= set(self.words):
            raise FieldRefused(InvalidParameters, f"use some of {', '.join(self.words)}")
        return tuple(dict.fromkeys(items))


class ZonedTime(Text):
    """A time with a zone, as ISO 8601."""

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}

    def to_internal_value(self, data: Any) -> datetime:  # type: ignore[override]
        try:
            read = datetime.fromisoformat(super().to_internal_value(data))
        except ValueError:
            read = None
        if read is None or timezone.is_naive(read):
            raise FieldRefused(InvalidParameters, "must be a time like 2026-01-31T12:00:00Z")
        return _convert_to_utc(read)


def _convert_to_utc(read: datetime) -> datetime:
    try:
        return read.astimezone(UTC)
    except OverflowError:
        raise FieldRefused(InvalidParameters, "must be a time of the calendar") from None


class Day(Text):
    """A day (UTC), as ISO 8601."""

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date"}

    def to_internal_value(self, data: Any) -> date:  # type: ignore[override]
        try:
            return date.fromisoformat(super().to_internal_value(data))
        except ValueError:
            raise FieldRefused(InvalidParameters, "must be a day like 2026-01-31") from None


class KeyId(Text):
    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "uuid"}

    def to_internal_value(self, data: Any) -> UUID:  # type: ignore[override]
        try:
            return UUID(super().to_internal_value(data))
        except ValueError:
            raise FieldRefused(InvalidParameters, "must be a UUID") from None


class QueryFlag(Flag):
    """A flag of a query, where everything is text."""

    def to_internal_value(self, data: Any) -> bool:
        return super().to_internal_value({"true": True, "false": False}.get(data, data))


class CreateKeyBody(ChangingContract):
    name = Text(most=60, help_text="Where it will be used.")
    scopes = Words(words=GRANTABLE, most=len(GRANTABLE), holds=True, help_text="What it may do.")
    expires_at = ZonedTime(required=False, help_text="When it ends; as late as this key where it is absent.")
    ranges = Words(most=MOST_RANGES, required=False, help_text="Networks it may be used from, as CIDR.")
    daily_cap = WholeNumber(least=1, most=1_000_000_000, required=False, help_text="Calls a day (UTC).")

    def validate_expires_at(self, value: datetime) -> datetime:
        if value <= timezone.now():
            raise FieldRefused(InvalidParameters, "must be in the future")
        return value

    def validate_ranges(self, value: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(clean_networks(list(value)))
        except InvalidParameters as refusal:
            raise FieldRefused(InvalidParameters, refusal.detail) from None

    def build_rules(self) -> KeyRules:
        sent = self.validated_data
        return KeyRules(sent["name"].strip(), sent["scopes"], sent.get("ranges", ()), sent.get("daily_cap"))


class KeyQuery(Contract):
    include_ended = QueryFlag(required=False)


class UsageQuery(Contract):
    first_day = Day(required=False)
    last_day = Day(required=False)
    group_by = OneOf(GROUPINGS, required=False)
    key_id = KeyId(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        last = attrs.setdefault("last_day", get_today())
        first = attrs.setdefault("first_day", get_first_of_month(last))
        if not timedelta(0) <= last - first < timedelta(days=LONGEST_DAYS):
            raise FieldRefused(
                InvalidParameters, f"first_day to last_day are 1 to {LONGEST_DAYS} days, in this order"
            )
        return attrs

    def build_filter(self, project: Project) -> UsageFilter:
        sent = self.validated_data
        return UsageFilter(
            sent["first_day"], sent["last_day"], project=project.pk, key=sent.get("key_id"), with_tokens=True
        )

    def list_groupings(self) -> list[Grouping]:
        by = Grouping(self.validated_data.get("group_by", Grouping.METER))
        return [by] if by == Grouping.METER else [by, Grouping.METER]


class LogQuery(Contract):
    endpoint = Text(most=60, required=False)
    outcome = OneOf(tuple(OUTCOMES), required=False)
    user_id = Text(most=100, required=False)
    agent_id = Text(most=100, required=False)
    since = ZonedTime(required=False)
    until = ZonedTime(required=False)
    limit = WholeNumber(least=1, most=MOST_ENTRIES, required=False)
    cursor = Text(most=100, required=False)
    after = Text(most=100, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "cursor" in attrs and "after" in attrs:
            raise FieldRefused(InvalidParameters, "cursor goes back, after goes on: send one of them")
        return attrs

    def build_filter(self, own_endpoint: str) -> LogFilter:
        """Calls that read the log are left out, unless they are asked for: who follows it would only see themselves."""
        sent = self.validated_data
        named = {name: sent[name] for name in sent if name not in {"limit", "cursor", "after"}}
        return LogFilter(**named, hidden=() if sent.get("endpoint") else (own_endpoint,))

    @property
    def limit_or_default(self) -> int:
        return int(self.validated_data.get("limit", 50))

    def place(self, name: str) -> LogPlace | None:
        text = self.validated_data.get(name)
        return LogPlace.read(text, name) if text else None
