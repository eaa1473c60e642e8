"""The order of memories, with the real embedder on real sentences."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memories.engine.calibration.background_similarity import Background, Nearness
from memories.engine.local.embedder import LocalE5
from memories.retrieval.ranking.adjustments import Situation
from memories.retrieval.ranking.candidate_table import Candidate
from memories.retrieval.ranking.dedupe import drop_repeats
from memories.retrieval.ranking.ranker import Ranked
from memories.text.words.language_detection import detect_language
from tests.support.ranking import NOW, memory, rank_by_words, ranked

THRESHOLD = 0.45
Search = Callable[..., list[Ranked]]


def talk(*lines: str, conversation: str = "talk") -> list[Candidate]:
    """Lines like "Ann: Hello" of named people, in order."""
    return [
        memory(line, speaker=line.split(":")[0], conversation=conversation, position=place)
        for place, line in enumerate(lines)
    ]


@pytest.fixture(scope="module")
def search() -> Search:
    engine = LocalE5()
    background = Background(engine)

    def find(text: str, memories: list[Candidate], **situation: object) -> list[Ranked]:
        known = Situation(now=NOW, **situation)  # type: ignore[arg-type]
        vectors = np.array(engine.embed_passages([str(candidate.key) for candidate in memories]))
        is_chinese = np.array([candidate.language == "zh" for candidate in memories])
        near = background.compute_nearness(
            text, engine.embed_query(text), detect_language(text), passages=vectors, is_chinese=is_chinese
        )
        return ranked(text, memories, near, known)

    return find


KIM = [
    memory("The user lives in Shanghai."),
    memory("The user works as a nurse in a children's hospital."),
    memory("The user is allergic to peanuts."),
    memory("用户养了一只叫团子的猫。"),
    memory("The user's monthly rent is 6,500 yuan."),
]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Where do I live?", "Shanghai"),
        ("What is my job?", "nurse"),
        ("Which foods must I avoid?", "peanuts"),
        ("What is my cat called?", "团子"),
        ("我住在哪个城市？", "Shanghai"),
        ("我的猫叫什么名字？", "团子"),
        ("How much do I pay for my flat?", "rent"),
    ],
)
def test_the_answer_comes_first_and_passes_the_threshold(search: Search, text: str, answer: str) -> None:
    best = search(text, KIM)[0]

    assert answer in best.key
    assert best.relativity >= THRESHOLD


@pytest.mark.parametrize(
    "text", ["How do I merge two branches in git?", "怎么用Python读取文件？", "Who won the 1998 World Cup?"]
)
def test_questions_about_something_else_find_little(search: Search, text: str) -> None:
    results = search(text, KIM)

    assert sum(result.relativity >= THRESHOLD for result in results) <= 2


def test_a_single_memory_is_judged_like_one_of_many(search: Search) -> None:
    (alone,) = search("Where do I live?", KIM[:1])
    among_others = search("Where do I live?", KIM)[0]

    assert alone.relativity >= THRESHOLD
    assert alone.relativity == pytest.approx(among_others.relativity, abs=0.1)


MOVED = datetime(2025, 6, 1, tzinfo=UTC)
HOMES = [
    memory("The user lives in Beijing.", event_time=datetime(2025, 1, 10, tzinfo=UTC), valid_until=MOVED),
    memory("The user lives in Shanghai.", event_time=MOVED),
]


@pytest.mark.parametrize("text", ["Where do I live now?", "Where do I live?", "我现在住在哪里？"])
def test_what_is_over_stays_below_the_threshold(search: Search, text: str) -> None:
    now, before = search(text, HOMES)

    assert "Shanghai" in now.key
    assert before.relativity < THRESHOLD


def test_what_is_over_stays_below_the_threshold_however_well_it_fits(search: Search) -> None:
    liked = memory("The user likes apples.", valid_until=MOVED)

    assert search("Does the user like apples?", [liked])[0].relativity < THRESHOLD


@pytest.mark.parametrize("text", ["Where did I live before?", "我以前住在哪里？"])
def test_what_is_over_comes_first_when_the_past_is_asked_for(search: Search, text: str) -> None:
    first = search(text, HOMES)[0]

    assert "Beijing" in first.key
    assert first.relativity >= THRESHOLD


TRIPS = [
    memory(
        "The user travelled to Xi'an during the National Day holiday.",
        event_time=datetime(2024, 10, 1, tzinfo=UTC),
    ),
    memory(
        "The user travelled to Hangzhou during the May Day holiday.",
        event_time=datetime(2026, 5, 1, tzinfo=UTC),
    ),
]


@pytest.mark.parametrize(
    "text", ["Where did I travel recently?", "Where have I travelled?", "我最近去哪里旅游了？"]
)
def test_of_several_events_the_newest_comes_first_and_none_is_lost(search: Search, text: str) -> None:
    results = search(text, TRIPS)

    assert "Hangzhou" in results[0].key
    assert all(result.relativity >= THRESHOLD for result in results)


@pytest.mark.parametrize(
    "text",
    [
        "Which city does the user live in, and what seat should I book?",
        "Where is my home?",
        "我现在住在哪个城市？",
    ],
)
def test_a_move_answers_where_somebody_lives(search: Search, text: str) -> None:
    moved = memory("The user moved to Shanghai in June and lives there now (June 2025).", slot="residence")
    works = memory("The user works in Hangzhou.", slot="employer")

    relativities = {result.key: result.relativity for result in search(text, [moved, works])}

    assert relativities[moved.key] >= THRESHOLD
    assert relativities[moved.key] > relativities[works.key]


def test_a_question_in_which_nobody_is_finds_less_of_what_is_known_of_the_user(search: Search) -> None:
    trips = [memory(f"The user visited {city} in May 2025.") for city in ("Oslo", "Berlin", "Cairo")]

    assert all(result.relativity < THRESHOLD for result in search("What is the capital of Mongolia?", trips))
    assert all(result.relativity >= THRESHOLD for result in search("Which capitals did I visit?", trips))
    assert search("Was Oslo visited?", trips)[0].relativity >= THRESHOLD


CHAT = talk(
    "Ann: How was your weekend?",
    "Ben: Great, we went to the lake with the children.",
    "Ann: Lovely! What did you do there?",
    "Ben: We rented a boat and had a picnic on the island.",
    "Ann: I stayed at home and painted the kitchen green.",
    "Ben: That must look fresh.",
)


def test_a_line_that_makes_sense_only_after_the_one_before_is_found(search: Search) -> None:
    keys = [result.key for result in search("What did Ben do at the lake?", CHAT)[:3]]

    assert "Ben: We rented a boat and had a picnic on the island." in keys


def test_the_person_who_is_named_in_the_question_comes_first(search: Search) -> None:
    lines = talk("Ann: I bought a red bicycle.", "Ben: I bought a red bicycle too.")

    assert search("What did Ben buy?", lines)[0].key.startswith("Ben")
    assert search("What did Ann buy?", lines)[0].key.startswith("Ann")


def test_a_line_of_the_day_that_is_asked_for_comes_first() -> None:
    may, june = talk("Ann: I went swimming.", "Ann: I went swimming again.")
    lines = [
        may._replace(event_time=datetime(2023, 5, 7, tzinfo=UTC).timestamp(), conversation="one"),
        june._replace(event_time=datetime(2023, 6, 9, tzinfo=UTC).timestamp(), conversation="two"),
    ]

    assert rank_by_words("Where did Ann go on 7 May 2023?", lines)[0].key == may.key
    assert rank_by_words("Where did Ann go in June 2023?", lines)[0].key == june.key


def test_missing_neighbours_and_several_rows_of_one_message_are_no_problem() -> None:
    lines = [
        CHAT[1],
        CHAT[3]._replace(position=1),
        CHAT[5],
        CHAT[0]._replace(conversation="other", position=2),
    ]

    results = rank_by_words("What did Ben do at the lake?", lines)

    assert len(results) == len(lines)
    assert all(math.isfinite(result.relativity) for result in results)


def test_the_running_conversation_decides_between_equals() -> None:
    here, there = (
        memory("The user wants tea.", conversation="now"),
        memory("The user wants tea!", conversation="then"),
    )

    assert rank_by_words("tea", [there, here], conversation="now")[0].key == here.key


def test_the_users_word_weighs_more_than_the_assistants() -> None:
    by_user, claimed = (
        memory("The user likes mangoes."),
        memory("The user likes mangoes!", speaker="assistant"),
    )

    assert rank_by_words("mangoes", [claimed, by_user])[0].key == by_user.key


def test_a_sure_memory_comes_before_a_doubtful_one() -> None:
    sure, doubtful = memory("The user likes mangoes."), memory("The user likes mangoes!", confidence=0.3)

    assert rank_by_words("mangoes", [doubtful, sure])[0].key == sure.key


def test_what_was_just_said_is_found_whatever_it_is_asked_with() -> None:
    just_said = memory("user: I booked a trip to Guangzhou.", is_raw=True, said_at=NOW - timedelta(minutes=1))

    (result,) = rank_by_words("hotel?", [just_said])

    assert result.relativity >= 0.5


def test_a_raw_memory_of_the_running_conversation_passes_and_one_of_another_day_does_not() -> None:
    old = memory("user: I booked a trip.", is_raw=True, conversation="talk")

    assert rank_by_words("hotel?", [old], conversation="talk")[0].relativity >= 0.5
    assert rank_by_words("hotel?", [old], conversation="other")[0].relativity < THRESHOLD


def test_among_fresh_raw_memories_the_one_that_fits_comes_first() -> None:
    fresh = {"is_raw": True, "said_at": NOW}
    hotel, dog = memory("user: I like small hotels.", **fresh), memory("user: My dog is ill.", **fresh)

    assert rank_by_words("Which hotels?", [dog, hotel])[0].key == hotel.key


def test_the_parts_explain_the_number() -> None:
    best = rank_by_words("Where do I live?", HOMES)[0]

    assert {"meaning", "words", "recency", "superseded"} >= set(best.parts) & {
        "meaning",
        "recency",
        "superseded",
    }
    assert best.relativity == pytest.approx(1 / (1 + math.exp(-sum(best.parts.values()))), abs=0.01)


@pytest.mark.parametrize("text", ["", "?", "the of and", "\0", "用户", "[]{}%$ \n\t"])
def test_a_query_without_any_term_still_gets_an_order(text: str) -> None:
    results = rank_by_words(text, [*KIM, *CHAT])

    assert len(results) == len(KIM) + len(CHAT)
    assert all(0 <= result.relativity <= 1 for result in results)


def test_nothing_in_nothing_out_and_no_more_than_asked_for() -> None:
    assert rank_by_words("anything", []) == []
    assert len(ranked("tea", KIM, Nearness.unknown(len(KIM)), Situation(NOW), limit=2)) == 2


def test_terms_are_counted_as_whole_words_in_their_own_row() -> None:
    cat, catalogue = memory("cat cat cat"), memory("The catalogue is blue.")

    scores = {result.key: result.parts["words"] for result in rank_by_words("cat", [catalogue, cat])}

    assert scores[cat.key] > scores[catalogue.key]


def test_repeats_give_way_to_the_better_one() -> None:
    first, second, other = (
        "user live shanghai sinc june",
        "user live shanghai sinc june",
        "user live beij sinc june",
    )

    ranked = [("a", first), ("b", second), ("c", other), ("d", ""), ("e", "")]

    assert drop_repeats(ranked, limit=10) == ({"a", "c", "d", "e"}, 1)


def test_nothing_is_compared_once_there_is_enough() -> None:
    assert drop_repeats([("a", "tea"), ("b", "tea"), ("c", "ink"), ("d", "ink")], limit=2) == ({"a", "c"}, 1)
