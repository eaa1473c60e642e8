"""The same promises, told and asked in Chinese."""

from __future__ import annotations

import pytest

from tests.support.api_client import Api, message

USER = "小明"


def tell(api: Api, *messages: str | dict[str, object], **options: object) -> None:
    talk = [turn if isinstance(turn, dict) else message("user", turn) for turn in messages]
    task = api.data("add/message", {"user_id": USER, "conversation_id": "first", "messages": talk, **options})
    assert api.wait_until_done(task["task_id"]) == "completed"


@pytest.fixture
def life(api: Api) -> Api:
    """Two homes and two journeys, told at their times."""
    tell(
        api,
        message("user", "我住在北京。", chat_time="2025-01-10 10:00:00"),
        message("user", "我搬到了上海。", chat_time="2025-06-01 10:00:00"),
        message("user", "去年国庆我去西安旅游了。", chat_time="2025-10-08 10:00:00"),
        message("user", "今年五一我去杭州旅游了。", chat_time="2026-05-02 10:00:00"),
    )
    return api


def test_the_present_home_and_the_former_one(life: Api) -> None:
    now = life.facts(USER, "我现在住在哪里？")
    before = life.facts(USER, "我以前住在哪里？")

    assert "上海" in now[0]
    assert not any("北京" in fact for fact in now)
    assert "北京" in before[0]


def test_both_journeys_are_kept_with_the_latest_first(life: Api) -> None:
    facts = life.facts(USER, "我去过哪些地方旅游？")

    assert [city for fact in facts for city in ("杭州", "西安") if city in fact] == ["杭州", "西安"]


def test_the_hotel_that_was_picked(api: Api) -> None:
    tell(
        api,
        "我订了暑假去广州的旅行，有哪些连锁酒店可以选？",
        message("assistant", "可以考虑7天、全季、希尔顿等等。"),
        "我选7天。",
    )

    answer = api.search(USER, "国庆节我想出去旅游，帮我推荐酒店")

    assert any(
        "广州" in item["memory_value"] and "选择了7天" in item["memory_value"]
        for item in answer["memory_detail_list"]
    )
    assert any(item["preference_type"] == "implicit_preference" for item in answer["preference_detail_list"])


def test_light_food_replaces_spicy_food(api: Api) -> None:
    tell(api, message("user", "我喜欢吃辣。", chat_time="2025-09-12 08:00:00"))
    tell(api, message("user", "我现在不能吃辣，喜欢清淡的口味。", chat_time="2025-09-25 12:00:00"))

    preferences = api.preferences(USER, "用户喜欢吃什么口味？")

    assert "用户喜欢吃辣。" not in preferences
    assert any("清淡" in preference for preference in preferences)


def test_a_taste_told_in_english_is_changed_in_chinese(api: Api) -> None:
    tell(api, message("user", "I like apples.", chat_time="2025-01-01 08:00:00"))
    tell(api, message("user", "我不喜欢苹果了。", chat_time="2025-02-01 08:00:00"))

    preferences = api.preferences(USER, "用户喜欢苹果吗？")

    assert preferences == ["用户不喜欢苹果。"]


def test_the_cat_that_eats_no_chicken(api: Api) -> None:
    tell(api, "我养了一只三个月大的猫，买什么猫粮好？对了，它不吃鸡肉味的。")

    facts = api.facts(USER, "想给猫换一款猫粮")

    assert any("不吃鸡肉味" in fact and "猫" in fact for fact in facts)


def test_the_wishes_for_a_journey_in_one_breath(api: Api) -> None:
    tell(
        api,
        "下周我要去成都玩，帮我规划一个5天的出行计划，我喜欢不走回头路的特种兵出行，帮我标注路途中值得品尝的美食。",
        message("assistant", "好的，这是您的行程。"),
        "我比较喜欢逛文化景点，商场什么的不太感兴趣。",
    )

    preferences = api.preferences(USER, "清明节我打算去云南，帮我规划7天的行程。", relativity=0)

    assert {"用户比较喜欢逛文化景点。", "用户对商场不太感兴趣。", "用户喜欢不走回头路的特种兵出行。"} <= set(
        preferences
    )


def test_the_computer_and_its_system(api: Api) -> None:
    tell(api, "我的电脑是13寸的MacBook Pro，英特尔芯片。怎么安装公司内网代理？")

    assert "MacBook Pro" in api.facts(USER, "内网代理打不开了，我的电脑应该重装哪个版本？")[0]


def test_the_budget_for_software(api: Api) -> None:
    tell(api, message("user", "办公软件的预算是800元。", chat_time="2025-03-01 09:00:00"))
    tell(api, message("user", "办公软件的预算改为600元。", chat_time="2025-06-01 09:00:00"))

    facts = api.facts(USER, "办公软件的预算是多少？")

    assert "600" in facts[0]
    assert not any("800" in fact for fact in facts)


def test_what_a_child_likes_is_not_what_the_user_likes(api: Api) -> None:
    tell(api, "我儿子三岁了，特别喜欢恐龙。")

    assert api.preferences(USER, "用户喜欢恐龙吗？", relativity=0) == []
    assert any("儿子" in fact for fact in api.facts(USER, "谁喜欢恐龙？"))


def test_first_the_home_that_is_sought_then_its_renovation(api: Api) -> None:
    tell(
        api,
        message("user", "帮我查一下滨江附近的二手房均价。", chat_time="2025-09-11 09:00:00"),
        message("user", "提醒我周六去看房。", chat_time="2025-09-11 09:05:00"),
        message("user", "记录一下最新的房贷利率变化。", chat_time="2025-09-11 09:10:00"),
    )
    tell(
        api,
        message("user", "我这周末要去看瓷砖。", chat_time="2025-11-20 09:00:00"),
        message("user", "提醒我跟装修师傅确认水电。", chat_time="2025-11-20 09:05:00"),
        message("user", "记一下下周家具送货的时间。", chat_time="2025-11-20 09:10:00"),
    )

    homes = api.facts(USER, "用户周六要去做什么？")
    works = api.facts(USER, "要跟装修师傅确认什么？")

    assert homes[0] == "用户希望被提醒周六（2025年9月13日）去看房。"
    assert "确认水电" in works[0]
    known = [item["memory_value"] for item in api.listed(USER)["memory_detail_list"]]
    assert "用户想记录最新的房贷利率变化。" in known
    assert "用户想记录下周（2025年11月24日那一周）家具送货的时间。" in known
    assert any("看瓷砖" in fact for fact in known)


def test_what_a_student_confuses_grows_with_what_is_told(api: Api) -> None:
    tell(api, "我总是分不清二次函数和一次函数。")
    tell(api, "我对指数函数也很头疼。")

    facts = "\n".join(api.facts(USER, "学生容易混淆哪些函数？"))

    assert "二次函数和一次函数" in facts
    assert "指数函数" in facts


def test_a_name_and_a_taste_in_one_breath(api: Api) -> None:
    tell(api, "我是小王，我喜欢吃辣。")

    assert api.facts(USER, "用户叫什么名字？")[0] == "用户是小王。"
    assert api.preferences(USER, "用户喜欢吃什么口味？")[0] == "用户喜欢吃辣。"


def test_the_weather_carries_the_callers_tags_and_its_own(api: Api) -> None:
    tell(
        api,
        message("user", "今天天气怎么样？", chat_time="2025-12-10 14:00:00"),
        message("assistant", "上海12月10日，多云，气温8到12度。", chat_time="2025-12-10 14:00:10"),
        tags=["天气", "多云"],
    )

    (fact,) = api.search(USER, "上海天气")["memory_detail_list"]

    assert {"天气", "多云", "气温"} <= set(fact["tags"])


def test_the_picked_ice_cream_is_a_taste_that_may_be_used(api: Api) -> None:
    tell(
        api,
        "有哪些冰淇淋口味？",
        message("assistant", "我们有香草、巧克力、草莓和芒果。"),
        "我要芒果的。",
    )

    (hint,) = api.search(USER, "我该点哪种冰淇淋？")["preference_detail_list"]

    assert hint["preference_type"] == "implicit_preference"
    assert "芒果" in hint["preference"]
    assert not any("助手有" in fact for fact in api.facts(USER, "有哪些口味？", relativity=0))


def test_behaviour_tells_the_risk_that_somebody_takes(api: Api) -> None:
    tell(api, "点击“养老理财”广告进入APP", "浏览并收藏了低风险基金")

    preferences = api.preferences(USER, "用户的风险偏好是什么？")

    assert preferences[0] == "用户可能偏好低风险的选择。"
    more = api.preferences(USER, "用户的风险偏好是什么？", relativity=0)
    assert any("养老理财" in preference for preference in more)


def test_an_allergy_that_is_to_be_remembered(api: Api) -> None:
    tell(api, "记住我对坚果过敏。")

    assert api.preferences(USER, "用户对什么过敏？") == ["用户对坚果过敏。"]
