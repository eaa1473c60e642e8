"""Profiles for a search: all fields with a value, those related to the question first."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.engine import get_embedder
from memories.engine.calibration.background_similarity import load_background
from memories.engine.protocols import ProviderUnavailable
from memories.models import Profile
from memories.profiles.bindings import ProfileField, show_profiles
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords
from memories.values import Subject
from tenancy.models import Project
from tenancy.requests.erasure_feed import ErasureFeed
from tenancy.requests.trace import trace_stage
from tenancy.runtime.ttl_cache import LockedTTLCache

# The closeness of a question to the field that answers it lies about here; such a field counts as sure.
SURE = 0.5

# Vectors of fields (float32, shape (d,), unit length), by their model and a digest of their texts, for ten minutes.
# Whose fields they are is not known: with any erasure all are dropped.
_recent: LockedTTLCache[tuple[str, bytes], NDArray[np.float32]] = LockedTTLCache(8192, 600)
_feed = ErasureFeed(drop=lambda _: _recent.clear(), check=lambda _: None)


@dataclass(frozen=True, slots=True)
class RecalledField:
    """A field of a profile, and how well it answers: `relativity` is a score from 0 to 1, not a probability."""

    profile: Profile
    field: ProfileField
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
    recalled = [RecalledField(*field, score) for field, score in zip(fields, scores, strict=True)]
    return sorted(recalled, key=lambda field: -field.relativity)


def _score_by_words(query: str, texts: list[str]) -> list[float]:
    """For each text half the share of the question's keywords that it has: 0 to 0.5."""
    asked = set(extract_keywords(query))
    return [len(asked & set(extract_keywords(text))) / max(2 * len(asked), 1) for text in texts]


def _score_by_meaning(query: str, texts: list[str]) -> list[float]:
    """For each text how far its cosine lies above the background's: 0 to 1, which is reached at `SURE`."""
    vector = get_embedder().embed_query(query)
    level = load_background().compute_level(vector)
    cosines = _embed_texts(texts) @ np.array(vector)
    levels = np.array([level.chinese if detect_language(text) == "zh" else level.english for text in texts])
    return [float(score) for score in np.clip((cosines - levels) / np.maximum(1 - levels, 1e-6) / SURE, 0, 1)]


def _embed_texts(texts: list[str]) -> NDArray[np.float32]:
    """One row each: float32, shape (texts, d), unit length.

    Asks the model once, for those that it was not asked for lately.
    """
    model = get_embedder()
    # The words themselves are not kept here.
    keys = [(model.name, sha256(text.encode(errors="surrogatepass")).digest()) for text in texts]
    vectors = {key: vector for key in set(keys) if (vector := _recent.get(key)) is not None}
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
    if missing:
        _feed.listen()
        made = np.array(model.embed_passages(list(missing.values())), dtype=np.float32)
        for key, vector in zip(missing, made, strict=True):
            vectors[key] = vector
            _recent.put(key, vector)
    return np.stack([vectors[key] for key in keys])
