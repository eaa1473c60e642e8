"""What Engram remembers of a conversation when no model is configured."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from memories.engine.local.extractor import LocalExtractor
from memories.values import Draft, Kind, Turn

DAY = datetime(2025, 6, 10, 9, 0, tzinfo=UTC)


def remember(*said: str, tags: Sequence[str] = (), at: datetime = DAY) -> list[Draft]:
    """Memories of what was said; "> " marks the assistant's messages."""
    turns = [
        Turn("assistant", text[2:], at) if text.startswith("> ") else Turn("user", text, at) for text in said
    ]
    return LocalExtractor().extract(turns, tags)


def texts(drafts: Sequence[Draft]) -> list[str]:
    return [draft.text for draft in drafts]


def only(drafts: Sequence[Draft]) -> Draft:
    assert len(drafts) == 1, texts(drafts)
    return drafts[0]


@pytest.mark.parametrize(
    "said",
    [
        "Hey! How are you?",
        "Thanks a lot, that's great!",
        "What's the weather?",
        "Can you help me find a flight to Rome?",
        "Recommend some good books.",
        "I want to ask about my refund progress.",
        "I have a question",
        "你好！谢谢！",
        "你喜欢什么？",
        "推荐一部电影",
        "帮我规划一个5天的行程，最好便宜一点。",
        "",
        "...!?",
    ],
)
def test_greetings_questions_and_requests_give_nothing(said: str) -> None:
    assert remember(said) == []


def test_a_statement_becomes_a_fact_in_the_third_person() -> None:
    fact = only(remember("I booked a table at Luigi's and my wife loved it."))

    assert fact.kind is Kind.FACT
    assert fact.text == "The user booked a table at Luigi's and their wife loved it."
    assert fact.turns == (0,)


def test_verbs_agree_with_the_user() -> None:
    fact = only(remember("I often go to the gym and study law, I've got a coach, and I don't work late."))

    assert fact.text == (
        "The user often goes to the gym and studies law, the user has got a coach, and the user does not work late."
    )


def test_the_statements_of_one_message_stay_together() -> None:
    fact = only(remember("Tom visited me. We cooked pasta. It rained all evening."))

    assert fact.text == "Tom visited the user. The user and others cooked pasta. It rained all evening."


def test_a_very_long_message_is_cut_into_several_facts() -> None:
    story = " ".join(
        f"Then friend number {n} told me a long story about the town of Riverside {n}." for n in range(30)
    )

    facts = remember(story)

    assert len(facts) > 2
    assert all(len(fact.text.split()) <= 90 for fact in facts)


def test_a_statement_before_a_question_is_kept() -> None:
    fact = only(remember("I want to travel during summer vacation, can you recommend something?"))

    assert fact.text == "The user wants to travel during summer vacation."


def test_a_user_who_leaves_out_the_subject_is_still_the_subject() -> None:
    fact = only(remember("Flying to Beijing next Wed, staying at Ji Hotel Chaoyang."))

    assert fact.text == "The user is flying to Beijing next Wed (18 June 2025), staying at Ji Hotel Chaoyang."
    assert fact.event_time == datetime(2025, 6, 18, tzinfo=UTC)


# Where the user lives, and when they travelled.


def test_a_residence_is_a_state() -> None:
    home = only(remember("I live in Beijing.", at=datetime(2025, 1, 10, 10, tzinfo=UTC)))

    assert (home.text, home.slot, home.memory_type) == (
        "The user lives in Beijing.",
        "residence",
        "UserMemory",
    )
    assert home.event_time == datetime(2025, 1, 10, tzinfo=UTC)


def test_a_move_says_where_the_user_lives_now() -> None:
    home = only(remember("I moved to Shanghai.", at=datetime(2025, 6, 1, 10, tzinfo=UTC)))

    assert home.text == "The user moved to Shanghai (1 June 2025) and lives there now."
    assert home.slot == "residence"


def test_a_move_in_june_names_the_year() -> None:
    home = only(remember("I moved to Shanghai in June."))

    assert home.text == "The user moved to Shanghai in June 2025 and lives there now."
    assert home.event_time == datetime(2025, 6, 1, tzinfo=UTC)


def test_a_former_residence_does_not_replace_the_present_one() -> None:
    now, before = remember("I used to live in Beijing but now I live in Shanghai.")

    assert (now.text, now.slot) == ("The user lives in Shanghai.", "residence")
    assert (before.text, before.slot) == ("The user used to live in Beijing.", "")


def test_leaving_a_place_replaces_the_state() -> None:
    assert only(remember("I no longer live in Beijing.")).slot == "residence"


def test_trips_are_events_with_their_own_time() -> None:
    first = only(
        remember(
            "I traveled to Xi'an during last year's National Day holiday.",
            at=datetime(2025, 10, 8, tzinfo=UTC),
        )
    )
    second = only(
        remember(
            "I traveled to Hangzhou during this year's May Day holiday.", at=datetime(2026, 5, 2, tzinfo=UTC)
        )
    )

    assert (first.slot, second.slot) == ("", "")
    assert first.text.endswith("last year's National Day holiday (October 2024).")
    assert first.event_time == datetime(2024, 10, 1, tzinfo=UTC)
    assert second.event_time == datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("I saw Tom yesterday", "yesterday (9 June 2025)"),
        ("I saw Tom last Friday", "last Friday (6 June 2025)"),
        ("I saw Tom on Friday", "on Friday (6 June 2025)"),
        ("I saw Tom last month", "last month (May 2025)"),
        ("I saw Tom two years ago", "two years ago (2023)"),
        ("I saw Tom three days ago", "three days ago (7 June 2025)"),
        ("I saw Tom last week", "last week (the week before 10 June 2025)"),
        ("I saw Tom last summer", "last summer (summer 2024)"),
        ("I saw Tom in August", "in August 2024"),
        ("I saw Tom on May 5th", "on May 5th, 2025"),
        ("I will see Tom tomorrow", "tomorrow (11 June 2025)"),
        ("I will see Tom next month", "next month (July 2025)"),
        ("I will see Tom in August", "in August 2025"),
        ("I will see Tom in two weeks", "in two weeks (around 24 June 2025)"),
        ("昨天我见了小王", "昨天（2025年6月9日）"),
        ("上周三我见了小王", "上周三（2025年6月4日）"),
        ("我下周三要见小王", "下周三（2025年6月18日）"),
        ("三天前我见了小王", "三天前（2025年6月7日）"),
        ("去年国庆我见了小王", "去年国庆（2024年10月）"),
        ("今年五一我见了小王", "今年五一（2025年5月）"),
        ("上个月我见了小王", "上个月（2025年5月）"),
        ("我6月20日要见小王", "6月20日（2025年6月20日）"),
    ],
)
def test_relative_dates_are_written_out(said: str, written: str) -> None:
    assert written in only(remember(said)).text


def test_how_long_something_took_is_no_date() -> None:
    assert only(remember("I finished the book in two weeks")).event_time is None


@pytest.mark.parametrize(
    ("said", "slot"),
    [
        ("My name is Maria Lopez", "name"),
        ("I'm 28 years old", "age"),
        ("I am a designer in the Creative Platform Department.", "job"),
        ("I work at Google", "employer"),
        ("My birthday is May 5", "birthday"),
        ("I got married last week", "marital status"),
        ("I have a dog named Max", "pet:max"),
        ("I drive a Tesla", "vehicle"),
        ("I study at Peking University", "school"),
        ("My laptop is a 13-inch Intel MacBook Pro", "device:computer"),
        ("I use an iPhone 15", "device:phone"),
        ("My goal is to run a marathon", "goal"),
        ("Please remember that my budget is 500 dollars.", "budget"),
        ("Last month I started working at Google.", "employer"),
        ("我叫张三", "name"),
        ("我今年28岁", "age"),
        ("我在腾讯工作", "employer"),
        ("我是一名设计师", "job"),
        ("我住在北京", "residence"),
        ("去年六月我搬到了上海。", "residence"),
        ("我养了一只猫叫咪咪", "pet:咪咪"),
        ("我的电脑是MacBook Pro", "device:computer"),
    ],
)
def test_states_have_the_slot_that_a_later_statement_replaces(said: str, slot: str) -> None:
    assert only(remember(said)).slot == slot


def test_a_person_who_introduces_themselves_is_remembered_part_by_part() -> None:
    drafts = remember("I'm Alex, 28, backend dev in Hangzhou, I play badminton.", "> Hi Alex!")

    assert texts(drafts) == [
        "The user's name is Alex.",
        "The user is 28 years old (as of 10 June 2025).",
        "The user is a backend dev in Hangzhou.",
        "The user plays badminton.",
    ]


def test_job_and_employer_can_change_apart() -> None:
    job, employer = remember("I work as a designer at Google")

    assert (job.text, job.slot) == ("The user works as a designer.", "job")
    assert (employer.text, employer.slot) == ("The user works at Google.", "employer")


def test_a_nationality_is_no_name() -> None:
    assert all(draft.slot != "name" for draft in remember("I'm Chinese", "I'm Happy"))


# Preferences.


def test_a_stated_preference_comes_with_a_reason() -> None:
    liking = only(remember("I like apples."))

    assert liking.kind is Kind.PREFERENCE
    assert (liking.text, liking.preference_type) == ("The user likes apples.", "explicit_preference")
    assert liking.reasoning == "The user said directly that they like apples."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I like apples.", "I don't like apples anymore."),
        ("I love coffee", "I can't stand coffee"),
        ("I really enjoy eating spicy dishes", "I avoid spicy food"),
        ("My favorite color is green.", "My favorite color is blue."),
        ("Please answer concisely", "From now on, reply in detail"),
        ("我喜欢苹果", "我不再喜欢苹果了"),
        ("我喜欢吃辣", "我现在不能吃辣的"),
        ("我最喜欢的颜色是绿色", "我最喜欢的颜色是蓝色"),
    ],
)
def test_a_changed_mind_meets_the_former_preference(before: str, after: str) -> None:
    assert only(remember(before)).slot == only(remember(after)).slot != ""


def test_lighter_food_replaces_spicy_food() -> None:
    spicy = only(remember("I like spicy food."))

    now = remember("I can't eat very oily or spicy food now, and I prefer something lighter.")

    assert {draft.kind for draft in now} == {Kind.PREFERENCE}
    assert (
        next(draft for draft in now if draft.slot == spicy.slot).text == "The user cannot eat spicy food now."
    )
    assert "something lighter" in now[-1].text
    assert "oily" in now[-1].text


def test_several_things_can_change_one_by_one() -> None:
    assert texts(remember("I like apples, pears and plums")) == [
        "The user likes apples.",
        "The user likes pears.",
        "The user likes plums.",
    ]


def test_it_means_what_was_named_before() -> None:
    before, after = remember("I used to love coffee, but now I hate it.")

    assert before.text == "The user used to love coffee."
    assert after.text == "The user hates coffee."
    assert before.slot == after.slot


def test_a_preference_keeps_its_circumstances() -> None:
    liking = remember("When planning trips, I prefer cultural attractions and dislike shopping malls.")

    assert texts(liking)[0] == "The user prefers cultural attractions when planning trips."
    assert liking[1].slot == "likes:shop mall"


def test_allergies_and_diets_are_preferences() -> None:
    allergy, diet = remember("I'm allergic to peanuts.", "I'm vegetarian.")

    assert (allergy.kind, allergy.slot) == (Kind.PREFERENCE, "allergy:peanut")
    assert (diet.kind, diet.slot) == (Kind.PREFERENCE, "diet")


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        (
            "Keep replies short, not too wordy.",
            "The user wants the assistant to keep replies short, not too wordy.",
        ),
        ("Also go easy on emoji.", "The user wants the assistant to go easy on emoji."),
        ("Never use jargon with me", "The user wants the assistant not to use jargon with the user."),
        ("Call me Bob", "The user wants to be called Bob."),
        ("请用中文回答", "用户希望助手用中文回答。"),
        ("叫我小李就好。", "用户希望被称呼为小李。"),
    ],
)
def test_wishes_for_the_style_of_answers_are_preferences(said: str, wish: str) -> None:
    draft = only(remember(said))

    assert (draft.kind, draft.text) == (Kind.PREFERENCE, wish)
    assert draft.slot.startswith("style:")


def test_a_task_is_no_wish_for_style() -> None:
    assert remember("Write a short poem", "Give me a detailed explanation of tides") == []


def test_liking_to_do_something_once_is_no_preference() -> None:
    assert only(remember("I'd love to visit Japan someday.")).kind is Kind.FACT


def test_a_questionnaire_gives_a_preference_per_line() -> None:
    drafts = remember(
        "Favorite movie genres: sci-fi, action, comedy\n"
        "Preferred chat style: humorous, warm\n"
        "What I want AI to help with: study planning"
    )

    assert texts(drafts) == [
        "The user's favorite movie genres: sci-fi, action, comedy.",
        "The user's preferred chat style: humorous, warm.",
        "What the user wants AI to help with: study planning.",
    ]
    assert {draft.kind for draft in drafts} == {Kind.PREFERENCE}


def test_a_chinese_form_gives_states_and_preferences() -> None:
    name, liking = remember("姓名：张三\n喜欢的电影类型：科幻、动作")

    assert (name.text, name.slot, name.kind) == ("用户的姓名：张三。", "name", Kind.FACT)
    assert (liking.text, liking.kind) == ("用户喜欢的电影类型：科幻、动作。", Kind.PREFERENCE)


def test_a_behaviour_log_hints_at_an_interest() -> None:
    fact, hint = remember("Clicked 'Retirement Finance' ad to enter app")

    assert fact.text == "The user clicked 'Retirement Finance' ad to enter app."
    assert (hint.text, hint.preference_type) == (
        "The user may be interested in Retirement Finance.",
        "implicit_preference",
    )


# The hotel of the quick start.

HOTELS = (
    "I have booked a summer trip to Guangzhou. Which hotel chains are available?",
    "> You can consider 7 Days Inn, Ji Hotel, Hilton, and others.",
    "I will choose 7 Days Inn.",
    "> Got it. Feel free to ask if you have other questions.",
)


def test_a_choice_is_remembered_with_what_it_is_for() -> None:
    fact = next(draft for draft in remember(*HOTELS) if draft.kind is Kind.FACT and not draft.speaker)

    assert fact.text.startswith("The user has booked a summer trip to Guangzhou and chose 7 Days Inn")
    assert fact.turns == (0, 1, 2)


def test_a_choice_hints_at_a_preference() -> None:
    hint = next(draft for draft in remember(*HOTELS) if draft.kind is Kind.PREFERENCE)

    assert hint.preference_type == "implicit_preference"
    assert hint.text == "The user may prefer cost-effective hotel chains, such as 7 Days Inn."
    assert "Hilton" in hint.reasoning
    assert hint.confidence < 0.7


def test_a_choice_by_number_is_understood() -> None:
    drafts = remember(
        "Any ideas for dinner?", "> I recommend pizza, sushi, or tacos.", "I'll take the second one, thanks!"
    )

    assert any(draft.text.startswith("The user chose sushi") for draft in drafts)


def test_a_choice_in_chinese_is_understood() -> None:
    drafts = remember(
        "我订了暑假去广州的旅行，有哪些连锁酒店可以选？", "> 可以考虑7天、全季、希尔顿等等。", "我选7天。"
    )

    assert any("广州" in text and "选择了7天" in text for text in texts(drafts))
    assert any(draft.preference_type == "implicit_preference" for draft in drafts)


# What others said.


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
    "said",
    [
        "> Got it, so you're traveling with your children as a family, right?",
        "> Understood, I'll recommend destinations suitable for family trips.",
        "> I have noted that you like spicy flavors.",
        "> Okay, do you need any help?",
        "> 好的，有其他问题随时问我。",
    ],
)
def test_courtesies_of_the_assistant_give_nothing(said: str) -> None:
    assert remember(said) == []


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
    fact = only(
        remember(
            "I ran 5 kilometers today and my knee feels a bit sore.", tags=["fitness planning", "finance"]
        )
    )

    assert "fitness planning" in fact.tags
    assert "finance" not in fact.tags


def test_chinese_tags_are_in_chinese() -> None:
    fact = only(remember("我昨天在医院看了医生。", tags=["健康", "旅行"]))

    assert "健康" in fact.tags
    assert "旅行" not in fact.tags


@pytest.mark.parametrize(
    "said", ["My sister likes jazz.", "我妹妹喜欢爵士乐。", "My dog Max is allergic to chicken."]
)
def test_what_others_like_is_no_preference_of_the_user(said: str) -> None:
    fact = only(remember(said))

    assert (fact.kind, fact.slot) == (Kind.FACT, "")


@pytest.mark.parametrize(
    "said",
    [
        "If I lived in Paris, I would eat croissants every day.",
        "I wish I lived in Paris.",
        "Write a story where I live in Paris, and I love a prince.",
        "Translate the following:\nI live in Paris. I like cheese.",
        "如果我住在巴黎，我会很开心。",
        "翻译：我住在巴黎。",
    ],
)
def test_thought_experiments_and_foreign_texts_are_no_facts(said: str) -> None:
    assert remember(said) == []


def test_quoted_words_stay_with_who_said_them() -> None:
    fact = only(remember('He said "I live in Paris" to me.'))

    assert (fact.text, fact.slot) == ('He said "I live in Paris" to the user.', "")


def test_code_is_not_read() -> None:
    draft = only(remember("```python\nme = 'I live in Rome'\n```\nI prefer tabs."))

    assert draft.text == "The user prefers tabs."


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


# Talks between named people.


def test_a_line_of_a_talk_is_kept_word_for_word_with_its_date() -> None:
    turns = [
        Turn("user", "Caroline: Hey Mel! Good to see you!", DAY),
        Turn("assistant", "Melanie: I went to the beach yesterday. [a photo of a beach]", DAY),
    ]

    line = only(LocalExtractor().extract(turns, []))

    assert line.text == "Melanie: I went to the beach yesterday (9 June 2025). [a photo of a beach]"
    assert (line.speaker, line.turns, line.slot, line.kind) == ("Melanie", (1,), "", Kind.FACT)


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


# Whatever people write.


def test_what_is_said_twice_is_one_memory_of_two_messages() -> None:
    assert only(remember("I like tea.", "> Okay", "I like tea.")).turns == (0, 2)


def test_system_and_tool_messages_are_not_the_users_words() -> None:
    turns = [Turn("system", "I live in Rome.", DAY), Turn("tool", "I live in Rome.", DAY)]

    assert LocalExtractor().extract(turns, []) == []


@pytest.mark.parametrize(
    "said",
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
def test_no_message_is_too_strange(said: str) -> None:
    for role in ("user", "assistant"):
        LocalExtractor().extract([Turn(role, said, DAY)], ["travel", ""])


@pytest.mark.parametrize("year", [1, 9999])
def test_absurd_years_stop_nothing(year: int) -> None:
    at = datetime(year, 1, 1, tzinfo=UTC)

    assert remember("I saw Tom last year and 999 years ago, and I will see him next year", at=at)
    assert remember("前年我见了小王，明年还要见，99年后也要见。", at=at)
