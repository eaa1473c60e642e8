"""A web process carries no client, adapter or command from outside; a command no searches and no rules; a worker of
files nothing of feedback and skills."""

from __future__ import annotations

import os
import subprocess
import sys

from console.embedded.stack import Stack
from tests.support.project import PROJECT_ROOT

FOREIGN = {
    *(
        "engram_client",
        "engram_cli",
        "typer",
        "acontext",
        "openai",
        "mem0",
        "anthropic",
        "langgraph",
        "langchain_core",
        "agents",
    ),
    *("pydantic_ai", "llama_index", "crewai", "playwright", "pytest", "tests", "benchmarks"),
}
# What a command needs to begin; then what a worker of files loads before its children fork; then all that serves a
# request: the application, and every view behind an address; then what the other worker loads.
LOAD = """
import sys
import django
django.setup()
print(*sys.modules)
from console.celery import app
from memories.jobs.registry import load_handlers
from memories.values import Queue
app.loader.import_default_modules()
load_handlers(Queue.FILES)
print(*sys.modules)
import console.asgi
from django.urls import get_resolver

def walk(patterns):
    for one in patterns:
        if hasattr(one, "url_patterns"):
            yield from walk(one.url_patterns)
        else:
            yield one.callback

assert len(list(walk(get_resolver().url_patterns))) > 200
print(*sys.modules.copy())
load_handlers(Queue.GENERAL)
print(*sys.modules.copy())
"""
# They take longer to load than all the rest, and no command that makes a tenant or a backup needs them.
HEAVY = {
    "rest_framework.serializers",
    "dateparser",
    "memories.text.words.tokenize",
    "memories.retrieval.search",
    "memories.consolidation.reconcile",
    "memories.text.slots",
    "skills.generation",
    "numpy",
}
# What fetches and parses files does none of this, which takes a sixth of a worker's start.
NOT_FOR_FILES = {
    "memories.feedback.apply",
    "memories.ingest.refine",
    "skills.generation.generate",
    "skills.learning.learn",
    "console.data.recall_tests.run",
}


def test_each_process_loads_what_it_needs_and_no_more(stack: Stack) -> None:
    environment = {**os.environ, **stack.environment, "DJANGO_SETTINGS_MODULE": "console.settings"}
    environment["CELERY_SKIP_CHECKS"] = "true"  # as for the supervisor's workers: they would load every page
    environment.pop("PYTHONPATH", None)

    ended = subprocess.run(
        [sys.executable, "-c", LOAD], env=environment, cwd=PROJECT_ROOT, capture_output=True, text=True
    )

    assert ended.returncode == 0, ended.stderr
    by_command, by_files, by_web, by_worker = (line.split() for line in ended.stdout.splitlines())
    assert "memories.models" in by_command
    assert not set(by_command) & HEAVY
    assert {"memories.ingest.attachments", "knowledgebase.processing.process"} <= set(by_files)
    assert not set(by_files) & NOT_FOR_FILES
    assert "console.asgi" in by_web
    assert not {name.partition(".")[0] for name in by_web} & FOREIGN
    assert set(by_worker) >= NOT_FOR_FILES
