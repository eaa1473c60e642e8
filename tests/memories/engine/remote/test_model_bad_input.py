"""Messages that no model was made for: without a full stop, in many scripts, tables, code, other languages."""

from __future__ import annotations

import time
from typing import Any

import pytest

from memories.engine.metering import estimate_prompt_tokens
from memories.engine.remote.context_windows import build_windows
from tests.support.extraction.model_extraction import propose, texts, user
from tests.support.servers.model_server import ModelServer, Reply, memories, parse_data, proposal

LIMIT = 2_000
ENDLESS = "and then we went on to the next town where it rained " * 1_000
TABLE = "| name | town | age |\n|---|---|---|\n" + "\n".join(
    f"| Person{n} | Town{n} | {n} |" for n in range(300)
)
CODE = (
    "```python\n" + "\n".join(f"def f_{n}(x): return x * {n}  # {{'a': [{n}]}}" for n in range(300)) + "\n```"
)
STRANGE = {
    "no full stop": ENDLESS,
    "no space": "word" * 5_000,
    "no space in Chinese": "我们继续往前走" * 1_000,
    "emoji": "🙂👩‍👩‍👧‍👦🇵🇹" * 1_000,
    "mixed scripts": "Wir fahren nach 東京 и потом в Москву ثم نعود إلى البيت " * 200,
    "table": TABLE,
    "code": CODE,
    "blanks": "a" + " " * 20_000 + "b",
}


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_windows_are_bounded_and_lose_nothing(text: str) -> None:
    windows = build_windows([user(text)], [0], 0, LIMIT)

    new = [piece for window in windows for piece in window if not piece.is_known]
    assert "".join("".join(piece.text for piece in new).split()) == "".join(text.split())
    for window in windows:
        assert sum(estimate_prompt_tokens(piece.text) for piece in window) <= LIMIT


def quoting(body: Any) -> Reply:
    """A model that takes the first words of each piece for a memory, as it pleases."""
    new = [message for message in parse_data(body)["messages"] if "known" not in message]
    return memories(
        *[
            proposal(
                "The user owns a yacht.", message["turn"], quote=" ".join(message["text"].split()[:8])[:60]
            )
            for message in new
        ]
    )


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_strange_messages_become_no_false_memory_and_end_in_time(server: ModelServer, text: str) -> None:
    server.answer = quoting
    began = time.monotonic()

    extraction = propose(server, text, input_tokens=LIMIT)

    assert time.monotonic() - began < 60
    assert "The user owns a yacht." not in texts(extraction)
    assert sum(extraction.dropped.values()) >= 1


@pytest.mark.parametrize(
    ("message", "made"),
    [
        ("Ich wohne seit Mai in Graz und arbeite als Tischlerin.", "The user is a carpenter in Graz."),
        ("Vivo en Sevilla con mi hermana.", "The user lives in Sevilla with a sister."),
        ("私は京都に住んでいます。", "The user lives in Kyoto."),
        ("أنا أعيش في القاهرة.", "The user lives in Cairo."),
    ],
)
def test_other_languages_are_quoted_not_translated(server: ModelServer, message: str, made: str) -> None:
    good = proposal("The user likes tea.", 1, quote="I like tea")
    server.will_say(memories(good, proposal(made, 0, quote=message)))

    statements = texts(propose(server, message, "I like tea."))

    assert made not in statements
    assert any(message.rstrip("。.") in text for text in statements)


def test_quotations_of_one_message_are_bounded_and_the_rest_is_counted(server: ModelServer) -> None:
    message = " ".join(f"I met a stranger in town{n}." for n in range(20))
    wrong = [proposal("The user owns a yacht.", 0, quote=f"I met a stranger in town{n}.") for n in range(20)]
    server.will_say(memories(proposal("The user likes tea.", 1, quote="I like tea"), *wrong))

    extraction = propose(server, message, "I like tea.")

    assert len(extraction.drafts) == 1 + 12
    assert extraction.dropped["too many quotations of one message"] == 8
