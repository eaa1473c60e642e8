"""Propositions of a chat model: quoted where the messages do not bear them out, corrected, dated; poor models give no
false memory."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memories.values import MemoryKind, Turn
from tests.support.extraction.model_extraction import LOCAL, THEN, propose, texts
from tests.support.servers.model_server import ModelServer, completion, memories, proposal


def assistant(text: str) -> Turn:
    return Turn("assistant", text, THEN)


CONDITION = "condition or irony"
HOME = proposal("The user lives in Porto.", 0, quote="I live in Porto", slot="residence", value="Porto")
SAID = "I live in Porto. We got hitched in 2019. I don't eat pork."


@pytest.mark.parametrize(
    ("wrong", "reason", "quotation"),
    [
        ({"text": "The user eats pork.", "quote": "eat pork"}, "other polarity than the messages", "I don't eat pork."),
        ({"text": "The user married in 2019.", "quote": "in 2019"}, "not in the messages", "We got hitched in 2019."),
        ({"text": "The user married in 2018."}, "dates not in the messages", None),
        ({"text": "The user got hitched in 2018."}, "dates not in the messages", "We got hitched in 2019."),
        ({"text": "The user and Kim got hitched in 2019."}, "names not in the messages", "We got hitched in 2019."),
        ({"text": "The user does not eat pork.", "quote": "pork", "is_certain": False}, "unsure", "I don't eat pork."),
        ({"text": "The user eats.", "quote": "eat pork", "mood": "condition"}, CONDITION, "I don't eat pork."),
    ],
)  # fmt: skip
def test_what_is_not_supported_is_quoted_instead(
    server: ModelServer, wrong: dict[str, Any], reason: str, quotation: str | None
) -> None:
    server.will_say(memories(HOME, proposal("", 0) | wrong))

    extraction = propose(server, SAID)

    quoted = [f'The user said on 2 July 2025: "{quotation}"'] if quotation else []
    assert texts(extraction) == ["The user lives in Porto.", *quoted]
    assert extraction.dropped == {reason: 1}
    assert extraction.by == "some-model (extract-2)"
    for draft in extraction.drafts[1:]:
        assert (draft.kind, draft.slot, draft.preference_type) == (MemoryKind.FACT, "", "")
        assert draft.confidence <= 0.7


def test_a_chinese_message_is_quoted_in_chinese(server: ModelServer) -> None:
    home = proposal("用户住在杭州。", 0, quote="我住在杭州")
    server.will_say(memories(home, proposal("用户吃香菜。", 0, quote="吃香菜")))

    extraction = propose(server, "我住在杭州，从来不吃香菜。")

    assert texts(extraction)[0] == "用户住在杭州。"
    assert "用户吃香菜。" not in texts(extraction)


def test_what_an_assistant_said_is_not_quoted_as_the_users(server: ModelServer) -> None:
    claim = proposal("The user owns a yacht.", 1, about="assistant", quote="You could rent a boat")
    server.will_say(memories(proposal("The user lives in Porto.", 0), claim))

    extraction = propose(server, "I live in Porto.", assistant("You could rent a boat there."))

    assert texts(extraction) == ["The user lives in Porto."]


def test_a_correction_replaces_what_was_said_in_the_same_talk(server: ModelServer) -> None:
    server.will_say(
        memories(
            proposal("The user's flight leaves from Gatwick.", 0, quote="My flight leaves from Gatwick"),
            proposal(
                "The user's flight leaves from Stansted.",
                1,
                quote="it leaves from Stansted",
                corrects=["Gatwick"],
            ),
        )  # fmt: skip
    )

    messages = "My flight leaves from Gatwick.", "Sorry, I said Gatwick, it leaves from Stansted."
    first, second = propose(server, *messages).drafts

    assert second.corrects == ("Gatwick",)
    assert second.supersedes == (first.text,)


def test_words_that_nobody_said_are_no_correction(server: ModelServer) -> None:
    server.will_say(memories(HOME | {"corrects": ["Lisbon", "Porto"]}))

    (draft,) = propose(server, SAID).drafts

    assert draft.corrects == ("Porto",)


def test_an_end_closes_the_state_that_it_names(server: ModelServer) -> None:
    ended = proposal("The user no longer works at Acme.", 0, mood="ended", slot="employer", value="Acme")
    server.will_say(memories(ended))

    (draft,) = propose(server, "I no longer work at Acme.").drafts

    assert (draft.slot, draft.value, draft.is_end) == ("employer", "Acme", True)


@pytest.mark.parametrize(
    ("text", "event_time", "at"),
    [
        ("The user moved to Porto on 1 July 2025.", "2025-07-01", datetime(2025, 7, 1, tzinfo=UTC)),
        ("The user moved to Porto yesterday (1 July 2025).", "", datetime(2025, 7, 1, tzinfo=UTC)),
        ("The user moved to Porto.", "1999-01-01", None),
    ],
)
def test_only_dates_that_were_said_are_kept(
    server: ModelServer, text: str, event_time: str, at: datetime | None
) -> None:
    server.will_say(memories(proposal(text, 0, event_time=event_time)))

    (draft,) = propose(server, "I moved to Porto yesterday.").drafts

    day = (
        draft.event_time.replace(hour=0, minute=0)
        if draft.event_time and not draft.slot
        else draft.event_time
    )
    assert day == at or (at is None and draft.slot == "residence")


def test_a_day_that_is_the_value_of_a_state_is_not_when_it_began(server: ModelServer) -> None:
    birthday = proposal(
        "The user's birthday is on 3 June 1985.", 0, slot="birthday", value="3 June", event_time="1985-06-03"
    )
    server.will_say(memories(birthday))

    (draft,) = propose(server, "My birthday is on 3 June 1985.").drafts

    assert (draft.slot, draft.event_time) == ("birthday", THEN.replace(hour=0, minute=0, second=0))


def test_a_relative_date_that_the_model_left_is_worked_out(server: ModelServer) -> None:
    server.will_say(memories(proposal("The user flies to Oslo next Friday.", 0, mood="plan")))

    (draft,) = propose(server, "I fly to Oslo next Friday.").drafts

    assert draft.text == "The user flies to Oslo next Friday (11 July 2025)."


# What a model of 270 million parameters really answered, and worse.
RAMBLING = (
    "I prefer to have a good time in a place where I can relax. " + "I am not allergic to peanuts. " * 20
)
NURSE = "I moved to Porto in June and I work as a nurse. I am allergic to peanuts."


@pytest.mark.parametrize(
    "poor",
    [
        [proposal(RAMBLING, 0, kind="preference", preference_type="explicit")],
        [proposal("I am not allergic to peanuts.", 0, quote="I am allergic to peanuts")],
        [proposal("The user is not allergic to peanuts.", 0)],
        [
            proposal(
                "The user is not allergic to peanuts.", 0, quote="allergic to peanuts", slot="allergy:peanuts"
            )
        ],
        [proposal("The user's brother Beijing moved from Shanghai.", 0)],
        [proposal("The user hates the heat in Shanghai.", 0), proposal("The user chose the Ji Hotel.", 0, 1)],
        [proposal("The user moved to Lisbon in May 2025.", 0, slot="residence", value="Lisbon")],
        [proposal("string", 0), proposal("string", 1)],
        [proposal("The user", 0, slot="residence", value="Porto", mood="ended")],
        [proposal("The user no longer works as a nurse.", 0, mood="ended", slot="job", value="nurse")],
        [
            proposal(
                "The user prefers Porto, nurses and peanuts.",
                0,
                kind="preference",
                preference_type="implicit",
            )
        ],
    ],
)
def test_a_poor_model_gives_no_false_memory(server: ModelServer, poor: list[Any]) -> None:
    server.will_say(memories(*poor))

    extraction = propose(server, NURSE, assistant("Noted. Enjoy Porto!"))

    claims = {proposed["text"] for proposed in poor}
    assert claims.isdisjoint(texts(extraction))
    assert not any(draft.is_end or "not allergic" in draft.text for draft in extraction.drafts)
    assert any("allergic to peanuts" in text for text in texts(extraction))
    assert extraction.by.startswith(LOCAL)


@pytest.mark.parametrize("text", ["", "…", "null", "{}", "The user said nothing."])
def test_an_answer_of_nothing_is_no_memory(server: ModelServer, text: str) -> None:
    server.will_say(memories(proposal(text, 0)), completion("{}"))

    assert text not in texts(propose(server, NURSE))
