"""Where "there" is, which a memory says by itself; days of every year, which are of no single one, and months of which
the verb tells the year. It is 9 October 2026."""

from __future__ import annotations

import pytest

from tests.support.english_talks import texts


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I moved to Malmö and rent a loft there.", "The user rents a loft in Malmö."),
        ("My sister lives in Cork and runs a bakery there.", "The user's sister runs a bakery in Cork."),
        (
            "I teach at a school in Graz, my daughter goes there.",
            "The user's daughter goes to the school in Graz.",
        ),
        ("My office is in Ghent but I only go there on Mondays.", "The user only goes to Ghent on Mondays."),
        (
            "My grandparents are from Split. I spent every summer there.",
            "The user spent every summer in Split.",
        ),
        ("I swim at the lido on Thursdays and my kids train there.", "The user's kids train at the lido."),
        (
            "Can you find a hotel in Porto? My aunt used to live there.",
            "The user's aunt used to live in Porto.",
        ),
        ("I drive to Lyon a lot, my cousin got a job there.", "The user's cousin got a job in Lyon."),
        (
            "We had lunch at the harbour. From there we took the ferry.",
            "From the harbour the user took the ferry.",
        ),
        (
            "I'm a porter at the Grand. They let me sit on the desk. My daughter works there.",
            "The user's daughter works at the Grand.",
        ),
        ("I live on Skye. My brother works there.", "The user's brother works on Skye."),
        ("我搬到了苏州，在那里租了一间公寓。", "用户在苏州租了一间公寓。"),
        ("我妹妹在成都开了家书店，她女儿也在那儿帮忙。", "用户的妹妹的女儿也在成都帮忙。"),
        ("我老家在汕头。那里的牛肉火锅特别好吃。", "汕头的牛肉火锅特别好吃。"),
        ("我爸在一家修理厂上班，我叔叔也在那里。", "用户的叔叔也在那家修理厂。"),
    ],
)
def test_a_place_that_is_pointed_to_is_named(message: str, kept: str) -> None:
    assert kept in texts(message)


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("There is a pool in our building.", "There is a pool in the user's building."),
        ("I was in a hurry and got there late.", "The user got there late."),
        ("I wrote to Marta and the dog was there.", "The dog was there."),
        ("I moved in May and my wife works there.", "The user's wife works there."),
        ("I work in a lab. I moved here in May.", "The user moved here in May 2026."),
        ("我妈那边的亲戚都在东北。", "用户的妈妈那边的亲戚都在东北。"),
        ("我想把合同退了，那边说不行。", "用户想把合同退了，那边说不行。"),
    ],
)
def test_where_no_place_is_named_none_is_made_up(message: str, kept: str) -> None:
    assert kept in texts(message)


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("My birthday is 4 June.", "The user's birthday is 4 June."),
        (
            "My daughter's birthday is on the 12th of March.",
            "The user's daughter's birthday is on the 12th of March.",
        ),
        ("Our anniversary is on 8 May.", "The user's anniversary is on 8 May."),
        ("4 June is my birthday.", "4 June is the user's birthday."),
        ("我的生日是6月4日。", "用户的生日是6月4日。"),
        ("我女儿3月12日生日。", "用户的女儿3月12日生日。"),
        ("我儿子的生日在农历三月初三。", "用户的儿子的生日在农历三月初三。"),
    ],
)
def test_a_day_of_every_year_is_of_no_year(message: str, kept: str) -> None:
    assert texts(message) == [kept]


@pytest.mark.parametrize(
    ("message", "date"),
    [
        ("My birthday party is on 4 June.", "4 June 20"),
        ("My exam is on 8 May.", "8 May 20"),
        ("My sister's birthday was on 3 February.", "3 February 20"),
        ("我的生日会是6月4日。", "年6月4日"),
    ],
)
def test_a_day_that_comes_once_has_its_year(message: str, date: str) -> None:
    (text,) = texts(message)

    assert date in text


@pytest.mark.parametrize(
    ("message", "date"),
    [
        ("Kofi is getting married in Accra in May.", "May 2027"),
        ("My neighbour is being promoted in March.", "March 2027"),
        ("Our street is being repaved in February.", "February 2027"),
        ("Kofi got married in Accra in May.", "May 2026"),
    ],
)
def test_what_is_being_done_in_a_month_is_still_to_come(message: str, date: str) -> None:
    """Said in October 2026."""
    (text,) = texts(message)

    assert date in text


@pytest.mark.parametrize(
    "message",
    ["Got the Didcot job! I start there on 13 April.", "My dad was in hospital. I slept there every night."],
)
def test_a_place_that_nothing_names_is_quoted_with_the_sentence_before(message: str) -> None:
    assert texts(message)[-1] == f'The user said on 9 October 2026: "{message}"'


def test_who_has_been_somewhere_for_years_is_there() -> None:
    assert texts("I work at a bakery. I've been there six years.")[-1] == (
        "The user has been at the bakery six years."
    )


def test_a_medicine_is_no_place() -> None:
    assert not any("works on" in text for text in texts("My wife is on Prascend. My son works there."))


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("My passport expires in September.", "The user's passport expires in September 2027."),
        ("The deadline is 3 October.", "The deadline is 3 October 2026."),
        ("The deadline is 3 September.", "The deadline is 3 September 2027."),
        ("My daughter turns six in August.", "The user's daughter turns six in August 2027."),
        ("The pool reopens in August.", "The pool reopens in August 2027."),
        ("Our landlord comes back in September.", "The user's landlord comes back in September 2027."),
        ("I sit my boards in August.", "The user sits their boards in August 2027."),
        ("My dad retires in July.", "The user's dad retires in July 2027."),
        ("The warranty ended in September.", "The warranty ended in September 2026."),
        ("I remember the storm in September.", "The user remembers the storm in September 2026."),
        ("The photo shows us in September.", "The photo shows the user in September 2026."),
        ("The invoice is from August.", "The invoice is from August 2026."),
        ("My sister was supposed to visit in May.", "The user's sister was supposed to visit in May 2026."),
        (
            "We were going to sell the boat in December.",
            "The user was going to sell the boat in December 2026.",
        ),
    ],
)
def test_what_is_said_in_the_present_of_a_month_is_still_to_come(message: str, kept: str) -> None:
    assert kept in texts(message)


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("The pager's handed over at 9.", "The pager is handed over at 9."),
        ("Sally's handed over to Tom.", "Sally has handed over to Tom."),
    ],
)
def test_what_is_handed_over_at_a_time_hands_nothing_over(message: str, kept: str) -> None:
    assert kept in texts(message)
