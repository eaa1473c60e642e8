"""A list asks the database as often for many rows as for few."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tenancy.models import User
from tests.api_client import Api, Tenant

MOST = 25
MANY = "I have two cats. I live in Lisbon. I work as a nurse. I like green tea. I like jazz. My name is Kim."


def queries_of(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        answer = client.get(path)
    assert answer.status_code == 200
    return len(asked)


@pytest.mark.parametrize("page", ["memories", "logs", "api-keys", "quickstart"])
def test_a_page_asks_no_more_for_many_rows_than_for_few(tenant: Tenant, api: Api, page: str) -> None:
    client = Client(HTTP_HOST="localhost")
    client.force_login(User.objects.get(email=tenant.email), "django.contrib.auth.backends.ModelBackend")
    path = f"/p/{tenant.project_id}/{page}/"
    api.add("kim", "I have a dog.")
    client.get(path)  # the first visit of all also makes a key
    few = queries_of(client, path)

    api.add("kim", MANY)
    for _ in range(5):
        api.search("kim", "Where do I live?")

    assert queries_of(client, path) <= min(few + 1, MOST)


def test_a_listing_of_the_api_asks_no_more_for_many_memories(tenant: Tenant, api: Api) -> None:
    client = Client(HTTP_HOST="localhost", HTTP_AUTHORIZATION=f"Token {tenant.key}")

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            body = {"user_id": "kim", "size": 50}
            answer = client.post("/api/openmem/v1/get/memory", body, content_type="application/json")
        assert answer.status_code == 200
        return len(queries)

    api.add("kim", "I have a dog. I like tea.")
    asked()
    few = asked()

    api.add("kim", MANY)

    assert asked() <= min(few + 1, MOST)
