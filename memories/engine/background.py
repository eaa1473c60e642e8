"""How close a question comes to memories that it has nothing to do with.

Cosines alone tell little: one model puts unrelated texts at 0.75, the next at 0.1, and each question stands nearer
to everything or further from it, the more so across languages. So every question is also held against memories of
nobody; how far a memory's cosine stands above theirs means the same for all questions, languages and models.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.engine import embedder
from memories.engine.protocols import Embedder

_ENGLISH = (
    "The user lives in a small town near the sea.",
    "The user works as an engineer for a large company.",
    "The user has two brothers and a sister.",
    "The user likes to cook Italian food at home.",
    "The user does not like loud music.",
    "The user is allergic to dust.",
    "The user plays tennis at the weekend.",
    "The user bought a new phone last month.",
    "The user is planning a holiday in the mountains.",
    "The user studied economics at university.",
    "The user has a cat.",
    "The user wants to lose weight this year.",
    "The user drives to work every day.",
    "The user prefers short answers.",
    "The user's mother is in hospital.",
    "The user is reading a novel about the war.",
    "The user pays the rent at the beginning of the month.",
    "The user met an old friend in June.",
    "The user is looking for a new job.",
    "The user speaks three languages.",
    "The user's birthday is in spring.",
    "The user watched a film yesterday evening.",
    "The user has an appointment with the dentist on Friday.",
    "The user is writing a report about the project.",
)
_CHINESE = (
    "用户住在海边的一个小镇。",
    "用户在一家大公司当工程师。",
    "用户有两个哥哥和一个姐姐。",
    "用户喜欢在家做意大利菜。",
    "用户不喜欢吵闹的音乐。",
    "用户对灰尘过敏。",
    "用户周末打网球。",
    "用户上个月买了一部新手机。",
    "用户计划去山里度假。",
    "用户大学学的是经济学。",
    "用户有一只猫。",
    "用户今年想减肥。",
    "用户每天开车上班。",
    "用户喜欢简短的回答。",
    "用户的母亲在住院。",
    "用户在读一本关于战争的小说。",
    "用户月初交房租。",
    "用户六月见到了一位老朋友。",
    "用户正在找新工作。",
    "用户会说三种语言。",
    "用户的生日在春天。",
    "用户昨晚看了一部电影。",
    "用户星期五约了牙医。",
    "用户正在写一份项目报告。",
)
# How far apart those sentences lie for the model that the ranker's weights were fitted with (see `_spread`).
FITTED_SPREAD = 0.1771


@dataclass(frozen=True, slots=True)
class Level:
    """One question's cosine with the unrelated in each language, and what brings cosines to the fitted scale."""

    english: float = 0.0
    chinese: float = 0.0
    scale: float = 1.0


class Background:
    """An embedder's picture of memories of nobody."""

    def __init__(self, engine: Embedder) -> None:
        vectors = np.array(engine.embed_passages([*_ENGLISH, *_CHINESE]), dtype=float)
        self._english = vectors[: len(_ENGLISH)].mean(axis=0)
        self._chinese = vectors[len(_ENGLISH) :].mean(axis=0)
        self.spread = _spread(vectors[: len(_ENGLISH)])

    def level(self, query_vector: list[float]) -> Level:
        query = np.array(query_vector)
        return Level(float(query @ self._english), float(query @ self._chinese), FITTED_SPREAD / self.spread)


def _spread(vectors: NDArray[Any]) -> float:
    """One minus the mean cosine between different vectors: small where a model crowds all texts together."""
    count = len(vectors)
    cosines = vectors @ vectors.T
    return float(1 - (cosines.sum() - np.trace(cosines)) / (count * (count - 1)))


@cache
def background() -> Background:
    """This installation's; the first call of a process embeds 48 short sentences (about a second locally)."""
    return Background(embedder())
