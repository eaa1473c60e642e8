"""Memories of tools from the turns of one conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memories.text.tools.describing import describe_tool
from memories.text.tools.experience import describe_run, list_tool_statuses, write_experience
from memories.text.tools.runs import ToolRun, ToolStep, find_runs
from memories.text.tools.schemas import Schema, find_schemas_in_text, list_offered_schemas
from memories.text.tools.voices import get_voice
from memories.text.topics.tags import choose_tags
from memories.text.words import language_detection
from memories.text.words.spacing import shorten_text
from memories.values import Confidence, Draft, MemoryKind, Turn

_LONGEST_TITLE = 120


def build_tool_drafts(turns: Sequence[Turn], offers: Sequence[Any], tags: Sequence[str]) -> list[Draft]:
    """A schema for each tool that was offered and a trajectory for each request that tools were called for.

    `offers` are what the client sent as the `tools` of each turn, None for nothing.
    """
    return [*_build_schema_drafts(turns, offers, tags), *(_run_draft(run, tags) for run in find_runs(turns))]


def _build_schema_drafts(turns: Sequence[Turn], offers: Sequence[Any], tags: Sequence[str]) -> list[Draft]:
    drafts: dict[str, Draft] = {}
    for at, (turn, offer) in enumerate(zip(turns, offers, strict=True)):
        schemas = find_schemas_in_text(turn.text) if turn.role == "system" else []
        for schema in [*schemas, *(list_offered_schemas(offer) if offer else [])]:
            draft = _build_schema_draft(schema, at, tags)
            # The same again is no news; a tool that changed on the way is described with its newest schema only.
            if draft.slot not in drafts or drafts[draft.slot].text != draft.text:
                drafts[draft.slot] = draft
    return list(drafts.values())


def _build_schema_draft(schema: Schema, at: int, tags: Sequence[str]) -> Draft:
    text, language = describe_tool(schema)
    return Draft(
        kind=MemoryKind.TOOL_SCHEMA,
        text=text,
        title=schema["name"],
        turns=(at,),
        confidence=Confidence.USUAL,
        tags=choose_tags(schema["description"], language, tags),
        memory_type="ToolSchemaMemory",
        slot=f"tool:{schema['name']}",
        language=language,
        details={"schema": schema},
    )


def _run_draft(run: ToolRun, tags: Sequence[str]) -> Draft:
    language = language_detection.detect_language(
        run.request or " ".join(step.result or "" for step in run.steps)
    )
    voice = get_voice(language)
    return Draft(
        kind=MemoryKind.TOOL_TRAJECTORY,
        text=describe_run(run, voice),
        title=_write_title(run, language),
        turns=run.turns,
        confidence=Confidence.USUAL,
        tags=choose_tags(run.request, language, tags),
        memory_type="ToolTrajectoryMemory",
        slot="run",
        language=language,
        details={
            "request": run.request,
            "steps": [_build_step(step) for step in run.steps],
            "tools": list_tool_statuses(run, voice),
            "experience": write_experience(run, voice),
            "runs": 1,
        },
    )


def _write_title(run: ToolRun, language: str) -> str:
    names = list(dict.fromkeys(step.tool for step in run.steps))
    tools = " → ".join(names[:4]) + (" …" if len(names) > 4 else "")
    title = f"{tools}{'：' if language == 'zh' else ': '}{run.request}" if run.request else tools
    return shorten_text(title, _LONGEST_TITLE)


def _build_step(step: ToolStep) -> dict[str, Any]:
    return {
        "tool": step.tool,
        "arguments": step.arguments,
        "result": step.result,
        "status": step.verdict.status,
        "error_type": step.verdict.error_type,
        "reason": step.verdict.reason,
    }
