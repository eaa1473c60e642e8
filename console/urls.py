"""All addresses. The API's come first and never redirect; what they do not know is answered in their envelope."""

from __future__ import annotations

from allauth.mfa.totp.views import deactivate_totp
from allauth.mfa.webauthn.views import remove_webauthn
from django.contrib import admin
from django.urls import include, path, re_path

from console.http.health import readyz
from console.http.openapi.serving import ApiDocs, openapi
from console.http.security_txt import security_txt
from console.interfaces.mem0.errors import unknown_address
from console.interfaces.payments.webhook import stripe_events
from console.pages.account.me.second_factor import keeping_the_last
from skills.catalogue.download_views import serve_session_file, serve_skill_file
from tenancy.api.failures import answer_unknown_route

urlpatterns = [
    path("api/openmem/v1/", include("memories.api.urls")),
    path("api/openmem/v1/", include("knowledgebase.api.urls")),
    path("api/console/v1/", include("tenancy.api.console.urls")),
    path("docs/api/", ApiDocs.as_view(), name="api-docs"),
    # Where it was before there were other documents.
    path("api/docs/", ApiDocs.as_view()),
    path("openapi.json", openapi, name="openapi"),
    # mem0's contract, on the bare host and under a prefix.
    path("api/mem0/", include("console.interfaces.mem0.urls")),
    path("", include("console.interfaces.mem0.urls")),
    re_path(r"^(?:(?:api/mem0|v[23])(?:/|$)|v1$)", unknown_address),
    re_path(r"^api/v1(?:/|$)", include("skills.api.urls")),
    re_path(r"^api(/|$)", answer_unknown_route),
    path("material/<str:token>", serve_skill_file, name="material"),
    path("material/message/<str:token>", serve_session_file, name="session_file"),
    path("stripe/events", stripe_events, name="stripe-events"),
    path("readyz", readyz),
    path(".well-known/security.txt", security_txt),
    path("v1/", include("console.interfaces.openai.urls")),
    path("", include("console.interfaces.oauth.urls")),
    path("", include("allauth.idp.urls")),
    path("admin/", admin.site.urls),
    # In front of allauth's own, which would let go of the last one.
    path("accounts/2fa/totp/deactivate/", keeping_the_last(deactivate_totp)),
    path("accounts/2fa/webauthn/keys/<int:pk>/remove/", keeping_the_last(remove_webauthn)),
    path("accounts/", include("allauth.urls")),
    path("", include("console.pages.urls")),
]

handler403 = "console.pages.shell.refusals.forbidden"
handler404 = "console.pages.shell.refusals.not_found"
handler400 = "console.interfaces.failures.answer_refused_request"
handler500 = "console.interfaces.failures.answer_server_error"
