"""Views of the console API: keys, usage and request logs of the project that the key belongs to."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import Any, TypeVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from tenancy.api.base import ContractView
from tenancy.api.console.answers import (
    build_detail_answer,
    build_entry_answer,
    build_key_answer,
    build_quota_answer,
    build_usage_rows,
)
from tenancy.api.console.serializers import CreateKeyBody, KeyQuery, LogQuery, UsageQuery
from tenancy.api.serializing import Contract
from tenancy.audit.log import mask_secrets
from tenancy.errors import InvalidParameters, NotFound
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.keys.child_keys import issue_by_key, list_keys, revoke_by_key
from tenancy.metering.quota import get_next_month
from tenancy.metering.usage import get_today, list_meter_standings, sum_usage
from tenancy.requests.read_log import (
    LogPlace,
    find_entry,
    get_settled_place,
    list_entries,
    list_entries_after,
)
from tenancy.requests.trace import trace_stage

LOGS = "console/logs"
Query = TypeVar("Query", bound=Contract)


class ConsoleView(ContractView):
    knows_repeats = False

    def read_query(self, serializer: type[Query]) -> Query:
        """The checked query parameters; an empty one is absent. Raises the catalogue's error of its first fault."""
        with trace_stage("validate"):
            sent = {name: value for name, value in self.request.query_params.items() if value}
            query = serializer(data=sent)
            for name in sent:
                if name not in query.fields:
                    raise InvalidParameters(f"{name[:100]}: there is no such parameter here")
                if "\0" in sent[name]:
                    raise InvalidParameters(f"{name}: holds a null character")
            query.is_valid(raise_exception=True)
        return query


class KeysView(ConsoleView):
    scope = "keys"

    def get(self, request: Request) -> Response:
        query = self.read_query(KeyQuery)
        keys = list_keys(self.project, with_ended=query.validated_data.get("include_ended", False))
        return self.answer({"keys": [build_key_answer(key, self.key) for key in keys]})

    def post(self, request: Request) -> Response:
        """Create a key, without Idempotency-Key: the stored answer would contain the key."""
        body = self.read(CreateKeyBody)
        new = issue_by_key(self.key, body.build_rules(), body.validated_data.get("expires_at"))
        return self.answer({"key": build_key_answer(new.key, self.key), "api_key": new.plaintext})

    def log(
        self, request: Request, status: int, answered: dict[str, Any], *, is_silent: bool = False
    ) -> None:
        super().log(request, status, mask_secrets(answered), is_silent=is_silent)


class OneKeyView(ConsoleView):
    scope = "keys"

    def delete(self, request: Request, key_id: str) -> Response:
        revoke_by_key(self.key, _parse_path_id(key_id))
        return self.answer({"success": True})


class UsageView(ConsoleView):
    scope = "usage"

    def get(self, request: Request) -> Response:
        query = self.read_query(UsageQuery)
        account, wanted, groupings = (
            self.project.account,
            query.build_filter(self.project),
            query.list_groupings(),
        )
        with tenant_scope(Scope.of_account(account)):
            sums = sum_usage(account, wanted, groupings)
            standings = list_meter_standings(account)
        return self.answer(
            {
                "first_day": wanted.first.isoformat(),
                "last_day": wanted.last.isoformat(),
                "rows": build_usage_rows(sums, groupings),
                "quotas": [build_quota_answer(standing) for standing in standings],
                "resets_at": datetime.combine(get_next_month(get_today()), time(), UTC).isoformat(),
            }
        )


class LogView(ConsoleView):
    scope = "logs"

    def log(
        self, request: Request, status: int, answered: dict[str, Any], *, is_silent: bool = False
    ) -> None:
        """Log a successful call without texts and subjects: those of a log row must not outlive it in another row."""
        super().log(request, status, answered, is_silent=is_silent or status < 400)


class LogsView(LogView):
    def get(self, request: Request) -> Response:
        query = self.read_query(LogQuery)
        wanted, limit, after = query.build_filter(LOGS), query.limit_or_default, query.place("after")
        with tenant_scope(self.project):
            if after is not None:
                page = list_entries_after(self.project, wanted, after, limit)
                next_cursor = None
                latest = LogPlace.of(page.entries[-1]) if page.entries else after
            else:
                # Of before the reading: what is logged meanwhile is to come later.
                latest = get_settled_place()
                page = list_entries(self.project, wanted, query.place("cursor"), limit)
                next_cursor = None if page.is_last else LogPlace.of(page.entries[-1])
            entries = [build_entry_answer(entry) for entry in page.entries]
        return self.answer(
            {"entries": entries, "next_cursor": next_cursor and str(next_cursor), "after": str(latest)}
        )


class OneLogView(LogView):
    def get(self, request: Request, request_id: str) -> Response:
        if "\0" in request_id:
            raise NotFound("request_id")
        with tenant_scope(self.project):
            return self.answer(build_detail_answer(find_entry(self.project, request_id)))


def _parse_path_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound("key_id") from None
