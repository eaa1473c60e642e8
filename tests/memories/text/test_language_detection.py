"""In which language a text is read, shown and answered."""

from __future__ import annotations

import pytest

from memories.text.words.language_detection import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I love 北京 and its food", "en"),
        ("我用 MacBook Pro 13-inch Intel", "zh"),
        ("hello", "en"),
        ("Café con leche", "en"),
        ("", "en"),
        ("\ud800", "en"),
        ("我" * 10_000, "zh"),
    ],
)
def test_a_text_has_one_main_language(text: str, language: str) -> None:
    assert detect_language(text) == language
