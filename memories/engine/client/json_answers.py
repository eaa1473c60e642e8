"""Answers in JSON: found, checked against their schema, and once sent back for repair."""

from __future__ import annotations

import json
import re
from typing import Any

from jsonschema import Draft202012Validator

from memories.engine.client.chat import AnswerSchema, ChatModel, ModelRequest
from memories.engine.client.http_json import Deadline
from memories.engine.prompts import read_prompt
from memories.engine.protocols import AnswerUseless

REPAIR = "repair-1"
# What the model is shown of its own wrong answer, and of the faults in it.
_SHOWN_CHARACTERS, _SHOWN_FAULTS, _FAULT_CHARACTERS = 20_000, 5, 300
# Some models think aloud first, some put their answer into a code fence.
_REASONING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?\s*\n(.*)\n\s*```", re.DOTALL)


def ask_for_json(model: ChatModel, question: ModelRequest, deadline: Deadline) -> Any:
    """Ask a model for an answer in the shape of the question's schema.

    An answer of another shape is sent back once with its faults. Raises what `ChatModel.ask` raises.
    """
    answer = model.ask(question, deadline)
    value, faults = _parse_answer(answer, question.schema)
    if not faults:
        return value
    value, faults = _parse_answer(
        model.ask(_build_repair_question(question, answer, faults), deadline), question.schema
    )
    if faults:
        raise AnswerUseless("invalid answer")
    return value


def _parse_answer(answer: str, schema: AnswerSchema | None) -> tuple[Any, list[str]]:
    """The value, and what is wrong with it."""
    bare = _REASONING.sub("", answer).strip()
    fenced = None if bare.startswith("{") else _FENCED.search(bare)
    try:
        value = json.loads(fenced[1] if fenced else bare, parse_constant=_refuse_json_constant)
        return value, _list_faults(value, schema) if schema else []
    except (ValueError, RecursionError) as error:
        return None, [f"It is not JSON: {error}"]


def _refuse_json_constant(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


def _list_faults(value: Any, schema: AnswerSchema) -> list[str]:
    faults = Draft202012Validator(schema.body).iter_errors(value)
    return [
        f"{fault.json_path}: {fault.message[:_FAULT_CHARACTERS]}" for fault in list(faults)[:_SHOWN_FAULTS]
    ]


def _build_repair_question(question: ModelRequest, answer: str, faults: list[str]) -> ModelRequest:
    instruction = read_prompt(REPAIR).replace("{faults}", "\n".join(f"- {fault}" for fault in faults))
    shown = answer[:_SHOWN_CHARACTERS] or "(nothing)"
    messages = [
        *question.messages,
        {"role": "assistant", "content": shown},
        {"role": "user", "content": instruction},
    ]
    return ModelRequest(question.purpose, messages, question.schema, question.output_tokens)
