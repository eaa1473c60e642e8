"""What is remembered of assistants, of other people and of exported conversations."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.values import MemoryKind, Turn
from tests.support.extraction.extraction import DAY, only, remember, texts


def test_what_only_the_assistant_said_is_marked_and_trusted_little() -> None:
    drafts = remember(
        "I ran 5 kilometers today and my knee feels a bit sore.",
        "> I suggest lowering the intensity tomorrow.",
    )

    view = next(draft for draft in drafts if draft.speaker == "assistant")
    assert (
        view.text == "[assistant view] The assistant suggests lowering the intensity tomorrow (11 June 2025)."
    )
    assert view.confidence <= 0.4


@pytest.mark.parametrize(
    "message",
    [
        "> Got it, so you're traveling with your children as a family, right?",
        "> Understood, I'll recommend destinations suitable for family trips.",
        "> I have noted that you like spicy flavors.",
        "> Okay, do you need any help?",
        "> 好的，有其他问题随时问我。",
    ],
)
def test_courtesies_of_the_assistant_give_nothing(message: str) -> None:
    assert remember(message) == []


@pytest.mark.parametrize(
    "reply",
    [
        "是啊，注意保暖。",
        "哈哈，注意饮食就好。",
        "记住了，祝您在上海生活愉快！",
        "哦，祝早日康复！",
        "嗯嗯，多喝水。",
    ]
    + ["Haha, take care!", "Yes, stay warm out there.", "Oh wow, congratulations!", "Exactly, enjoy!"],
)
def test_good_wishes_behind_an_interjection_give_nothing(reply: str) -> None:
    assert remember(f"> {reply}") == []


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("对的，布洛芬每天饭后吃一次，一次两片。", "布洛芬每天饭后吃一次"),
        ("Right, the Golf needs 5W-30 oil.", "[assistant view] The Golf needs 5W-30 oil"),
    ],
)
def test_what_follows_an_interjection_is_kept(reply: str, kept: str) -> None:
    assert kept in str(texts(remember("Which one?", f"> {reply}")))


def test_the_weather_gets_the_callers_tags() -> None:
    view = only(
        remember(
            "How is the weather today?",
            "> Shanghai, December 10th, cloudy, temperature 8-12 degrees.",
            tags=["Weather", "Cloudy", "Food"],
            at=datetime(2025, 12, 10, tzinfo=UTC),
        )
    )

    assert "cloudy" in view.text
    assert view.event_time == datetime(2025, 12, 10, tzinfo=UTC)
    assert {"Weather", "Cloudy"} <= set(view.tags)
    assert "Food" not in view.tags


def test_tags_match_by_topic() -> None:
    fact, *_ = remember(
        "I ran 5 kilometers today and my knee feels a bit sore.", tags=["fitness planning", "finance"]
    )

    assert "fitness planning" in fact.tags
    assert "finance" not in fact.tags


def test_chinese_tags_are_in_chinese() -> None:
    fact = only(remember("我昨天在医院看了医生。", tags=["健康", "旅行"]))

    assert "健康" in fact.tags
    assert "旅行" not in fact.tags


@pytest.mark.parametrize(
    "message", ["My sister likes jazz.", "我妹妹喜欢爵士乐。", "My dog Max is allergic to chicken."]
)
def test_what_others_like_is_no_preference_of_the_user(message: str) -> None:
    fact = only(remember(message))

    assert fact.kind is MemoryKind.FACT
    assert not fact.slot.startswith(("likes:", "taste:", "allergy:"))


@pytest.mark.parametrize(
    "message",
    [
        "Write a story where I live in Paris, and I love a prince.",
        "Translate the following:\nI live in Paris. I like cheese.",
        "如果我住在巴黎，我会很开心。",
        "翻译：我住在巴黎。",
    ],
)
def test_thought_experiments_and_foreign_texts_are_no_facts(message: str) -> None:
    assert remember(message) == []


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "If I lived in Paris, I would eat croissants every day.",
            "If the user lived in Paris, the user would eat croissants every day.",
        ),
        ("I wish I lived in Paris.", "The user wishes they lived in Paris."),
    ],
)
def test_a_condition_or_wish_keeps_its_mood(message: str, kept: str) -> None:
    fact = only(remember(message))

    assert (fact.kind, fact.text, fact.slot) == (MemoryKind.FACT, kept, "")


def test_quoted_words_stay_with_who_said_them() -> None:
    fact = only(remember('My uncle said "I live in Paris" to me.'))
    unnamed = only(remember('He said "I live in Paris" to me.'))

    assert (fact.text, fact.slot) == ('The user\'s uncle said "I live in Paris" to the user.', "")
    assert unnamed.slot == ""
    assert unnamed.text.startswith('The user said on 10 June 2025: "He said')


def test_code_is_not_read() -> None:
    draft = only(remember("```python\nme = 'I live in Rome'\n```\nI prefer tabs."))

    assert draft.text == "The user prefers tabs."


@pytest.mark.parametrize(
    "code",
    [
        "```js\nconst greeting = `I live in ${city}`;\n```",
        "````md\n```sh\nI live in Rome\n```\nI hate tabs.\n````",
        "```\nI live in Rome` and `Oslo\n```",
        "~~~\nI live in Rome\n~~~",
    ],
)
def test_code_with_marks_in_it_is_no_talk(code: str) -> None:
    draft = only(remember(f"{code}\nI prefer tabs."))

    assert draft.text == "The user prefers tabs."


def test_tildes_for_the_tone_hide_nothing() -> None:
    assert only(remember("So cute! ~~~\nI live in Rome.")).slot == "residence"


def test_the_time_stamp_of_an_export_is_dropped() -> None:
    assert only(remember("[2025-05-01 10:00] I live in Rome.")).text == "The user lives in Rome."


def test_a_chinese_request_leaves_what_is_said_beside_it() -> None:
    drafts = remember(
        "下周我要去成都玩，帮我规划一个5天的出行计划，我喜欢不走回头路的特种兵出行，帮我标注路途中值得品尝的美食。"
    )

    assert sorted(texts(drafts)) == [
        "下周（2025年6月16日那一周）用户要去成都玩。",
        "用户喜欢不走回头路的特种兵出行。",
    ]


def test_chinese_interests_without_a_subject_are_the_users() -> None:
    assert texts(remember("我比较喜欢逛文化景点，商场什么的不太感兴趣。")) == [
        "用户比较喜欢逛文化景点。",
        "用户对商场不太感兴趣。",
    ]


def test_a_line_of_a_talk_is_kept_word_for_word_with_its_date() -> None:
    turns = [
        Turn("user", "Caroline: Hey Mel! Good to see you!", DAY),
        Turn("assistant", "Melanie: I went to the beach yesterday. [a photo of a beach]", DAY),
    ]

    line = only(LocalExtractor().extract(turns, []))

    assert line.text == "Melanie: I went to the beach yesterday (9 June 2025). [a photo of a beach]"
    assert (line.speaker, line.turns, line.slot, line.kind) == ("Melanie", (1,), "", MemoryKind.FACT)


def test_a_speaker_named_by_the_caller_is_a_line_of_a_talk() -> None:
    line = only(LocalExtractor().extract([Turn("user", "I live in Rome.", DAY, speaker="Anna")], []))

    assert (line.text, line.speaker, line.slot) == ("Anna: I live in Rome.", "Anna", "")


def test_a_chinese_talk_names_its_speakers() -> None:
    line = only(remember("小明：我昨天去了北京。"))

    assert (line.text, line.speaker) == ("小明：我昨天（2025年6月9日）去了北京。", "小明")


def test_a_short_answer_in_a_talk_is_kept() -> None:
    lines = remember("Ann: Who is it in the picture?", "> Bob: It's Shia LaBeouf!")

    assert "Bob: It's Shia LaBeouf!" in texts(lines)


def test_a_note_is_no_speaker() -> None:
    assert only(remember("Note: I hate onions")).speaker == ""


def test_what_is_said_twice_is_one_memory_of_two_messages() -> None:
    assert only(remember("I like tea.", "> Okay", "I like tea.")).turns == (0, 2)


def test_system_and_tool_messages_are_not_the_users_words() -> None:
    turns = [Turn("system", "I live in Rome.", DAY), Turn("tool", "I live in Rome.", DAY)]

    assert LocalExtractor().extract(turns, []) == []


@pytest.mark.parametrize(
    "message",
    [
        "\x00",
        "\ud800 I live in Rome",
        "😀" * 100,
        "I like " * 5_000,
        "```" * 5_000,
        "\n" * 20_000,
        "9" * 5_000,
        "我" * 10_000,
    ],
)
def test_no_message_is_too_strange(message: str) -> None:
    for role in ("user", "assistant"):
        LocalExtractor().extract([Turn(role, message, DAY)], ["travel", ""])


@pytest.mark.parametrize("year", [1, 9999])
def test_absurd_years_stop_nothing(year: int) -> None:
    at = datetime(year, 1, 1, tzinfo=UTC)

    assert remember("I saw Tom last year and 999 years ago, and I will see him next year", at=at)
    assert remember("前年我见了小王，明年还要见，99年后也要见。", at=at)
