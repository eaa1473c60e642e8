"""Save, test and delete a project's own model provider."""

from __future__ import annotations

import time
from dataclasses import dataclass

import httpx
from django.db import transaction

from memories.engine import provider_choice
from memories.engine.answering import CUT_SHORT
from memories.engine.client.chat import ChatModel, ModelRequest
from memories.engine.client.guarded_transport import is_secure
from memories.engine.client.http_json import Deadline, Provider
from memories.engine.metering import metering_usage
from memories.engine.protocols import AnswerUseless, ProviderRefused, ProviderUnavailable
from tenancy.errors import InvalidParameters, NotFound
from tenancy.isolation.scoping import Scope
from tenancy.models import Project, User
from tenancy.projects import model_providers
from tenancy.projects.model_providers import ProviderInput
from tenancy.runtime.address_guard import parse_target

PURPOSE = "trial"
TRIAL_SECONDS = 10.0
TRIAL_TOKENS = 16
QUESTION = "Reply with one word: ready"


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a test question. `trouble` is the reason of a failure, in the words of memories and traces."""

    model: str
    milliseconds: float
    prompt_tokens: int = 0
    completion_tokens: int = 0
    trouble: str = ""


def save_own_model(project: Project, wanted: ProviderInput, actor: User) -> None:
    """Save the project's own model provider, which its work uses from the commit on. Raises `InvalidParameters`."""
    target = _parse_provider_target(wanted.base_url)
    if not is_secure(*target):
        raise InvalidParameters("base_url: https is needed, or the key would travel in the clear")
    _refuse_key(wanted.key or "")
    model_providers.save_provider(project, wanted, actor)
    transaction.on_commit(lambda: provider_choice.drop_cached_choice(project.pk))


def delete_own_model(project: Project, actor: User) -> bool:
    is_dropped = model_providers.delete_provider(project, actor)
    transaction.on_commit(lambda: provider_choice.drop_cached_choice(project.pk))
    return is_dropped


def try_own_model(project: Project) -> Trial:
    """Ask the saved provider one small question, outside of transactions. Its tokens are counted like all others.

    Raises `NotFound` for a project without a provider of its own.
    """
    provider_choice.drop_cached_choice(project.pk)
    began = time.monotonic()
    with metering_usage(Scope.of_project(project)) as spent:
        choice = provider_choice.choose_provider()
        if not choice.owner:
            raise NotFound("this project has no model provider of its own")
        trouble = _ask_model(choice)
    milliseconds = (time.monotonic() - began) * 1000
    prompt = sum(usage.prompt_tokens for usage in spent)
    return Trial(choice.model, milliseconds, prompt, sum(usage.completion_tokens for usage in spent), trouble)


def _ask_model(choice: provider_choice.ProviderChoice) -> str:
    provider = Provider(choice.base_url, choice.api_key, choice.owner)
    model = ChatModel(provider, choice.model, TRIAL_TOKENS, attempts=1)
    question = ModelRequest(PURPOSE, [{"role": "user", "content": QUESTION}])
    try:
        model.ask(question, Deadline.after(TRIAL_SECONDS))
    except AnswerUseless as error:
        # Models that think first have no words left of so few tokens: they are there, and that was the question.
        return "" if str(error) == CUT_SHORT else str(error)
    except (ProviderRefused, ProviderUnavailable) as error:
        return str(error)
    return ""


def _parse_provider_target(base_url: str) -> tuple[str, str, int]:
    try:
        target = parse_target(base_url)
        # The client that will ask has an opinion of its own on what an address is.
        httpx.Request("POST", base_url)
    except (InvalidParameters, httpx.InvalidURL, UnicodeError):
        raise InvalidParameters("base_url: an address like https://api.example.com/v1") from None
    if "?" in base_url or "#" in base_url:
        raise InvalidParameters("base_url: without a query")
    return target.scheme, target.host, target.port


def _refuse_key(key: str) -> None:
    """Keys are often pasted as a page shows them, with dots in the place of most of it."""
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InvalidParameters("key: letters, digits and signs of ASCII, without spaces; copy the whole key")
