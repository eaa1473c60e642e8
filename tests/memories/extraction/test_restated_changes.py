"""What people say of a change is read as what holds now; a change without a value stays what it is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.values import Turn

DAY = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def read(message: str) -> list[str]:
    return [draft.text for draft in LocalExtractor().extract([Turn("user", message, DAY)], [])]


def test_a_new_number_or_address_is_what_holds_now() -> None:
    assert read("I've got a new number, it's 07700 900456") == ["The user's number is now 07700 900456."]
    assert read("I changed my number. It's 07700 900456 now") == ["The user's number is now 07700 900456."]
    assert read("I changed my email from kim@old.com to kim@new.org.") == [
        "The user's email is now kim@new.org."
    ]
    assert read("We changed our address to 4 Park Road, York.") == [
        "The user's address is now 4 Park Road, York."
    ]
    assert read("I changed my car. It's a 2019 Golf now.") == ["The user's car is now a 2019 Golf."]
    assert read("我换号了，现在是13887654321") == ["用户的手机号现在是13887654321。"]
    assert read("我换手机号了，以后打13887654321") == ["用户的手机号现在是13887654321。"]
    assert read("我妈换号了，现在是13887654321") == ["用户的妈妈的手机号现在是13887654321。"]
    assert read("邮箱换了，新的是kim@new.org") == ["用户的邮箱现在是kim@new.org。"]
    assert read("地址改成海淀区中关村大街5号") == ["用户的地址现在是海淀区中关村大街5号。"]
    assert "用户的地址现在是海淀区中关村大街5号。" in read("搬家了，新地址是海淀区中关村大街5号")


@pytest.mark.parametrize(
    ("sentence", "memory"),
    [
        ("We switched dentists, it's Dr. Weiss now.", "The user's dentist is now Dr. Weiss."),
        ("We elected a new treasurer, it's Ines.", "The user's treasurer is now Ines."),
        ("We have a new vet, his name is Dr. Sato.", "The user's vet is now Dr. Sato."),
        ("The gate code got changed, the new one is 9920.", "The gate code is now 9920."),
        ("I replaced the boiler, it's a Vaillant now.", "The boiler is now a Vaillant."),
        (
            "We switched suppliers; now it's Hoffmann & Sons.",
            "The user's supplier is now Hoffmann & Sons.",
        ),
        ("They replaced the landlord, it's Mrs. Kowalski.", "The landlord is now Mrs. Kowalski."),
        ("我换了牙医，现在是王医生。", "用户的牙医现在是王医生。"),
        ("社团换了会计，现在是小刘。", "社团的会计现在是小刘。"),
        ("我女儿换了班主任，现在是孙老师。", "用户的女儿的班主任现在是孙老师。"),
        ("我们公司换了供应商，现在用的是华丰。", "用户的公司的供应商现在是华丰。"),
        ("我最近换了健身房，现在是奥体那家。", "用户的健身房现在是奥体那家。"),
    ],
)
def test_what_took_the_place_of_anything_is_what_holds_now(sentence: str, memory: str) -> None:
    assert read(sentence) == [memory]


@pytest.mark.parametrize(
    "sentence",
    [
        "I changed the tyres. It's quieter now.",
        "We bought a new tent, it's green.",
        "I got a new phone. It's great.",
        "I changed the subject. It's Monday.",
        "I switched jobs. It's a relief.",
        "我改主意了，现在是想去海边。",
        "我换了三家医院，现在好了。",
    ],
)
def test_what_is_only_described_took_no_place(sentence: str) -> None:
    assert not any("is now" in text or "的主意现在" in text or "医院现在" in text for text in read(sentence))


def test_a_change_without_a_value_is_none() -> None:
    assert read("I changed my number because of spam calls.") == [
        "The user changed their number because of spam calls."
    ]
    assert not any("mind is" in text for text in read("I changed my mind. It's fine now."))
    assert read("我换号了，但还没告诉别人") == ["用户换号了，但还没告诉别人。"]
    assert read("我打算换号") == ["用户打算换号。"]
    assert not any("现在是" in text for text in read("电话改成语音会议Zoom了"))
    assert not read("地址改了没有？")
    assert not read("把地址改成英文怎么写？")


def test_what_is_to_be_called_off_together_is_decided() -> None:
    assert read("OK, let's call off Friday's dinner.") == [
        "The user has decided to call off Friday's dinner."
    ]
    assert read("Let's call the trip off.") == ["The user has decided to call off the trip."]
    assert read("牙医的预约取消吧") == ["用户决定取消牙医的预约。"]
    assert read("算了，取消周五的聚餐吧") == ["用户决定取消周五（2026年11月20日）的聚餐。"]
    for message in ("要是下雨就取消吧", "老板说取消吧", "今天太累了取消吧"):
        assert not any("决定" in text for text in read(message)), message
    assert not read("Should we cancel the appointment?")
    assert not read("Let's cancel!")
