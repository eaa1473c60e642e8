"""Knowledge bases as tests make them: rows at once, without files and workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from memories.engine import get_embedder
from memories.models import CubeGrant, MemCube, Memory
from memories.text.content import hash_content
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import search_terms
from memories.values import MemoryKind, OwnerKind
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Tenant

POLICY = (
    "Software Procurement Reimbursement Policy (Trial Version)\n\n"
    "This policy standardises the procurement and reimbursement of software in the company. The procurement limit for "
    "design software is 1000 yuan, for development software 1500 yuan, for office software 800 yuan and for data "
    "analysis software 1200 yuan. Software beyond the limit needs a business explanation and special approval."
)


def new_base(tenant: Tenant, *passages: str, **fields: Any) -> str:
    """A base that is granted to the tenant's project, with these passages of one document."""
    name = f"base{uuid4()}"
    with tenant_scope(tenant.project):
        MemCube.objects.create(
            account_id=tenant.project.account_id, owner_kind=OwnerKind.KNOWLEDGE_BASE, owner_id=name
        )
    grant(tenant, name)
    fill(tenant, name, passages, **fields)
    return name


def get_cube(tenant: Tenant, name: str) -> MemCube:
    cube: MemCube = CubeGrant.objects.within(tenant.project).get(cube__owner_id=name).cube
    return cube


def grant(tenant: Tenant, name: str, project: Project | None = None) -> None:
    """To the tenant's project, or to another one of the account."""
    project = project or tenant.project
    with tenant_scope(project):
        cube = MemCube.every.get(project=None, owner_id=name)
        CubeGrant.objects.create(account_id=project.account_id, project_id=project.pk, cube=cube)


def revoke(tenant: Tenant, name: str) -> None:
    with tenant_scope(tenant.project):
        CubeGrant.objects.within(tenant.project).filter(cube__owner_id=name).delete()


def fill(
    tenant: Tenant, name: str, passages: Sequence[str], vectors: Sequence[Any] | None = None, **fields: Any
) -> list[UUID]:
    vectors = get_embedder().embed_passages(list(passages)) if vectors is None else vectors
    file = str(uuid4())
    with tenant_scope(tenant.project):
        cube = get_cube(tenant, name)
        rows = [
            Memory(
                **{
                    "account_id": cube.account_id,
                    "cube": cube,
                    "kind": MemoryKind.KNOWLEDGE,
                    "title": text.split("\n")[0][:80],
                    "text": text,
                    "content_hash": hash_content(f"{file} {number} {text}"),
                    "conversation_key": "default_session",
                    "confidence": 0.99,
                    "language": detect_language(text),
                    "tags": ["mode:fine", "multimodal:file"],
                    "words": " ".join(search_terms(text)),
                    "embedding": vector,
                    "embedding_model": get_embedder().name,
                    "details": {
                        "file": {
                            "file": file,
                            "name": "policy.pdf",
                            "page": 1 + number // 3,
                            "heading": text.split("\n")[0][:80],
                            "ordinal": number,
                        }
                    },
                    **fields,
                }
            )
            for number, (text, vector) in enumerate(zip(passages, vectors, strict=True))
        ]
        Memory.objects.bulk_create(rows, batch_size=200)
    return [row.pk for row in rows]
