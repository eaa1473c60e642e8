"""Fits the calibration of an embedding model on the labelled set, and measures it on people who were held out.

Two linear steps. A low-rank map moves questions to where their answers lie (a supervised semantic index, Bai et al.
2009): the probability of the answers is maximised, by a softmax with a fixed scale (its inverse temperature) over all
statements of a person and "none of them". The map is fitted whole, then cut to its best approximation of low rank by a
singular value decomposition (Eckart & Young 1936). Then a logistic regression weighs the cosine after that map beside
how near the question is to each intent; it sees people whom the map was not fitted on, else it would trust the cosine
too much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memories.engine.calibration.labelled import (
    FIT,
    HELD_OUT,
    LANGUAGES,
    LabelledPerson,
    digest_labelled,
    load_intents,
    load_people,
    load_unrelated,
)
from memories.engine.calibration.model import WEIGHED, Calibration, Floats, count_part, is_first_person
from memories.engine.protocols import Embedder
from memories.text.quotes.quoting import remove_added_dates
from memories.text.words.language_detection import detect_language

# The default threshold of a search.
THRESHOLD = 0.45
# So many of the answers shall lie above it. More, and unrelated questions bring statements back; fewer, and answers
# are missing: on the people held out, 0.84 keeps 96 % of the unrelated questions silent, 0.9 94 %.
ANSWERS_FOUND = 0.84
# The map: its rank, the penalty on its squared length, the softmax's scale, the cosine of "none of them" at the start.
RANK, PENALTY, SCALE, NONE = 64, 0.03, 20.0, 0.45
STEPS, RATE = 100, 0.002
# Questions that nothing answers weigh this much beside the others: there are more of them.
KIND_WEIGHTS, UNRELATED_PEOPLE = {"unrelated": 0.3, "removed": 0.5}, 6
FOLDS = 4
# From so many statements on, a question is also asked of a part of them: users of a day have few.
MANY = 10
FEATURES = ("cosine", *WEIGHED, "first_person", "chinese", "ln_count")
INTENTS_OF_STATEMENTS = ("health facts", "profile facts")
_BATCH = 32


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question to one person.

    `vector`: the question's embedding, float64, shape (d,). `statements`: indices into all statements, int64, shape
    (n,). `is_answer`: bool, shape (n,).

    `kind` is "answered", "near" (of the same kind, not known), "removed" (answers taken away) or "unrelated".
    """

    person: str
    half: str
    kind: str
    text: str
    language: str
    vector: Floats
    statements: NDArray[np.int64]
    is_answer: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Labelled:
    """The labelled set embedded. `statements`: centred, unit length, float64, shape (m, d). `about`: the features of
    each question's text, which are the same for every person and every map."""

    statements: Floats
    asked: tuple[_Asked, ...]
    about: dict[str, list[float]]

    def of(self, half: str) -> list[_Asked]:
        return [question for question in self.asked if question.half == half]


def fit_calibration(engine: Embedder, report: Callable[[str], None] = lambda _: None) -> Calibration:
    """Embeds about 2,000 short texts and fits for half a minute. Raises what the embedder raises."""
    report("embedding the labelled set")
    labelled, bare = _embed_all(engine)
    fit = labelled.of(FIT)
    people = sorted({question.person for question in fit})
    tables: list[tuple[Floats, _Asked]] = []
    chance = np.random.default_rng(0)
    for fold in range(FOLDS):
        report(f"fitting the map without a part of the people ({fold + 1} of {FOLDS})")
        held = set(people[fold::FOLDS])
        part = _fit_map(bare, labelled, [question for question in fit if question.person not in held])
        rest = [question for question in fit if question.person in held]
        rest += [small for question in rest if (small := _reduce_to_few(question, chance)) is not None]
        rest += [
            _remove_answers(question)
            for question in rest
            if question.is_answer.any() and not question.is_answer.all()
        ]
        tables += [(_build_table(part, labelled, question), question) for question in rest]
    weights = _fit_weights(tables)
    report("fitting the map with all people")
    whole = replace(_fit_map(bare, labelled, fit), weights=weights)
    return replace(whole, figures=compute_figures(whole, labelled))


def _reduce_to_few(question: _Asked, chance: np.random.Generator) -> _Asked | None:
    """The same question to somebody of whom few statements are known, the answers among them; None if few are now."""
    if len(question.statements) <= MANY:
        return None
    answers = np.flatnonzero(question.is_answer)
    others = chance.permutation(np.flatnonzero(~question.is_answer))[: int(chance.integers(2, MANY))]
    kept = np.sort(np.concatenate([answers, others]))
    return replace(question, statements=question.statements[kept], is_answer=question.is_answer[kept])


def _remove_answers(question: _Asked) -> _Asked:
    """The same question to somebody of whom all is known but its answers: what stays is near, and no answer."""
    rest = ~question.is_answer
    return replace(
        question, kind="removed", statements=question.statements[rest], is_answer=question.is_answer[rest]
    )


def compute_figures(calibration: Calibration, labelled: _Labelled) -> dict[str, float]:
    """Figures on the people held out: shares of questions, at the default threshold."""
    figures: dict[str, float] = {}
    for language in LANGUAGES:
        scored = [
            (question, _compute_chances(_build_table(calibration, labelled, question), calibration.weights))
            for question in labelled.of(HELD_OUT)
            if question.language == language
        ]
        answered = [pair for pair in scored if pair[0].kind == "answered"]
        gold = np.concatenate([chances[question.is_answer] for question, chances in answered])
        figures |= {
            f"{language} answer first": _compute_share(
                question.is_answer[chances.argmax()] for question, chances in answered
            ),
            f"{language} answers found": float((gold >= THRESHOLD).mean()),
            f"{language} others returned": float(
                np.mean([(chances[~question.is_answer] >= THRESHOLD).sum() for question, chances in answered])
            ),
        }
        for kind in ("near", "unrelated"):
            figures[f"{language} silent, {kind}"] = _compute_share(
                chances.max() < THRESHOLD for question, chances in scored if question.kind == kind
            )
    return {name: round(value, 3) for name, value in figures.items()}


def _compute_share(values: Iterable[bool]) -> float:
    return float(np.mean(list(values)))


def _embed_all(engine: Embedder) -> tuple[_Labelled, Calibration]:
    """The labelled set, and a calibration that only centres."""
    people, unrelated = load_people(), load_unrelated()
    texts = [text for person in people for text in person.statements]
    statements = _embed_texts(engine.embed_passages, [remove_added_dates(text) for text in texts])
    questions = [question.text for person in people for question in person.questions]
    queries = dict(zip(questions, _embed_texts(engine.embed_queries, questions), strict=True))
    others = [other.text for other in unrelated]
    queries |= dict(zip(others, _embed_texts(engine.embed_queries, others), strict=True))
    asked = []
    start = 0
    for person in people:
        own = np.arange(start, start + len(person.statements))
        start += len(own)
        for question in person.questions:
            is_answer = np.isin(np.arange(len(own)), list(question.answers))
            kind = "answered" if question.answers else "near"
            asked.append(
                _build_asked(person, kind, question.text, queries=queries, own=own, is_answer=is_answer)
            )
        asked += [
            _build_asked(
                person,
                "unrelated",
                other.text,
                queries=queries,
                own=own,
                is_answer=np.zeros(len(own), dtype=bool),
            )
            for other in unrelated
            if other.half == person.half
        ]
    languages = np.array([LANGUAGES.index(detect_language(text)) for text in texts])
    own_questions = [question for question in asked if question.half == FIT and question.kind != "unrelated"]
    is_fit = np.isin(
        np.arange(len(texts)), np.concatenate([question.statements for question in own_questions])
    )
    statement_means = np.stack([statements[is_fit & (languages == at)].mean(axis=0) for at in range(2)])
    question_means = np.stack(
        [
            np.mean([question.vector for question in own_questions if question.language == name], axis=0)
            for name in LANGUAGES
        ]
    )
    nothing = np.zeros((statements.shape[1], 0))
    intents = _embed_intents(engine, question_means, statement_means)
    bare = Calibration(
        engine.name, question_means, statement_means, nothing, nothing.T, intents, {}, {}, digest_labelled()
    )
    about = {
        text: _describe_question(bare, text, vector, detect_language(text))
        for text, vector in queries.items()
    }
    return _Labelled(_normalise_vectors(statements - statement_means[languages]), tuple(asked), about), bare


def _describe_question(bare: Calibration, text: str, vector: Floats, language: str) -> list[float]:
    """The features of a question's text: its mean cosines with the intents, then 1 or 0. `vector`: shape (d,)."""
    closeness = bare.compute_closeness(bare.centre_question(vector, language), language)
    near = [closeness[name] for name in WEIGHED]
    return [*near, float(is_first_person(text)), float(language == "zh")]


def _build_asked(
    person: LabelledPerson,
    kind: str,
    text: str,
    *,
    queries: dict[str, Floats],
    own: NDArray[np.int64],
    is_answer: NDArray[np.bool_],
) -> _Asked:
    """`queries`: vectors by text, shape (d,). `own`: indices of statements, `is_answer`: a mask, both of shape (n,)."""
    return _Asked(person.name, person.half, kind, text, detect_language(text), queries[text], own, is_answer)


def _embed_intents(engine: Embedder, question_means: Floats, statement_means: Floats) -> dict[str, Floats]:
    """Embed example questions and statements of each intent: centred unit vectors of shape (2, k, d) by name.

    Means of questions and of statements: shape (2, d).
    """
    vectors = {}
    for name, sentences in load_intents().items():
        is_statement = name in INTENTS_OF_STATEMENTS
        means = statement_means if is_statement else question_means
        embed = engine.embed_passages if is_statement else engine.embed_queries
        vectors[name] = np.stack(
            [
                _normalise_vectors(_embed_texts(embed, sentences[language]) - mean)
                for language, mean in zip(LANGUAGES, means, strict=True)
            ]
        )
    return vectors


def _embed_texts(embed: Callable[[list[str]], list[list[float]]], texts: Sequence[str]) -> Floats:
    """Embeddings as float64, shape (k, d), for k texts."""
    batches = (list(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH))
    return np.concatenate([np.array(embed(batch), dtype=float) for batch in batches])


@dataclass(frozen=True, slots=True)
class _Group:
    """The questions to one person: `rows` of all questions, int64, shape (r,), and the person's `statements`, float64,
    shape (m, d).

    `is_own`: which of them are known, bool, shape (r, m); `wanted`: the probability with which each is to be chosen,
    "none of them" last, float64, shape (r, m + 1); `weight`: float64, shape (r, 1).
    """

    rows: NDArray[np.int64]
    statements: Floats
    is_own: NDArray[np.bool_]
    wanted: Floats
    weight: Floats


def _fit_map(bare: Calibration, labelled: _Labelled, asked: Sequence[_Asked]) -> Calibration:
    """Gradient descent (Adam, Kingma & Ba 2015) on the cross-entropy; then the best map of rank `RANK`."""
    asked = _with_fewer_unrelated(asked)
    asked = [*asked, *(_remove_answers(question) for question in asked if question.is_answer.any())]
    questions = np.array([bare.centre_question(question.vector, question.language) for question in asked])
    groups = _group_by_person(labelled, asked)
    whole_weight = sum(float(group.weight.sum()) for group in groups)
    added = np.zeros((questions.shape[1],) * 2)
    momentum, variance, none = np.zeros_like(added), np.zeros_like(added), NONE
    for step in range(STEPS):
        moved = questions + questions @ added
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        moved /= lengths
        slope, none_error = np.zeros_like(moved), 0.0
        for group in groups:
            scores = np.full(group.wanted.shape, SCALE * none)
            near = SCALE * moved[group.rows] @ group.statements.T
            scores[:, :-1] = np.where(group.is_own, near, -np.inf)
            chances = np.exp(scores - scores.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
            error = SCALE * group.weight * (chances - group.wanted) / whole_weight
            none_error += float(error[:, -1].sum())
            slope[group.rows] = error[:, :-1] @ group.statements
        none -= 4 * 0.02 * none_error / SCALE
        slope = (slope - moved * (slope * moved).sum(axis=1, keepdims=True)) / lengths
        gradient = questions.T @ slope + PENALTY * added
        momentum = 0.9 * momentum + 0.1 * gradient
        variance = 0.99 * variance + 0.01 * gradient * gradient
        added -= RATE * (1 - step / STEPS) * momentum / (np.sqrt(variance) + 1e-8)
    left, sizes, right = np.linalg.svd(added, full_matrices=False)
    return replace(bare, into=left[:, :RANK] * sizes[:RANK], back=right[:RANK])


def _group_by_person(labelled: _Labelled, asked: Sequence[_Asked]) -> list[_Group]:
    """A question is compared with the statements of its person only: a thirtieth of all."""
    rows: dict[str, list[int]] = {}
    for row, question in enumerate(asked):
        rows.setdefault(question.person, []).append(row)
    groups = []
    for of_person in rows.values():
        questions = [asked[row] for row in of_person]
        known = np.unique(np.concatenate([question.statements for question in questions]))
        is_own = np.stack([np.isin(known, question.statements) for question in questions])
        wanted = np.zeros((len(questions), len(known) + 1))
        for at, question in enumerate(questions):
            answers = np.searchsorted(known, question.statements[question.is_answer])
            wanted[at, answers if len(answers) else -1] = 1 / max(len(answers), 1)
        weight = np.array([KIND_WEIGHTS.get(question.kind, 1.0) for question in questions])[:, None]
        groups.append(_Group(np.array(of_person), labelled.statements[known], is_own, wanted, weight))
    return groups


def _with_fewer_unrelated(asked: Sequence[_Asked]) -> list[_Asked]:
    """Each unrelated question is asked of a few people only, in turn."""
    people = sorted({question.person for question in asked})
    turn: dict[str, int] = {}
    kept = []
    for question in asked:
        if question.kind == "unrelated":
            first = turn.setdefault(question.text, len(turn) % len(people))
            if (people.index(question.person) - first) % len(people) >= UNRELATED_PEOPLE:
                continue
        kept.append(question)
    return kept


def _build_table(calibration: Calibration, labelled: _Labelled, question: _Asked) -> Floats:
    """The features of a person's statements for one question: float64, shape (n, 7), in the order of `FEATURES`."""
    centred = calibration.centre_question(question.vector, question.language)
    cosine = labelled.statements[question.statements] @ calibration.project(centred)
    about = [*labelled.about[question.text], count_part(len(cosine))]
    return np.c_[cosine, np.tile(about, (len(cosine), 1))]


def _fit_weights(tables: Sequence[tuple[Floats, _Asked]]) -> dict[str, float]:
    """Weights in log-odds by feature. `tables`: for each question its features, shape (n, 7).

    Logistic regression with an L2 penalty by Newton's method (iteratively reweighted least squares: Bishop, "Pattern
    Recognition and Machine Learning", 2006, section 4.3.3), whose steps change no weight by more than 3; the intercept
    is then set so that `ANSWERS_FOUND` pass.
    """
    features = np.concatenate([table for table, _ in tables])
    labels = np.concatenate([question.is_answer for _, question in tables]).astype(float)
    middle, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    scaled = np.c_[(features - middle) / spread, np.ones(len(features))]
    ridge = np.diag([1.0] * features.shape[1] + [1e-6])
    solution = np.zeros(scaled.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-scaled @ solution))
        gradient = scaled.T @ (labels - chance) - ridge @ solution
        curvature = (scaled * (chance * (1 - chance))[:, None]).T @ scaled + ridge
        step = np.linalg.solve(curvature, gradient)
        solution = solution + step * min(1.0, 3 / np.abs(step).max())
        if np.abs(step).max() < 1e-7:
            break
    weights = solution[:-1] / spread
    answers = np.sort(features[labels > 0] @ weights)
    threshold = answers[int(len(answers) * (1 - ANSWERS_FOUND))]
    intercept = float(np.log(THRESHOLD / (1 - THRESHOLD)) - threshold)
    return {"intercept": intercept, **dict(zip(FEATURES, map(float, weights), strict=True))}


def _compute_chances(table: Floats, weights: dict[str, float]) -> Floats:
    """The probability that each statement helps to answer: shape (n,). `table`: features, shape (n, 7)."""
    log_odds = weights["intercept"] + table @ np.array([weights[name] for name in FEATURES])
    return np.asarray(1 / (1 + np.exp(-log_odds)))


def _normalise_vectors(vectors: Floats) -> Floats:
    """Scale vectors, shape (..., d), to length 1."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))
