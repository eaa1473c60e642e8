"""Tags name what a memory is about."""

from __future__ import annotations

import pytest

from memories.text.topics.tags import choose_tags, is_food_for_medicine
from tests.support.extraction.extraction import remember


@pytest.mark.parametrize(
    ("message", "function_words"),
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
def test_a_function_word_is_no_tag(message: str, function_words: set[str]) -> None:
    drafts = remember(message)

    assert drafts
    for draft in drafts:
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


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("用户爱吃薯片。", "zh"),
        ("用户早上吃两片面包。", "zh"),
        ("用户喜欢吃鱼丸。", "zh"),
        ("用户常吃山药。", "zh"),
        ("用户打印了照片。", "zh"),
        ("The user bought a drawing tablet.", "en"),
        ("The user reads about lithium batteries.", "en"),
        ("The user subscribes to the supplements of the newspaper.", "en"),
    ],
)
def test_what_is_called_as_a_medicine_may_be_is_one_only_where_it_is_taken(text: str, language: str) -> None:
    assert not {"health", "健康"} & set(choose_tags(text, language, []))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The user takes iron tablets.", "en"),
        ("The user was prescribed steroids.", "en"),
        ("用户每天吃一片。", "zh"),
        ("用户服用氯雷他定，一天一片。", "zh"),
        ("用户在喝中药。", "zh"),
    ],
)
def test_what_is_taken_is_about_health(text: str, language: str) -> None:
    assert {"health", "健康"} & set(choose_tags(text, language, []))


def test_who_takes_a_medicine_with_a_meal_or_runs_is_tagged_so() -> None:
    assert {"food", "health"} <= set(choose_tags("The user takes an aspirin with breakfast.", "en", []))
    assert "sport" in choose_tags("The user runs every morning.", "en", [])
    assert "sport" in choose_tags("The user runs the half marathon in May.", "en", [])
    assert not is_food_for_medicine("美食", "用户吃素。", "zh")
    assert is_food_for_medicine("美食", "用户在吃氨氯地平。", "zh")
