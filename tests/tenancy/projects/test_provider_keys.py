"""A project brings a model provider along: its key is sealed, and shown to nobody again."""

from __future__ import annotations

import json
import logging

import pytest
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection

from console.configuration import environment
from memories import engine
from memories.engine.metering import metering_usage
from memories.engine.provider_settings import delete_own_model, save_own_model, try_own_model
from tenancy.errors import InvalidParameters
from tenancy.isolation.encryption import (
    DecryptionFailed,
    EncryptedSecret,
    EncryptionUnavailable,
    decrypt,
    encrypt,
)
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Role
from tenancy.models.provider import ModelProvider
from tenancy.projects.model_providers import ProviderAccess, ProviderInput, open_provider, reencrypt_keys
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.servers.model_server import ModelServer
from tests.support.servers.own_provider import KEY, audited, form, kept, place


def test_a_key_is_kept_sealed_and_never_shown_again(
    tenant: Tenant, provider: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client = sign_in_owner(tenant)

    saved = client.post(place(tenant.project), form(provider.url))

    assert saved.status_code == 302
    page = client.get(f"/p/{tenant.project_id}/settings/").content.decode()
    assert "…0815" in page
    assert provider.url in page
    assert KEY not in page
    with tenant_scope(tenant.project), connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(found)::text FROM tenancy_modelprovider found")
        (row,) = cursor.fetchone()
        details = json.dumps([event.detail for event in audited(tenant)])
    assert json.loads(row)["last_four"] == "0815"
    assert not any(KEY in text or KEY.encode().hex() in text for text in (row, details, caplog.text))
    assert open_provider(Scope.of_project(tenant.project)).api_key == KEY  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"base_url": "ftp://example.com"}, "Enter an address like"),
        ({"base_url": "https://me:secret@example.com/v1"}, "Enter an address like"),
        ({"base_url": "http://api.example.com/v1"}, "must start with https"),
        ({"base_url": "https://api.example.com/v1?x=1"}, "without a query"),
        ({"base_url": "https://☃.example.com/v1"}, "Enter an address like"),
        ({"base_url": "https://api.exa\tmple.com/v1"}, "Enter an address like"),
        ({"key": "sk-••••••••1234"}, "Copy the whole key"),
        ({"key": "sk-…abcd"}, "Copy the whole key"),
        ({"key": "sk-ab\xa0cd"}, "Copy the whole key"),
        ({"key": "sk-ab cd"}, "Copy the whole key"),
        ({"model": ""}, "required"),
    ],
)
def test_what_cannot_be_an_address_is_refused_beside_its_field(
    tenant: Tenant, wrong: dict[str, str], words: str
) -> None:
    client = sign_in_owner(tenant)

    answer = client.post(place(tenant.project), form("https://api.example.com/v1", **wrong))

    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert KEY not in answer.content.decode()
    assert audited(tenant) == []


def test_a_key_goes_to_no_other_server_than_it_was_entered_for(tenant: Tenant, provider: ModelServer) -> None:
    client = sign_in_owner(tenant)
    client.post(place(tenant.project), form(provider.url))

    moved = client.post(place(tenant.project), form("https://evil.example.com/v1", key=""))
    renamed = client.post(place(tenant.project), form(provider.url, key="", model="tiny-2"))

    assert moved.status_code == 422
    assert "the key is never sent" in moved.content.decode()
    assert renamed.status_code == 302
    assert (kept(tenant.project).base_url, kept(tenant.project).model) == (provider.url, "tiny-2")
    assert open_provider(Scope.of_project(tenant.project)).api_key == KEY  # type: ignore[union-attr]


def test_taking_it_out_deletes_the_key(tenant: Tenant, provider: ModelServer) -> None:
    client = sign_in_owner(tenant)
    client.post(place(tenant.project), form(provider.url))

    assert client.post(place(tenant.project) + "forget/").status_code == 302

    with tenant_scope(tenant.project):
        assert not ModelProvider.objects.within(tenant.project).exists()
    assert [event.action for event in audited(tenant)] == ["provider.kept", "provider.forgotten"]
    with metering_usage(Scope.of_project(tenant.project)):
        assert engine.get_chat_model() is None


def test_only_owners_and_admins_may_see_and_change_it(
    tenant: Tenant, stranger: Tenant, provider: ModelServer
) -> None:
    save_own_model(tenant.project, ProviderInput(provider.url, "tiny-1", key=KEY), get_owner(tenant))
    for role in (Role.DEVELOPER, Role.VIEWER):
        client = sign_in(add_member(tenant.project.account, role))
        for path in ("", "try/", "forget/"):
            assert client.post(place(tenant.project) + path, form(provider.url)).status_code == 403
        assert provider.url not in client.get(f"/p/{tenant.project_id}/settings/").content.decode()
    outside = sign_in_owner(stranger)
    for path in ("", "try/", "forget/"):
        assert outside.post(place(tenant.project) + path, form(provider.url)).status_code == 404
    assert kept(tenant.project).model == "tiny-1"
    assert provider.asked == []


def test_a_new_key_of_the_installation_seals_everything_anew(
    tenant: Tenant, provider: ModelServer, settings: LazySettings
) -> None:
    save_own_model(tenant.project, ProviderInput(provider.url, "tiny-1", key=KEY), get_owner(tenant))
    before, new = kept(tenant.project), "n" * 40
    old = list(settings.ENCRYPTION_KEYS)

    settings.ENCRYPTION_KEYS = [new, *old]
    assert open_provider(Scope.of_project(tenant.project)).api_key == KEY  # type: ignore[union-attr]
    call_command("reseal")
    settings.ENCRYPTION_KEYS = [new]

    assert open_provider(Scope.of_project(tenant.project)).api_key == KEY  # type: ignore[union-attr]
    assert kept(tenant.project).key_id != before.key_id
    settings.ENCRYPTION_KEYS = [*old, new]
    call_command("reseal")


def test_a_sealed_secret_opens_in_its_own_place_only(settings: LazySettings) -> None:
    settings.ENCRYPTION_KEYS = ["k" * 40]
    sealed = encrypt(KEY, "here")

    assert decrypt(sealed, "here") == KEY
    assert KEY.encode() not in sealed.content
    assert encrypt(KEY, "here").content != sealed.content
    changed = EncryptedSecret(sealed.key_id, sealed.content[:-1] + bytes([sealed.content[-1] ^ 1]))
    for wrong, where in ((sealed, "there"), (changed, "here"), (EncryptedSecret("", b""), "here")):
        with pytest.raises(DecryptionFailed):
            decrypt(wrong, where)
    settings.ENCRYPTION_KEYS = []
    with pytest.raises(EncryptionUnavailable):
        encrypt(KEY, "here")


def test_an_installation_without_keys_says_that_it_cannot_keep_any(
    tenant: Tenant, settings: LazySettings
) -> None:
    settings.ENCRYPTION_KEYS = []
    wanted = ProviderInput("https://api.example.com/v1", "tiny-1", key=KEY)

    with pytest.raises(InvalidParameters, match="cannot keep keys"):
        save_own_model(tenant.project, wanted, get_owner(tenant))

    save_own_model(
        tenant.project, ProviderInput("https://api.example.com/v1", "m", key=""), get_owner(tenant)
    )
    assert kept(tenant.project).encrypted_key is None


def test_a_first_save_says_the_key_or_that_there_is_none(tenant: Tenant, provider: ModelServer) -> None:
    client = sign_in_owner(tenant)

    silent = client.post(place(tenant.project), form(provider.url, key=""))
    answer = client.post(place(tenant.project), form(provider.url, key="", has_no_key="on"))

    assert (silent.status_code, answer.status_code) == (422, 302)
    assert "needs no key" in silent.content.decode()
    assert try_own_model(tenant.project).trouble == ""
    assert provider.asked[0].key is None


def test_keys_of_the_installation_are_long_and_several_stand_with_commas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ENCRYPTION_KEYS", f"{'a' * 32},{'b' * 40}")
    assert environment.read_encryption_keys() == ["a" * 32, "b" * 40]

    monkeypatch.setenv("ENCRYPTION_KEYS", "short")
    with pytest.raises(ImproperlyConfigured, match="32 characters"):
        environment.read_encryption_keys()


def test_one_key_that_nobody_can_open_keeps_no_other_from_being_sealed_anew(
    tenant: Tenant, provider: ModelServer, settings: LazySettings
) -> None:
    owner, lost = get_owner(tenant), tenant.project.account.projects.create(name="staging")
    for project in (tenant.project, lost):
        save_own_model(project, ProviderInput(provider.url, "tiny-1", key=KEY), owner)
    with tenant_scope(lost):
        ModelProvider.objects.within(lost).update(key_id="gone")
    settings.ENCRYPTION_KEYS = ["n" * 40, *settings.ENCRYPTION_KEYS]

    result = reencrypt_keys(tenant.project.account)

    assert (result.done, result.lost) == (1, [lost.pk])
    assert open_provider(Scope.of_project(tenant.project)).api_key == KEY  # type: ignore[union-attr]
    for project in (tenant.project, lost):
        delete_own_model(project, owner)


def test_a_key_is_not_in_what_is_printed_of_it() -> None:
    wanted, kept_one = (
        ProviderInput("https://x.example", "m", key=KEY),
        ProviderAccess("https://x.example", KEY, "m", (), ""),
    )

    assert KEY not in f"{wanted!r} {kept_one!r}"
