"""Choose the model provider of the present work: the project's own, or the installation's.

The engines are asked deep inside of what is done, so whom it is done for is known to the context, as it is where tokens
are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings

from tenancy.isolation.scoping import Scope
from tenancy.runtime.ttl_cache import LockedTTLCache

if TYPE_CHECKING:
    from tenancy.projects import model_providers

# How long a process goes on with what it read; what a member changes here holds at once.
KEPT_SECONDS = 5.0
MOST_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class ProviderChoice:
    """A server with `/chat/completions` and the names of its models; without an address there is none.

    `owner` is the project that brought it along, "" for the installation's. The bounds are the installation's always.
    """

    base_url: str
    api_key: str = field(repr=False)
    model: str
    chat_models: tuple[str, ...]
    vision_model: str
    owner: str
    seconds: int
    input_tokens: int
    output_tokens: int
    chat_tokens: int


_working_for: ContextVar[Scope | None] = ContextVar("working_for", default=None)


@contextmanager
def working_for(scope: Scope) -> Iterator[None]:
    """Use the model provider of this project in the block."""
    token = _working_for.set(scope)
    try:
        yield
    finally:
        _working_for.reset(token)


def choose_provider() -> ProviderChoice:
    scope = _working_for.get()
    own = _open_provider(scope) if scope is not None and scope.project is not None else None
    return _build_own_choice(own, str(scope.project)) if own and scope else _get_installed_choice()


def has_own_provider(scope: Scope) -> bool:
    """True where the project of the scope has a model provider of its own."""
    return scope.project is not None and _open_provider(scope) is not None


def drop_cached_choice(project: UUID) -> None:
    """Forget which provider a project uses, after it was changed."""
    _kept.pop(project)


def _get_installed_choice() -> ProviderChoice:
    llm: dict[str, Any] = settings.LLM
    return ProviderChoice(
        base_url=llm["BASE_URL"],
        api_key=llm["API_KEY"],
        model=llm["MODEL"],
        chat_models=tuple(llm["CHAT_MODELS"]),
        vision_model=llm["VISION_MODEL"],
        owner="",
        **_get_bounds(),
    )


def _build_own_choice(provider: model_providers.ProviderAccess, owner: str) -> ProviderChoice:
    return ProviderChoice(
        base_url=provider.base_url,
        api_key=provider.api_key,
        model=provider.model,
        chat_models=provider.chat_models,
        vision_model=provider.vision_model,
        owner=owner,
        **_get_bounds(),
    )


def _get_bounds() -> dict[str, int]:
    return {
        name.lower(): settings.LLM[name]
        for name in ("SECONDS", "INPUT_TOKENS", "OUTPUT_TOKENS", "CHAT_TOKENS")
    }


def _open_provider(scope: Scope) -> model_providers.ProviderAccess | None:
    """The provider of the project; what this process found lately, also that there is none, is believed."""
    assert scope.project is not None  # noqa: S101  # asked for a project only
    # It needs Django's tables, which programs that only read by rules do not have.
    from tenancy.projects.model_providers import open_provider

    return _kept.get_or_make(scope.project, lambda: open_provider(scope))


_kept = LockedTTLCache[UUID, "model_providers.ProviderAccess | None"](MOST_KEPT, KEPT_SECONDS)
