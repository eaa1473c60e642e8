"""Which of the libraries' files are served: none that no page asks for."""

from __future__ import annotations

from django.contrib.staticfiles.apps import StaticFilesConfig


class StaticFiles(StaticFilesConfig):
    """Two thirds of what the libraries bring (another viewer of the API, pages of theirs that nobody is shown) would
    be hashed and compressed at the first start, and looked at by each start of a web process."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "redoc", "rest_framework", "django_htmx"]
