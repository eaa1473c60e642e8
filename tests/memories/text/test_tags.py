"""Tags name what a memory is about."""

from __future__ import annotations

import pytest

from memories.text.topics.tags import choose_tags, is_food_for_medicine
from tests.support.extraction.extraction import remember


@pytest.mark.parametrize(
    ("said", "function_words"),
    [
        ("More than anything I want quiet in the evenings.", {"more"}),
        ("We moved to Leeds. He works at the port.", {"we", "he"}),
        ("When I fly I take the aisle. Your plan suits me though.", {"when", "your", "though"}),
        ("Which reminds me, our car is due for service.", {"which"}),
        ("Our landlord raised the rent.", {"our"}),
        ("Neither of us drinks.", {"neither"}),
        ("However, I do like jazz.", {"however"}),
        ("Both kids swim.", {"both"}),
        ("Whatever happens, I keep the dog.", {"whatever"}),
        ("The doctor said that He was late and Never called.", {"he", "never"}),
        ("Not a fan of cilantro. Never eat it.", {"not", "never"}),
        ("She told me 'Our Tuesday is off'.", {"our", "our tuesday"}),
    ],
)
def test_a_function_word_is_no_tag(said: str, function_words: set[str]) -> None:
    found = remember(said)

    assert found
    for draft in found:
        assert not function_words & {tag.lower() for tag in draft.tags}


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ('The user said: "When Ana calls I answer."', "Ana"),
        ('The user said: "Because Tom snores, I sleep in the den."', "Tom"),
        ("The user works in IT.", "IT"),
        ("The user moved to the US.", "US"),
        ("The user's friend Will plays in a band.", "Will"),
        ("The user lives in The Hague.", "The Hague"),
        ("However, the user does like jazz.", "jazz"),
    ],
)
def test_a_name_beside_or_like_a_function_word_is_one(text: str, tag: str) -> None:
    assert tag in choose_tags(text, "en", [])


@pytest.mark.parametrize(
    ("text", "language", "own"),
    [
        ("The user takes metformin every morning.", "en", "health"),
        ("The user is on ramipril.", "en", "health"),
        ("用户每天早上吃二甲双胍。", "zh", "健康"),
        ("用户晚上吃两片褪黑素。", "zh", "健康"),
        ("The user's MOT is due in March 2027.", "en", "transport"),
        ("The user's passport runs out in May 2027.", "en", "travel"),
    ],
)
def test_a_medicine_is_no_food_and_what_runs_out_no_sport(text: str, language: str, own: str) -> None:
    tags = choose_tags(text, language, ["food", "sport", "美食", "运动"])

    assert own in tags
    assert not {"food", "sport", "美食", "运动"} & set(tags)


def test_who_takes_a_medicine_with_a_meal_or_runs_is_tagged_so() -> None:
    assert {"food", "health"} <= set(choose_tags("The user takes an aspirin with breakfast.", "en", []))
    assert "sport" in choose_tags("The user runs every morning.", "en", [])
    assert "sport" in choose_tags("The user runs the half marathon in May.", "en", [])
    assert not is_food_for_medicine("美食", "用户吃素。", "zh")
    assert is_food_for_medicine("美食", "用户在吃氨氯地平。", "zh")
