"""Who may create a login: anyone, people with an invitation, or nobody, and never too many from one network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.contrib.auth.models import AnonymousUser
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.urls import reverse
from django.utils import timezone

from console.sign_in import sign_up_settings
from tenancy.models import Invitation, User
from tenancy.people.invitations import invite_member
from tests.support.accounts.people import PASSWORD, browser, get_owner, new_person
from tests.support.api_client import Tenant

PAGES = ["/", "/pricing/", "/accounts/login/"]
LINK = 'href="/accounts/signup/'
# Where mails are sent, people confirm their address by one.
BY_MAIL = override_settings(
    EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend",
    HAS_MAIL=True,
    ACCOUNT_EMAIL_VERIFICATION="mandatory",
)


@pytest.fixture
def email() -> str:
    return f"{uuid4().hex}@example.org"


def sign_up(client: Client, email: str) -> HttpResponse:
    return client.post("/accounts/signup/", {"email": email, "password1": PASSWORD})


def has_login(email: str) -> bool:
    return User.objects.filter(email=email).exists()


def link_for(tenant: Tenant, email: str, lasts: timedelta = timedelta(days=7)) -> str:
    sent = invite_member(tenant.project.account, email, "developer", get_owner(tenant), lasts)
    return reverse("console:invitation", args=[sent.token])


@pytest.fixture
def invited_only() -> Iterator[None]:
    with override_settings(SIGNUP="invited"):
        yield


@pytest.fixture
def closed() -> Iterator[None]:
    with override_settings(SIGNUP="closed"):
        yield


def test_where_sign_up_is_open_anyone_creates_a_login(email: str) -> None:
    client = browser()

    assert all(LINK in client.get(page).content.decode() for page in PAGES)
    assert sign_up(client, email).status_code == 302
    assert has_login(email)


def test_without_a_mail_server_no_mail_is_said_to_be_sent(email: str) -> None:
    client = browser()

    with override_settings(HAS_MAIL=False, ACCOUNT_EMAIL_VERIFICATION="optional"):
        sign_up(client, email)
        after_sign_up = client.get("/accounts/email/").content.decode()
        client.post("/accounts/email/", {"action_add": "", "email": f"other-{email}"})
        after_adding = client.get("/accounts/email/").content.decode()

    assert "Confirmation email sent" not in after_sign_up + after_adding
    assert "This installation has no mail server" not in after_sign_up
    assert "This installation has no mail server, so no mails are sent." in after_adding


@pytest.mark.parametrize(("setting", "why"), [("invited", "by invitation only"), ("closed", "closed here")])
def test_pages_offer_no_sign_up_where_there_is_none_and_say_why(setting: str, why: str) -> None:
    with override_settings(SIGNUP=setting):
        for page in PAGES:
            shown = browser().get(page).content.decode()
            assert LINK not in shown
            assert why in shown


def test_a_closed_sign_up_creates_nobodys_login_and_says_so(closed: None, email: str) -> None:
    client = browser()

    assert "Sign-up is closed" in client.get("/accounts/signup/").content.decode()
    assert "Sign-up is closed" in sign_up(client, email).content.decode()
    assert not has_login(email)


def test_people_who_have_a_login_sign_in_where_sign_up_is_closed(closed: None) -> None:
    person = new_person()

    answer = browser().post("/accounts/login/", {"login": person.email, "password": PASSWORD})

    assert (answer.status_code, answer.headers["Location"]) == (302, "/home/")


def test_an_invitation_opens_the_sign_up_for_its_address(
    invited_only: None, tenant: Tenant, email: str
) -> None:
    client, link = browser(), link_for(tenant, email)
    assert LINK in client.get(link).content.decode()

    assert email in client.get("/accounts/signup/").content.decode()
    assert sign_up(client, email).status_code == 302

    assert has_login(email)


@BY_MAIL
@override_settings(ACCOUNT_RATE_LIMITS={"confirm_email": "100/m/key"})  # otherwise one in three minutes
def test_who_signs_in_before_the_address_is_confirmed_is_sent_another_link(email: str) -> None:
    sign_up(browser(), email)

    page = browser().post("/accounts/login/", {"login": email, "password": PASSWORD}, follow=True)

    assert "we send another" in " ".join(page.content.decode().split())
    sent = [str(message.body) for message in mail.outbox if message.to == [email]]
    assert [bool(re.search(r"/accounts/confirm-email/\S+", body)) for body in sent] == [True, True]


@BY_MAIL
def test_people_who_came_by_an_invitation_go_on_with_it_when_their_address_is_confirmed(
    tenant: Tenant, email: str
) -> None:
    client = browser()
    client.get(link_for(tenant, email))
    assert f'value="{email}"' in client.get("/accounts/signup/").content.decode()
    sign_up(client, email)
    sent = str(mail.outbox[-1].body)
    assert "Hello from Engram!" in sent
    (confirmation,) = re.findall(r"/accounts/confirm-email/\S+", sent)

    page = client.post(confirmation, follow=True).content.decode()
    assert "invites you, as Developer." in page
    (sign_in,) = re.findall(r'href="(/accounts/login/\?next=[^"]+)"', page)
    client.post(sign_in, {"login": email, "password": PASSWORD})
    joined = client.post(reverse("console:invitation", args=["noted"]), follow=True)

    assert "Welcome to" in joined.content.decode()
    assert tenant.project.account.memberships.filter(user__email=email, role="developer").exists()


def test_an_address_without_a_token_accepts_nothing_in_another_browser(tenant: Tenant) -> None:
    person = new_person()
    link_for(tenant, person.email)
    client = browser()
    client.force_login(person)

    assert client.post(reverse("console:invitation", args=["noted"])).status_code == 404


def test_an_invitation_opens_the_sign_up_for_no_other_address(
    invited_only: None, tenant: Tenant, email: str
) -> None:
    client = browser()
    client.get(link_for(tenant, email))

    answer = sign_up(client, f"other-{email}")

    assert f"Your invitation is for {email}" in answer.content.decode()
    assert not has_login(f"other-{email}")


def test_who_knows_an_invited_address_and_not_its_link_stays_outside(
    invited_only: None, tenant: Tenant, email: str
) -> None:
    link_for(tenant, email)
    client = browser()

    assert "You need an invitation" in client.get("/accounts/signup/").content.decode()
    assert "You need an invitation" in sign_up(client, email).content.decode()
    assert not has_login(email)


@pytest.mark.parametrize("ended", ["revoked", "accepted", "expired"])
def test_an_invitation_that_ended_since_its_link_was_opened_opens_nothing(
    invited_only: None, tenant: Tenant, email: str, ended: str
) -> None:
    client, now = browser(), timezone.now()
    client.get(link_for(tenant, email))
    moment = {"revoked": "revoked_at", "accepted": "accepted_at", "expired": "expires_at"}[ended]
    Invitation.objects.filter(email=email).update(**{moment: now - timedelta(seconds=1)})

    sign_up(client, email)

    assert not has_login(email)


def test_an_invitation_where_sign_up_is_closed_is_for_people_who_have_a_login(
    closed: None, tenant: Tenant, email: str
) -> None:
    client = browser()
    shown = client.get(link_for(tenant, email)).content.decode()

    assert LINK not in shown
    assert "No new accounts can be created here" in shown
    sign_up(client, email)
    assert not has_login(email)


def from_provider(email: str, session: Client | None = None) -> tuple[HttpRequest, SocialLogin]:
    """Somebody whom a provider sends back, and who is new here."""
    client = session or browser()
    request = RequestFactory().get(
        "/accounts/github/login/callback/", REMOTE_ADDR=client.defaults["REMOTE_ADDR"]
    )
    request.session, request.user = client.session, AnonymousUser()
    address = EmailAddress(email=email, verified=True, primary=True)
    login = SocialLogin(
        User(email=email), SocialAccount(provider="github", uid=email), email_addresses=[address]
    )
    return request, login


def is_let_in(request: HttpRequest, login: SocialLogin) -> bool:
    return bool(get_adapter(request).is_open_for_signup(request, login))


def test_a_provider_creates_no_login_where_sign_up_is_closed(closed: None, email: str) -> None:
    assert not is_let_in(*from_provider(email))


def test_a_provider_creates_a_login_for_the_invited_address_only(
    invited_only: None, tenant: Tenant, email: str
) -> None:
    client = browser()
    client.get(link_for(tenant, email))

    assert is_let_in(*from_provider(email, client))
    assert not is_let_in(*from_provider(f"other-{email}", client))
    assert not is_let_in(*from_provider(email))


@override_settings(SIGNUPS_PER_HOUR=3)
def test_one_network_address_creates_so_many_logins_an_hour_and_no_more(email: str) -> None:
    place = browser().defaults["REMOTE_ADDR"]

    def newcomer() -> Client:
        return Client(HTTP_HOST="localhost", REMOTE_ADDR=place)

    for number in range(3):
        assert sign_up(newcomer(), f"{number}-{email}").status_code == 302
    answer = sign_up(newcomer(), f"4-{email}")

    assert "Too many accounts were created from your network" in answer.content.decode()
    assert not has_login(f"4-{email}")
    assert sign_up(browser(), f"4-{email}").status_code == 302
    request, login = from_provider(f"5-{email}")
    request.META["REMOTE_ADDR"] = place
    with pytest.raises(ImmediateHttpResponse) as refusal:
        is_let_in(request, login)
    assert refusal.value.response.status_code == 429


@override_settings(SIGNUPS_PER_HOUR=1)
def test_addresses_of_one_ipv6_network_count_as_one(email: str) -> None:
    network = f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}"

    first = sign_up(Client(HTTP_HOST="localhost", REMOTE_ADDR=f"{network}::1"), f"1-{email}")
    second = sign_up(Client(HTTP_HOST="localhost", REMOTE_ADDR=f"{network}:a:b:c:d"), f"2-{email}")

    assert (first.status_code, has_login(f"2-{email}")) == (302, False)
    assert "Too many accounts" in second.content.decode()


@override_settings(SIGNUPS_PER_HOUR=1)
def test_a_form_that_is_refused_for_something_else_counts_for_nothing(email: str) -> None:
    client = browser()
    client.post("/accounts/signup/", {"email": email, "password1": "short"})

    assert sign_up(client, email).status_code == 302


def test_a_misspelt_setting_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNUP", "invite")

    with pytest.raises(ImproperlyConfigured, match="open, invited or closed"):
        sign_up_settings.sign_up()


def test_a_refused_password_is_explained_in_the_language_of_the_page(email: str) -> None:
    sent = {"email": email, "password1": "short"}
    answer = browser().post("/accounts/signup/", sent, headers={"Accept-Language": "zh-Hans"})

    assert "密码太短，至少需要 10 个字符。" in answer.content.decode()
    assert not has_login(email)


@BY_MAIL
@pytest.mark.parametrize("path", ["signup", "password/reset"])
def test_an_address_that_no_mail_can_name_is_refused(path: str) -> None:
    email = f"x@{'ü' * 60}.de"

    answer = browser().post(f"/accounts/{path}/", {"email": email, "password1": PASSWORD})

    assert "Mails cannot be sent to this address." in answer.content.decode()
    assert not has_login(email)
