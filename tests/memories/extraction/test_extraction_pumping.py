"""A short text of one thing over and over is read at once: no reader may hold up a process that others share."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.values import Turn
from tests.support.extraction.extraction_readers import DAY
from tests.support.waiting import LIMIT

# What a reader may take for one text: the slowest takes some hundredths of a second. Everything together takes a few
# seconds; one pattern that backtracks takes longer than any test waits.
_ONE_TEXT_SECONDS = 1.0


_SCRIPT = """
import sys
from time import process_time
from tests.support.extraction.extraction_readers import READERS, slowest
for name in READERS:
    took, text = slowest(name, 900)  # no rule looks at more than a thousand characters at once
    if took > float(sys.argv[1]):
        print(name, repr(text), round(took, 2))
# One that goes over the rest of the text from each of its places takes seconds for so many.
long = ["Q:" + " " * 20_000 + "b", "..." * 7_000 + "x", "?" * 20_000, "?!" * 10_000 + "x"]
long += ["密码是" * 7_000, "a." * 10_000, "A'" * 10_000 + ", no, Bob.", "in A " * 4_000 + ", no, Bob."]
long += ["2026-" * 4_000, "1/2/" * 5_000, "\U0001f600" * 10_000 + " my sister's name is Ana."]
names = ["extract", "read_feedback", "extract_substance", "split_sentences", "find_interview", "mask_text", "judge"]
names += ["restate_changes"]
for name in names:
    for text in long:
        began = process_time()
        READERS[name](text)
        if process_time() - began > float(sys.argv[1]):
            print(name, repr(text[:20]), len(text), round(process_time() - began, 2))
print("done")
"""


def test_no_reader_dwells_on_what_is_repeated() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(_ONE_TEXT_SECONDS)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )

    assert done.stdout == "done\n", done.stdout + done.stderr[-2_000:]


@pytest.mark.parametrize("blanks", ["     ", "\t\t \t", " \u3000 ", "\xa0\xa0\xa0"])
def test_how_many_blanks_stand_between_words_changes_nothing(blanks: str) -> None:
    message = f"My{blanks}favourite{blanks}colour{blanks}is{blanks}green."

    (draft,) = LocalExtractor().extract([Turn("user", message, DAY)], [])

    assert draft.text == "The user's favourite colour is green."


def test_a_rating_in_stars_keeps_its_stars() -> None:
    (draft,) = LocalExtractor().extract([Turn("user", "I rated the film ★★★★★!!!!!!!!", DAY)], [])

    assert "★★★★★" in draft.text
    assert "!!!!" not in draft.text
