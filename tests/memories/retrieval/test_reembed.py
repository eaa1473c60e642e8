"""An operator moves an installation to another embedder while it serves."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import call_command

from tests.support.api_client import Api, Tenant
from tests.support.knowledge.shared_bases import POLICY, get_cube, new_base
from tests.support.servers.model_server import ModelServer, embeddings
from tests.support.servers.own_embedder import embedding_by

WIDTH = 8


@pytest.fixture
def provider() -> Iterator[ModelServer]:
    server = ModelServer(embeddings(lambda text: [1.0, len(text) % 7 + 1.0] + [0.5] * 6))
    yield server
    server.close()


def reembed(tenant: Tenant) -> str:
    output = StringIO()
    call_command("reembed", project=tenant.project_id, stdout=output)
    return output.getvalue()


def has_index(model: str) -> bool:
    """Return whether large knowledge bases are searched by an index of this model's vectors."""
    from memories.retrieval.candidates import vector_index

    vector_index._found.clear()
    return vector_index.has_index(model)


def vectors(tenant: Tenant) -> set[tuple[str, int]]:
    from memories.models import MemCube, Memory
    from tenancy.isolation.scoping import tenant_scope

    with tenant_scope(tenant.project):
        memories = Memory.objects.within(MemCube.objects.within(tenant.project))
        return {(name, len(vector)) for name, vector in memories.values_list("embedding_model", "embedding")}


def test_memories_move_to_another_model_and_back_while_they_are_found(
    tenant: Tenant, api: Api, provider: ModelServer
) -> None:
    api.add("kim", "I live in Lisbon. I like green tea.")
    local = vectors(tenant)

    with embedding_by(provider, WIDTH):
        output = reembed(tenant)

    assert "2 memories" in output
    assert has_index("tiny")
    assert {width for _, width in vectors(tenant)} == {WIDTH}
    assert any("Lisbon" in text for text in api.facts("kim", "Does the user live in Lisbon?", relativity=0))
    reembed(tenant)
    assert vectors(tenant) == local
    assert any("Lisbon" in text for text in api.facts("kim", "Where do I live?"))


def test_the_passages_of_linked_bases_move_too(tenant: Tenant, provider: ModelServer) -> None:
    from memories.models import Memory
    from tenancy.isolation.scoping import tenant_scope

    base = new_base(tenant, POLICY)
    with embedding_by(provider, WIDTH):
        reembed(tenant)

    with tenant_scope(tenant.project):
        passage = Memory.objects.within(get_cube(tenant, base)).get()
    assert (passage.embedding_model, len(passage.embedding)) == ("tiny", WIDTH)
