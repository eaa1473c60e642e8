"""Whether messages bear out what a model wrote: names, numbers, dates, polarity, mood and subject."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine.grounding import Evidence, find_clause, find_doubt
from memories.engine.grounding.checks import (
    FOREIGN_DATES,
    FOREIGN_NAMES,
    FOREIGN_NUMBERS,
    FOREIGN_WORDS,
    NOT_A_STATEMENT,
    OTHER_MOOD,
    OTHER_POLARITY,
    OTHER_SUBJECT,
)

THEN = datetime(2025, 7, 2, 12, tzinfo=UTC)  # a Wednesday


def doubt(text: str, message: str, quote: str = "", before: str = "", *, is_inferred: bool = False) -> str:
    clause = find_clause(quote or message, message) or message
    return find_doubt(text, Evidence(clause, [(message, THEN)], [before, message]), is_inferred=is_inferred)


@pytest.mark.parametrize(
    ("text", "message", "quote"),
    [
        ("The user moved to Shanghai in June 2025.", "I moved to Shanghai in June.", ""),
        ("The user works as a nurse.", "I moved to Porto in June and I work as a nurse.", "I work as a nurse"),
        ("The user does not eat pork.", "I don't eat pork, never liked it.", "I don't eat pork"),
        ("The user's sister lives in Rome.", "My sister lives in Rome and likes opera.", "My sister lives in Rome"),
        ("The user's mother moved to Voss on 1 July 2025.", "My mum moved to Voss yesterday.", ""),
        ("The user has two daughters, Liv and Marte.", "We have 2 daughters, Liv and Marte.", ""),
        ("The user's dentist appointment is on 9 July 2025, 14:00.", "Dentist appointment: next Wednesday, 2 pm.", ""),
        ("The user no longer works at Acme.", "I no longer work at Acme", ""),
        ("The user does not hate fish.", "I don't hate fish.", ""),
        ("用户六月搬到上海。", "我六月搬到上海了。", ""),
        ("用户的妹妹住在重庆。", "我妹妹住在重庆。", ""),
        ("用户不吃香菜。", "我不吃香菜。", ""),
        ("用户养了一只叫豆豆的柯基。", "我养了只柯基，叫豆豆。", ""),
        ("用户在2025年7月9日看牙医。", "下周三我要看牙医。", ""),
        ("用户三十五岁。", "我今年35岁。", ""),
        ("用户对花生过敏。", "我对花生过敏，还有哮喘。", "我对花生过敏"),
    ],
)  # fmt: skip
def test_what_was_said_is_believed(text: str, message: str, quote: str) -> None:
    assert doubt(text, message, quote) == ""


def test_a_name_may_come_from_before_where_a_pronoun_means_it() -> None:
    text, message = "The user's brother Tor is on warfarin.", "He's on warfarin, so no ibuprofen."

    assert doubt(text, message, "He's on warfarin", before="My brother Tor had surgery.") == ""
    assert doubt(text, message, "He's on warfarin", before="My brother had surgery.") == FOREIGN_NAMES


@pytest.mark.parametrize(
    ("text", "message", "quote", "reason"),
    [
        ("The user moved to Shanghai in July 2025.", "I moved to Shanghai in June.", "", FOREIGN_DATES),
        ("The user lives in Porto since 5 March 2024.", "I live in Porto.", "", FOREIGN_DATES),
        ("The user is not allergic to peanuts.", "I am allergic to peanuts.", "", OTHER_POLARITY),
        ("The user eats pork.", "I do not eat pork.", "eat pork", OTHER_POLARITY),
        ("The user eats lamb.", "I don't eat pork, beef or lamb.", "lamb", OTHER_POLARITY),
        ("The user hates fish.", "I don't hate fish.", "", OTHER_POLARITY),
        ("The user likes fish.", "I hate fish.", "", OTHER_POLARITY),
        ("The user is allergic to peanuts and shellfish.", "I am allergic to peanuts.", "", FOREIGN_WORDS),
        ("The user prefers a place to relax.", "I moved to Porto in June.", "", FOREIGN_WORDS),
        ("The user has three daughters.", "I have two daughters.", "", FOREIGN_NUMBERS),
        ("The user earns 52,000 euros.", "I earn 25,000 euros.", "", FOREIGN_NUMBERS),
        ("The user's boss Anna is kind.", "My boss is kind.", "", FOREIGN_NAMES),
        ("The user lives in Rome.", "My sister lives in Rome and likes opera.", "lives in Rome", OTHER_SUBJECT),
        ("The user lives in Rome.", "If I lived in Rome I'd cycle.", "", OTHER_MOOD),
        ("The user is moving to Rome.", "I want to move to Rome.", "", OTHER_MOOD),
        ("The user should walk every day.", "My doctor said I should walk every day.", "", OTHER_MOOD),
        ("I am allergic to peanuts.", "I am allergic to peanuts.", "", NOT_A_STATEMENT),
        ("Does the user live in Rome?", "I live in Rome.", "", NOT_A_STATEMENT),
        ("用户住在上海。", "我住在杭州。", "", FOREIGN_NAMES),
        ("用户对花生不过敏。", "我对花生过敏。", "", OTHER_POLARITY),
        ("用户吃香菜。", "我不吃香菜。", "", OTHER_POLARITY),
        ("用户住在重庆。", "我妹妹住在重庆。", "", OTHER_SUBJECT),
        ("用户养了三只猫。", "我养了两只猫。", "", FOREIGN_NUMBERS),
        ("用户去了日本。", "我想去日本。", "", OTHER_MOOD),
        ("用户和王小红结婚了。", "我结婚了。", "", FOREIGN_NAMES),
        ("用户在2025年7月8日看牙医。", "下周三我要看牙医。", "", FOREIGN_DATES),
        ("用户喜欢跳伞。", "我喜欢爬山。", "", FOREIGN_WORDS),
    ],
)  # fmt: skip
def test_what_was_not_said_is_doubted(text: str, message: str, quote: str, reason: str) -> None:
    assert doubt(text, message, quote) == reason


def test_what_is_inferred_may_use_words_of_its_own_but_no_names_and_numbers() -> None:
    message = "The hostel for 20 euros, please."

    assert doubt("The user may prefer cheap hostels.", message, is_inferred=True) == ""
    assert doubt("The user may prefer Hilton.", message, is_inferred=True) == FOREIGN_NAMES
    assert doubt("The user may prefer hostels for 30 euros.", message, is_inferred=True) == FOREIGN_NUMBERS
    assert doubt("The user may prefer fishing.", message, is_inferred=True) == FOREIGN_WORDS


def test_a_clause_is_taken_whole_so_that_no_not_is_cut_off() -> None:
    assert (
        find_clause("lamb", "I don't eat pork, beef or lamb. I love tea.")
        == "I don't eat pork, beef or lamb."
    )
    assert find_clause("I LIVE in rome", "Well, I live in Rome, and I don't like it.") == "I live in Rome"
    assert find_clause("不喜欢雨", "我住在杭州，不喜欢雨。") == "我住在杭州，不喜欢雨。"
    assert find_clause("never said", "I live in Rome.") == ""
