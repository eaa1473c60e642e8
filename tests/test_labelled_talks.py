"""The labelled conversations of benchmarks/talks agree with themselves: right wordings pass, false ones do not."""

from __future__ import annotations

import pytest

from benchmarks.talks_quality import Counts, Memory, Talk, judge_answer, judge_stored, load, matches

TALKS = [*load([], False, 1000), *load([], True, 1000)]


@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk.label["id"])
def test_right_wordings_pass_and_false_ones_do_not(talk: Talk) -> None:
    right = [
        Memory(fact["gold"], fact["kind"] == "preference", relativity=0.9) for fact in talk.label["facts"]
    ]
    false = [Memory(ban["like"], is_preference=False, relativity=0.9) for ban in talk.label["wrong"]]
    passed, failed = Counts(), Counts()

    judge_stored(talk, right, passed)
    judge_stored(talk, false, failed)
    for question in talk.label["questions"]:
        answers = [
            memory
            for memory in right
            if any(matches(says, memory.text) for says in question.get("first", []))
        ]
        judge_answer(talk, question | {"all": []}, answers, passed)
        judge_answer(talk, question | {"all": []}, false or right, failed)

    assert [row for row in passed.rows if not row.startswith("  DATE")] == []
    assert failed.reached["false"] == len(false)
    assert (failed.reached["questions"], failed.reached["silent"]) == (0, 0)


def test_names_are_unique() -> None:
    names = [talk.label["id"] for talk in TALKS]

    assert len(names) == len(set(names))
