"""The two layers of tenant isolation.

The first is code: managers that refuse a read without an owner. The second is row-level security in PostgreSQL for the
application's role, switched to one tenant at a time by `tenant_scope`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from django.db import connection, models, transaction

if TYPE_CHECKING:
    from tenancy.models import Account, Project

# Tables that are read before a tenant is known, or that hold no tenant's words: they carry no policy. A test
# compares this list with what Postgres says, so that a new table cannot miss its policy.
TABLES_WITHOUT_POLICY = frozenset(
    {
        "tenancy_user",
        "tenancy_user_groups",
        "tenancy_user_user_permissions",
        "tenancy_plan",
        "tenancy_account",
        "tenancy_membership",
        "tenancy_project",
        "tenancy_apikey",
        "tenancy_keymail",
        "tenancy_oauthgrant",
        "tenancy_secretfingerprint",
        "tenancy_projectrole",
        "tenancy_invitation",
        "tenancy_stripecustomer",
        "tenancy_stripeevent",
        "tenancy_planapplication",
        "tenancy_operatorvisit",
        "memories_task",
    }
)


class UnscopedQuery(Exception):
    """A query does not name an owner."""


class ScopeError(Exception):
    """A scope was opened inside the scope of another tenant."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The rows of one tenant: a project, or with `project` None a whole account."""

    account: UUID
    project: UUID | None

    @classmethod
    def of_project(cls, project: Project) -> Scope:
        return cls(project.account_id, project.pk)

    @classmethod
    def of_account(cls, account: Account) -> Scope:
        return cls(account.pk, None)


_active: ContextVar[Scope | None] = ContextVar("tenant_scope", default=None)


def get_active_scope() -> Scope | None:
    """The scope this code runs in, or None."""
    return _active.get()


@contextmanager
def tenant_scope(owner: Project | Account | Scope) -> Iterator[Scope]:
    """Open a transaction in which row-level security shows one tenant's rows only.

    The setting is local to the transaction, so it cannot leak through pooled connections. Scopes of the same
    tenant nest; another tenant's scope inside raises `ScopeError`.
    """
    scope = _as_scope(owner)
    outer = _active.get()
    if outer is not None and outer != scope:
        raise ScopeError("A tenant's scope cannot be opened inside another tenant's.")
    # A thread inherits what its parent had active, but not the parent's connection.
    is_new = outer is None or not connection.in_atomic_block
    is_part = connection.in_atomic_block
    with transaction.atomic():
        if is_new:
            _set_tenant(scope)
        token = _active.set(scope)
        try:
            yield scope
        finally:
            _active.reset(token)
        if is_new and is_part:
            _set_tenant(None)  # the longer transaction goes on, without this tenant's rows


def _as_scope(owner: Any) -> Scope:
    if isinstance(owner, Scope):
        return owner
    return Scope(owner.account_id, owner.pk) if hasattr(owner, "account_id") else Scope(owner.pk, None)


def _set_tenant(scope: Scope | None) -> None:
    account = str(scope.account) if scope else ""
    project = str(scope.project) if scope and scope.project else ""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('engram.account_id', %s, true), set_config('engram.project_id', %s, true),"
            " set_config('engram.scope', %s, true)",
            [account, project, "account" if scope and not project else "project"],
        )


class OwnedQuerySet(models.QuerySet[Any]):
    """A queryset of rows that have an owner; `Model.owner` names the field."""

    def within(self, owners: Any) -> Self:
        """Only the rows of this owner (or its key), or of these."""
        if isinstance(owners, models.Model | UUID):
            owners = [owners]
        return self.filter(**{f"{self.model.owner}__in": owners})


class ScopedManager(models.Manager[Any]):
    """Manager that refuses every read without an owner."""

    queryset_class: type[OwnedQuerySet] = OwnedQuerySet

    @classmethod
    def over(cls, queryset_class: type[OwnedQuerySet]) -> ScopedManager:
        manager = cls()
        manager.queryset_class = queryset_class
        return manager

    def within(self, owners: Any) -> Any:
        return self.queryset_class(self.model, using=self._db).within(owners)

    def of_project(self, project: Project | models.OuterRef) -> Any:
        """Only the rows that name this project, as their owners do; no other table has to be read for them."""
        return self.queryset_class(self.model, using=self._db).filter(project=project)

    def create(self, **fields: Any) -> Any:
        return self.queryset_class(self.model, using=self._db).create(**fields)

    def bulk_create(self, objs: Any, *args: Any, **options: Any) -> list[Any]:
        return self.queryset_class(self.model, using=self._db).bulk_create(objs, *args, **options)

    def get_queryset(self) -> Any:
        raise UnscopedQuery(f"Use {self.model.__name__}.objects.within(...).")
