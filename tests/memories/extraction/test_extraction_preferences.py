"""Which preferences are remembered of what users say and choose."""

from __future__ import annotations

import pytest

from memories.values import MemoryKind
from tests.support.extraction.extraction import only, remember, texts


def test_lighter_food_replaces_spicy_food() -> None:
    spicy = only(remember("I like spicy food."))

    now = remember("I can't eat very oily or spicy food now, and I prefer something lighter.")

    assert {draft.kind for draft in now} == {MemoryKind.PREFERENCE}
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

    assert (allergy.kind, allergy.slot) == (MemoryKind.PREFERENCE, "allergy:peanut")
    assert (diet.kind, diet.slot) == (MemoryKind.PREFERENCE, "diet")


@pytest.mark.parametrize(
    ("message", "wish"),
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
def test_wishes_for_the_style_of_answers_are_preferences(message: str, wish: str) -> None:
    draft = only(remember(message))

    assert (draft.kind, draft.text) == (MemoryKind.PREFERENCE, wish)
    assert draft.slot.startswith("style:")


def test_a_task_is_no_wish_for_style() -> None:
    assert remember("Write a short poem", "Give me a detailed explanation of tides") == []


@pytest.mark.parametrize(
    "message",
    [
        "If we moved to Portugal I'd probably open a guesthouse, but my wife would never leave Leeds.",
        "If we had a garden, dogs would be on the list.",
        "If I skip lunch, work suffers.",
        "When we visit my parents, nobody talks about politics.",
        "Every time I open a spreadsheet, numbers swim before my eyes.",
        "From now on, I work Tuesdays.",
        "Christmas, I always work.",
    ],
)
def test_what_would_be_or_happens_on_an_occasion_is_no_order(message: str) -> None:
    assert {draft.kind for draft in remember(message)} == {MemoryKind.FACT}


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        (
            "When I paste code, point out the bugs first.",
            "point out the bugs first when the user pastes code.",
        ),
        ("If I sound tired, keep it short.", "keep it short if the user sounds tired."),
        ("If you could always answer in metric, that would be great.", "always answer in metric."),
        ("In future, I'd like you to use metric.", "use metric."),
        (
            "If I don't reply by six, text my husband.",
            "text the user's husband if the user does not reply by six.",
        ),
    ],
)
def test_an_order_for_an_occasion_is_kept(message: str, wish: str) -> None:
    assert texts(remember(message)) == [f"The user wants the assistant to {wish}"]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Kayleigh won't eat anything orange, don't ask.", ["Kayleigh will not eat anything orange."]),
        ("I put my back out sneezing, go figure.", ["The user put their back out sneezing."]),
        ("My ex kept the dog, tell me about it.", ["The user's ex kept the dog."]),
        ("I'm scared of moths, don't laugh.", ["The user is scared of moths."]),
        ("Don't get me wrong, I love my job.", ["The user loves their job."]),
        ("Don't get me started on parking in Leeds.", []),
        (
            "Don't ask for my address again.",
            ["The user wants the assistant not to ask for the user's address again."],
        ),
        (
            "Never ask me about my weight.",
            ["The user wants the assistant never to ask the user about the user's weight."],
        ),
    ],
)
def test_an_idiom_in_the_form_of_an_order_asks_for_nothing(message: str, kept: list[str]) -> None:
    assert texts(remember(message)) == kept


@pytest.mark.parametrize(
    "message",
    [
        "I'm so annoyed with myself.",
        "I'm annoyed with my sister.",
        "I hate myself for forgetting.",
        "I'm really sick of myself.",
    ],
)
def test_a_mood_is_no_preference(message: str) -> None:
    assert only(remember(message)).kind is MemoryKind.FACT


def test_what_annoys_anybody_who_does_it_is_a_preference() -> None:
    assert only(remember("I'm annoyed by people who chew loudly.")).kind is MemoryKind.PREFERENCE


@pytest.mark.parametrize(
    "message",
    [
        "For holidays I steer well clear of cruises.",
        "The idea of being stuck on a boat gives me the creeps.",
        "I try to avoid plastic wherever I can.",
        "Gyms with mirrors put me off.",
        "I can't be doing with small talk.",
        "I only watch films with subtitles on.",
        "I give escape rooms a wide berth.",
        "I won't touch liver.",
        "Open-plan offices do my head in.",
        "Jazz leaves me cold.",
        "Karaoke is not my thing.",
        "I've no patience for queues.",
        "We only fly with KLM.",
        "I insist on a window seat.",
    ],
)
def test_what_is_avoided_cannot_be_borne_or_is_the_only_choice_is_a_preference(message: str) -> None:
    assert only(remember(message)).kind is MemoryKind.PREFERENCE


@pytest.mark.parametrize(
    "message",
    [
        "I only work Tuesdays.",
        "I only drink at weekends.",
        "I only wear wool in winter.",
        "I only use the car for work.",
        "I only buy flowers for my mum.",
        "We only watch telly together.",
        "I insist on my right to a refund.",
        "I can't get into my account.",
        "I only have two cousins.",
        "I only read the first chapter.",
        "My boss drives me mad.",
        "The roadworks are driving me mad.",
        "The dentist put me off until May.",
        "I stayed away from work on Friday.",
        "We had to steer clear of the ice yesterday.",
    ],
)
def test_circumstances_and_what_happened_once_are_no_preferences(message: str) -> None:
    assert {draft.kind for draft in remember(message)} == {MemoryKind.FACT}


def test_liking_to_do_something_once_is_no_preference() -> None:
    assert only(remember("I'd love to visit Japan someday.")).kind is MemoryKind.FACT


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
    assert {draft.kind for draft in drafts} == {MemoryKind.PREFERENCE}


def test_a_chinese_form_gives_states_and_preferences() -> None:
    name, liking = remember("姓名：张三\n喜欢的电影类型：科幻、动作")

    assert (name.text, name.slot, name.kind) == ("用户的姓名：张三。", "name", MemoryKind.FACT)
    assert (liking.text, liking.kind) == ("用户喜欢的电影类型：科幻、动作。", MemoryKind.PREFERENCE)


def test_a_behaviour_log_hints_at_an_interest() -> None:
    fact, hint = remember("Clicked 'Retirement Finance' ad to enter app")

    assert fact.text == "The user clicked 'Retirement Finance' ad to enter app."
    assert (hint.text, hint.preference_type) == (
        "The user may be interested in Retirement Finance.",
        "implicit_preference",
    )


HOTELS = (
    "I have booked a summer trip to Guangzhou. Which hotel chains are available?",
    "> You can consider 7 Days Inn, Ji Hotel, Hilton, and others.",
    "I will choose 7 Days Inn.",
    "> Got it. Feel free to ask if you have other questions.",
)


def test_a_choice_is_remembered_with_what_it_is_for() -> None:
    fact = next(draft for draft in remember(*HOTELS) if draft.kind is MemoryKind.FACT and not draft.speaker)

    assert fact.text.startswith("The user has booked a summer trip to Guangzhou and chose 7 Days Inn")
    assert fact.turns == (0, 1, 2)


def test_a_choice_hints_at_a_preference() -> None:
    hint = next(draft for draft in remember(*HOTELS) if draft.kind is MemoryKind.PREFERENCE)

    assert hint.preference_type == "implicit_preference"
    assert (
        hint.text
        == "When choosing hotel chains, the user may prefer 7 Days Inn rather than Ji Hotel or Hilton."
    )
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


@pytest.mark.parametrize(
    "message",
    [
        # What somebody avoids.
        "旅游我最怕跟团，赶鸭子似的",
        "推销电话我一听就烦",
        "恐怖片我向来敬而远之",
        "言情剧我提不起兴趣",
        "排队超过半小时的店我都绕道走",
        "酒桌应酬我最烦劝酒",
        # What somebody insists on.
        "住酒店我一定要高楼层、远离电梯，睡眠浅",
        "睡觉我必须戴眼罩",
        "我吃饺子一定要蘸醋",
        "我跑步非塑胶跑道不跑",
        "我只坐靠过道的位置",
        # A rule of one's own.
        "能发文档解决的就别开",
        "能走路我就不打车",
    ],
)
def test_what_users_avoid_or_insist_on_is_a_preference(message: str) -> None:
    assert only(remember(message)).kind is MemoryKind.PREFERENCE


@pytest.mark.parametrize(
    "message",
    [
        "老板说一定要周五交",
        "明天一定要去银行",
        "我只有周末有空",
        "我只吃了个包子",
        "医生让我只吃流食",
        "上班我必须打卡",
        "我最怕孩子生病",
        "我妈最怕跟团",
        "我老公非名牌不穿",
        "最近上班提不起劲",
        "我昨晚只睡四个小时",
        "堵车，绕路走的",
        "能不去就不去了",
        "我非去不可",
    ],
)
def test_what_others_demand_and_what_is_so_for_once_is_none(message: str) -> None:
    assert all(draft.kind is MemoryKind.FACT for draft in remember(message))


def test_what_is_chosen_of_ones_own_question_is_a_preference() -> None:
    drafts = remember(
        "看视频还是上手做项目，纠结", "> 你想怎么学？", "那我还是上手做项目吧，光看视频容易走神"
    )

    assert [draft.text for draft in drafts if draft.kind is MemoryKind.PREFERENCE] == [
        "用户更倾向于上手做项目。"
    ]


@pytest.mark.parametrize(
    "messages",
    [
        ("今晚吃火锅还是烤肉？", "> 都行", "还是吃火锅吧"),
        ("我想换工作", "> 加油", "还是算了吧"),
        ("我最近好累", "> 注意休息", "我还是早点睡吧"),
    ],
)
def test_what_is_chosen_for_one_day_or_of_nothing_is_none(messages: tuple[str, ...]) -> None:
    assert all(draft.kind is MemoryKind.FACT for draft in remember(*messages))
