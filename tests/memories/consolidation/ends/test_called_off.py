"""Appointments, bookings and plans that come to nothing are not found as what is to come; all others stay."""

from __future__ import annotations

import pytest

from memories.consolidation.ends import called_off
from memories.consolidation.ends.chinese import called_off as called_off_chinese
from tests.support.api_client import Api, Message, message


def is_called_off(new: str, old: str) -> bool:
    reader = called_off if new.isascii() else called_off_chinese
    called = reader.read_calling_off(new)
    return called is not None and called.is_of(old)


DENTIST = "The user has an appointment with the dentist on Friday (21 August 2026)."
JAPAN = "The user is planning a trip to Japan in April 2027."
DENTIST_ZH = "用户周五（2026年8月21日）下午三点约了牙医。"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user cancelled their appointment.", DENTIST),
        ("The user has cancelled the dentist.", "The user is seeing the dentist on Friday."),
        ("The user has decided to cancel the appointment.", DENTIST),
        ("The dinner at Luigi's is off.", "The user has booked a table at Luigi's for Saturday at 7."),
        ("Lunch with Priya is off.", "The user is meeting Priya for lunch on Thursday."),
        (
            "The user had to cancel the flight to Lisbon because Ana is ill.",
            "The user has a flight to Lisbon on 3 March.",
        ),
        ("The airline cancelled the user's flight to Oslo.", "The user is flying to Oslo on 12 May 2027."),
        ("The meeting with Carla got called off.", "The user has a meeting with Carla on Monday."),
        (
            "The user's wife cancelled her appointment.",
            "The user's wife has an appointment with the vet on Friday.",
        ),
        (
            "The user is not running the Berlin marathon after all.",
            "The user is training for the Berlin marathon.",
        ),
        ("The user is not going to Japan any more.", JAPAN),
        ("The Japan trip is cancelled.", JAPAN),
        ("The user has decided not to go to Wales.", "The user booked a cottage in Wales for August 2026."),
        ("The picnic fell through.", "The user and others are having a picnic on Sunday."),
        (
            "The user pulled out of the half marathon.",
            "The user has entered the half marathon in Leeds.",
        ),
        (
            "The user cancelled the Guardian subscription.",
            "The user subscribes to the Guardian.",
        ),
        ("Choir has been cancelled for good.", "The user has choir on Tuesdays."),
        ("牙医的预约取消了。", DENTIST_ZH),
        ("考研用户放弃了。", "用户准备考研。"),
        ("用户取消了预约。", DENTIST_ZH),
        ("用户决定取消牙医的预约。", DENTIST_ZH),
        ("日本之行取消了。", "用户等人下个月（2026年9月）去日本旅游，机票都订好了。"),
        ("体检取消了。", "体检定在11月20号（2026年11月20日）。"),
        ("用户的妹妹的婚礼取消了。", "用户的妹妹的婚礼定在5月1号。"),
        ("音乐会取消了。", "用户买了周六音乐会的票。"),
        ("饭局黄了。", "用户周六有个饭局。"),
        ("成都不去了。", "用户打算五一（2027年5月）去成都玩。"),
        ("五一（2026年5月）去不成成都了。", "用户打算五一（2027年5月）去成都玩。"),
        ("用户把去三亚的机票退了。", "用户订了去三亚的机票。"),
    ],
)
def test_what_is_called_off_is_meant(new: str, old: str) -> None:
    assert is_called_off(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The user cancelled their gym membership.", DENTIST),
        ("The user cancelled the vet appointment.", DENTIST),
        ("The user's wife cancelled her appointment.", DENTIST),
        ("The user might cancel their appointment.", DENTIST),
        ("The user nearly cancelled their appointment.", DENTIST),
        ("The user cancelled an appointment once.", DENTIST),
        ("The user called the dentist.", DENTIST),
        (
            "The user cancelled their appointment.",
            "The user has an appointment on Friday and a flight on Monday.",
        ),
        ("The user cancelled physio this Monday.", "The user has got physio on Mondays."),
        ("The user had to cancel the flight to Porto.", "The user has a flight to Lisbon on 3 March 2026."),
        ("The dinner at Mario's is off.", "The user has booked a table at Luigi's for Saturday at 7."),
        ("The weather in Wales is off.", "The user booked a cottage in Wales for August 2026."),
        ("The wedding has been called off.", "The user's brother has a wedding in May."),
        ("The user is not going to Japan any more.", "The user's sister is planning a trip to Japan."),
        (
            "The user is not drinking coffee any more.",
            "The user is having a coffee with Paul on Monday.",
        ),
        ("The user dropped the kids at school.", "The user has a playdate for the kids on Friday."),
        ("The concert was not cancelled.", "The user has a concert on Friday."),
        ("Choir is cancelled next week.", "The user has choir on Tuesdays."),
        ("The user cancelled the hotel in Porto.", "The user booked a hotel in Porto and a hotel in Lisbon."),
        ("用户把健身卡退了。", DENTIST_ZH),
        ("用户的老婆把她的预约取消了。", DENTIST_ZH),
        ("用户想取消牙医的预约。", DENTIST_ZH),
        ("用户没取消牙医的预约。", DENTIST_ZH),
        ("如果下雨预约就取消了。", DENTIST_ZH),
        ("婚礼取消了。", "用户的妹妹的婚礼定在5月1号。"),
        ("和老王的饭局黄了。", "用户周六约了老李吃饭。"),
        ("香蕉黄了。", "用户有两根香蕉。"),
        ("这周的游泳课取消了。", "用户每周三去上游泳课。"),
        ("用户把去三亚的机票退了。", "用户订了三亚的酒店。"),
    ],
)
def test_what_calls_nothing_off_leaves_it(new: str, old: str) -> None:
    assert not is_called_off(new, old)


def test_a_cancelled_appointment_is_over_and_others_are_kept(api: Api) -> None:
    """In the same talk and in a later one, also where it is still to come; nobody guesses among two."""
    messages: list[Message] = [
        message("user", "I have an appointment with the dentist on 3 March 2037."),
        message("assistant", "Noted."),
        message("user", "Let's cancel the appointment."),
    ]
    api.add("kim", *messages)
    assert not any("dentist" in text for text in api.current("kim"))
    assert any("decided to cancel" in text for text in api.current("kim"))

    api.add("ana", "I have a vet appointment on Monday. I have a physio appointment on Friday.")
    api.add("ana", "I cancelled my appointment.", conversation_id="another talk")
    assert {"vet", "physio"} <= set(" ".join(api.current("ana")).split())

    api.add("ana", "I cancelled the vet appointment.", conversation_id="another talk")
    assert not any(" has a vet" in text for text in api.current("ana"))
    assert any("physio" in text for text in api.current("ana"))

    api.add("lin", "我打算五一去成都玩。", "我周五约了牙医。")
    api.add("lin", "成都不去了。", conversation_id="another talk")
    assert not any("打算" in text for text in api.current("lin"))
    assert any("牙医" in text for text in api.current("lin"))
