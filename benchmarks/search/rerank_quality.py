"""How often `rerank` puts the document first that answers, without a configured reranker.

    python -m benchmarks.search.rerank_quality [--show]

`rerank_pairs.json` holds queries over ordinary domains, in English, Chinese and across, each with the documents that
answer it and others about the same. Most of the others share more of the query's words than the answer does. Constants
may be tuned on one half of the queries; the other half only measures. No installation is started.
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("SECRET_KEY", "only-for-a-benchmark")
os.environ.setdefault("KEY_PEPPERS", "only-for-a-benchmark")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")

import django

django.setup()  # the models are imported below

from memories.retrieval.rerank_documents import score_documents  # noqa: E402

PAIRS = Path(__file__).with_name("rerank_pairs.json")


@dataclass(frozen=True, slots=True)
class Case:
    """A query with its documents. The first `answers` of them answer it; `half` is "tuned" or "held_out"."""

    half: str
    query: str
    documents: list[str]
    answers: int


def cases() -> list[Case]:
    return [
        Case(pair["half"], pair["query"], [*pair["answers"], *pair["others"]], len(pair["answers"]))
        for pair in json.loads(PAIRS.read_text(encoding="utf-8"))
    ]


def find_answer_place(case: Case) -> int:
    """How many other documents score at least as high as the best answer."""
    scores = score_documents(case.query, case.documents)
    best = max(scores[: case.answers])
    return sum(score >= best for score in scores[case.answers :])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--show", action="store_true", help="the queries whose answer does not come first")
    is_shown = parser.parse_args().show
    for half in ("tuned", "held_out"):
        places = {case.query: find_answer_place(case) for case in cases() if case.half == half}
        first = sum(place == 0 for place in places.values())
        mean = sum(1 / (1 + place) for place in places.values()) / len(places)
        print(f"{half}: first {first} of {len(places)}, mean reciprocal rank {mean:.3f}")
        for query, place in places.items():
            if is_shown and place:
                print(f"  {1 + place}. {query}")


if __name__ == "__main__":
    main()
