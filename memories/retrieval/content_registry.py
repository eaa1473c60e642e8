"""Registry of functions by which other apps show memories of their kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from memories.models import Memory
from memories.values import MemoryKind
from tenancy.models import Project

# By the id of the memory, the item that an answer shows for it.
Shapes = dict[UUID, dict[str, Any]]
Shape = Callable[[Project, Sequence[Memory]], Shapes]

_shapes: dict[MemoryKind, Shape] = {}


def register_shape(kind: MemoryKind, shape: Shape) -> None:
    """All memories of an answer that are of this kind are shown by one call."""
    _shapes[kind] = shape


def is_shaped(kind: str) -> bool:
    return MemoryKind(kind) in _shapes


def build_shapes(project: Project, memories: Sequence[Memory]) -> Shapes:
    shapes: Shapes = {}
    for kind, shape in _shapes.items():
        shapes |= shape(project, [memory for memory in memories if memory.kind == kind])
    return shapes
