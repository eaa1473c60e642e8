"""What profiles cost beyond the work itself: requests to a model and statements to the database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from memories.profiles.bindings import Binding, Edit, bind_profiles, edit_profile, show_profiles
from memories.profiles.templates import Leaf, add_template, build_template_id, update_template
from memories.values import OwnerKind, Subject
from tests.support.api_client import Tenant

USERS = [Subject(OwnerKind.END_USER, f"kim-{number}") for number in range(12)]


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def test_a_template_writes_all_profiles_that_hold_what_changed_at_once(tenant: Tenant) -> None:
    project = tenant.project
    template = build_template_id(add_template(project, "Person", [Leaf("City", "?"), Leaf("Job", "?")]))
    bound = [Binding(user, template) for user in USERS]
    bind_profiles(project, bound)
    for whose in bound[:10]:
        edit_profile(project, whose, [Edit("City", "Porto"), Edit("Job", "baker")], [])

    with CaptureQueriesContext(connection) as asked:
        update_template(project, template, None, [Leaf("City", "unknown"), Leaf("Job", "?")])

    (update,) = [one["sql"] for one in asked if one["sql"].startswith('UPDATE "memories_profile"')]
    held = {user.id: show_profiles(project, user)[0].fields for user in USERS}
    values = {key: {one.path: one.value for one in fields} for key, fields in held.items()}
    assert all(values[user.id] == {"City": "unknown", "Job": "baker"} for user in USERS[:10])
    assert all(values[user.id] == {"City": "unknown", "Job": "?"} for user in USERS[10:])
    assert update.count("WHEN") == 3 * 10
