"""How well questions find the skills that are made for them, and no others; and the weights that follow from it.

    python -m benchmarks.search.skill_recall [--vectors cache.npz]

`skill_pairs.json` holds shelves of skills with requests in English and Chinese, some of which no skill of the shelf is
for. A formula is fitted on all shelves but one and measured on that one, in turn; then
`memories/retrieval/ranking/fitted_weights.py`'s own is
measured on all of them. No installation is started.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.tools.fit_ranker import (
    THRESHOLD,
    TODAY,
    Example,
    Vectors,
    compute_nearness,
    fit_by_memory,
    held_out,
    report,
)
from memories.retrieval.queries.parser import parse_question
from memories.retrieval.ranking import features as forms
from memories.retrieval.ranking.candidate_table import LEAST_PASSAGES, Candidate, CandidateTable, Pool
from memories.retrieval.ranking.columns import Chosen
from memories.retrieval.ranking.fitted_weights import SKILL
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import search_terms
from memories.values import MemoryKind

PAIRS = Path(__file__).with_name("skill_pairs.json")
SKILL_EVIDENCE = ["cosine", "behind", "coverage", "is_across", "topic"]


@dataclass(frozen=True, slots=True)
class Shelf:
    """Skills in a table, their vectors, and which of them each request is for.

    `queries` and `passages`: unit length, shapes (q, d) and (n, d). `is_gold`: shape (q, n).
    """

    name: str
    table: CandidateTable
    requests: list[str]
    queries: NDArray[np.float64]
    passages: NDArray[np.float64]
    is_gold: NDArray[np.bool_]

    def of(self, chosen: Chosen) -> Shelf:
        """With some of the skills only."""
        return replace(
            self,
            table=self.table.of(chosen),
            passages=self.passages[chosen],
            is_gold=self.is_gold[:, chosen],
        )


def shelves(vectors: Vectors) -> list[Shelf]:
    all_shelves = []
    for shelf in json.loads(PAIRS.read_text(encoding="utf-8")):
        texts: dict[str, str] = shelf["skills"]
        name, asked = shelf["shelf"], [question["question"] for question in shelf["questions"]]
        passages = vectors.passages(f"skills {name}", list(texts.values()))
        queries = vectors.queries(f"skills {name}", asked)
        is_gold = np.array([[key in question["answers"] for key in texts] for question in shelf["questions"]])
        table = CandidateTable([_skill(key, text) for key, text in texts.items()])
        all_shelves.append(Shelf(name, table, asked, queries, passages, is_gold))
    return all_shelves


def skill_examples(shelf: Shelf, vectors: Vectors) -> list[Example]:
    examples = []
    for request, query, is_gold in zip(shelf.requests, shelf.queries, shelf.is_gold, strict=True):
        question = parse_question(request, TODAY)
        near = compute_nearness(request, shelf.table, shelf.passages, query, vectors)
        words = Pool(shelf.table, shelf.table.count_terms(question.terms)).words(LEAST_PASSAGES)
        evidence = forms.build_skill_features(question, shelf.table, words).compute(near)
        examples.append(Example(shelf.name, evidence, is_gold, int(is_gold.sum())))
    return examples


def alone(shelf: Shelf) -> list[Shelf]:
    """Each skill as the only one that somebody has."""
    return [shelf.of(np.arange(len(shelf.table)) == place) for place in range(len(shelf.table))]


def _skill(key: str, text: str) -> Candidate:
    return Candidate(
        key,
        MemoryKind.SKILL,
        " ".join(search_terms(text)),
        text.count(" ") + 1,
        language=detect_language(text),
    )


def as_it_is(examples: Sequence[Example]) -> dict[str, float]:
    """The share of fitting and of other skills on the right side of the threshold, by the formula in use."""
    scores = [np.sum(list(SKILL.compute_parts(example.evidence).values()), axis=0) for example in examples]
    chance = np.concatenate([1 / (1 + np.exp(-score)) for score in scores])
    is_gold = np.concatenate([example.is_gold for example in examples])
    return {
        "fitting": float((chance[is_gold] >= THRESHOLD).mean()),
        "others": float((chance[~is_gold] < THRESHOLD).mean()),
        "right": float(((chance >= THRESHOLD) == is_gold).mean()),
    }


def against(times: float) -> Any:
    return lambda examples, names: fit_by_memory(examples, names, against=times)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--vectors", type=Path, help="an .npz file that keeps the embeddings for the next run"
    )
    vectors = Vectors(parser.parse_args().vectors)
    all_shelves = shelves(vectors)
    together = [example for shelf in all_shelves for example in skill_examples(shelf, vectors)]
    single = [
        example for shelf in all_shelves for lone in alone(shelf) for example in skill_examples(lone, vectors)
    ]
    pairs = sum(len(example.is_gold) for example in together)
    print(f"{len(together)} requests, {pairs} pairs with skills of their shelves")
    print("statements' evidence, held out:", _shown(held_out(together, ["cosine", "coverage"], against(1.0))))
    report("SKILL", [*together, *single], SKILL_EVIDENCE, against(1.0))
    report("SKILL_WORDS", together, ["coverage", "topic"], against(3.0))
    print("\nas it is in use, whole shelves:", _shown(as_it_is(together)))
    print("as it is in use, each skill alone:", _shown(as_it_is(single)))


def _shown(figures: dict[str, float]) -> str:
    return " ".join(f"{name} {value:.3f}" for name, value in figures.items())


if __name__ == "__main__":
    main()
