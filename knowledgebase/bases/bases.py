"""Create, edit, link to projects and delete knowledge bases."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.db.models import F, QuerySet
from django.utils import timezone

from knowledgebase.models import KnowledgeBase
from memories.jobs import outbox
from memories.models import CubeGrant, MemCube
from memories.values import OwnerKind, TaskKind
from tenancy.errors import KnowledgeBaseNotLinked, KnowledgeBaseUnknown, PlanLimitReached
from tenancy.isolation.scoping import Scope, get_active_scope, tenant_scope
from tenancy.models import Account, Project, User


def create_base(project: Project, name: str, description: str = "", by: User | None = None) -> KnowledgeBase:
    """Create a base and link it to the project. Raises `PlanLimitReached` when the plan allows no more."""
    with tenant_scope(project):
        account = _refuse_too_many(project.account_id)
        public_id = f"base{uuid4()}"
        cube = MemCube.objects.create(
            account=account, owner_kind=OwnerKind.KNOWLEDGE_BASE, owner_id=public_id
        )
        base: KnowledgeBase = KnowledgeBase.objects.create(
            account=account,
            public_id=public_id,
            name=name,
            description=description,
            cube=cube,
            created_by=by,
        )
        _grant_access(project, base)
    return base


def _refuse_too_many(account_id: UUID) -> Account:
    """Lock the account, so that concurrent creations count each other. Raises `PlanLimitReached`."""
    locked = Account.objects.select_for_update(of=("self",), no_key=True).select_related("plan")
    account = locked.get(pk=account_id)
    allowed = account.plan.knowledge_bases
    if list_account_bases(account).count() >= allowed:
        raise PlanLimitReached(
            f"the plan {account.plan.name} allows {allowed} knowledge bases; delete one in the console first"
        )
    return account


def load_base(project: Project, public_id: str) -> KnowledgeBase:
    """Find a base by its public id, for a project that it is linked to.

    Raises `KnowledgeBaseUnknown` for one that the account does not have, `KnowledgeBaseNotLinked` for one that is not
    linked to the project.
    """
    with tenant_scope(project):
        bases = list_account_bases(project.account).select_related("cube")
        base: KnowledgeBase | None = bases.filter(public_id=public_id).first()
        if base is None:
            raise KnowledgeBaseUnknown(public_id)
        refuse_unlinked_base(project, base)
    return base


def refuse_unlinked_base(project: Project, base: KnowledgeBase) -> None:
    """Raise `KnowledgeBaseNotLinked` unless the base is linked; inside the project's scope."""
    if not CubeGrant.objects.within(project).filter(cube=base.cube_id).exists():
        raise KnowledgeBaseNotLinked(base.public_id)


def list_linked_bases(project: Project) -> QuerySet[KnowledgeBase]:
    """Bases linked to the project; evaluated inside its scope."""
    return list_account_bases(project.account).filter(cube__grants__project=project)


def list_account_bases(account: Account) -> QuerySet[KnowledgeBase]:
    """Bases that are not deleted; evaluated inside the account's scope or that of one of its projects."""
    bases: QuerySet[KnowledgeBase] = KnowledgeBase.objects.within(account).filter(deleted_at=None)
    return bases


def edit_base(base: KnowledgeBase, name: str, description: str) -> None:
    with tenant_scope(get_active_scope() or Scope(base.account_id, None)):
        locked = lock_base(base)
        locked.name, locked.description, locked.updated_at = name, description, timezone.now()
        locked.save(update_fields=["name", "description", "updated_at"])
    base.name, base.description, base.updated_at = locked.name, locked.description, locked.updated_at


def link_base(project: Project, base: KnowledgeBase) -> None:
    """Let searches of the project use the base. Raises `KnowledgeBaseUnknown` for one of another account."""
    with tenant_scope(project):
        _grant_access(project, lock_base(base))


def _grant_access(project: Project, base: KnowledgeBase) -> None:
    CubeGrant.objects.within(project).get_or_create(
        project=project, cube_id=base.cube_id, defaults={"account_id": project.account_id}
    )


def unlink_base(project: Project, base: KnowledgeBase) -> None:
    """Remove the base from searches of the project; its contents stay.

    Raises `KnowledgeBaseNotLinked` when it was not linked.
    """
    with tenant_scope(project):
        gone, _ = CubeGrant.objects.within(project).filter(cube=base.cube_id).delete()
        if not gone:
            raise KnowledgeBaseNotLinked(base.public_id)


def delete_base(project: Project, base: KnowledgeBase) -> None:
    """Delete a base permanently: it leaves all searches at once, and a task of the project deletes its contents.

    Opens the account's scope, so call it outside of a project's.
    """
    with tenant_scope(Scope(project.account_id, None)):
        locked = lock_base(base)
        grants = CubeGrant.objects.within(Project.objects.filter(account=locked.account_id))
        grants.filter(cube=locked.cube_id).delete()
        KnowledgeBase.objects.within(locked.account_id).filter(pk=locked.pk).update(deleted_at=timezone.now())
        # Running tasks compare the epoch and write nothing any more.
        cube = locked.cube
        cube.epoch = F("epoch") + 1
        cube.save(update_fields=["epoch"])
        write_purge(locked, project)


def write_purge(base: KnowledgeBase, project: Project) -> None:
    """Write the task that deletes the contents and the row of a deleted base, in the caller's transaction."""
    payload = {"base": str(base.pk)}
    outbox.write_task(
        base.cube,
        TaskKind.PURGE,
        dedupe_key=f"{base.pk}:{project.pk}",
        payload=payload,
        subject=base.pk,
        through=project.pk,
    )


def lock_base(base: KnowledgeBase) -> KnowledgeBase:
    """Lock the base until the transaction ends and return it. Raises `KnowledgeBaseUnknown` when it was deleted."""
    rows = KnowledgeBase.objects.within(base.account_id).filter(pk=base.pk, deleted_at=None)
    locked: KnowledgeBase | None = rows.select_for_update(no_key=True).first()
    if locked is None:
        raise KnowledgeBaseUnknown(base.public_id)
    return locked
