"""SECRET_KEY and peppers are changed without anybody being signed out or a key being lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from uuid import UUID

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core import signing
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.test import override_settings

from console.sign_in.logins import reseal_factors
from skills.catalogue.downloads import SALT
from tenancy.errors import KeyInvalid
from tenancy.keys.changes import rotate_key
from tenancy.keys.keys import clear_key_cache, create_key, recognise_key
from tenancy.keys.peppers import derive_pepper_id
from tenancy.models import ApiKey, User
from tests.support.accounts.people import (
    PASSWORD,
    browser,
    get_owner,
    give_factor,
    make_code,
    new_person,
    sign_in_owner,
)
from tests.support.api_client import Tenant
from tests.support.waiting import wait_until

NEW = "a secret key that nobody has used before, long enough"


@pytest.fixture(autouse=True)
def closing() -> Iterator[None]:
    yield
    connections.close_all()


def replaced() -> override_settings:
    return override_settings(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=[settings.SECRET_KEY])


def alone() -> override_settings:
    return override_settings(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=[])


def signs_in(person: User, code: str) -> bool:
    client = browser()
    client.post("/accounts/login/", {"login": person.email, "password": PASSWORD})
    return client.post("/accounts/2fa/authenticate/", {"code": code}).headers.get("Location") == "/home/"


def test_a_session_outlives_a_new_secret_key(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    page = f"/p/{tenant.project_id}/memories/"

    with replaced():
        assert client.get(page).status_code == 200
    with alone():
        assert client.get(page).status_code == 200, "it was not signed anew when it was used"


def test_without_the_fallback_people_sign_in_again(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)

    with alone():
        assert client.get(f"/p/{tenant.project_id}/memories/").status_code == 302


def test_links_in_mails_and_to_files_outlive_a_new_secret_key() -> None:
    person = new_person()
    reset, material = default_token_generator.make_token(person), signing.dumps(["x"], salt=SALT)

    with override_settings(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=[settings.SECRET_KEY]):
        assert default_token_generator.check_token(person, reset)
        assert signing.loads(material, salt=SALT) == ["x"]


def test_a_second_factor_outlives_a_new_secret_key_and_its_fallback_and_one_that_no_key_reads_is_named() -> (
    None
):
    person, forgotten = new_person(), new_person()
    factor = give_factor(person)
    RecoveryCodes.activate(person)
    codes = RecoveryCodes(Authenticator.objects.get(user=person, type="recovery_codes")).get_unused_codes()
    with override_settings(SECRET_KEY="a key that nobody has any more, long enough"):
        lost = give_factor(forgotten)
    output = StringIO()

    with replaced():
        assert signs_in(person, make_code(factor))
        call_command("reseal", stdout=output, stderr=output)
    with alone():
        assert signs_in(person, codes[0])
        assert make_code(Authenticator.objects.get(pk=factor.pk))
        with pytest.raises(InvalidToken):
            make_code(factor)  # as it was stored before
    with override_settings(SECRET_KEY_FALLBACKS=[NEW]):
        reseal_factors()  # others' factors are as they were
    assert "second factors were encrypted anew" in output.getvalue()
    assert str(lost.pk) in output.getvalue().partition("cannot be read with SECRET_KEY")[2]
    assert Authenticator.objects.get(pk=lost.pk).data == lost.data
    lost.delete()


@pytest.fixture
def peppers() -> Iterator[None]:
    with override_settings(KEY_PEPPERS=["a new pepper", *settings.KEY_PEPPERS]):
        yield
    clear_key_cache()


def marked(key: UUID) -> tuple[str, str]:
    row = ApiKey.objects.get(pk=key)
    return row.pepper_id, row.old_pepper_id


def test_a_key_that_is_used_moves_to_the_new_pepper(tenant: Tenant, peppers: None) -> None:
    old = override_settings(KEY_PEPPERS=settings.KEY_PEPPERS[1:])
    with old:
        made = create_key(tenant.project, "mine")
    clear_key_cache()

    recognise_key(made.plaintext)
    wait_until(lambda: marked(made.key.pk)[0] == derive_pepper_id("a new pepper"))

    with override_settings(KEY_PEPPERS=["a new pepper"]):
        clear_key_cache()
        assert recognise_key(made.plaintext).pk == made.key.pk
    with old:
        clear_key_cache()
        with pytest.raises(KeyInvalid):
            recognise_key(made.plaintext)


def test_the_secret_before_a_rotation_moves_too(tenant: Tenant, peppers: None) -> None:
    with override_settings(KEY_PEPPERS=settings.KEY_PEPPERS[1:]):
        made = create_key(tenant.project, "mine")
        rotated = rotate_key(made.key, timedelta(hours=1), get_owner(tenant))
    clear_key_cache()

    recognise_key(made.plaintext)
    recognise_key(rotated.plaintext)
    wait_until(lambda: marked(made.key.pk) == (derive_pepper_id("a new pepper"),) * 2)

    with override_settings(KEY_PEPPERS=["a new pepper"]):
        clear_key_cache()
        assert {recognise_key(key).pk for key in (made.plaintext, rotated.plaintext)} == {made.key.pk}


def test_a_key_that_was_made_before_peppers_were_noted_is_marked_when_it_is_used(tenant: Tenant) -> None:
    made = create_key(tenant.project, "mine")
    ApiKey.objects.filter(pk=made.key.pk).update(pepper_id="")
    clear_key_cache()

    recognise_key(made.plaintext)

    wait_until(lambda: marked(made.key.pk)[0] == derive_pepper_id(settings.KEY_PEPPERS[0]))


def test_the_command_says_how_many_keys_need_an_older_pepper(tenant: Tenant) -> None:
    def told() -> dict[str, int]:
        out = StringIO()
        call_command("key_peppers", json=True, stdout=out)
        return dict(json.loads(out.getvalue()))

    with transaction.atomic():
        # Other tests make keys meanwhile, which this transaction does not see.
        connection.cursor().execute("set transaction isolation level repeatable read")
        before = told()
        made = [create_key(tenant.project, name) for name in ("a", "b", "c", "d")]
        ApiKey.objects.filter(pk=made[1].key.pk).update(pepper_id="of another one")
        ApiKey.objects.filter(pk=made[2].key.pk).update(pepper_id="")
        ApiKey.objects.filter(pk=made[3].key.pk).update(pepper_id="", expires_at="2020-01-01T00:00Z")
        after = told()
        plain = StringIO()
        call_command("key_peppers", stdout=plain)

    grown = {name: after[name] - before[name] for name in after}
    assert grown == {"current": 1, "older": 1, "unknown": 1, "idle": 2}
    assert f"{after['older'] + after['unknown']} need an older one" in plain.getvalue()
