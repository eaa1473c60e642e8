"""A method holds for everybody: how the people of one case are reached or known is no part of it."""

from __future__ import annotations

import pytest

from skills.learning.rules.contacts import mask_contacts
from tests.support.skills.methods import learn_methods


@pytest.mark.parametrize(
    ("play", "kept", "gone"),
    [
        (
            "U: Book the appointment at the clinic.\nA: I booked it for Tuesday at nine.\n"
            "U: That is wrong. Write to anna.k@example.org before you book.\n"
            "A: I wrote to her and moved it.\nU: Great, thanks.",
            "Write to *** before you book",
            "anna.k",
        ),
        (
            "U: Prepare the contract for the flat.\nA: I prepared it with the standard terms.\n"
            "U: It can't have the standard terms, the tenant's passport is X1234567. Always use the short form.\n"
            "A: I rewrote it in the short form.\nU: Perfect.",
            "Always use the short form",
            "X1234567",
        ),
        (
            "U: 把报名表发给客户。\nA: 我已经用邮件发了。\n"
            "U: 不对，要发到他的手机上，号码是13800000000，住在青山区和平路88号。\n"
            "A: 我已经发到手机上了。\nU: 好的，谢谢。",
            "要发到他的手机上",
            "13800000000",
        ),
    ],
)
def test_a_method_keeps_what_was_wanted_and_not_whose_case_it_was(play: str, kept: str, gone: str) -> None:
    learned = "\n".join(learn_methods(play))

    assert kept in learned
    assert gone not in learned
    assert "和平路" not in learned


@pytest.mark.parametrize(
    "text",
    [
        "call 07700 900123",
        "call +44 20 7946 0958",
        "call (020) 7946-0958",
        "电话是010-62345678",
        "card 4111 1111 1111 1111",
        "pay to DE89 3704 0044 0532 0130 00",
        "send it to LS6 2AB",
        "deliver to 14 Elm Road",
        "住在朝阳区建国路88号3单元502室",
    ],
)
def test_numbers_and_addresses_of_people_are_masked(text: str) -> None:
    assert mask_contacts(text).endswith("***"), mask_contacts(text)


@pytest.mark.parametrize(
    "text",
    [
        "since 2026-05-04 10:00",
        "in 2024-2025 and 2024–25",
        "open 0800-1700",
        "on ports 8000-8100",
        "steps of 10-20-30-40",
        "at 192.168.100.245",
        "with version 10.22.3.4567",
        "after 30000000 ms",
        "for 1,250,000 rows",
        "see https://example.org/a/0123456789",
        "第三步用10号扳手",
    ],
)
def test_days_ports_versions_and_amounts_stay(text: str) -> None:
    assert mask_contacts(text) == text
