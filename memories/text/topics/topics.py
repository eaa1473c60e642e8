"""A small map from words to topics, for tags that match by meaning: "cloudy" and 气温 are about weather."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memories.text.words import tokenize


@dataclass(frozen=True, slots=True)
class Topic:
    name: str
    chinese: str
    words: str


def _load_topics() -> tuple[Topic, ...]:
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["topics"]
    return tuple(Topic(**row) for row in rows)


_TOPICS = _load_topics()


@lru_cache(maxsize=1)
def _load_topics_by_term() -> dict[str, tuple[int, ...]]:
    topics_by_term: dict[str, tuple[int, ...]] = {}
    for at, topic in enumerate(_TOPICS):
        for word in (topic.name, topic.chinese, *topic.words.split()):
            for term in {word} if not word.isascii() else set(tokenize.extract_keywords(word)):
                topics_by_term[term] = (*topics_by_term.get(term, ()), at)
    return topics_by_term


def put_health_first(topics: list[int], terms: list[str]) -> list[int]:
    """The topics of a text that names a medicine: it is about health, and about food only if that is said, too."""
    health, food = (_NAMES.index(name) for name in ("health", "food"))
    has_food = any(food in _load_topics_by_term().get(term, ()) for term in set(terms) - _SWALLOWED)
    others = [topic for topic in topics if topic != health and (topic != food or has_food)]
    return [health, *others]


# Verbs of eating go with medicines, too.
_SWALLOWED = frozenset({"吃", "喝"})
_NAMES = [topic.name for topic in _TOPICS]


def find_topics(terms: list[str]) -> list[int]:
    """The topics of a text's terms, the best covered first."""
    known = _load_topics_by_term()
    counts: dict[int, int] = {}
    for term in terms:
        for topic in known.get(term, ()):
            counts[topic] = counts.get(topic, 0) + 1
    return sorted(counts, key=lambda topic: -counts[topic])


def get_topic_name(topic: int, language: str) -> str:
    entry = _TOPICS[topic]
    return entry.chinese if language == "zh" else entry.name
