"""Calibration of cosines against background sentences, so that they mean the same for all questions and models.

One model puts unrelated texts at a cosine of 0.75, the next at 0.1, and each question is nearer to everything or
further from it, more so across languages. So every question is also compared with statements about nobody in
particular, and a memory's similarity is how far its cosine lies above theirs.

Some memories are near to all questions. The mean of generic questions is subtracted from each question in part: of
short statements the answer then comes first in 87 % of the cases instead of 76 % (`benchmarks/tools/fit_ranker.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memories.engine import get_embedder
from memories.engine.calibration.model import (
    CalibratedNearness,
    Calibration,
    Statements,
    VectorRows,
    load_calibration,
)
from memories.engine.local.embedder import LocalE5
from memories.engine.protocols import Embedder

# What the default model makes of the sentences below (`python -m benchmarks.tools.keep_background`): every process that
# searches would compute it anew, for half a second.
KEPT = Path(__file__).parents[1] / "local" / "embedder" / "background.npz"

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
# What those sentences answer.
_ENGLISH_QUESTIONS = (
    "Do I live near the sea?",
    "Where do I work?",
    "How many brothers do I have?",
    "What do I like to cook?",
    "What noise do I dislike?",
    "Which allergies do I have?",
    "What do I do at the weekend?",
    "What did I buy last month?",
    "Where will I spend my holiday?",
    "What did I learn at university?",
    "Do I have a pet?",
    "What do I want to change this year?",
    "How do I travel to work?",
    "How long should your answers be?",
    "What happened to my mother?",
    "What am I reading?",
    "When is the rent due?",
    "Whom did I meet in June?",
    "Am I looking for a job?",
    "Which languages do I speak?",
    "In which season was I born?",
    "Which film did I see?",
    "When do I see the dentist?",
    "What am I writing?",
)
_CHINESE_QUESTIONS = (
    "我住在海边吗？",
    "我在哪里上班？",
    "我有几个兄弟？",
    "我喜欢做什么菜？",
    "我讨厌什么声音？",
    "我有哪些过敏？",
    "我周末做什么？",
    "我上个月买了什么？",
    "我要去哪里度假？",
    "我大学学了什么？",
    "我有宠物吗？",
    "我今年想改变什么？",
    "我怎么去上班？",
    "你的回答应该多长？",
    "我母亲怎么了？",
    "我在读什么？",
    "什么时候交房租？",
    "我六月见了谁？",
    "我在找工作吗？",
    "我会哪些语言？",
    "我在哪个季节出生？",
    "我看了哪部电影？",
    "我什么时候看牙医？",
    "我在写什么？",
)
# Taken from a question of what it has in common with these. With all of it as many answers come first, but what is
# asked for in passing ("How was the training?") stands lower.
_COMMON_TAKEN = 0.5
# How far apart the sentences lie for the model that the ranker's weights were fitted with (see `_compute_spread`).
FITTED_SPREAD = 0.1759


@dataclass(frozen=True, slots=True)
class Level:
    """One question's cosine with the background in each language, and the factor to the fitted scale."""

    english: float = 0.0
    chinese: float = 0.0
    scale: float = 1.0


class Nearness(NamedTuple):
    """Similarities of memories to a question: cosine minus that of background sentences, on the fitted scale.

    Both are float64 of shape (n,), NaN for memories without a vector. `plain` compares the question as it is, `aimed`
    the question without what it shares with all questions. Lines of conversations are ranked by `plain`, passages and
    skills by `aimed`, statements by what the model's calibration says of them, or by `aimed` where there is none.
    """

    plain: NDArray[np.float64]
    aimed: NDArray[np.float64]
    calibrated: CalibratedNearness | None = None

    @classmethod
    def unknown(cls, rows: int) -> Nearness:
        return cls(np.full(rows, np.nan), np.full(rows, np.nan))

    def of(self, chosen: NDArray[np.bool_] | NDArray[np.integer[Any]]) -> Nearness:
        """Select some memories, by a mask (bool, shape (n,)) or by the places of k of them (integers, shape (k,))."""
        if chosen.dtype == bool and chosen.all():
            return self
        calibrated = self.calibrated.of(chosen) if self.calibrated else None
        return Nearness(self.plain[chosen], self.aimed[chosen], calibrated)

    def where(self, is_known: NDArray[np.bool_]) -> Nearness:
        """Mark the memories that are not in the mask (bool, shape (n,)) as unknown."""
        if is_known.all():
            return self
        plain, aimed = (np.where(is_known, values, np.nan) for values in (self.plain, self.aimed))
        return Nearness(plain, aimed, self.calibrated.where(is_known) if self.calibrated else None)

    def or_nearer(self, other: Nearness) -> Nearness:
        """For each memory the higher similarity of two wordings of one question."""
        ours, theirs = self.calibrated, other.calibrated
        both = ours.or_nearer(theirs) if ours and theirs else ours or theirs
        return Nearness(np.fmax(self.plain, other.plain), np.fmax(self.aimed, other.aimed), both)


# Means of embeddings: float64, shape (d,) or (k, d).
Means = NDArray[np.float64]


class Background:
    """An embedder's mean vectors of the background sentences, and of the questions that they answer.

    All vectors are float64 of shape (d,); d is 384 for the default model.
    """

    def __init__(self, engine: Embedder, kept: NDArray[np.float32] | None = None) -> None:
        """`kept` is what `embed_background` computed, float32, shape (4, d).

        Without it sentences are embedded here, and questions at need.
        """
        self._engine = engine
        self._kept: Means | None = None if kept is None else kept.astype(np.float64)
        self.calibration: Calibration | None = load_calibration(engine.name)
        self._english, self._chinese = _compute_memory_means(engine) if self._kept is None else self._kept[:2]
        self.spread = _compute_spread(self._english, len(_ENGLISH))

    def compute_level(self, query_vector: list[float]) -> Level:
        query = np.array(query_vector)
        return Level(float(query @ self._english), float(query @ self._chinese), FITTED_SPREAD / self.spread)

    def compute_nearness(
        self,
        text: str,
        query_vector: Sequence[float],
        language: str,
        *,
        passages: VectorRows,
        is_chinese: NDArray[np.bool_],
        known: int | None = None,
        statements: Statements | None = None,
    ) -> Nearness:
        """Similarities of a question to memories.

        `text` is the question, `query_vector` its embedding, shape (d,). `passages`: unit length, shape (n, d).
        `is_chinese`: bool, shape (n,). `known`: how many of them are statements about a person (None: all).
        `statements`: what `describe` made of them, where it is kept for more than one question.
        """
        plain = np.asarray(query_vector, dtype=float)
        aimed = plain - _COMMON_TAKEN * self.load_common(language)
        aimed /= np.linalg.norm(aimed)
        directions = np.stack([plain, aimed])
        if self.calibration is not None:
            directions = np.concatenate(
                [directions, self.calibration.direction(query_vector, language)[None]]
            )
        # All that the vectors are compared with, at once: reading them takes longer than multiplying.
        products = (passages @ directions.T.astype(np.float32)).T.astype(float, order="C")
        language_rows = is_chinese.astype(int)
        ground = directions[:2] @ np.stack([self._english, self._chinese], axis=1)
        above = [products[at] - ground[at][language_rows] for at in range(2)]
        scale = FITTED_SPREAD / self.spread
        # The aimed question is of length 1 however crowded the model is: only memories bring their crowding in.
        calibrated = None
        if self.calibration is not None and len(passages):
            count = len(passages) if known is None else known
            statements = statements or Statements(self.calibration, passages, is_chinese)
            calibrated = self.calibration.compute_nearness(
                text, query_vector, language, statements=statements, known=count, products=products[2]
            )
        return Nearness(above[0] * scale, above[1] * np.sqrt(scale), calibrated)

    def describe(self, vectors: VectorRows, is_chinese: NDArray[np.bool_]) -> Statements | None:
        """Describe what `compute_nearness` can keep of the same memories between questions; None without a calibration.

        `vectors`: unit length, shape (n, d). `is_chinese`: bool, shape (n,).
        """
        return Statements(self.calibration, vectors, is_chinese) if self.calibration else None

    def load_common(self, language: str) -> Means:
        """Load what questions in this language have in common: a mean embedding, shape (d,).

        Where it is not kept, the first call embeds two dozen.
        """
        return self._chinese_questions if language == "zh" else self._english_questions

    @cached_property
    def _english_questions(self) -> Means:
        return (
            _compute_question_mean(self._engine, _ENGLISH_QUESTIONS) if self._kept is None else self._kept[2]
        )

    @cached_property
    def _chinese_questions(self) -> Means:
        return (
            _compute_question_mean(self._engine, _CHINESE_QUESTIONS) if self._kept is None else self._kept[3]
        )


def embed_background(engine: Embedder) -> Means:
    """A background's vectors, shape (4, d): statements in English and Chinese, questions in English and Chinese."""
    questions = (_compute_question_mean(engine, texts) for texts in (_ENGLISH_QUESTIONS, _CHINESE_QUESTIONS))
    return np.stack([*_compute_memory_means(engine), *questions])


def join_sentences() -> str:
    """All that the vectors are of: what is kept of others is of no use."""
    return "\n".join([*_ENGLISH, *_CHINESE, *_ENGLISH_QUESTIONS, *_CHINESE_QUESTIONS])


def _compute_memory_means(engine: Embedder) -> Means:
    """English and Chinese: shape (2, d)."""
    vectors = np.array(engine.embed_passages([*_ENGLISH, *_CHINESE]), dtype=float)
    return np.stack([vectors[: len(_ENGLISH)].mean(axis=0), vectors[len(_ENGLISH) :].mean(axis=0)])


def _compute_question_mean(engine: Embedder, texts: Sequence[str]) -> Means:
    """The mean embedding of these questions: shape (d,)."""
    mean: Means = np.mean(engine.embed_queries(texts), axis=0)
    return mean


def _compute_spread(mean: Means, count: int) -> float:
    """One minus the mean cosine between `count` different unit vectors, from their mean (shape (d,)).

    The squared length of the mean is the mean of all cosines, including those of each vector with itself.
    """
    return float(1 - (count * (mean @ mean) - 1) / (count - 1))


def get_spread() -> float:
    """The background's, or where no question could be embedded yet, what the ranker was fitted with."""
    return load_background().spread if load_background.cache_info().currsize else FITTED_SPREAD


@cache
def load_background() -> Background:
    """Load the background of this installation's embedding model.

    That of the default model is shipped. For another model the first call of a process embeds 48 short sentences,
    raises what the embedder raises, and tries again at the next call.
    """
    engine = get_embedder()
    return Background(engine, np.load(KEPT)["means"] if isinstance(engine, LocalE5) else None)


def warm_up() -> None:
    """Does what the first search would wait for: a third of a second for the default model, a call of another."""
    load_background()
    engine = get_embedder()
    if isinstance(engine, LocalE5):
        engine.embed_query(_ENGLISH_QUESTIONS[0])
