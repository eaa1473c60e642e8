"""Addresses below a project's `playground/`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from console.pages.memory.playground import playground, tests

playground_pages: list[URLPattern | URLResolver] = [
    path("", playground.playground, name="playground"),
    path("stream/", playground.playground_stream, name="playground_stream"),
    path("tests/", tests.recall_tests, name="recall_tests"),
    path("tests/new/", tests.recall_test_new, name="recall_test_new"),
    path("tests/run/", tests.recall_tests_run, name="recall_tests_run"),
    path("tests/<uuid:test_id>/delete/", tests.recall_test_delete, name="recall_test_delete"),
]
