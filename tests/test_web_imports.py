"""The web process carries none of the clients, adapters and commands that talk to it from outside."""

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
# All that serves a request: the application, and every view behind an address.
LOAD = """
import sys
import console.asgi
from django.urls import get_resolver

def walk(patterns):
    for one in patterns:
        if hasattr(one, "url_patterns"):
            yield from walk(one.url_patterns)
        else:
            yield one.callback

assert len(list(walk(get_resolver().url_patterns))) > 200
print(*sorted({name.partition(".")[0] for name in list(sys.modules)}))
"""


def test_the_web_process_imports_no_client_adapter_or_command(stack: Stack) -> None:
    environment = {**os.environ, **stack.environment, "DJANGO_SETTINGS_MODULE": "console.settings"}
    environment.pop("PYTHONPATH", None)

    ended = subprocess.run(
        [sys.executable, "-c", LOAD], env=environment, cwd=PROJECT_ROOT, capture_output=True, text=True
    )

    assert ended.returncode == 0, ended.stderr
    loaded = set(ended.stdout.split())
    assert "console" in loaded
    assert not loaded & FOREIGN
