"""What the page that asks for the password again shows: the action it is for, and where "Cancel" leads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.urls import Resolver404, ResolverMatch, resolve, reverse
from django.utils.translation import gettext_lazy

# By name of the address that is asked for: the action in words, and the page that offers it.
REASONS: dict[str, tuple[Any, str]] = {
    "console:login_delete": (gettext_lazy("delete your login"), "console:me"),
    "console:account_delete": (gettext_lazy("delete this account"), "console:account_settings"),
    "console:account_transfer": (gettext_lazy("transfer ownership of this account"), "console:members"),
    "console:member_roles": (gettext_lazy("change the roles of a member"), "console:members"),
    "console:member_remove": (gettext_lazy("remove a member"), "console:members"),
    "console:second_factor_ask": (gettext_lazy("require two-factor for all members"), "console:members"),
    "console:second_factor_stop": (gettext_lazy("make two-factor optional"), "console:members"),
    "console:billing_choose": (gettext_lazy("change the plan"), "console:billing"),
    "console:billing_cancel": (gettext_lazy("cancel the subscription"), "console:billing"),
    "console:billing_resume": (gettext_lazy("resume the subscription"), "console:billing"),
    "console:billing_portal": (gettext_lazy("open the billing portal"), "console:billing"),
    "console:project_delete": (gettext_lazy("delete a project"), "console:projects"),
    "console:model_provider": (gettext_lazy("change the model provider"), "console:settings"),
    "console:model_provider_delete": (gettext_lazy("remove the model provider"), "console:settings"),
    "console:api_keys_revoke_all": (gettext_lazy("revoke all API keys"), "console:api_keys"),
    "mfa_activate_totp": (gettext_lazy("turn on an authenticator app"), "mfa_index"),
    "mfa_deactivate_totp": (gettext_lazy("turn off the authenticator app"), "mfa_index"),
    "mfa_view_recovery_codes": (gettext_lazy("view your recovery codes"), "mfa_index"),
    "mfa_generate_recovery_codes": (gettext_lazy("generate new recovery codes"), "mfa_index"),
    "mfa_download_recovery_codes": (gettext_lazy("download your recovery codes"), "mfa_index"),
    "mfa_list_webauthn": (gettext_lazy("manage your passkeys"), "console:me"),
    "mfa_add_webauthn": (gettext_lazy("add a passkey or security key"), "console:me"),
    "mfa_remove_webauthn": (gettext_lazy("remove a passkey or security key"), "console:me"),
    "mfa_edit_webauthn": (gettext_lazy("rename a passkey or security key"), "console:me"),
    "account_email": (gettext_lazy("change your e-mail addresses"), "console:me"),
    "account_change_password": (gettext_lazy("change your password"), "console:me"),
    "account_set_password": (gettext_lazy("choose a password"), "console:me"),
    "socialaccount_connections": (gettext_lazy("change your connected logins"), "console:me"),
}
OPERATOR = gettext_lazy("use the operator's pages")


@dataclass(frozen=True, slots=True)
class Reason:
    """`action` follows "To …"; empty where the address is not one of ours. `back_url` does nothing but leave."""

    action: str
    back_url: str


def find_reauthentication_reason(request: HttpRequest) -> Reason:
    """Find why the person is asked, read from the address that waits for the answer."""
    match = _match_address(request.POST.get("next") or request.GET.get("next") or "")
    if match is None:
        return Reason("", reverse("console:home"))
    if match.view_name.startswith("admin:"):
        return Reason(str(OPERATOR), reverse("console:home"))
    action, back = REASONS.get(match.view_name, ("", "console:home"))
    places = {name: value for name, value in match.kwargs.items() if name in _list_page_arguments(back)}
    return Reason(str(action), reverse(back, kwargs=places))


def _match_address(address: str) -> ResolverMatch | None:
    try:
        return resolve(urlsplit(address).path)
    except (Resolver404, ValueError):
        return None


def _list_page_arguments(name: str) -> frozenset[str]:
    """Pages of a project and of an account are found by its id."""
    if name in {"console:settings", "console:api_keys"}:
        return frozenset({"project_id"})
    return frozenset() if name in {"console:me", "console:home", "mfa_index"} else frozenset({"account_id"})
