"""Times as clients write them: what nobody can read must not cost the server its time."""

from __future__ import annotations

import time

from memories.moments import MAX_UNREADABLE, MomentReader, parse_moment


def test_a_number_beyond_every_float_is_no_time() -> None:
    assert parse_moment(10**319) is None
    assert parse_moment(-(10**319)) is None


def test_the_same_words_are_read_once() -> None:
    parse_moment("no time at all")
    begun = time.thread_time()
    for _ in range(500):
        parse_moment("no time at all")

    assert time.thread_time() - begun < 0.25


def test_after_a_few_unreadable_times_only_exact_spellings_are_read() -> None:
    reader = MomentReader()
    long_ago = reader.moment_or_now("20 March 2019")
    for number in range(MAX_UNREADABLE):
        reader.moment_or_now(f"no time at all {number}")

    assert long_ago.year == 2019
    assert reader.moment_or_now("20 March 2019").year > 2019
    assert reader.moment_or_now("2019-03-20").year == 2019


def test_messages_without_a_time_do_not_count_as_unreadable() -> None:
    reader = MomentReader()
    for _ in range(MAX_UNREADABLE + 1):
        reader.moment_or_now(None)

    assert reader.moment_or_now("20 March 2019").year == 2019
