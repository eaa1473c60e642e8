"""Lists of words in files, joined to alternatives of regular expressions."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.words.word_lists import load_alternatives

_LISTS = """
greetings = "hi hiya hello"

farewells.words = "bye"
farewells.phrases = ["so long", "e.g. this"]
farewells.patterns = ["see (?:you|ya)"]
"""


def test_longer_words_come_first_and_entries_keep_their_spaces_in_verbose_patterns(tmp_path: Path) -> None:
    path = tmp_path / "words.toml"
    path.write_text(_LISTS, encoding="utf-8")
    alternatives = load_alternatives(path)
    farewell = re.compile(f" (?: {alternatives['farewells']} ) ", re.VERBOSE)

    assert alternatives["greetings"] == "hello|hiya|hi"
    assert all(farewell.fullmatch(text) for text in ("bye", "so long", "see you", "see ya", "e.g. this"))
    assert not any(farewell.fullmatch(text) for text in ("solong", "seeyou", "egg this"))


def test_a_file_for_several_modules_has_a_table_for_each(tmp_path: Path) -> None:
    path = tmp_path / "words.toml"
    path.write_text(
        '[greetings]\nen = "hi hello"\nzh = "你好"\n\n[farewells]\nen = "bye"\n', encoding="utf-8"
    )

    assert load_alternatives(path, "greetings") == {"en": "hello|hi", "zh": "你好"}
    assert load_alternatives(path, "farewells") == {"en": "bye"}
