"""Ids of sessions that clients choose belong to their project: nobody learns which ids other projects use."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
from acontext import AcontextClient

from tenancy.keys.keys import create_key
from tenancy.projects.projects import create_project
from tests.support.accounts.people import get_owner
from tests.support.api_client import Tenant
from tests.support.skills.contract import connect_client, flush, get_refused_status


@pytest.fixture
def other_project(tenant: Tenant) -> Tenant:
    """Another project of the same account, with a key of its own."""
    project = create_project(tenant.project.account, "staging", "", get_owner(tenant))
    credentials = {"email": tenant.email, "password": tenant.password, "project_id": str(project.pk)}
    return Tenant(tenant.url, {**credentials, "api_key": create_key(project, "staging").plaintext})


@pytest.fixture(params=["another account", "another project of the account"])
def other(
    request: pytest.FixtureRequest, stranger: Tenant, other_project: Tenant
) -> Iterator[AcontextClient]:
    with connect_client(stranger if request.param == "another account" else other_project) as client:
        yield client


def test_two_projects_may_use_the_same_session_id_and_see_their_own_session_only(
    agent: AcontextClient, other: AcontextClient
) -> None:
    wanted = str(uuid4())

    mine = agent.sessions.create(use_uuid=wanted, user="kim", configs={"of": "mine"})
    theirs = other.sessions.create(use_uuid=wanted, user="kim", configs={"of": "theirs"})

    assert (mine.id, theirs.id) == (wanted, wanted)
    for client, word in ((agent, "mine"), (other, "theirs")):
        client.sessions.store_message(wanted, blob={"role": "user", "content": word})
    for client, word in ((agent, "mine"), (other, "theirs")):
        assert client.sessions.get_configs(wanted).configs == {"of": word}
        assert client.sessions.get_messages(wanted).items == [{"role": "user", "content": word}]
        assert [session.id for session in client.sessions.list().items] == [wanted]
        raw = client.sessions.get_messages(wanted, format="acontext").items
        assert {item["session_id"] for item in raw} == {wanted}


def test_each_project_learns_from_its_own_session_of_the_same_id(
    agent: AcontextClient, other: AcontextClient
) -> None:
    wanted = str(uuid4())
    for client, name in ((agent, "Gus"), (other, "Ada")):
        space = client.learning_spaces.create()
        client.sessions.create(use_uuid=wanted)
        record = client.learning_spaces.learn(space.id, session_id=wanted)
        assert record.session_id == wanted
        client.sessions.store_message(wanted, blob={"role": "user", "content": f"My name is {name}"})
        assert flush(client, wanted).status == 200
        assert client.sessions.messages_observing_status(wanted).observed == 1
        assert client.learning_spaces.get_session(space.id, session_id=wanted).session_id == wanted
        assert [record.session_id for record in client.learning_spaces.list_sessions(space.id)] == [wanted]


def test_deleting_a_session_leaves_the_one_of_the_same_id_in_another_project(
    agent: AcontextClient, other: AcontextClient
) -> None:
    wanted = str(uuid4())
    for client in (agent, other):
        client.sessions.create(use_uuid=wanted)
        client.sessions.store_message(wanted, blob={"role": "user", "content": "Hi"})

    other.sessions.delete(wanted)

    assert get_refused_status(other.sessions.get_messages, wanted) == 404
    assert len(agent.sessions.get_messages(wanted).items) == 1


def test_an_id_of_another_project_tells_nothing(agent: AcontextClient, other: AcontextClient) -> None:
    known, unknown = other.sessions.create(use_uuid=str(uuid4())).id, str(uuid4())

    for wanted in (known, unknown):
        assert get_refused_status(agent.sessions.get_configs, wanted) == 404
        assert get_refused_status(agent.sessions.flush, wanted) == 404
        assert agent.sessions.create(use_uuid=wanted).id == wanted
