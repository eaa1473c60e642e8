"""The scopes that OAuth clients may ask for; device sign-in has those of API keys."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

SCOPES = {
    "read": _("Search and read memories and skills"),
    "write": _("Store and change memories"),
    "delete": _("Delete memories"),
    "knowledge": _("Read and change knowledge bases"),
}
# Asked for by habit; they give nothing here.
IGNORED_SCOPES = ("openid", "profile", "email", "offline_access")
