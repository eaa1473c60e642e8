"""Messages as agents' libraries write them, and as they get them back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skills.message_formats import WRITERS, normalise_message
from skills.models import SessionMessage
from tenancy.errors import CatalogueError
from tests.support.skills.message_formats import ANTHROPIC, CALL, OPENAI


def stored(name: str, blob: dict[str, Any]) -> SessionMessage:
    message = normalise_message(name, blob)
    assert message.role in {"user", "assistant"}
    # What a JSON column makes of it.
    return SessionMessage(
        role=message.role,
        parts=json.loads(json.dumps(message.parts)),
        kept=json.loads(json.dumps(message.kept)),
    )


@pytest.mark.parametrize("blob", OPENAI.values(), ids=OPENAI.keys())
def test_a_message_of_openai_comes_back_as_it_went(blob: dict[str, Any]) -> None:
    assert WRITERS["openai"](stored("openai", blob)) == [blob]


@pytest.mark.parametrize("blob", ANTHROPIC.values(), ids=ANTHROPIC.keys())
def test_a_message_of_anthropic_comes_back_as_it_went(blob: dict[str, Any]) -> None:
    assert WRITERS["anthropic"](stored("anthropic", blob)) == [blob]


def test_what_a_library_writes_as_null_is_not_there() -> None:
    dumped = {
        "role": "assistant",
        "content": None,
        "refusal": None,
        "audio": None,
        "function_call": None,
        "annotations": None,
        "tool_calls": [CALL],
    }

    message = stored("openai", dumped)

    assert [part["type"] for part in message.parts] == ["tool-call"]
    assert message.parts[0]["meta"] == {
        "id": "t1",
        "name": "get_order",
        "arguments": '{"order": 17}',
        "type": "function",
    }


def test_an_assistant_may_say_nothing_at_all() -> None:
    assert stored("openai", {"role": "assistant", "content": ""}).parts == []


def test_one_library_reads_what_another_wrote() -> None:
    asked = stored("anthropic", ANTHROPIC["a call after thinking"])
    answered = stored("openai", OPENAI["a tool's result"])

    assert WRITERS["openai"](asked) == [
        {"role": "assistant", "content": "Let me look.", "tool_calls": [CALL]}
    ]
    assert WRITERS["anthropic"](answered) == [
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "shipped"}],
        }
    ]


def test_results_and_words_in_one_message_become_messages_of_their_own() -> None:
    mixed = stored("anthropic", ANTHROPIC["a result and a word"])

    assert WRITERS["openai"](mixed) == [
        {"role": "tool", "tool_call_id": "t1", "content": "shipped"},
        {"role": "user", "content": "And?"},
    ]


def test_a_picture_in_bytes_is_an_address_that_holds_them_for_openai_and_back() -> None:
    from_anthropic = stored("anthropic", {"role": "user", "content": ANTHROPIC["files"]["content"][:1]})
    given = WRITERS["openai"](from_anthropic)[0]
    assert given["content"][0]["image_url"] == {"url": "data:image/png;base64,AAAA"}

    returned = WRITERS["anthropic"](stored("openai", given))[0]
    assert returned["content"] == ANTHROPIC["files"]["content"][:1]


def test_a_message_in_parts_is_taken_as_it_is() -> None:
    parts = [
        {"type": "text", "text": "Look", "meta": None, "file_field": None},
        {"type": "tool-call", "meta": {"id": "t1", "name": "f", "arguments": {"a": 1}}},
        {"type": "data", "meta": {"data_type": "order", "number": 17}},
    ]

    message = stored("acontext", {"role": "assistant", "parts": parts, "meta": {"turn": 3}})

    assert message.parts[0] == {"type": "text", "text": "Look"}
    assert message.parts[1]["meta"]["arguments"] == '{"a": 1}'
    assert message.parts[2]["meta"]["number"] == 17
    assert message.kept["meta"] == {"turn": 3}


UNUSABLE: dict[str, tuple[str, dict[str, Any]]] = {
    "an unknown format": ("gemini", {"role": "user", "parts": [{"text": "Hi"}]}),
    "an unknown role": ("openai", {"role": "narrator", "content": "Hi"}),
    "a role that is no word": ("openai", {"role": ["user"], "content": "Hi"}),
    "no role": ("openai", {"content": "Hi"}),
    "a user who says nothing": ("openai", {"role": "user", "content": ""}),
    "a user without content": ("openai", {"role": "user"}),
    "content that is a number": ("openai", {"role": "user", "content": 5}),
    "an unknown part": ("openai", {"role": "user", "content": [{"type": "smell"}]}),
    "a text part without text": ("openai", {"role": "user", "content": [{"type": "text"}]}),
    "a call without a name": ("openai", {"role": "assistant", "tool_calls": [{"function": {}}]}),
    "calls that are none": ("openai", {"role": "assistant", "tool_calls": ["x"]}),
    "a file with odd names": (
        "openai",
        {"role": "user", "content": [{"type": "file", "file": "x"}]},
    ),
    "another role": ("anthropic", {"role": "system", "content": "Hi"}),
    "a role that is a list": ("anthropic", {"role": [], "content": "Hi"}),
    "an unknown block": ("anthropic", {"role": "user", "content": [{"type": "smell"}]}),
    "an image without source": ("anthropic", {"role": "user", "content": [{"type": "image"}]}),
    "parts of no type": ("acontext", {"role": "user", "parts": [{"text": "Hi"}]}),
    "a type that is a list": ("acontext", {"role": "user", "parts": [{"type": ["text"]}]}),
    "a text without text": ("acontext", {"role": "user", "parts": [{"type": "text"}]}),
    "a result of no call": ("acontext", {"role": "user", "parts": [{"type": "tool-result"}]}),
    "data of no type": ("acontext", {"role": "user", "parts": [{"type": "data", "meta": {}}]}),
    "a file that did not come": (
        "acontext",
        {"role": "user", "parts": [{"type": "file", "file_field": "f"}]},
    ),
    "no parts": ("acontext", {"role": "user", "parts": []}),
}


@pytest.mark.parametrize(("name", "blob"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_what_is_no_message_is_refused_with_a_reason(name: str, blob: dict[str, Any]) -> None:
    with pytest.raises(CatalogueError) as refusal:
        normalise_message(name, blob)

    assert refusal.value.status == 400
    assert refusal.value.detail


def test_odd_names_in_a_file_part_do_no_harm() -> None:
    odd = {"file_id": "f1", "kind": "x", "text": "y"}
    message = stored("openai", {"role": "user", "content": [{"type": "file", "file": odd}]})

    assert WRITERS["openai"](message)[0]["content"] == [{"type": "file", "file": {"file_id": "f1"}}]
