"""Calls mem0's published Python client. Standard input has a JSON object; standard output gets one JSON line.

`{"host", "key", "calls": [[name, args, kwargs], ..]}`: each answer is `{"answer"}` or `{"raised", "text", "code",
"details"}`. A string "$0.results.0.id" among the arguments is a part of the first answer. With `"is_async"` the
calls go through the asynchronous client.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import sys
import types
from pathlib import Path
from typing import Any

from httpx import HTTPStatusError


def import_client() -> Any:
    """The client's module without the package's own `__init__`, which imports the whole open-source server."""
    spec = importlib.util.find_spec("mem0")
    assert spec is not None
    assert spec.origin is not None
    package = types.ModuleType("mem0")
    package.__path__ = [str(Path(spec.origin).parent)]
    package.__version__ = "2.2.1"  # type: ignore[attr-defined]
    sys.modules["mem0"] = package
    from mem0.client import main

    return main


def filled(value: Any, answers: list[Any]) -> Any:
    if isinstance(value, str) and value.startswith("$"):
        result: Any = answers
        for step in value[1:].split("."):
            result = result[int(step)] if isinstance(result, list) else result[step]
            result = result["answer"] if isinstance(result, dict) and "answer" in result else result
        return result
    if isinstance(value, list):
        return [filled(item, answers) for item in value]
    if isinstance(value, dict):
        return {name: filled(item, answers) for name, item in value.items()}
    return value


async def run(wanted: dict[str, Any]) -> list[Any]:
    module = import_client()
    raised_by_client = importlib.import_module("mem0.exceptions").MemoryError
    made = module.AsyncMemoryClient if wanted.get("is_async") else module.MemoryClient
    answers: list[Any] = []
    client: Any = None
    for name, args, options in [["__init__", [], {}], *wanted["calls"]]:
        try:
            if name == "__init__":
                client = made(api_key=wanted["key"], host=wanted["host"])
                continue
            act: Any = client
            for part in name.split("."):
                act = getattr(act, part)
            answer = act(*filled(args, answers), **filled(options, answers))
            answers.append({"answer": await answer if asyncio.iscoroutine(answer) else answer})
        except (ValueError, raised_by_client, HTTPStatusError) as fault:
            raised = {"raised": type(fault).__name__, "text": str(fault)}
            code, details = getattr(fault, "error_code", None), getattr(fault, "debug_info", None)
            answers.append({**raised, "code": code, "details": details})
            if client is None:
                break
    return answers


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(json.load(sys.stdin)))))
