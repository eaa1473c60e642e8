"""Which cubes a caller may read and write. Nothing else in the engine knows about tenants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memories.models import MemCube
from memories.values import OwnerKind, Subject
from tenancy.errors import KnowledgeBaseNotLinked
from tenancy.models import Project

PUBLIC_OWNER = "public"


@dataclass(frozen=True, slots=True)
class Readable:
    """The cubes that one search may look into, by where they come from."""

    user: MemCube | None
    public: MemCube | None

    @property
    def all(self) -> list[MemCube]:
        return [cube for cube in (self.user, self.public) if cube is not None]


def readable_cubes(project: Project, subject: Subject, knowledge_bases: tuple[str, ...] = ()) -> Readable:
    """The subject's own cube and the project's public one; absent where nobody wrote yet.

    Raises `KnowledgeBaseNotLinked` for a knowledge base that is not granted to the project; the word "all"
    names every granted one, which may be none.
    """
    refuse_unlinked(project, knowledge_bases)
    cubes = MemCube.objects.within(project).filter(
        owner_kind__in=[subject.kind, OwnerKind.PUBLIC], owner_id__in=[subject.id, PUBLIC_OWNER]
    )
    found = {(cube.owner_kind, cube.owner_id): cube for cube in cubes}
    return Readable(found.get((subject.kind, subject.id)), found.get((OwnerKind.PUBLIC.value, PUBLIC_OWNER)))


def refuse_unlinked(project: Project, knowledge_bases: tuple[str, ...]) -> None:
    """Raises `KnowledgeBaseNotLinked` for the first id that is no knowledge base granted to this project."""
    named = [name for name in knowledge_bases if name != "all"]
    if not named:
        return
    granted = {cube.owner_id for cube in linked_bases(project, knowledge_bases)}
    for name in named:
        if name not in granted:
            raise KnowledgeBaseNotLinked(name)


def linked_bases(project: Project, knowledge_bases: Sequence[str]) -> list[MemCube]:
    """The cubes of these knowledge bases, as far as they are granted to the project; "all" names every one."""
    if not knowledge_bases:
        return []
    bases = MemCube.objects.within(project).filter(owner_kind=OwnerKind.KNOWLEDGE_BASE)
    if "all" not in knowledge_bases:
        bases = bases.filter(owner_id__in=list(knowledge_bases))
    return list(bases.order_by("pk"))


def cube_for_writing(project: Project, subject: Subject) -> MemCube:
    """The subject's cube, made if this is the first word of it.

    Locked: a deletion under way is waited for, and what is written then belongs to the time after it.
    """
    mine = MemCube.objects.within(project)
    owner = {"project": project, "owner_kind": subject.kind, "owner_id": subject.id}
    locked = mine.select_for_update(no_key=True)
    cube = locked.filter(**owner).first()
    if cube is None:
        cube, made = mine.get_or_create(**owner, defaults={"account_id": project.account_id})
        if not made:  # somebody else's first word came in between
            cube = locked.get(pk=cube.pk)
    return cube


def public_cube(project: Project) -> MemCube:
    return cube_for_writing(project, Subject(OwnerKind.PUBLIC, PUBLIC_OWNER))
