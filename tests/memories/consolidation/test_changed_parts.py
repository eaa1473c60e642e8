"""English statements with several values: a new one changes that which it names, and no other is lost."""

from __future__ import annotations

import pytest

from memories.consolidation.ends.other_states import ends_memory
from memories.consolidation.similarity import ComparedText, Similarity, compare_statements
from memories.text.clauses.corrections import correct_text
from memories.values import Draft, MemoryKind


def _state(text: str) -> Draft:
    return Draft(MemoryKind.FACT, text, "", (0,), 0.9, language="en")


def _compare(new: str, old: str) -> Similarity:
    return compare_statements(ComparedText(new), ComparedText(old), 0.85)


@pytest.mark.parametrize(
    ("old", "new", "corrected"),
    [
        (
            "The Starter plan is £9 a month and the Pro plan is £25 a month.",
            "The Pro plan is £29 a month now.",
            "The Starter plan is £9 a month and the Pro plan is £29 a month.",
        ),
        (
            "Staging runs on port 8080 and production on port 443.",
            "The staging port is now 8081.",
            "Staging runs on port 8081 and production on port 443.",
        ),
        (
            "The library is open until 8 pm on weekdays and until 5 pm on Saturdays.",
            "The library is now open until 6 pm on Saturdays.",
            "The library is open until 8 pm on weekdays and until 6 pm on Saturdays.",
        ),
        (
            "The Leeds branch opens at 9 am and closes at 5 pm.",
            "The Leeds branch now opens at 8 am.",
            "The Leeds branch opens at 8 am and closes at 5 pm.",
        ),
        (
            "The user takes 20 mg of lisinopril and 500 mg of metformin.",
            "The user's metformin was increased to 1000 mg.",
            "The user takes 20 mg of lisinopril and 1000 mg of metformin.",
        ),
        (
            "The door code is 4471 and the alarm code is 9023.",
            "The alarm code is now 5518.",
            "The door code is 4471 and the alarm code is 5518.",
        ),
        (
            "The user's seat at the opera is G14 and their wife's is G15.",
            "The user's wife's seat is now H2.",
            "The user's seat at the opera is G14 and their wife's is H2.",
        ),
        (
            "The deadline for abstracts is 3 May and the deadline for papers is 1 August.",
            "The deadline for papers was moved to 15 August.",
            "The deadline for abstracts is 3 May and the deadline for papers is 15 August.",
        ),
        (
            "Bus 42 leaves at 8:10 and bus 47 at 8:25.",
            "Bus 47 now leaves at 8:35.",
            "Bus 42 leaves at 8:10 and bus 47 at 8:35.",
        ),
        (
            "The user's shift is 6 am to 2 pm and their break is at 10 am.",
            "The user's shift is now 7 am to 3 pm.",
            "The user's shift is 7 am to 3 pm and their break is at 10 am.",
        ),
        ("The user has 3 hens and 2 ducks.", "The user now has 5 hens.", "The user has 5 hens and 2 ducks."),
        (
            "Overtime is paid at 1.5 times on Saturdays and 2 times on Sundays.",
            "Overtime is now paid at 2.5 times on Sundays.",
            "Overtime is paid at 1.5 times on Saturdays and 2.5 times on Sundays.",
        ),
        (
            "The class is at 7 pm and costs £8.",
            "The class is at 8 pm now.",
            "The class is at 8 pm and costs £8.",
        ),
        (
            "The user's piano lesson is on Tuesdays at 4 pm with Mrs Grey.",
            "The user's piano lesson is now at 5 pm.",
            "The user's piano lesson is on Tuesdays at 5 pm with Mrs Grey.",
        ),
    ],
)
def test_one_value_of_several_is_changed(old: str, new: str, corrected: str) -> None:
    assert _compare(new, old) == Similarity.CHANGED
    assert correct_text(old, _state(new)) == corrected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The Starter plan is £9 a month and the Pro plan is £25 a month.",
            "The Team plan is £80 a month now.",
        ),
        (
            "The API limit in staging is 100 requests per minute.",
            "The API limit in production is now 600 requests per minute.",
        ),
        (
            "The library is open until 8 pm on weekdays and until 5 pm on Saturdays.",
            "The library is now open until 4 pm on Sundays.",
        ),
        ("The pool opens at 7 am in summer.", "The pool now opens at 9 am in winter."),
        ("The pool opens at 7 am on weekdays.", "The pool now opens at 8 am at weekends."),
        ("The user's seat at the opera is G14.", "The user's seat at the Emirates is now B7."),
        ("Parking at the station costs £5 a day.", "Parking at the airport now costs £22 a day."),
        ("The upload limit is 50 MB for free users.", "The upload limit is now 500 MB for paid users."),
        ("Room 12 sleeps 2 people.", "Room 14 now sleeps 5 people."),
        ("Version 2 of the API allows 100 requests.", "Version 3 of the API now allows 500 requests."),
        ("The user's rent is £850 and their council tax is £140.", "The user's tax is now £300."),
        (
            "The user's rent is £850 and their council tax is £140.",
            "The user's sister's council tax went up to £155.",
        ),
        ("The user's base salary is £40,000 and their bonus is £4,000.", "The user's salary is now £44,000."),
        (
            "The CPU alert threshold is 80 percent and the memory alert threshold is 90 percent.",
            "The memory is now at 70 percent.",
        ),
        ("The user's mum pays £500 rent and £90 council tax.", "The user now pays £95 council tax."),
        ("The user's mum pays £500 rent and council tax is £90.", "The council tax is now £95."),
        ("Tom has 3 hens and Ben has 5 hens.", "Sam now has 7 hens."),
        ("Breakfast is at 7 am and dinner at 6 pm.", "Dinner might move to 8 pm."),
        ("Breakfast is at 7 am and dinner at 6 pm.", "Dinner is at 8 pm tonight."),
        ("Breakfast is at 7 am and dinner at 6 pm.", "Sunday dinner is now at 1 pm."),
        ("The user paid £9 for the starter and £25 for the main.", "The main is £29 now."),
        (
            "The user's morning dose is 10 mg and their evening dose is 20 mg.",
            "The user's dose is now 25 mg.",
        ),
        ("The user's water bill is £40 and broadband is £32.", "The user's broadband went up by £4."),
        (
            "The user's GP appointment is on 3 May at 9:20 am.",
            "The user's dentist appointment was moved to 10 May.",
        ),
    ],
)
def test_what_is_of_something_else_changes_nothing(old: str, new: str) -> None:
    assert _compare(new, old) == Similarity.DIFFERENT
    assert not ends_memory(new, old, "en")
    assert correct_text(old, _state(new)) in {"", old}
