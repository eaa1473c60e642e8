"""A project's own model provider: save, read, delete. Its key is never shown again."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from tenancy.audit.log import record_event
from tenancy.errors import InvalidParameters
from tenancy.isolation.encryption import (
    DecryptionFailed,
    EncryptedSecret,
    EncryptionUnavailable,
    decrypt,
    encrypt,
    is_newest_key,
)
from tenancy.isolation.scoping import Scope, get_active_scope, tenant_scope
from tenancy.models import Account, Project, User
from tenancy.models.provider import ModelProvider
from tenancy.signals import search_changed

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProviderInput:
    """Input of a member. `key` is None to keep the stored one, "" for a server without a key."""

    base_url: str
    model: str
    chat_models: tuple[str, ...] = ()
    vision_model: str = ""
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ProviderAccess:
    """A provider with its decrypted key."""

    base_url: str
    api_key: str = field(repr=False)
    model: str
    chat_models: tuple[str, ...]
    vision_model: str


@dataclass(slots=True)
class ReencryptionResult:
    """Number of keys that were encrypted again, and the projects whose key cannot be decrypted any more."""

    done: int = 0
    lost: list[UUID] = field(default_factory=list)


def find_provider(project: Project) -> ModelProvider | None:
    """The project's provider; inside its scope."""
    provider: ModelProvider | None = ModelProvider.objects.within(project).first()
    return provider


def open_provider(scope: Scope) -> ProviderAccess | None:
    """With its key; none where the project has no provider. A key that cannot be opened is left out, and the provider
    will refuse."""
    whole = Scope(scope.account, None)
    with tenant_scope(whole if get_active_scope() == whole else scope):
        provider = ModelProvider.objects.within(scope.project).first() if scope.project else None
    if provider is None:
        return None
    return ProviderAccess(
        provider.base_url,
        _decrypt_key(provider),
        provider.model,
        tuple(provider.chat_models),
        provider.vision_model,
    )


def save_provider(project: Project, wanted: ProviderInput, actor: User) -> None:
    """Raises `InvalidParameters` when a key is to go to another server than it was entered for, or cannot be kept."""
    with tenant_scope(project):
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        provider = find_provider(project)
        before = _build_audit_detail(provider)
        row = provider or ModelProvider(account_id=project.account_id, project=project)
        _set_key(row, wanted)
        row.base_url, row.model = wanted.base_url, wanted.model
        row.chat_models, row.vision_model = list(wanted.chat_models), wanted.vision_model
        row.updated_at = timezone.now()
        row.save()
        detail = {"before": before, "after": _build_audit_detail(row), "is_new_key": wanted.key is not None}
        record_event(project.account, actor, "provider.kept", row, project=project, detail=detail)
        search_changed.send(None, project=project)


def delete_provider(project: Project, actor: User) -> bool:
    """Delete the provider, so that the installation's engines are used. False when there is none."""
    with tenant_scope(project):
        provider = find_provider(project)
        if provider is None:
            return False
        detail = {"before": _build_audit_detail(provider), "after": {}}
        record_event(project.account, actor, "provider.forgotten", provider, project=project, detail=detail)
        provider.delete()
        search_changed.send(None, project=project)
    return True


def reencrypt_keys(account: Account) -> ReencryptionResult:
    """Encrypt the account's keys with the newest key of the installation; undecryptable ones stay."""
    result = ReencryptionResult()
    with tenant_scope(account), transaction.atomic():
        rows = ModelProvider.objects.within(account.projects.all()).select_for_update()
        for row in rows.exclude(encrypted_key=None):
            if is_newest_key(_get_encrypted_key(row)):
                continue
            try:
                _reencrypt_key(row)
            except DecryptionFailed:
                result.lost.append(row.project_id)
            else:
                result.done += 1
    return result


def _reencrypt_key(row: ModelProvider) -> None:
    """Raises `DecryptionFailed`."""
    row.key_id, row.encrypted_key = _get_key_columns(
        encrypt(decrypt(_get_encrypted_key(row), _get_encryption_context(row)), _get_encryption_context(row))
    )
    row.save(update_fields=["key_id", "encrypted_key"])


def _set_key(row: ModelProvider, wanted: ProviderInput) -> None:
    if wanted.key is None:
        if row.encrypted_key is None:
            raise InvalidParameters("key: enter it, or say that the server asks for none")
        # Otherwise a member who may change the address could have the key sent to their own server.
        if _split_base_url(row.base_url) != _split_base_url(wanted.base_url):
            raise InvalidParameters("key: enter it again, because the address is another server's")
        return
    if not wanted.key:
        row.encrypted_key, row.key_id, row.last_four = None, "", ""
        return
    try:
        row.key_id, row.encrypted_key = _get_key_columns(encrypt(wanted.key, _get_encryption_context(row)))
    except EncryptionUnavailable:
        raise InvalidParameters(
            "key: this installation cannot keep keys",
            cure="Ask its operator to set ENCRYPTION_KEYS.",
        ) from None
    # Of a short key they would be a good part of it.
    row.last_four = wanted.key[-4:] if len(wanted.key) >= 12 else ""


def _split_base_url(base_url: str) -> tuple[str, str]:
    parts = urlsplit(base_url)
    return parts.scheme, parts.netloc.lower()


def _decrypt_key(row: ModelProvider) -> str:
    if row.encrypted_key is None:
        return ""
    try:
        return decrypt(_get_encrypted_key(row), _get_encryption_context(row))
    except DecryptionFailed:
        log.error("provider_key_not_opened", extra={"project": str(row.project_id)})
        return ""


def _get_encrypted_key(row: ModelProvider) -> EncryptedSecret:
    return EncryptedSecret(row.key_id, bytes(row.encrypted_key or b""))


def _get_key_columns(encrypted: EncryptedSecret) -> tuple[str, bytes]:
    return encrypted.key_id, encrypted.content


def _get_encryption_context(row: ModelProvider) -> str:
    """The place an encrypted key is bound to: copied to another project's row it cannot be decrypted."""
    return f"model provider of {row.project_id}"


def _build_audit_detail(row: ModelProvider | None) -> dict[str, object]:
    """Describe a provider for the audit log, without its key."""
    if row is None:
        return {}
    return {
        "base_url": row.base_url,
        "model": row.model,
        "chat_models": list(row.chat_models),
        "vision_model": row.vision_model,
        "has_key": row.encrypted_key is not None,
    }
