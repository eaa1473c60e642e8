"""What "it" is behind a report or a trouble, and whom "she" means behind a name that something was done to."""

from __future__ import annotations

import pytest

from tests.support.english_talks import texts


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("MRI came back. It's not the meniscus after all, it's a cartilage thing.", "MRI is"),
        ("My X-ray came back, it's a hairline fracture.", "X-ray is"),
        ("The survey came in. It's a Grade II listed house.", "survey is"),
        ("The car keeps stalling. It's the alternator.", "car is"),
        ("The house was noisy at night. It was the fridge.", "house was the"),
    ],
)
def test_what_a_report_told_of_is_not_the_report(said: str, wrong: str) -> None:
    assert not any(wrong in text for text in texts(said))
    assert any(said in text or said.partition(". ")[2] in text for text in texts(said) if '"' in text)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("The parcel came. It's a lamp.", "The parcel is a lamp."),
        ("I bought a bike. It's a Trek.", "The user's bike is a Trek."),
        ("My bike is red. It's the old model.", "The user's bike is the old model."),
        ("The test came back. It's positive.", "The test is positive."),
    ],
)
def test_a_thing_is_still_what_it_is_said_to_be(said: str, kept: str) -> None:
    assert kept in texts(said)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("Vet's taken Biscuit off the Metacam. She gets Librela injections now.", "Vet gets"),
        ("The midwife weighed Ottilie and was pleased. She sleeps through now.", "midwife sleeps"),
        ("The tutor gave Amira a mock test. She has maths on Fridays.", "tutor has maths"),
    ],
)
def test_somebody_by_name_whom_something_was_done_to_may_be_the_next_she(said: str, wrong: str) -> None:
    assert not any(wrong in text for text in texts(said))


def test_an_animal_that_is_called_she_is_meant_rather_than_the_vet() -> None:
    said = "Vet's taken Biscuit off the Metacam, it upset her stomach. She gets injections instead."
    assert (
        texts("My dog Biscuit is on Metacam.", said)[-1] == "The user's dog Biscuit gets injections instead."
    )
