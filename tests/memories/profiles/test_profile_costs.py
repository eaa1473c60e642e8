"""What profiles cost beyond the work itself: requests to a model and statements to the database."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from memories.lifecycle.erase_subject import erase_subject
from memories.profiles.bindings import Binding, FieldEdit, bind_profiles, edit_profile, show_profiles
from memories.profiles.recall import recall_profiles
from memories.profiles.templates import Leaf, add_template, build_template_id, update_template
from memories.values import OwnerKind, Subject
from tenancy.models import Project
from tests.support.api_client import Tenant
from tests.support.servers.model_server import ModelServer, embeddings
from tests.support.servers.own_embedder import embedding_by
from tests.support.waiting import wait_until

USERS = [Subject(OwnerKind.END_USER, f"kim-{number}") for number in range(12)]


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def make_vector(text: str) -> list[float]:
    numbers = random.Random(text)
    return [numbers.uniform(-1, 1) for _ in range(8)]


@pytest.fixture
def embedder() -> Iterator[ModelServer]:
    with closing(ModelServer(embeddings(make_vector))) as server, embedding_by(server, 8):
        yield server


def test_all_fields_of_a_profile_are_embedded_by_one_request(tenant: Tenant, embedder: ModelServer) -> None:
    leaves = [Leaf(f"Home.Room {number}", f"has {number} chairs") for number in range(30)]
    template = build_template_id(add_template(tenant.project, "Home", leaves))
    bind_profiles(tenant.project, [Binding(USERS[0], template)])

    recalled_fields = recall_profiles(tenant.project, USERS[0], "How many chairs?")
    # Anybody's erasure drops what is kept.
    wait_until(lambda: asked_for_fields(embedder, tenant.project) == 0)
    again = recall_profiles(tenant.project, USERS[0], "How many chairs?")

    assert {len(fields) for fields in list_asked_fields(embedder)} == {30}
    assert len(recalled_fields) == 30
    assert [(field.text, field.relativity) for field in recalled_fields] == [
        (field.text, field.relativity) for field in again
    ]


def test_no_vectors_of_fields_are_kept_after_an_erasure(tenant: Tenant, embedder: ModelServer) -> None:
    template = build_template_id(add_template(tenant.project, "Home", [Leaf("Home.Room", "has 3 chairs")]))
    bind_profiles(tenant.project, [Binding(user, template) for user in USERS[:2]])
    wait_until(lambda: asked_for_fields(embedder, tenant.project) == 0)

    erase_subject(tenant.project, USERS[1])

    wait_until(lambda: asked_for_fields(embedder, tenant.project) == 1)


def asked_for_fields(embedder: ModelServer, project: Project) -> int:
    """How many requests for vectors of fields one more search makes."""
    before = len(list_asked_fields(embedder))
    recall_profiles(project, USERS[0], "How many chairs?")
    return len(list_asked_fields(embedder)) - before


def list_asked_fields(embedder: ModelServer) -> list[list[str]]:
    inputs = [[text for text in request.body["input"] if "Room" in text] for request in embedder.asked]
    return [fields for fields in inputs if fields]


def test_a_template_writes_all_profiles_that_hold_what_changed_at_once(tenant: Tenant) -> None:
    project = tenant.project
    template = build_template_id(add_template(project, "Person", [Leaf("City", "?"), Leaf("Job", "?")]))
    bound = [Binding(user, template) for user in USERS]
    bind_profiles(project, bound)
    for whose in bound[:10]:
        edit_profile(project, whose, [FieldEdit("City", "Porto"), FieldEdit("Job", "baker")], [])

    with CaptureQueriesContext(connection) as asked:
        update_template(project, template, None, [Leaf("City", "unknown"), Leaf("Job", "?")])

    (update,) = [query["sql"] for query in asked if query["sql"].startswith('UPDATE "memories_profile"')]
    held = {user.id: show_profiles(project, user)[0].fields for user in USERS}
    values = {key: {field.path: field.value for field in fields} for key, fields in held.items()}
    assert all(values[user.id] == {"City": "unknown", "Job": "baker"} for user in USERS[:10])
    assert all(values[user.id] == {"City": "unknown", "Job": "?"} for user in USERS[10:])
    assert update.count("WHEN") == 3 * 10
