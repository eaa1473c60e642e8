"""Times as clients write them: what nobody can read must not cost the server its time."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from memories.text.time.timestamps import MAX_UNREADABLE, TimestampReader, parse_timestamp
from memories.text.time.timestamps_chinese import read_chinese_timestamp


def test_a_number_beyond_every_float_is_no_time() -> None:
    assert parse_timestamp(10**319) is None
    assert parse_timestamp(-(10**319)) is None


def test_the_same_words_are_read_once() -> None:
    parse_timestamp("no time at all")
    begun = time.thread_time()
    for _ in range(500):
        parse_timestamp("no time at all")

    assert time.thread_time() - begun < 0.25


def test_after_a_few_unreadable_times_only_exact_spellings_are_read() -> None:
    reader = TimestampReader()
    long_ago = reader.read("20 March 2019")
    for number in range(MAX_UNREADABLE):
        reader.read(f"no time at all {number}")

    assert long_ago == datetime(2019, 3, 20, tzinfo=UTC)
    assert reader.read("20 March 2019") is None
    assert reader.read("2019-03-20") == reader.read("2019年3月20日") == long_ago


def test_messages_without_a_time_do_not_count_as_unreadable() -> None:
    reader = TimestampReader()
    for _ in range(MAX_UNREADABLE + 1):
        reader.read(None)

    assert reader.read("20 March 2019") == datetime(2019, 3, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2025年9月12日 早上8点", "2025-09-12 08:00"),
        ("2025年9月12日下午三点半", "2025-09-12 15:30"),
        ("二〇二五年九月十二日晚上八点一刻", "2025-09-12 20:15"),
        ("2025 年 9 月 12 日 20 时 05 分 09 秒", "2025-09-12 20:05:09"),
        ("2025年9月12日（周五）下午3:30", "2025-09-12 15:30"),
        ("2025年9月12日 星期五 08:00:00", "2025-09-12 08:00"),
        ("2025-09-12 上午10点零四分", "2025-09-12 10:04"),
        ("２０２５／９／１２　１８：０５ 左右", "2025-09-12 18:05"),
        ("2025年9月12日 13時05分", "2025-09-12 13:05"),
        ("25年9月12日中午", "2025-09-12 12:00"),
        ("2025年9月12日 中午1点", "2025-09-12 13:00"),
        ("2025年9月12日凌晨12点半", "2025-09-12 00:30"),
        ("2025年9月12日晚上12点", "2025-09-13 00:00"),
        ("2025年9月12日 8:05 PM", "2025-09-12 20:05"),
        ("北京时间2025年9月12日早上8点", "2025-09-12 00:00"),
        ("2025年9月12日 08:00 (UTC+8)", "2025-09-12 00:00"),
        ("2025年9月12日 08:00:00 +0800", "2025-09-12 00:00"),
        ("2025年9月", "2025-09-01 00:00"),
        ("2025/9/12 20:05", "2025-09-12 20:05"),
        ("2025-09-12T08:00+08:00", "2025-09-12 00:00"),
        ("2025-09-12T08:00+08:00[Asia/Shanghai]", "2025-09-12 00:00"),
        ("2025-09-12 08:00 Asia/Shanghai", "2025-09-12 00:00"),
        ("10:04 AM on 11 December, 2025 UTC", "2025-12-11 10:04"),
        ("12 Sept 2025 8am", "2025-09-12 08:00"),
        ("12 September 2025 8 o'clock", "2025-09-12 08:00"),
        ("12.09.2025 20:05", "2025-09-12 20:05"),
        ("2025-09", "2025-09-01 00:00"),
        (1757635200, "2025-09-12 00:00"),
        ("1757635200000", "2025-09-12 00:00"),
        ("1757635200.5", "2025-09-12 00:00:00.500"),
    ],
)
def test_a_written_time_is_read(written: Any, meant: str) -> None:
    assert parse_timestamp(written) == datetime.fromisoformat(meant).replace(tzinfo=UTC)


NEW_YEAR = datetime(2026, 1, 7, 10, 0, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("今天", "2026-01-07 10:00"),
        ("昨天", "2026-01-06 00:00"),
        ("昨晚八点半", "2026-01-06 20:30"),
        ("前天傍晚", "2026-01-05 18:00"),
        ("三天前早上8点", "2026-01-04 08:00"),
        ("上周三下午2点", "2025-12-31 14:00"),
        ("周五 8点", "2026-01-02 08:00"),
        ("上个月15号 9:30", "2025-12-15 09:30"),
        ("去年9月12日下午2点", "2025-09-12 14:00"),
        ("9月12日", "2025-09-12 00:00"),
        ("十二月三十一号夜里十一点", "2025-12-31 23:00"),
        ("下午三点", "2026-01-07 15:00"),
        ("晚上", "2026-01-07 20:00"),
    ],
)
def test_what_is_said_without_a_whole_date_was_last(text: str, meant: str) -> None:
    assert read_chinese_timestamp(text, NEW_YEAR) == datetime.fromisoformat(meant).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2025年2月30日",
        "2025年13月1日",
        "2025年9月12日25点",
        "早上好",
        "不记得了",
        "农历八月十五",
        "第三天",
        "2025年9月12日开会",
    ]
    + ["2025-13-01 08:00", "2025-02-30", "12", "2025", "soon", "n/a", "-", "99:99"],
)
def test_nothing_is_made_up_for_what_is_no_time(text: str) -> None:
    assert parse_timestamp(text) is None


@pytest.mark.parametrize(
    "text",
    ["年" * 100, "二" * 100, "1年" * 50, "晚上" * 50, "3点" * 50, "(周一)" * 25, "9/" * 50, "上" * 100],
)
def test_a_hostile_time_costs_no_time(text: str) -> None:
    begun = time.thread_time()
    read_chinese_timestamp(text, NEW_YEAR)

    assert time.thread_time() - begun < 0.25
