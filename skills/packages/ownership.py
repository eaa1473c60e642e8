"""Ownership of a skill: whose it is, who may find it, and which id its stored files are under."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from memories.cubes.access import provide_cube, provide_public_cube
from memories.models import MemCube
from memories.values import OwnerKind, Subject
from skills.models import Skill
from tenancy.models import Project


@dataclass(frozen=True, slots=True)
class SkillOwner:
    """`cube` is None for skills that only learning spaces use. Without a project it is a knowledge base's."""

    account_id: UUID
    project_id: UUID | None
    cube: MemCube | None = None

    @property
    def pk(self) -> UUID:
        """The holder of its files: they go with the project, or with the knowledge base's cube."""
        if self.project_id is not None:
            return self.project_id
        if self.cube is None:
            raise ValueError("A skill without a project is of a knowledge base's cube.")
        return UUID(str(self.cube.pk))

    @classmethod
    def of_cube(cls, cube: MemCube) -> SkillOwner:
        return cls(cube.account_id, cube.project_id, cube)

    @classmethod
    def of_space(cls, project: Project) -> SkillOwner:
        return cls(project.account_id, project.pk)

    @classmethod
    def of_person(cls, project: Project, identifier: str) -> SkillOwner:
        """The cube of the end user with this id, or what the project shares; inside the project's tenant scope."""
        if identifier and len(identifier) <= 100:
            return cls.of_cube(provide_cube(project, Subject(OwnerKind.END_USER, identifier)))
        return cls.of_cube(provide_public_cube(project))


def get_skill_place(skill: Skill) -> SkillOwner:
    return SkillOwner(skill.account_id, skill.project_id, skill.cube)
