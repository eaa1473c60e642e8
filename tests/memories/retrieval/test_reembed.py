"""An operator moves an installation to another embedder while it serves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from console.embedded.stack import Stack
from tests.support.api_client import Api, Tenant
from tests.support.knowledge.shared_bases import POLICY, get_cube, new_base
from tests.support.project import PROJECT_ROOT
from tests.support.servers.model_server import ModelServer, embeddings

WIDTH = 8


@pytest.fixture
def provider() -> Iterator[str]:
    server = ModelServer(embeddings(lambda text: [1.0, len(text) % 7 + 1.0] + [0.5] * 6))
    yield server.url
    server.close()


def reembed(stack: Stack, tenant: Tenant, **variables: str) -> str:
    """The command, in a terminal of its own."""
    command = [sys.executable, "manage.py", "reembed", "--project", tenant.project_id]
    environment = {**os.environ, **stack.environment, **variables}
    done = subprocess.run(
        command, cwd=PROJECT_ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def has_index(model: str) -> bool:
    """Whether large knowledge bases are searched by an index of this model's vectors."""
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
    stack: Stack, tenant: Tenant, api: Api, provider: str
) -> None:
    api.add("kim", "I live in Lisbon. I like green tea.")
    local = vectors(tenant)
    remote = {
        "EMBEDDING_ENGINE": "remote",
        "EMBEDDING_BASE_URL": provider,
        "EMBEDDING_MODEL": "tiny",
        "EMBEDDING_DIMENSIONS": str(WIDTH),
    }

    told = reembed(stack, tenant, **remote)

    assert "2 memories" in told
    assert has_index("tiny")
    assert {width for _, width in vectors(tenant)} == {WIDTH}
    assert any("Lisbon" in text for text in api.facts("kim", "Does the user live in Lisbon?", relativity=0))
    reembed(stack, tenant)
    assert vectors(tenant) == local
    assert any("Lisbon" in text for text in api.facts("kim", "Where do I live?"))


def test_the_passages_of_linked_bases_move_too(stack: Stack, tenant: Tenant, provider: str) -> None:
    from memories.models import Memory
    from tenancy.isolation.scoping import tenant_scope

    base = new_base(tenant, POLICY)
    reembed(
        stack,
        tenant,
        EMBEDDING_ENGINE="remote",
        EMBEDDING_BASE_URL=provider,
        EMBEDDING_MODEL="tiny",
        EMBEDDING_DIMENSIONS=str(WIDTH),
    )

    with tenant_scope(tenant.project):
        passage = Memory.objects.within(get_cube(tenant, base)).get()
    assert (passage.embedding_model, len(passage.embedding)) == ("tiny", WIDTH)
