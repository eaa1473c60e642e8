"""Profiles for a search: all fields that say something, those first that have to do with the question."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from memories.engine import get_embedder
from memories.engine.calibration.background_similarity import load_background
from memories.engine.protocols import ProviderUnavailable
from memories.models import Profile
from memories.profiles.bindings import Field, show_profiles
from memories.text.language_detection import detect_language
from memories.text.tokenize import extract_keywords
from memories.values import Subject
from tenancy.models import Project
from tenancy.requests.trace import trace_stage

# The closeness of a question to the field that answers it lies about here; such a field counts as sure.
SURE = 0.5


@dataclass(frozen=True, slots=True)
class RecalledField:
    profile: Profile
    field: Field
    text: str
    relativity: float


def format_value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def recall_profiles(project: Project, subject: Subject, query: str) -> list[RecalledField]:
    """The best first. No threshold: a profile is meant to be known as a whole."""
    with trace_stage("profiles") as note:
        fields = [
            (shown.profile, field, f"{field.path}: {format_value(field.value)}")
            for shown in show_profiles(project, subject)
            for field in shown.fields
            if format_value(field.value)
        ]
        scores = _score_by_words(query, [text for *_, text in fields])
        try:
            near = _score_by_meaning(query, [text for *_, text in fields]) if fields else []
            scores = [max(pair) for pair in zip(scores, near, strict=True)]
        except ProviderUnavailable:
            note["unavailable"] = True
        note["fields"] = len(fields)
    found = [RecalledField(*one, score) for one, score in zip(fields, scores, strict=True)]
    return sorted(found, key=lambda one: -one.relativity)


def _score_by_words(query: str, texts: list[str]) -> list[float]:
    asked = set(extract_keywords(query))
    return [len(asked & set(extract_keywords(text))) / max(2 * len(asked), 1) for text in texts]


def _score_by_meaning(query: str, texts: list[str]) -> list[float]:
    vector = get_embedder().embed_query(query)
    level = load_background().compute_level(vector)
    cosines = np.array([_embed_text(text) for text in texts]) @ np.array(vector)
    levels = np.array([level.chinese if detect_language(text) == "zh" else level.english for text in texts])
    return [float(one) for one in np.clip((cosines - levels) / np.maximum(1 - levels, 1e-6) / SURE, 0, 1)]


@lru_cache(maxsize=8192)
def _embed_text(text: str) -> tuple[float, ...]:
    return tuple(get_embedder().embed_passages([text])[0])
