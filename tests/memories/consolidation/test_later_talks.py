"""Several talks, weeks apart: a search after the last one returns what holds today."""

from __future__ import annotations

import pytest

from tests.support.api_client import Api, message

Change = tuple[tuple[str, ...], str, str]

WEEKS = 40 * 24 * 3_600_000
FIRST = 1_750_000_000_000


def talk(api: Api, user: str, *talks: list[str]) -> list[str]:
    """What is held of the user after all of them."""
    for at, texts in enumerate(talks):
        messages = [message("user", text, chat_time=FIRST + at * WEEKS) for text in texts]
        api.add(user, *messages, conversation_id=f"talk {at}")
    return api.current(user)


def tell(api: Api, user: str, stories: list[tuple[str, ...]]) -> list[str]:
    """Each story's beginning in one talk, each one's next part in the next talk."""
    longest = max(map(len, stories))
    return talk(api, user, *([story[at] for story in stories if at < len(story)] for at in range(longest)))


CHANGES: dict[str, list[Change]] = {
    "in English": [
        (("Our rent is 640 euros a month.", "My rent went up by 35 euros."), "675 euros a month", "is 640"),
        (("We have a cat called Pumpkin.", "We renamed the cat Biscuit."), "Biscuit", "called Pumpkin"),
        (
            ("Our dog Bracken sleeps outside in the kennel.", "Bracken sleeps indoors these days."),
            "indoors",
            "kennel",
        ),
        (
            ("I run the village choir.", "I've handed the choir over to Ines."),
            "handed the choir over",
            "runs the",
        ),
        (
            ("I play squash with Dermot every Monday.", "I don't play squash any more."),
            "does not play squash",
            "plays squash",
        ),
        (
            ("I've been vegetarian since college.", "I eat meat again since the spring."),
            "eats meat again",
            "has been vegetarian",
        ),
        (("I smoke a pipe.", "I've given the pipe up."), "has given the pipe up", "smokes a pipe"),
        (
            (
                "The viva is pencilled in for 18 June 2027.",
                "The viva's been pushed back to 3 July 2027 because Prof. Lind has a clash.",
            ),
            "3 July",
            "18 June",
        ),
        (
            ("My accountant's called Priya Nair.", "Priya's retired so I use Dhruv from the same firm now."),
            "Dhruv",
            "is called Priya",
        ),
        (
            ("I've stopped smoking.", "Started smoking again, I'm so cross."),
            "smoking again",
            "has stopped smoking",
        ),
        (
            ("I'm looking for a flat in Leith.", "Found a flat in Leith, we move in on 1 June."),
            "found a flat",
            "looking for",
        ),
        (
            ("I have a cat allergy.", "The allergist says I'm not allergic to cats after all."),
            "not allergic",
            "has a cat allergy",
        ),
        (("My gran is 91.", "Gran turned 92 yesterday."), "92", "is 91"),
        (
            ("My phone number is 07700 900123.", "I changed my number. It's 07700 900456 now."),
            "07700 900456",
            "900123",
        ),
        (
            ("I'm allergic to peanuts.", "It's my husband who is allergic to peanuts, not me."),
            "husband is allergic",
            "user is allergic",
        ),
    ],
    "in Chinese": [
        (("我的手机号是13912345678。", "我换号了，现在是13887654321。"), "现在是13887654321", "139"),
        (("我家住在朝阳区幸福路3号。", "搬家了，新地址是海淀区中关村大街5号。"), "中关村", "幸福路"),
        (("我每天吃布洛芬。", "布洛芬是我妈吃的，不是我。"), "妈妈吃布洛芬", "每天"),
        (("我们小区停车费一个月三百块。", "停车费又涨了五十块。"), "350", "三百块"),
        (("我每周三晚上去上瑜伽课。", "瑜伽课我改到周六上午了。"), "周六", "周三"),
        (
            ("我女儿在实验小学上三年级，喜欢画画。", "女儿转学了，现在在育才小学。"),
            "女儿喜欢画画",
            "在实验小学",
        ),
        (("我叫赵雨桐。", "我改名了，现在叫赵知微，户口本都换好了。"), "赵知微", "赵雨桐"),
        (
            ("我住在杭州滨江，租的两居室，一个月五千六。", "昨天搬完了，萧山这边三居室才四千八。"),
            "萧山",
            "滨江",
        ),
        (("体检查出来尿酸520。", "复查尿酸降到410了。"), "410", "520"),
        (
            ("我开始减肥，现在82公斤，目标70。", "今天称了，76.5公斤。", "到71了。"),
            "现在71公斤，目标70",
            "82",
        ),
        (("晚上不吃主食。", "最近主食又开始吃了。"), "又开始吃", "不吃主食"),
        (("我开始戒烟了。", "过年又抽上了。"), "又抽上了", "戒烟"),
        (("我们组长叫韩冰。", "韩冰调去深圳了，新组长是从产品那边来的，叫邢露。"), "邢露", "组长叫韩冰"),
        (
            ("小宝九月要从实验二小转到育才外国语。", "小宝最后没转成，还在实验二小。"),
            "没转成",
            "要从实验二小",
        ),
        (
            (
                "我和小陆定在十月二号办婚礼，在外滩的一家酒店，二十桌。",
                "婚礼改成草坪的了，在松江，桌数减到十五桌，日子没变。",
            ),
            "办婚礼，在松江，十五桌",
            "外滩",
        ),
    ],
    "of where one lives": [
        (
            ("我住在杭州滨江，租的两居室，一个月五千六。", "昨天搬完了，萧山这边三居室才四千八。"),
            "萧山",
            "五千六",
        ),
    ],
    "of what one does": [
        (("我跑外卖的，美团，一天能跑四十单，住在五道口的城中村。", "改跑饿了么了。"), "五道口", "美团"),
    ],
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_the_later_talk_is_what_holds(api: Api, changes: list[Change]) -> None:
    now = tell(api, "kim", [talks for talks, _, _ in changes])

    assert [holds for _, holds, _ in changes if not any(holds in text for text in now)] == [], now
    assert [over for _, _, over in changes if any(over in text for text in now)] == [], now


def test_a_day_that_is_corrected_loses_the_date_that_was_worked_out_for_the_old_one(api: Api) -> None:
    haircut = "I have a haircut on Friday at 3 with Sam in the village."

    now = talk(api, "kim", [haircut], ["My haircut has been moved to Thursday."])

    assert "The user has a haircut on Thursday at 3 with Sam in the village." in now


def test_a_difference_counts_once_and_stays_to_be_read(api: Api) -> None:
    rise = ["My rent went up by 35 euros."]

    now = talk(api, "kim", ["Our rent is 640 euros a month."], rise, rise)

    assert "The user's rent is 675 euros a month." in now
    assert "The user's rent went up by 35 euros." in now


NO_CHANGES: dict[str, list[tuple[tuple[str, ...], str]]] = {
    "in English": [
        (("We keep five hens.", "My neighbour is down to two hens after the fox."), "five hens"),
        (("I play the fiddle in a band.", "I've taken up the banjo now as well."), "fiddle"),
        (("We have a van for the market.", "We got a second van for the deliveries."), "van for the market"),
        (("My rent is 500 euros.", "My sister's rent went up by 40 euros."), "500 euros"),
        (("I take 10 mg of ramipril.", "The doctor might switch me to losartan next year."), "ramipril"),
        (("My work email is kim@acme.com.", "I changed my email to kim@new.org."), "kim@acme.com"),
    ],
    "in Chinese": [
        (("我妈的电话是13912345678。", "我换号了，现在是13887654321。"), "妈妈的电话是139"),
        (("我女儿对花生过敏。", "对花生过敏的是我老公，不是我。"), "女儿对花生过敏"),
        (("我每周三上瑜伽课。", "这周的瑜伽课改到周六了。"), "周三"),
        (("我家猫叫豆豆。", "邻居给猫改名叫元宝了。"), "豆豆"),
        (("我叫赵雨桐。", "同事改名了，现在叫王知微。"), "叫赵雨桐"),
        (("我住在杭州滨江。", "我姐昨天搬完家了，萧山那边三居室才四千八。"), "滨江"),
        (("体检查出来尿酸520。", "复查的是我妈，尿酸410。"), "520"),
        (("我们组长叫韩冰。", "我老公离职了。"), "韩冰"),
    ],
}


@pytest.mark.parametrize("cases", NO_CHANGES.values(), ids=NO_CHANGES)
def test_what_is_no_change_leaves_it(api: Api, cases: list[tuple[tuple[str, ...], str]]) -> None:
    now = tell(api, "kim", [talks for talks, _ in cases])

    assert [stays for _, stays in cases if not any(stays in text for text in now)] == [], now
