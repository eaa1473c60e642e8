"""What breaks is logged once, safely; what an operator cannot do is not offered."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path, re_path
from rest_framework.request import Request
from rest_framework.response import Response

from skills.models import Session
from tenancy.api.base import ContractView
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import sign_in
from tests.support.api_client import Tenant
from tests.support.console.operators import superuser


def breaking_page(request: HttpRequest) -> HttpResponse:
    raise ZeroDivisionError("I live in Porto.")


class BreakingView(ContractView):
    def get(self, request: Request) -> Response:
        raise ZeroDivisionError("I live in Porto.")


class LateView(ContractView):
    """Refers to a row that is gone by then."""

    def get(self, request: Request) -> Response:
        with tenant_scope(self.project):
            Session.objects.create(
                account_id=self.project.account_id, project=self.project, public_id=uuid7(), person_id=uuid7()
            )
        return Response()


urlpatterns = [
    path("api/late/", LateView.as_view()),
    path("page/", breaking_page),
    path("api/view/", BreakingView.as_view()),
    re_path("^(?:api/|v1/)", breaking_page),
]
handler500 = "console.interfaces.failures.answer_server_error"


@override_settings(ROOT_URLCONF=__name__)
def test_a_key_is_not_blamed_for_what_was_deleted_meanwhile(tenant: Tenant) -> None:
    headers: dict[str, Any] = {"HTTP_HOST": "localhost", "HTTP_AUTHORIZATION": f"Token {tenant.key}"}

    answer = Client().get("/api/late/", **headers)

    assert (answer.status_code, answer.json()["code"]) == (409, 40000)
    assert "was deleted or changed meanwhile" in answer.json()["message"]


@pytest.mark.parametrize("address", ["/page/", "/api/view/"])
@override_settings(ROOT_URLCONF=__name__)
def test_what_breaks_is_logged_once_and_without_its_words(
    tenant: Tenant, caplog: pytest.LogCaptureFixture, address: str
) -> None:
    headers: dict[str, Any] = {"HTTP_HOST": "localhost", "HTTP_AUTHORIZATION": f"Token {tenant.key}"}

    answer = Client(raise_request_exception=False).get(address, **headers)

    lines = [record for record in caplog.records if record.getMessage() == "request_broke"]
    assert answer.status_code == 500
    assert [line.fault for line in lines] == ["ZeroDivisionError"]  # type: ignore[attr-defined]
    assert "Porto" not in repr([record.__dict__ for record in lines])


PROTOCOLS = [
    ("/api/openmem/v1/search/memory", {"code", "data", "message"}),
    ("/api/v1/space", {"code", "msg"}),
    ("/api/mem0/v3/memories/", {"detail", "error", "code"}),
    ("/v1/memories/", {"detail", "error", "code"}),
    ("/v1/chat/completions", {"detail", "error", "code"}),
]


@pytest.mark.parametrize(("address", "fields"), PROTOCOLS)
def test_what_breaks_outside_a_view_is_said_in_the_words_of_its_protocol(
    address: str, fields: set[str]
) -> None:
    with override_settings(ROOT_URLCONF=__name__):
        broken = Client(raise_request_exception=False).get(address, HTTP_HOST="localhost")
    refused = Client().get(address, HTTP_HOST="not ours")

    assert (broken.status_code, refused.status_code) == (500, 400)
    for answer in (broken, refused):
        assert answer["Content-Type"] == "application/json; charset=utf-8"
        assert set(answer.json()) == fields
        is_openai = address.endswith("completions")
        assert isinstance(answer.json().get("error"), dict) == is_openai
    for answer in (broken, refused, Client().get("/", HTTP_HOST="not ours")):
        assert answer["X-Request-Id"]


def test_operators_are_not_offered_deletions_that_row_level_security_would_refuse(tenant: Tenant) -> None:
    operator = superuser()
    client = sign_in(operator)
    ids = {"project": tenant.project_id, "account": tenant.project.account_id, "user": operator.pk}

    for kind, key in ids.items():
        assert client.get(f"/admin/tenancy/{kind}/{key}/change/").status_code == 200
        assert client.get(f"/admin/tenancy/{kind}/{key}/delete/").status_code in {403, 404}
