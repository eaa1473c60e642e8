"""Memories written as rows: more than anyone says in a test, or some for what does not depend on how they came."""

from __future__ import annotations

from typing import Any

from memories.cubes.access import provide_cube
from memories.engine import get_embedder
from memories.models import Memory
from memories.models.memory import get_owner_fields
from memories.text.content import hash_content
from memories.text.words.tokenize import search_terms
from memories.values import MemoryKind, OwnerKind, Subject
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Tenant


def hold_facts(tenant: Tenant, user: str, *texts: str, **fields: Any) -> list[Memory]:
    """Facts of one end user with no message that they came from, in the order in which they were created."""
    return write_facts(tenant.project, Subject(OwnerKind.END_USER, user), *texts, **fields)


def many_facts(tenant: Tenant, user: str, count: int) -> None:
    """Facts "The user keeps item 1.", … of one end user. They share one vector: the words tell them apart."""
    [vector] = get_embedder().embed_passages(["The user keeps an item."])
    texts = [f"The user keeps item {number}." for number in range(1, count + 1)]
    words_by_text = {
        text: " ".join(search_terms(text)) for text in texts
    }  # before a transaction that would be idle meanwhile
    with tenant_scope(tenant.project):
        cube = provide_cube(tenant.project, Subject(OwnerKind.END_USER, user))
        Memory.objects.bulk_create(
            Memory(
                **get_owner_fields(cube),
                cube=cube,
                kind=MemoryKind.FACT,
                content_hash=hash_content(text),
                text=text,
                words=words,
            )
            for text, words in words_by_text.items()
        )
        # Once, not written out for each row.
        Memory.objects.within(cube).update(embedding=vector, embedding_model=get_embedder().name)


def write_facts(project: Project, subject: Subject, *sentences: str, **fields: Any) -> list[Memory]:
    """Each with its vector and its words, as if it had been said; one after the other, by their times."""
    vectors = get_embedder().embed_passages(list(sentences))
    words = [" ".join(search_terms(text)) for text in sentences]
    with tenant_scope(project):
        cube = provide_cube(project, subject)
        owned = {**get_owner_fields(cube), "cube": cube, "embedding_model": get_embedder().name}
        return [
            Memory.objects.create(
                **{"kind": MemoryKind.FACT, **owned, **fields},
                content_hash=hash_content(text),
                text=text,
                words=terms,
                embedding=vector,
            )
            for text, terms, vector in zip(sentences, words, vectors, strict=True)
        ]
