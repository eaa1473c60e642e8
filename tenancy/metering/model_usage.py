"""Tokens that language models read and wrote, per account, day, purpose and model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db import connection
from django.db.models import F, Sum

from tenancy.ids import uuid7
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, ModelUsage
from tenancy.runtime.background_writer import BackgroundWriter, log_database_errors

_COUNT = """
INSERT INTO tenancy_modelusage AS known (id, account_id, project_id, day, purpose, model,
                                         calls, estimated_calls, prompt_tokens, completion_tokens)
VALUES (%s, %s, %s, (now() AT TIME ZONE 'UTC')::date, %s, %s, 1, %s, %s, %s)
ON CONFLICT (project_id, day, purpose, model) DO UPDATE SET
    calls = known.calls + 1,
    estimated_calls = known.estimated_calls + excluded.estimated_calls,
    prompt_tokens = known.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = known.completion_tokens + excluded.completion_tokens
"""


@dataclass(frozen=True, slots=True)
class Spent:
    """Token usage of one model response, estimated where the provider does not report it. `cached_tokens` are those of
    the prompt that the provider had cached; None where it does not say."""

    purpose: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    is_estimated: bool = False
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ModelUse:
    """Usage of one model for one purpose; `estimated_calls` are those of `calls` whose tokens the provider did not
    report."""

    purpose: str
    model: str
    calls: int
    estimated_calls: int
    prompt_tokens: int
    completion_tokens: int


def record_model_usage(scope: Scope, spent: Iterable[Spent]) -> None:
    """Add usage to the day's rows of the project, in the caller's transaction if there is one."""
    # In one order everywhere, so that two who count at once do not wait for each other.
    ordered = sorted(spent, key=lambda usage: (usage.purpose, usage.model))
    if not ordered:
        return
    with tenant_scope(scope), connection.cursor() as cursor:
        for usage in ordered:
            tokens = [int(usage.is_estimated), usage.prompt_tokens, usage.completion_tokens]
            key = [uuid7(), scope.account, scope.project, usage.purpose[:20], usage.model[:120]]
            cursor.execute(_COUNT, [*key, *tokens])


def record_model_usage_later(scope: Scope, spent: Iterable[Spent]) -> None:
    """Add usage in the background."""
    for usage in spent:
        _waiting.put((scope, usage))


def sum_model_usage(
    account: Account, since: date, until: date, project: UUID | None = None, limit: int = 100
) -> list[ModelUse]:
    """Usage between two days (UTC, inclusive) by purpose and model, the most tokens first; of one of the account's
    projects, or of all. Inside the account's scope."""
    projects = account.projects.filter(pk=project) if project else account.projects.all()
    figures = ("calls", "estimated_calls", "prompt_tokens", "completion_tokens")
    rows = ModelUsage.objects.within(projects).filter(day__range=(since, until))
    sums = (
        rows.order_by()
        .values("purpose", "model")
        .annotate(**{f"all_{figure}": Sum(figure) for figure in figures})
    )
    ordered = sums.order_by(-(F("all_prompt_tokens") + F("all_completion_tokens")), "purpose", "model")
    return [
        ModelUse(*row)
        for row in ordered.values_list("purpose", "model", *(f"all_{figure}" for figure in figures))[:limit]
    ]


def _store_usage(waiting: list[tuple[Scope, Spent]]) -> None:
    by_scope: dict[Scope, list[Spent]] = {}
    for scope, usage in waiting:
        by_scope.setdefault(scope, []).append(usage)
    for scope, spent in by_scope.items():
        with log_database_errors("model_usage", len(spent)):
            record_model_usage(scope, spent)


_waiting: BackgroundWriter[tuple[Scope, Spent]] = BackgroundWriter(
    "model_usage", _store_usage, owner_of=lambda item: item[0].account
)
