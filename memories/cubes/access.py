"""Which cubes a caller may read and write. Nothing else in the engine knows about tenants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from memories.cubes.change_markers import NOTES, UNWRITTEN, ChangeMarker
from memories.models import CubeGrant, MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.values import OwnerKind, Subject
from tenancy.errors import KnowledgeBaseNotLinked
from tenancy.models import Project

_FIELDS = [field.attname for field in MemCube._meta.concrete_fields]
_COLUMNS = ", ".join(f"cube.{name}" for name in _FIELDS)
# Written out, because every search asks it: with what was written to them it is one question instead of two.
_READABLE = f"""
SELECT {_COLUMNS}, noted.notes, noted.checksum FROM memories_memcube cube CROSS JOIN LATERAL (
    SELECT {NOTES} FROM memories_cubechange note WHERE note.cube_id = cube.id) AS noted (notes, checksum)
 WHERE cube.project_id = %s AND (cube.owner_kind, cube.owner_id) IN ((%s, %s), (%s, %s))
"""  # noqa: S608  # no word of it comes from outside
PUBLIC_OWNER = "public"
ALL_BASES = "all"


@dataclass(frozen=True, slots=True)
class Readable:
    """The cubes that one search may look into, by where they come from; `marker` is that of the first two together."""

    user: MemCube | None
    public: MemCube | None
    bases: tuple[MemCube, ...] = ()
    marker: ChangeMarker = UNWRITTEN

    @property
    def all(self) -> list[MemCube]:
        return [cube for cube in (self.user, self.public, *self.bases) if cube is not None]


def list_readable_cubes(
    project: Project, subject: Subject, knowledge_bases: tuple[str, ...] = (), *, with_public: bool = True
) -> Readable:
    """The subject's own cube and, `with_public`, the project's public one; absent where nobody wrote yet.

    Raises `KnowledgeBaseNotLinked` for a knowledge base that is not granted to the project; the word "all"
    names every granted one, which may be none.
    """
    bases = require_granted_bases(project, knowledge_bases)
    own = (subject.kind, subject.id)
    other = (OwnerKind.PUBLIC, PUBLIC_OWNER) if with_public else own
    with connection.cursor() as cursor:
        cursor.execute(_READABLE, [project.pk, *own, *other])
        rows = cursor.fetchall()
    cubes = [MemCube.from_db(connection.alias, _FIELDS, row[:-2]) for row in rows]
    by_owner = {(cube.owner_kind, cube.owner_id): cube for cube in cubes}
    public = by_owner.get((OwnerKind.PUBLIC, PUBLIC_OWNER))
    return Readable(
        by_owner.get(own), public, bases, ChangeMarker.joined(ChangeMarker(*row[-2:]) for row in rows)
    )


def require_granted_bases(project: Project, knowledge_bases: Sequence[str]) -> tuple[MemCube, ...]:
    """The cubes of these knowledge bases. Raises `KnowledgeBaseNotLinked` for the first that is not granted."""
    granted = list_linked_bases(project, knowledge_bases)
    known = {cube.owner_id for cube in granted}
    for name in knowledge_bases:
        if name != ALL_BASES and name not in known:
            raise KnowledgeBaseNotLinked(name)
    return tuple(granted)


def refuse_unlinked(project: Project, knowledge_bases: Sequence[str]) -> None:
    """Raises `KnowledgeBaseNotLinked` for the first id that is no knowledge base granted to this project."""
    require_granted_bases(project, knowledge_bases)


def list_linked_bases(
    project: Project, knowledge_bases: Sequence[str], *, for_writing: bool = False
) -> list[MemCube]:
    """The cubes of these knowledge bases, as far as they are granted to the project; "all" names every one.

    They come in the order in which their locks are to be taken. `for_writing`: until the transaction ends nobody
    takes the grants away.
    """
    if not knowledge_bases:
        return []
    grants = CubeGrant.objects.within(project).filter(cube__owner_kind=OwnerKind.KNOWLEDGE_BASE)
    if for_writing:
        grants = grants.select_for_update(no_key=True, of=("self",))
    if ALL_BASES not in knowledge_bases:
        grants = grants.filter(cube__owner_id__in=list(knowledge_bases))
    return [grant.cube for grant in grants.select_related("cube").order_by("cube_id")]


def provide_cube(project: Project, subject: Subject) -> MemCube:
    """The subject's cube, made if this is the first word of it.

    Locked: a deletion under way is waited for, and what is written then belongs to the time after it.
    """
    mine = MemCube.objects.within(project)
    owner = {"project": project, "owner_kind": subject.kind, "owner_id": subject.id}
    locked = mine.select_for_update(no_key=True).filter(**owner)
    # It may be deleted, and made anew, by others between any two of these statements.
    while (cube := locked.first()) is None:
        MemCube.objects.bulk_create([MemCube(account_id=project.account_id, **owner)], ignore_conflicts=True)
    subject_cube: MemCube = cube
    return subject_cube


def provide_public_cube(project: Project) -> MemCube:
    return provide_cube(project, Subject(OwnerKind.PUBLIC, PUBLIC_OWNER))


def select_reachable_memories(project: Project) -> MemoryQuerySet:
    """Every memory that the project's members may look after: its own, and those of the bases granted to it."""
    own = Memory.objects.within(MemCube.objects.within(project))
    granted = Memory.objects.within(CubeGrant.objects.within(project).values("cube"))
    reached: MemoryQuerySet = own | granted
    return reached
