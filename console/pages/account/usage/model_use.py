"""Tokens that language models read and wrote for an account, by purpose."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tenancy.metering.model_usage import sum_model_usage
from tenancy.metering.usage import UsageFilter
from tenancy.models import Account

# By what calls of models are counted under.
PURPOSES: dict[str, Promise] = {
    "extraction": _("Extracting memories"),
    "rewriting": _("Rewriting search queries"),
    "reranking": _("Reranking search results"),
    "chat": _("Chat answers"),
    "describe": _("Describing images"),
    "skills": _("Generating skills"),
    "observation": _("Finding tasks in sessions"),
    "distillation": _("Learning from sessions"),
    "trial": _("Testing a provider"),
}


@dataclass(frozen=True, slots=True)
class ModelRow:
    purpose: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class ModelRows:
    """`estimated_calls` are those of all rows whose tokens the provider did not report."""

    rows: list[ModelRow]
    estimated_calls: int


def load_model_use(account: Account, wanted: UsageFilter) -> ModelRows:
    """Load the model usage in the chosen time and project; it is counted by project only."""
    uses = sum_model_usage(account, wanted.first, wanted.last, wanted.project)
    return ModelRows(
        [
            ModelRow(
                str(PURPOSES.get(use.purpose, use.purpose)),
                use.model,
                use.calls,
                use.prompt_tokens,
                use.completion_tokens,
            )
            for use in uses
        ],
        sum(use.estimated_calls for use in uses),
    )
