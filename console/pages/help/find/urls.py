"""Address of the search box, below a project."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from console.pages.help.find.find import find

find_pages: list[URLPattern | URLResolver] = [path("find/", find, name="find")]
