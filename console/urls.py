"""All addresses. The API's come first and never redirect; what they do not know is answered in their envelope."""

from __future__ import annotations

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from console.health import healthz, readyz
from skills.views import material
from tenancy.api.failures import unknown_route

# Operators come in by the same door as everybody: with its limits and second factors.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("api/openmem/v1/", include("memories.api.urls")),
    path("api/openmem/v1/", include("knowledgebase.api.urls")),
    path("api/docs/", SpectacularSwaggerSplitView.as_view(url_name="openapi"), name="api-docs"),
    path("openapi.json", SpectacularAPIView.as_view(), name="openapi"),
    re_path(r"^api/v1(?:/|$)", include("skills.api.urls")),
    re_path(r"^api(/|$)", unknown_route),
    path("material/<str:token>", material, name="material"),
    path("healthz", healthz),
    path("readyz", readyz),
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
    path("", include("console.pages.urls")),
]

handler400 = "console.failures.refused"
handler500 = "console.failures.broken"
