"""Memories of tools in the drawer: a schema as it was offered, a run step by step with what it taught."""

from __future__ import annotations

import json
from typing import Any

from memories.consolidation.tool_memories import Rates
from memories.models import Memory
from memories.values import MemoryKind


def build_tool_context(opened: Memory, rates: Rates) -> dict[str, Any]:
    """Return what the content of a tool memory shows; nothing for other memories."""
    if opened.kind == MemoryKind.TOOL_SCHEMA:
        schema = opened.details["schema"]
        return {"tool": {**schema, "written": _write_value(schema["parameters"])}}
    if opened.kind == MemoryKind.TOOL_TRAJECTORY:
        details = opened.details
        steps = [_build_step(step) for step in details["steps"]]
        return {
            "run": {
                **details,
                "steps": steps,
                "tools": [_build_used_tool(u, opened, rates) for u in details["tools"]],
            }
        }
    return {}


def _build_step(step: dict[str, Any]) -> dict[str, Any]:
    result = step["result"]
    return {
        **step,
        "shown_arguments": _write_value(step["arguments"]) if step["arguments"] not in ({}, None, "") else "",
        "shown_result": "" if result is None else _indent_json(result),
    }


def _indent_json(result: str) -> str:
    """JSON on lines of its own; a cut result is none any more and stays as it is, as what cannot be written out."""
    try:
        text = _write_value(json.loads(result))
        text.encode()
    except (ValueError, RecursionError):
        return result
    return text


def _write_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _build_used_tool(used: dict[str, Any], opened: Memory, rates: Rates) -> dict[str, Any]:
    is_known = used["answered"] > 0
    return {**used, "rate": rates.get((opened.cube_id, used["used_tool"])) if is_known else None}
