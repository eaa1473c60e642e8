"""What people tell of themselves makes no skill; what an assistant was asked to do, or did, may make one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from memories.values import Turn
from skills.generation.compose import compose_skill
from skills.generation.episode_weight import compute_weight, suffice_for_skill
from skills.reading.findings import Known, Method
from skills.reading.quality import is_sound_name
from skills.reading.split_conversation import read_conversation_by_rules
from tests.support.api_client import Message
from tests.support.skills.travellers import talk

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
ABOUT_ONESELF = {
    "a baker": talk(
        "I run a bakery with three employees. We open at six and close on Mondays.",
        "What would you like to improve?",
        "Orders. Every Friday I order 40 kilos of rye flour from a mill in Viseu.",
        "Shall I remind you on Thursdays?",
        "Yes, and I prefer prices without tax.",
    ),
    "a teacher of music": talk(
        "I teach violin to children on weekday afternoons. I start at three.",
        "Lovely. How many pupils do you have?",
        "Eleven. Never phone me during lessons, and I prefer short messages.",
        "Understood.",
        "I also hate spreadsheets.",
    ),
    "a farmer": talk(
        "We keep sixty goats up in the hills and make cheese ourselves.",
        "What kind of cheese?",
        "Soft ones mostly. Always label them with the date. We close in January.",
        "Good to know.",
        "My husband drives the van, and I prefer calls over mails.",
    ),
    "a widower": talk(
        "My wife died last spring. I walk the dog at six each morning.",
        "I am sorry. How are you doing?",
        "Better. I want to visit my daughter in Leeds in May. I don't eat meat any more.",
        "That sounds good.",
        "Keep it gentle with me, please. I like jazz.",
    ),
    "a singer": talk(
        "I sing in a choir on Tuesdays and my voice is low.",
        "What do you sing?",
        "Mostly Bach. Please call me Jo, and don't use exclamation marks.",
        "All right, Jo.",
        "I'd like to see Leipzig one day. We rehearse in a church.",
    ),
    "a student": talk(
        "我叫林晓，在读大学三年级，专业是植物学。",
        "你好，林晓！有什么可以帮你？",
        "毕业后打算去一家种子公司。我住在杭州。",
        "好的，记住了。",
        "我喜欢简短的回答。",
    ),
    "a teacher of physics": talk(
        "我在县城中学教物理，带两个班。",
        "学生怎么样？",
        "挺好。以后回答都用简体，不要太长。我周三不上班。",
        "明白。",
        "我女儿今年上初一，我喜欢早起跑步。",
    ),
    "a nurse": talk(
        "我在急诊科当护士，上夜班比较多。",
        "辛苦了，您一般什么时候休息？",
        "下午睡觉，别在下午给我打电话。我喜欢文字消息。",
        "好的。",
        "我不吃辣，打算明年考护理硕士。",
    ),
}
WORK = {
    "Boiler loses pressure every few days": talk(
        "My boiler loses pressure every few days.",
        "1. Check the gauge when cold.\n2. Look for drips at each radiator valve.\n3. Test the expansion vessel.\n"
        "4. Refill to 1.2 bar.",
        "The valves were dry, it was the expansion vessel. Always check that one first.",
        "Then recharge it to 0.8 bar.",
        "Worked, thank you!",
    ),
    "Prepare a workshop on pruning fruit trees": talk(
        "I'm preparing a workshop on pruning fruit trees for twelve beginners.",
        "1. Start with safety.\n2. Show three cuts on one branch.\n3. Let pairs practise.\n4. End with questions.",
        "No slides please, and the practice should come before the talk.",
        "Then practice first, no slides.",
        "Great, that is what I need.",
    ),
    "把采访录音整理成文章": talk(
        "帮我把采访录音整理成文章。",
        "1. 先转写全文。\n2. 按话题分段。\n3. 删去口头语。\n4. 加小标题。",
        "不要改受访者的原话，小标题不超过十个字。",
        "好的，已按要求修改。",
        "很好，就这样。",
    ),
    "给阳台的月季换盆": talk(
        "怎么给阳台的月季换盆？",
        "1. 提前一天浇水。\n2. 选大一号的盆。\n3. 剪掉烂根。\n4. 换新土后遮阴三天。",
        "我家阳台朝北，遮阴可以省掉。另外别用花肥。",
        "那就换土后直接放回。",
        "成功了，谢谢。",
    ),
}


def write_methods(messages: Sequence[Message]) -> list[Method]:
    turns = [
        Turn(message["role"], message["content"], NOON + at * timedelta(minutes=1))
        for at, message in enumerate(messages)
    ]
    readings = read_conversation_by_rules(turns, range(len(turns)))
    known = [Known((1, reading.first), 1, reading, compute_weight(reading), 0.0) for reading in readings]
    made = [compose_skill([episode]) for episode in known if suffice_for_skill([episode])]
    return [method for method in made if method is not None]


@pytest.mark.parametrize("who", ABOUT_ONESELF)
def test_what_people_tell_of_themselves_is_no_method(who: str) -> None:
    assert write_methods(ABOUT_ONESELF[who]) == []


def test_what_was_moved_to_another_day_names_no_kind_of_task() -> None:
    happened = ("改到12月8号了", "改到12月8号", "改成850毫克了", "推迟到下周一")
    assert not [name for name in happened if is_sound_name(name, "zh")]
    work = ("整理会议纪要", "改写简历", "改签机票", "把录音整理成文章", "调整预算")
    assert [name for name in work if is_sound_name(name, "zh")] == list(work)


@pytest.mark.parametrize("name", WORK)
def test_work_that_was_done_is_called_what_was_asked_for(name: str) -> None:
    (method,) = write_methods(WORK[name])

    assert method.value["name"] == name
