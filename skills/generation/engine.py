"""The engine that reads conversations and writes skills: the model where one is configured, else the rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from django.conf import settings

from memories.engine import get_chat_model
from memories.engine.client.chat import ChatModel
from memories.values import Turn
from skills.generation.compose import compose_skill
from skills.generation.episode_weight import COUNTS, compute_weight
from skills.generation.remote import ModelSkillGenerator
from skills.reading.findings import Method, SkillRequest, TaskReading
from skills.reading.messages.user import read_user_message
from skills.reading.split_conversation import read_conversation_by_rules

# A model is asked about conversations in which the user says something of substance at least so often, or in which the
# rules find that much.
FEWEST_MESSAGES = 3


def asks_model() -> bool:
    return _get_model_generator() is not None


def read_conversation(turns: Sequence[Turn], positions: Sequence[int]) -> list[TaskReading]:
    model, by_rules = _get_model_generator(), read_conversation_by_rules(turns, positions)
    if model is None or not _is_worth_asking(turns, by_rules):
        return by_rules
    return model.read(turns, positions)


def _is_worth_asking(turns: Sequence[Turn], by_rules: Sequence[TaskReading]) -> bool:
    if any(compute_weight(reading) >= COUNTS for reading in by_rules):
        return True
    messages = [read_user_message(turn.text) for turn in turns if turn.role == "user"]
    return sum(not message.is_empty for message in messages) >= FEWEST_MESSAGES


def write_method(order: SkillRequest) -> Method | None:
    """Write a method; None if what comes of it does not pass the quality gate."""
    model = _get_model_generator()
    return compose_skill(order.episodes, order.taken) if model is None else model.write(order)


def _get_model_generator() -> ModelSkillGenerator | None:
    model = get_chat_model()
    return _build_model_generator(model) if model else None


@lru_cache(500)
def _build_model_generator(model: ChatModel) -> ModelSkillGenerator:
    return ModelSkillGenerator(model, settings.LLM["SECONDS"], settings.LLM["INPUT_TOKENS"])
