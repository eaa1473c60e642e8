"""The calibration of one embedding model: from a question's vector to log-odds that a statement helps to answer.

Vectors of one model lie close together. Subtracting the mean question and the mean statement of a language, and
scaling to length 1 again, leaves what tells them apart ("All-but-the-top", Mu & Viswanath 2018). A linear map of low
rank then moves a question to where its answers lie, which is a supervised semantic index (Bai et al. 2009). The
log-odds are linear in the cosine of both and in how near the question is to a few intents: a person's own affairs,
advice, general knowledge and tasks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from memories.engine.calibration.labelled import LANGUAGES

# float64; the docstrings give the shapes: n statements, k sentences, d dimensions.
Floats = NDArray[np.float64]
# The calibration of the default model; those of others lie in the folder that `CALIBRATION_FOLDER` names.
SHIPPED = Path(__file__).parents[1] / "local" / "embedder" / "calibration.npz"
# The mean of so many best cosines is the closeness to an intent.
_NEAREST, _FEW = 5, 2
MOST_COUNTED = 30
# Intents whose closeness the log-odds weigh.
WEIGHED = ("personal", "advice", "general")
# Intents of questions for which facts about somebody's health count, and the closeness from which they do.
CARE = ("eating", "treatment", "exertion", "caring")
_CARE_FROM, _CARE_FULL = 0.34, 0.46
# Closeness of a statement to those about health from which it counts as one.
_HEALTH_FROM, _HEALTH_FULL = 0.28, 0.38
# Closeness to "who am I?" from which a question is one by its meaning alone, and from which its form must say so, too:
# of the labelled questions that ask for something else, none is nearer than 0.63, and that one asks for a
# state ("where am I from?").
IDENTITY_SURE, IDENTITY_FROM = 0.64, 0.34
_FIRST_PERSON = re.compile(
    r"\b(?:i|me|my|mine|myself|we|us|our|ours|the user(?:'s)?)\b|[我咱俺]|用户", re.IGNORECASE
)


class VectorRows(Protocol):
    """Vectors of unit length, one a row, that can be multiplied: an array of shape (n, d), or what stands for one."""

    def __len__(self) -> int: ...

    def __matmul__(self, columns: NDArray[np.float32], /) -> Any:
        """The products with columns of shape (d, k): floats of shape (n, k)."""


class CalibratedNearness(NamedTuple):
    """Calibrated nearness of statements to one question. What depends on the statement is float64 of shape
    (n,), NaN without a vector; what depends on the question alone is one number.

    `answer`: log-odds by the closeness of question and statement. `question`: log-odds by the question alone.
    `care`: 0 to 1, how much facts about health count for the question. `health`: 0 to 1, how much this is such a fact
    (0 where they do not count). `identity`: how near the question is to "who am I?". `profile`: closeness to
    statements that say who somebody is, 0 where the question is not near. Both closenesses are mean cosines.
    """

    answer: Floats
    question: float
    care: float
    health: Floats
    profile: Floats
    identity: float

    def of(self, chosen: NDArray[np.bool_] | NDArray[np.integer[Any]]) -> CalibratedNearness:
        """Select statements by a mask (bool, shape (n,)) or by the places of k of them (integers, shape (k,))."""
        return self._with(*(values[chosen] for values in (self.answer, self.health, self.profile)))

    def or_nearer(self, other: CalibratedNearness) -> CalibratedNearness:
        """The higher of each number, where a number is better than none: shape (n,), as both have."""
        return CalibratedNearness(
            np.fmax(self.answer, other.answer),
            max(self.question, other.question),
            max(self.care, other.care),
            np.fmax(self.health, other.health),
            np.fmax(self.profile, other.profile),
            max(self.identity, other.identity),
        )

    def where(self, is_known: NDArray[np.bool_]) -> CalibratedNearness:
        """The same with NaN for the statements that are not in the mask `is_known`: bool, shape (n,)."""
        if is_known.all():
            return self
        of_rows = (self.answer, self.health, self.profile)
        return self._with(*(np.where(is_known, values, np.nan) for values in of_rows))

    def without_gaps(self) -> CalibratedNearness:
        """Zero for statements without a vector."""
        return self._with(*(np.nan_to_num(values) for values in (self.answer, self.health, self.profile)))

    def _with(self, answer: Floats, health: Floats, profile: Floats) -> CalibratedNearness:
        """All of shape (n,)."""
        return self._replace(answer=answer, health=health, profile=profile)


class Statements:
    """Statements as a calibration sees them, with what it says of them whatever the question is.

    `vectors`: unit length, shape (n, d). `is_chinese`: bool, shape (n,). What is computed of them is kept: the centred
    lengths need two products of each vector, the closeness to facts of one kind some dozens.
    """

    def __init__(self, calibration: Calibration, vectors: VectorRows, is_chinese: NDArray[np.bool_]) -> None:
        self._calibration, self._vectors = calibration, vectors
        self._language = is_chinese.astype(int)

    @cached_property
    def health(self) -> Floats:
        """Return how much each is a fact about somebody's health: 0 to 1, shape (n,)."""
        near = self._compute_nearest(self._calibration.intents["health facts"])
        return np.asarray(_compute_ramp(near, _HEALTH_FROM, _HEALTH_FULL))

    @cached_property
    def profile(self) -> Floats:
        """The closeness of each to statements that say who somebody is: a mean cosine, shape (n,)."""
        return self._compute_nearest(self._calibration.intents["profile facts"])

    def centre_products(self, directions: Floats, products: Floats) -> Floats:
        """Cosines of unit vectors, shape (k, d), with the centred statements, from their products, shape (n, k).

        The statements are not copied: their centred lengths follow from their products with the means.
        """
        ground = (directions @ self._calibration.statement_means.T).T[self._language]
        return np.asarray((products - ground) / self._lengths[:, None])

    @cached_property
    def _lengths(self) -> Floats:
        """The lengths of the statements after their language's mean is subtracted: shape (n,)."""
        means = self._calibration.statement_means
        products = (self._vectors @ means.T.astype(np.float32)).astype(float)
        with_mean = products[np.arange(len(products)), self._language]
        return np.sqrt(np.maximum(1 - 2 * with_mean + (means * means).sum(axis=1)[self._language], 1e-9))

    def _compute_nearest(self, sentences: Floats) -> Floats:
        """The closeness of each statement to sentences of its own language: the mean of the best cosines, shape (n,).

        `sentences`: unit length, shape (2, k, d), English and Chinese.
        """
        english, chinese = (self._compute_cosines(directions) for directions in sentences)
        own = np.where(self._language[:, None] == 1, chinese, english)
        return np.asarray(np.sort(own, axis=1)[:, -_FEW:].mean(axis=1))

    def _compute_cosines(self, directions: Floats) -> Floats:
        """Cosines of unit vectors (`directions`, shape (k, d)) with the centred statements: shape (n, k)."""
        products = (self._vectors @ directions.T.astype(np.float32)).astype(float)
        return self.centre_products(directions, products)


@dataclass(frozen=True, slots=True)
class Calibration:
    """All that was fitted for one embedding model of `d` dimensions.

    `question_means` and `statement_means`: shape (2, d), English and Chinese. `into` and `back`: shapes (d, r) and
    (r, d), the map of rank r that is added to a question. All are float64. `intents`: by name, unit vectors of shape
    (2, k, d). `weights`: log-odds by feature, with "intercept". `figures`: shares on the held-out half.
    `labelled`: the digest of the labelled set.
    """

    engine: str
    question_means: Floats
    statement_means: Floats
    into: Floats
    back: Floats
    intents: dict[str, Floats]
    weights: dict[str, float]
    figures: dict[str, float]
    labelled: str

    def compute_nearness(
        self,
        text: str,
        vector: Sequence[float],
        language: str,
        *,
        statements: Statements,
        known: int,
        products: Floats,
    ) -> CalibratedNearness:
        """`vector`: the question's, shape (d,). `products`: those of the statements with the question's `direction`,
        shape (n,).

        `known` is how many statements there are to choose from: the best of many is near by chance more often.
        """
        centred = self.centre_question(vector, language)
        closeness = self.compute_closeness(centred, language)
        care = max(closeness[name] for name in CARE)
        relevance = _compute_ramp(care, _CARE_FROM, _CARE_FULL)
        cosine = statements.centre_products(self.project(centred)[None], products[:, None])[:, 0]
        is_about_self = closeness["identity"] >= IDENTITY_FROM
        return CalibratedNearness(
            self.weights["cosine"] * cosine,
            self.question_part(text, language, closeness, known),
            float(relevance),
            statements.health if relevance > 0 else np.zeros(len(products)),
            statements.profile if is_about_self else np.zeros(len(products)),
            closeness["identity"],
        )

    def direction(self, vector: Sequence[float], language: str) -> Floats:
        """Return what statements are compared with for a question: where its answers lie. Unit length, shape (d,)."""
        return self.project(self.centre_question(vector, language))

    def question_part(self, text: str, language: str, closeness: Mapping[str, float], known: int) -> float:
        """The log-odds that depend on the question alone, and on how many statements are known."""
        about = sum(self.weights[name] * closeness[name] for name in WEIGHED)
        about += self.weights["first_person"] * is_first_person(text)
        about += self.weights["chinese"] * (language == "zh")
        return self.weights["intercept"] + about + self.weights["ln_count"] * count_part(known)

    def centre_question(self, vector: Sequence[float] | Floats, language: str) -> Floats:
        """Subtract the mean question, and scale to length 1. `vector` and what is returned: shape (d,)."""
        return _normalise_vectors(
            np.asarray(vector, dtype=float) - self.question_means[LANGUAGES.index(language)]
        )

    def project(self, centred: Floats) -> Floats:
        """Move centred questions, shape (..., d), to where their answers lie: unit length, the same shape."""
        return _normalise_vectors(centred + (centred @ self.into) @ self.back)

    def compute_closeness(self, centred: Floats, language: str) -> dict[str, float]:
        """The closeness of a centred question, shape (d,), to each intent: the mean of the best cosines."""
        at = LANGUAGES.index(language)
        return {
            name: compute_mean_of_best(vectors[at] @ centred, _NEAREST if name in WEIGHED else _FEW)
            for name, vectors in self.intents.items()
        }

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = {
            f"intent {name}": vectors.astype(np.float16) for name, vectors in self.intents.items()
        }
        numbers = json.dumps(
            {
                "engine": self.engine,
                "weights": self.weights,
                "figures": self.figures,
                "labelled": self.labelled,
            }
        )
        np.savez_compressed(
            path,
            question_means=self.question_means.astype(np.float32),
            statement_means=self.statement_means.astype(np.float32),
            into=self.into.astype(np.float16),
            back=self.back.astype(np.float16),
            numbers=np.array(numbers),
            **arrays,
        )

    @classmethod
    def load(cls, path: Path) -> Calibration:
        with np.load(path) as kept:
            numbers: dict[str, Any] = json.loads(str(kept["numbers"]))
            intents = {
                name.removeprefix("intent "): kept[name].astype(float)
                for name in kept.files
                if name.startswith("intent ")
            }
            return cls(
                numbers["engine"],
                kept["question_means"].astype(float),
                kept["statement_means"].astype(float),
                kept["into"].astype(float),
                kept["back"].astype(float),
                intents,
                numbers["weights"],
                numbers["figures"],
                numbers["labelled"],
            )


@cache
def load_calibration(engine: str) -> Calibration | None:
    """The calibration of an embedding model by its name; None for a model that was never calibrated."""
    own = get_calibration_path(engine)
    for path in (own, SHIPPED):
        if path.exists():
            calibration = Calibration.load(path)
            if calibration.engine == engine:
                return calibration
    return None


def get_calibration_path(engine: str) -> Path:
    """Return where `manage.py calibrate` keeps the calibration of a model."""
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", engine).strip("-.")
    return Path(settings.CALIBRATION_FOLDER) / f"{name}.npz"


def count_part(count: int) -> float:
    """The feature "ln_count" of so many statements to choose from; more than 30 count as 30, for those far away from a
    question add nothing."""
    return float(np.log(min(max(count, 1), MOST_COUNTED) / MOST_COUNTED))


def is_first_person(text: str) -> bool:
    """Return whether a question speaks of the one who asks."""
    return _FIRST_PERSON.search(text) is not None


def compute_mean_of_best(values: Floats, count: int) -> float:
    """The mean of the `count` highest: of `values` of shape (k,), mostly cosines."""
    return float(np.sort(values)[-count:].mean())


def _normalise_vectors(vectors: Floats) -> Floats:
    """Scale vectors, shape (..., d), to length 1; zeros stay zeros."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9))


def _compute_ramp(values: Any, start: float, full: float) -> Any:
    """0 up to `start`, 1 from `full` on, linear between."""
    return np.clip((values - start) / (full - start), 0.0, 1.0)
