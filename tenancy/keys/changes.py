"""Create, change, rotate, revoke and replace API keys of a project.

Each is one entry of the log, and owners are mailed where there is a new secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from tenancy.audit.log import record_event
from tenancy.errors import InvalidParameters
from tenancy.keys.keys import NewKey, build_secret_columns, clear_key_cache, create_key, generate_key
from tenancy.keys.lifetime import is_rotating
from tenancy.keys.notifications import notify_owners_of_key
from tenancy.models import ApiKey, Project, User
from tenancy.models.key_mail import KeyNews


@dataclass(frozen=True, slots=True)
class KeyRules:
    """The settings of a key that can change without a new secret."""

    name: str
    scopes: tuple[str, ...]
    ranges: tuple[str, ...] = ()
    daily_cap: int | None = None

    @classmethod
    def of(cls, key: ApiKey) -> KeyRules:
        return cls(key.name, tuple(key.scopes), tuple(key.ranges), key.daily_cap)

    def as_detail(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "scopes": list(self.scopes),
            "ranges": list(self.ranges),
            "daily_cap": self.daily_cap,
        }


@transaction.atomic
def issue_key(
    project: Project,
    rules: KeyRules,
    actor: User | None,
    expires_at: datetime | None = None,
    *,
    made_with: ApiKey | None = None,
) -> NewKey:
    """One that somebody asks for, unlike the first, which comes with the project; without an actor it is a program with
    a key. Raises `InvalidParameters` when the plan allows no more."""
    new = create_key(
        project,
        rules.name,
        created_by=actor,
        scopes=rules.scopes,
        expires_at=expires_at,
        ranges=rules.ranges,
        daily_cap=rules.daily_cap,
        made_with=made_with,
    )
    record_event(
        project.account, actor, "key.created", new.key, project=project, detail={"after": rules.as_detail()}
    )
    notify_owners_of_key(new.key, KeyNews.CREATED, actor)
    return new


@transaction.atomic
def change_key(key: ApiKey, rules: KeyRules, actor: User) -> None:
    current = _lock_key(key)
    before = KeyRules.of(current)
    if before == rules:
        return
    current.name, current.daily_cap = rules.name, rules.daily_cap
    current.scopes, current.ranges = list(rules.scopes), list(rules.ranges)
    current.save(update_fields=["name", "scopes", "ranges", "daily_cap"])
    _record_key_change(current, actor, "key.changed", before=before.as_detail(), after=rules.as_detail())


_OF_SECRETS = "digest public_id last_four pepper_id old_digest old_until old_pepper_id".split()


@transaction.atomic
def rotate_key(key: ApiKey, overlap: timedelta, actor: User) -> NewKey:
    """Give the key a new secret; the previous one works for `overlap` longer, the one before that stops."""
    current = _lock_key(key)
    plaintext = generate_key()
    current.old_digest, current.old_until = current.digest, timezone.now() + overlap
    current.old_pepper_id = current.pepper_id
    for name, value in build_secret_columns(plaintext).items():
        setattr(current, name, value)
    current.save(update_fields=_OF_SECRETS)
    _record_key_change(current, actor, "key.rotated", overlap_seconds=int(overlap.total_seconds()))
    notify_owners_of_key(current, KeyNews.ROTATED, actor)
    return NewKey(current, plaintext)


@transaction.atomic
def end_overlap(key: ApiKey, actor: User) -> None:
    """Stop accepting the previous secret now."""
    current = _lock_key(key)
    if not is_rotating(current):
        raise InvalidParameters("only one secret of this key works already")
    current.old_until = timezone.now()
    current.save(update_fields=["old_until"])
    _record_key_change(current, actor, "key.rotation_ended")


@transaction.atomic
def replace_leaked(key: ApiKey, actor: User) -> NewKey:
    """Revoke the key with all its secrets and create a successor with the same permissions, in one step.

    Keys that were made with it are revoked too: the thief may have made them.
    """
    current = _lock_key(key)
    current.revoked_at = timezone.now()
    current.save(update_fields=["revoked_at"])
    _revoke_made_keys(current, actor)
    rules = KeyRules.of(current)
    successor = create_key(
        current.project,
        current.name,
        created_by=actor,
        scopes=rules.scopes,
        expires_at=current.expires_at,
        ranges=rules.ranges,
        daily_cap=rules.daily_cap,
        made_with=current.made_with,
    )
    _record_key_change(current, actor, "key.leaked", successor=str(successor.key.pk))
    notify_owners_of_key(successor.key, KeyNews.CREATED, actor)
    return successor


def list_live_made_keys(maker: ApiKey) -> QuerySet[ApiKey]:
    """Keys that programs made with this key, without those that were revoked."""
    return maker.made_keys.filter(revoked_at=None)


def _revoke_made_keys(maker: ApiKey, actor: User) -> None:
    for key in list_live_made_keys(maker).select_for_update(of=("self",)).select_related("project__account"):
        key.revoked_at = maker.revoked_at
        key.save(update_fields=["revoked_at"])
        _record_key_change(key, actor, "key.revoked", made_with=str(maker.pk))


@transaction.atomic
def revoke_all(project: Project, actor: User) -> int:
    """Revoke every key of the project; returns how many."""
    revoked = project.api_keys.filter(revoked_at=None).update(revoked_at=timezone.now())
    record_event(
        project.account, actor, "key.all_revoked", project, project=project, detail={"count": revoked}
    )
    transaction.on_commit(clear_key_cache)
    return revoked


def _lock_key(key: ApiKey) -> ApiKey:
    current = (
        ApiKey.objects.select_for_update(of=("self",)).select_related("project__account__plan").get(pk=key.pk)
    )
    if current.revoked_at is not None:
        raise InvalidParameters("this key is revoked already")
    return current


def _record_key_change(key: ApiKey, actor: User, action: str, **detail: Any) -> None:
    record_event(key.project.account, actor, action, key, project=key.project, detail=detail)
    transaction.on_commit(clear_key_cache)
