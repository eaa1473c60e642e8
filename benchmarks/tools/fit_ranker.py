"""Fits the weights in `memories/retrieval/ranking/fitted_weights.py` and prints them, with figures.

Each figure comes from conversations that were held out in turn.

    LOCOMO_JSON=path/to/locomo.json python -m benchmarks.tools.fit_ranker [--vectors cache.npz]

Transcript lines are fitted on LoCoMo's two-person chats, as the local extractor stores them; passages of
documents on `passage_pairs.json` beside this file, statements of a model without calibration on a part of the labelled
set (`memories/engine/calibration/`, fitted by `manage.py calibrate`). Every formula is linear:
boosted trees fit the conversations they saw better and all others worse.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # two embedding threads, one core each
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("SECRET_KEY", "only-for-a-benchmark")
os.environ.setdefault("KEY_PEPPERS", "only-for-a-benchmark")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from memories.engine.calibration.background_similarity import FITTED_SPREAD, Background, Nearness
from memories.engine.calibration.labelled import LabelledPerson, load_people
from memories.engine.local.embedder import LocalE5
from memories.engine.local.extractor import LocalExtractor
from memories.retrieval.queries.parser import parse_question
from memories.retrieval.ranking import features as forms
from memories.retrieval.ranking.candidate_table import LEAST_PASSAGES, Candidate, CandidateTable, Pool
from memories.retrieval.ranking.features import Features
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import search_terms
from memories.values import Draft, MemoryKind, Turn

# n scores or labels, shape (n,); n embeddings, shape (n, d); or n rows of m features, shape (n, m).
Array = NDArray[np.float64]
Weights = tuple[Array, float]

# The people of the labelled set with which the formulas for uncalibrated models were fitted.
PEOPLE = ("ana", "wei", "sam", "lin")
PASSAGES = Path(__file__).with_name("passage_pairs.json")
TODAY = datetime(2026, 1, 1, tzinfo=UTC)
CHUNK = 40  # messages in one request
THRESHOLD = 0.45
LINE_EVIDENCE = [
    "cosine",
    "cosine_around",
    "cosine_conversation",
    "coverage",
    "coverage_around",
    "bm25_window",
    "asked_before",
    "asked_before_coverage",
    "speaker",
    "date",
    "date_to_the_day",
    "length",
]
STATEMENT_EVIDENCE = ["cosine", "coverage"]
# Who asks with a name that a statement holds means it. The pairs at hand hardly share words, by which they would be
# given a negative weight (-1.2; as many answers come first, and pass).
STATEMENT_COVERAGE = 0.5
PASSAGE_EVIDENCE = ["cosine", "coverage", "is_chinese", "is_across"]
# Fitted, answers and others are wrong equally often. Of a talk's many lines fewer should pass; of the few statements
# rather one too many than the answer missing.
LINES_MOVED, STATEMENTS_MOVED = -0.1, 0.2


@dataclass(frozen=True, slots=True)
class Example:
    """One question with the evidence for every memory of its owner. `is_gold` marks the answers; `gold` says which
    of the question's gold turns each memory carries, `gold_turns` how many there are."""

    fold: str
    evidence: Features
    is_gold: NDArray[np.bool_]
    gold_turns: int

    def table(self, names: Sequence[str]) -> Array:
        return np.stack([self.evidence[name] for name in names], axis=1)


class Vectors:
    """Embeds each text once, also over several runs when there is a cache file."""

    def __init__(self, cache: Path | None) -> None:
        self._cache, self._engine = cache, LocalE5()
        self._known: dict[str, Any] = dict(np.load(cache)) if cache and cache.exists() else {}
        self.background = Background(self._engine)

    def passages(self, name: str, texts: Sequence[str]) -> Array:
        return self._once(f"passages {name}", texts, self._engine.embed_passages)

    def queries(self, name: str, texts: Sequence[str]) -> Array:
        return self._once(
            f"queries {name}", texts, lambda batch: [self._engine.embed_query(text) for text in batch]
        )

    def _once(
        self, name: str, texts: Sequence[str], embed: Callable[[list[str]], list[list[float]]]
    ) -> Array:
        if len(self._known.get(name, ())) != len(texts):
            batches = [list(texts[at : at + 16]) for at in range(0, len(texts), 16)]
            self._known[name] = np.array(
                [vector for batch in tqdm(batches, desc=name) for vector in embed(batch)]
            )
            if self._cache:
                np.savez(self._cache, **self._known)
        return np.asarray(self._known[name])


def line_examples(data: Path, vectors: Vectors) -> list[Example]:
    examples = []
    for sample in json.loads(data.read_text(encoding="utf-8")):
        name = sample["sample_id"]
        drafts = list(_iterate_drafts(sample["conversation"]))
        rows = [_line(*draft) for draft in drafts]
        dialogue_ids = [ids for _, ids, _, _ in drafts]
        questions = [
            (asked, gold) for asked in sample["qa"] if (gold := _gold_turns(asked, sample["conversation"]))
        ]
        passages = vectors.passages(name, [draft.text for draft, *_ in drafts])
        queries = vectors.queries(name, [asked["question"] for asked, _ in questions])
        for (asked, gold), query in zip(questions, queries, strict=True):
            evidence = _build_evidence(
                asked["question"], rows, passages=passages, query=query, vectors=vectors, is_line=True
            )
            is_gold = np.array([bool(gold.intersection(ids)) for ids in dialogue_ids])
            if is_gold.any():
                examples.append(Example(name, evidence, is_gold, len(gold)))
    return examples


def _iterate_drafts(conversation: dict[str, Any]) -> Iterable[tuple[Draft, list[str], str, datetime]]:
    """Every memory of a conversation with the ids of its turns, its session and the session's date."""
    for number in sorted(int(key[8:]) for key in conversation if re.fullmatch(r"session_\d+", key)):
        session = conversation[f"session_{number}"]
        said_at = _session_date(conversation[f"session_{number}_date_time"])
        for start in range(0, len(session), CHUNK):
            turns = session[start : start + CHUNK]
            for draft in LocalExtractor().extract([_turn(turn, conversation, said_at) for turn in turns], []):
                yield draft, [turns[at]["dia_id"] for at in draft.turns], f"session {number}", said_at


def _turn(turn: dict[str, Any], conversation: dict[str, Any], said_at: datetime) -> Turn:
    role = "user" if turn["speaker"] == conversation["speaker_a"] else "assistant"
    caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return Turn(role, f"{turn['speaker']}: {turn['text']}{caption}", said_at)


def _session_date(spoken: str) -> datetime:
    return datetime.strptime(spoken.strip().upper(), "%I:%M %p ON %d %B, %Y").replace(tzinfo=UTC)


def _gold_turns(asked: dict[str, Any], conversation: dict[str, Any]) -> set[str]:
    """The turns that hold the answer, without the data's typing errors; none for questions without an answer."""
    if asked["category"] not in (1, 2, 3, 4):
        return set()
    known = {turn["dia_id"] for value in conversation.values() if isinstance(value, list) for turn in value}
    labels = [part for label in asked["evidence"] for part in re.split(r"[;,\s]+", label)]
    matches = (re.fullmatch(r"D:?(\d+):0*(\d+)", label) for label in labels)
    return {f"D{match[1]}:{match[2]}" for match in matches if match} & known


def _line(draft: Draft, dialogue_ids: list[str], session: str, said_at: datetime) -> Candidate:
    timestamp = (draft.event_time or said_at).timestamp()
    return Candidate(
        key=draft.text,
        kind=draft.kind,
        terms=" ".join(search_terms(draft.text)),
        word_count=draft.text.count(" ") + 1,
        speaker=draft.speaker,
        conversation=session,
        position=int(dialogue_ids[0].split(":")[1]),
        is_asking="?" in draft.text,
        said_at=timestamp,
        event_time=timestamp,
    )


def statement_examples(vectors: Vectors) -> list[Example]:
    """Questions of a few people, as a model without calibration sees them."""
    examples = []
    for person in _people():
        rows = [_statement(str(at), text) for at, text in enumerate(person.statements)]
        passages = vectors.passages(person.name, person.statements)
        queries = vectors.queries(person.name, [asked.text for asked in person.questions])
        for asked, query in zip(person.questions, queries, strict=True):
            evidence = _build_evidence(
                asked.text, rows, passages=passages, query=query, vectors=vectors, is_line=False
            )
            is_gold = np.isin(np.arange(len(rows)), list(asked.answers))
            examples.append(Example(person.name, evidence, is_gold, int(is_gold.sum())))
    return examples


def _people() -> list[LabelledPerson]:
    return [person for person in load_people() if person.name in PEOPLE]


def _statement(key: str, text: str) -> Candidate:
    return Candidate(
        key,
        MemoryKind.FACT,
        " ".join(search_terms(text)),
        text.count(" ") + 1,
        language=detect_language(text),
    )


def passage_examples(vectors: Vectors) -> list[Example]:
    """Questions about each base, and what people ask about their own lives, which no passage answers."""
    chat = [asked.text for person in _people() for asked in person.questions][::2]
    unrelated = vectors.queries("chat", chat)
    examples = []
    for base in json.loads(PASSAGES.read_text(encoding="utf-8")):
        texts, name = base["passages"], base["base"]
        table = CandidateTable([_passage(key, text) for key, text in texts.items()])
        passages = vectors.passages(f"base {name}", list(texts.values()))
        asked_here = vectors.queries(f"base {name}", [asked["question"] for asked in base["questions"]])
        for asked, query in zip(base["questions"], asked_here, strict=True):
            is_gold = np.array([key in asked["answers"] for key in texts])
            evidence = _passage_evidence(asked["question"], table, passages, query, vectors)
            examples.append(Example(name, evidence, is_gold, int(is_gold.sum())))
        for text, query in zip(chat, unrelated, strict=True):
            evidence = _passage_evidence(text, table, passages, query, vectors)
            examples.append(Example(name, evidence, np.zeros(len(texts), dtype=bool), 0))
    return examples


def _passage(key: str, text: str) -> Candidate:
    words = " ".join(search_terms(text))
    return Candidate(key, MemoryKind.KNOWLEDGE, words, text.count(" ") + 1, language=detect_language(text))


def _passage_evidence(
    text: str, table: CandidateTable, embedded: Array, query: Array, vectors: Vectors
) -> Features:
    question = parse_question(text, TODAY)
    near = compute_nearness(text, table, embedded, query, vectors)
    words = Pool(table, table.count_terms(question.terms)).words(LEAST_PASSAGES)
    return forms.build_passage_features(question, table, words).compute(near)


def compute_nearness(
    text: str, table: CandidateTable, passages: Array, query: Array, vectors: Vectors
) -> Nearness:
    nearness = vectors.background.compute_nearness(
        text, query.tolist(), detect_language(text), passages=passages, is_chinese=table.is_chinese
    )
    return nearness._replace(calibrated=None)


def _build_evidence(
    text: str, rows: list[Candidate], *, passages: Array, query: Array, vectors: Vectors, is_line: bool
) -> Features:
    question = parse_question(text, TODAY)
    table = CandidateTable(rows)
    near = compute_nearness(text, table, passages, query, vectors)
    words = Pool(table, table.count_terms(question.terms)).words()
    if is_line:
        return forms.build_transcript_features(question, table, words).compute(near)
    return forms.build_statement_features(words).compute(near)


def fit_by_question(examples: Sequence[Example], names: Sequence[str]) -> Weights:
    """Which memory of this owner answers this question? Newton's method on the conditional likelihood, then a scale
    on which answers and others weigh alike."""
    tables = [example.table(names) for example in examples]
    spread = np.concatenate(tables).std(axis=0) + 1e-9
    weights = np.zeros(len(names))
    for _ in range(30):
        gradient, curvature = -weights, np.eye(len(names))
        for table, example in zip(tables, examples, strict=True):
            scaled = table / spread
            chance = np.exp(scaled @ weights - (scaled @ weights).max())
            chance /= chance.sum()
            mean = chance @ scaled
            gradient = gradient + scaled[example.is_gold].mean(axis=0) - mean
            curvature = curvature + (scaled * chance[:, None]).T @ scaled - np.outer(mean, mean)
        step = np.linalg.solve(curvature, gradient)
        weights = weights + step * min(1.0, 2 / np.abs(step).max())
        if np.abs(step).max() < 1e-5:
            break
    weights = weights / spread
    scores = np.concatenate([table @ weights for table in tables])[:, None]
    slope, start = _logistic_fit(scores, _labels(examples))
    return weights * slope[0], start


def fit_by_memory(examples: Sequence[Example], names: Sequence[str], against: float = 1.0) -> Weights:
    """Does this memory answer this question? Answers and others weigh alike, or the others `against` times more."""
    return _logistic_fit(np.concatenate([e.table(names) for e in examples]), _labels(examples), against)


def fit_statements(examples: Sequence[Example], names: Sequence[str]) -> Weights:
    """`names` are cosine and coverage; the former's weight is fitted."""
    weights, start = fit_by_memory(examples, names[:1])
    coverage = np.concatenate([example.evidence[names[1]] for example in examples])
    start += STATEMENTS_MOVED - STATEMENT_COVERAGE * float(coverage.mean())
    return np.append(weights, STATEMENT_COVERAGE), start


def moved(fitted: Weights, by: float) -> Weights:
    return fitted[0], fitted[1] + by


def _labels(examples: Sequence[Example]) -> Array:
    return np.concatenate([example.is_gold for example in examples]).astype(float)


def _logistic_fit(table: Array, labels: Array, against: float = 1.0) -> Weights:
    middle, spread = table.mean(axis=0), table.std(axis=0) + 1e-9
    scaled = np.c_[(table - middle) / spread, np.ones(len(table))]
    weight = np.where(labels > 0, (1 - labels.mean()) / labels.mean(), against)
    ridge = np.diag([0.5] * table.shape[1] + [1e-6])
    solution = np.zeros(scaled.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-scaled @ solution))
        gradient = scaled.T @ (weight * (labels - chance)) - ridge @ solution
        curvature = (scaled * (weight * chance * (1 - chance))[:, None]).T @ scaled + ridge
        step = np.linalg.solve(curvature, gradient)
        solution = solution + step
        if np.abs(step).max() < 1e-6:
            break
    weights = solution[:-1] / spread
    return weights, float(solution[-1] - weights @ middle)


def held_out(
    examples: Sequence[Example], names: Sequence[str], fit: Callable[..., Weights]
) -> dict[str, float]:
    """Figures for each conversation by weights that never saw it."""
    scored: list[tuple[Example, Array]] = []
    for fold in sorted({example.fold for example in examples}):
        weights, start = fit([example for example in examples if example.fold != fold], names)
        rest = [example for example in examples if example.fold == fold]
        scored += [(example, example.table(names) @ weights + start) for example in rest]
    return _figures(scored)


def _figures(scored: list[tuple[Example, Array]]) -> dict[str, float]:
    asked = [(example, score) for example, score in scored if example.is_gold.any()]
    gold = np.concatenate([_chance(score[example.is_gold]) for example, score in scored])
    other = np.concatenate([_chance(score[~example.is_gold]) for example, score in scored])
    return {
        "R@9": float(np.mean([_recall(example, score, 9) for example, score in asked])),
        "R@25": float(np.mean([_recall(example, score, 25) for example, score in asked])),
        "Hit@9": float(np.mean([_recall(example, score, 9) > 0 for example, score in asked])),
        "first": float(np.mean([bool(example.is_gold[score.argmax()]) for example, score in asked])),
        "AUC": _area(gold, other),
        f"gold >= {THRESHOLD}": float((gold >= THRESHOLD).mean()),
        f"other < {THRESHOLD}": float((other < THRESHOLD).mean()),
    }


def _chance(score: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-score)))


def _recall(example: Example, score: Array, count: int) -> float:
    best = np.argsort(-score, kind="stable")[:count]
    return float(example.is_gold[best].sum()) / max(example.gold_turns, int(example.is_gold.sum()))


def _area(gold: Array, other: Array) -> float:
    place = np.argsort(np.argsort(np.concatenate([gold, other])))
    return float((place[: len(gold)].sum() - len(gold) * (len(gold) - 1) / 2) / (len(gold) * len(other)))


def report(
    title: str, examples: Sequence[Example], names: Sequence[str], fit: Callable[..., Weights]
) -> None:
    figures = " ".join(f"{name} {value:.3f}" for name, value in held_out(examples, names, fit).items())
    weights, start = fit(examples, names)
    print(f"\n{title}: {len(examples)} questions; held out: {figures}")
    print(f"{title} = Formula(\n    {start:.3f},\n    {{")
    for name, weight in zip(names, weights, strict=True):
        print(f'        "{name}": {weight:.3f},')
    print("    },\n)")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--vectors", type=Path, help="an .npz file that keeps the embeddings for the next run"
    )
    parser.add_argument("--passages", action="store_true", help="only the formulas for passages")
    arguments = parser.parse_args()
    if "LOCOMO_JSON" not in os.environ and not arguments.passages:
        parser.error("LOCOMO_JSON must name LoCoMo's data file")
    vectors = Vectors(arguments.vectors)
    passages = passage_examples(vectors)
    report("PASSAGE", passages, PASSAGE_EVIDENCE, fit_by_memory)
    report("PASSAGE_WORDS", passages, ["coverage"], lambda e, n: fit_by_memory(e, n, against=3.0))
    if arguments.passages:
        return
    print(f"spread of the background: {vectors.background.spread:.4f} (FITTED_SPREAD is {FITTED_SPREAD})")
    lines = line_examples(Path(os.environ["LOCOMO_JSON"]), vectors)
    statements = statement_examples(vectors)
    wordings = [name for name in LINE_EVIDENCE if not name.startswith("cosine")]
    report("TRANSCRIPT", lines, LINE_EVIDENCE, lambda e, n: moved(fit_by_question(e, n), LINES_MOVED))
    report("TRANSCRIPT_WORDS", lines, wordings, fit_by_question)
    report("STATEMENT_UNCALIBRATED", statements, STATEMENT_EVIDENCE, fit_statements)
    # Most answers share no word with their question: without a vector, sharing none must count against a memory.
    report("STATEMENT_WORDS", statements, ["coverage"], lambda e, n: fit_by_memory(e, n, against=3.0))


if __name__ == "__main__":
    main()
