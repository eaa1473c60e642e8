"""Addresses below a project's `playground/`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from console.pages.memory.playground import playground

playground_pages: list[URLPattern | URLResolver] = [
    path("", playground.playground, name="playground"),
]
