"""Tags name what a memory is about."""

from __future__ import annotations

import pytest

from memories.text.topics.tags import choose_tags
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
