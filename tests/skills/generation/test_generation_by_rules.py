"""What the rules find in conversations, when that is enough for a skill, and how they write it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from memories.values import ToolCall, Turn
from skills.generation.compose import compose_skill
from skills.generation.episode_weight import compute_confidence, compute_weight, suffice_for_skill
from skills.generation.sections import apply_to_edited
from skills.generation.similar_episodes import are_alike
from skills.packages.skill_md import parse_skill_md, write_skill_md
from skills.reading.findings import FindingPart, Known, TaskReading
from skills.reading.split_conversation import may_hold_a_task, read_conversation_by_rules
from tests.support.api_client import Message
from tests.support.skills.travellers import (
    INTENSE,
    INTENSE_ZH,
    NIGHT_OWL,
    NIGHT_OWL_ZH,
    RETURN,
    RETURN_ZH,
    talk,
)

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)

STRONG = {
    "intense": INTENSE,
    "intense zh": INTENSE_ZH,
    "owl": NIGHT_OWL,
    "owl zh": NIGHT_OWL_ZH,
    "return": RETURN,
    "return zh": RETURN_ZH,
    "email": talk(
        "Write an email to my landlord about the broken heating.",
        "Dear Mr Smith, ...",
        "Too long. Keep it under 100 words and put the request in the first line.",
        "Dear Mr Smith, please repair the heating.",
        "Perfect, thanks! I always sign with just my first name.",
    ),
    "report zh": talk(
        "帮我写周报，先列本周完成的事项，再写下周计划。",
        "好的",
        "每一条都要带上数据，不要写空话。",
        "改好了",
        "太长了，控制在一页以内。",
        "好",
        "可以了，就这样。",
    ),
    "code": talk(
        "Write a Python function that parses dates. Use type hints everywhere.",
        "def parse(text: str) -> date: ...",
        "It fails on empty strings. Raise a ValueError there, and add a test for it.",
        "Here it is.",
        "Great, that works now. No third-party packages next time please.",
    ),
    "printer": talk(
        "My printer won't connect to the wifi. How can I fix it?",
        "Try this:\n1. Restart the router and wait a minute.\n2. Turn the printer off and on.\n3. Connect it again.",
        "Still doesn't work.",
        "Then:\n1. Open the settings of the printer.\n2. Reset the network settings.\n3. Install the driver again.",
        "That worked, thank you!",
    ),
    "meals zh": talk(
        "帮我做一份一周的减脂餐食谱，我不吃牛肉。",
        "好的",
        "每天的晚餐要在三十分钟内做完。",
        "好的",
        "附上采购清单，按超市区域分类。",
        "完成了",
        "太好了！",
    ),
}
STRONG |= {
    "meals": talk(
        "Can you make a meal plan for next week? I'm vegetarian and I only have 30 minutes on weekdays.",
        "Sure!\n- Monday: lentil curry\n- Tuesday: pasta with spinach\n- Wednesday: fried rice",
        "I don't like spinach, swap it for something else please. And could you add a shopping list sorted by aisle?",
        "Done, here it is.",
        "Great. Also make sure there are leftovers for lunch.",
    ),
    "slides zh": talk(
        "帮我做一个季度汇报的PPT大纲。",
        "好的：\n1. 业绩回顾\n2. 问题分析\n3. 下季计划",
        "每页只放一个观点，字要少。",
        "明白",
        "先讲结论再讲数据，最后一页放需要的支持。",
        "已调整",
        "很好，就按这个来。",
    ),
    "fitness zh": talk(
        "帮我制定一个减脂的健身计划，我膝盖不好，不能跑步。",
        "可以：\n- 周一：上肢力量\n- 周三：游泳\n- 周五：核心训练",
        "我只有周末和周三晚上有空。",
        "调整为周三、周六、周日。",
        "每次控制在四十分钟以内，动作写清楚组数。",
        "好的",
        "不错，谢谢",
    ),
    "email zh": talk(
        "帮我写一封邮件给客户，说明交货推迟。",
        "尊敬的客户……",
        "语气太生硬了，改得委婉一点，先道歉再说原因。",
        "非常抱歉……",
        "可以，以后给客户的邮件都要附上新的交期。",
    ),
    "meeting": talk(
        "Write up the minutes of our meeting: Anna will send the contract by Friday.",
        "Minutes ...",
        "Put the tasks in a table with owner and date, decisions first.",
        "Here you are.",
        "Perfect. Leave out who said what.",
    ),
}
WEAK = {
    "lessons": talk(
        "What is a neural network?",
        "...",
        "And what's backpropagation?",
        "...",
        "Can you explain it more simply?",
    ),
    "story": talk(
        "Tell me a story about a dragon who travels to Rome.", "Once ...", "Make the dragon friendlier."
    ),
    "chat": talk(
        "I watched a film yesterday.", "Which?", "Dune. I love science fiction.", "Nice.", "My dog is sick."
    ),
    "worries zh": talk("最近压力好大，睡不好。", "抱抱", "老板总是让我加班。", "辛苦了", "你说我该怎么办？"),
    "greeting": talk("hi", "hello", "how are you?"),
    "greeting zh": talk("你好", "你好呀", "最近怎么样？"),
    "one question": talk("What's the capital of France?", "Paris."),
    "one question zh": talk("明天天气怎么样？", "晴"),
    "two questions": talk(
        "How tall is the Eiffel Tower?", "330 m", "And the Empire State Building?", "443 m"
    ),
    "facts": talk("I moved to Shanghai in June and work as a designer.", "Nice!", "My sister has two dogs."),
    "facts zh": talk("今天好累，加班到十点。", "辛苦了", "我养了一只猫，它很可爱。"),
    "likes without a task": talk(
        "I like apples and hate bananas. I prefer window seats.", "Noted!", "I love jazz."
    ),
    "a bare request": talk(
        "Plan a trip to Rome.", "Day 1 Colosseum\nDay 2 Vatican\nDay 3 Trastevere", "ok thanks"
    ),
    "a bare request zh": talk("帮我写一封邮件给客户。", "好的", "谢谢"),
    "one wish": talk("推荐一家餐厅，我喜欢吃辣。", "眉州东坡", "好的，谢谢"),
    "one change": talk("Write me a poem about the sea.", "The sea...", "Make it shorter.", "Sea.", "Great!"),
    "a plan that is told": talk("I'm going to Chengdu next week.", "Have fun!", "Thanks, I will!"),
    "one answer that helped": talk(
        "How do I boil an egg?", "1. Boil water.\n2. Wait 8 minutes.", "Thanks, that worked!"
    ),
    "translation": talk(
        "Can you translate 'good morning' into French?", "Bonjour", "And good night?", "Bonne nuit"
    ),
    "weather": talk("What's the weather like in Paris in May? Should I bring a coat?", "Mild.", "ok"),
    "between people": talk(
        "Anna: I want to plan a trip without backtracking.", "Ben: I prefer museums, no malls."
    ),
    "thoughts": talk("If I lived in Rome, I would want to eat out each day.", "Who would not!", "Indeed."),
    "joke zh": talk("讲个笑话", "……", "哈哈，再讲一个", "……"),
    "sums": talk("What is 17 * 23?", "391", "And divided by 3?", "130.33"),
}


def build_turns(messages: Sequence[Message], pause: timedelta = timedelta(minutes=1)) -> list[Turn]:
    return [
        Turn(message["role"], message["content"], NOON + at * pause) for at, message in enumerate(messages)
    ]


def read(messages: Sequence[Message]) -> list[TaskReading]:
    turns = build_turns(messages)
    return read_conversation_by_rules(turns, range(len(turns)))


def known(messages: Sequence[Message], conversation: int = 1) -> list[Known]:
    return [
        Known((conversation, reading.first), conversation, reading, compute_weight(reading), 0.0)
        for reading in read(messages)
    ]


def skill_md(*talks: Sequence[Message]) -> str:
    method = compose_skill(
        [episode for number, messages in enumerate(talks) for episode in known(messages, number)]
    )
    assert method is not None
    return write_skill_md(method.value, method.language)


@pytest.mark.parametrize("name", STRONG)
def test_a_strong_conversation_makes_a_skill(name: str) -> None:
    (episode,) = known(STRONG[name])

    assert suffice_for_skill([episode])


@pytest.mark.parametrize("name", WEAK)
def test_a_weak_conversation_makes_none(name: str) -> None:
    assert not any(suffice_for_skill([episode]) for episode in known(WEAK[name]))


@pytest.mark.parametrize("name", ["greeting", "greeting zh", "facts", "facts zh", "between people"])
def test_talk_that_asks_for_no_work_costs_no_row(name: str) -> None:
    assert not may_hold_a_task(build_turns(WEAK[name]))


@pytest.mark.parametrize("name", STRONG)
def test_what_the_rules_write_reads_as_a_skill_file(name: str) -> None:
    text = skill_md(STRONG[name])

    read_again = parse_skill_md(text).value
    assert write_skill_md(read_again, "zh" if name.endswith("zh") else "en") == text
    assert len(read_again["procedure"].splitlines()) >= 2
    for line in text.splitlines():
        assert len(line) <= 300
        assert not line.startswith(("- I ", "- My ", "- 我"))
        assert "omitted" not in line
    assert "I'm" not in text


def test_one_conversation_may_hold_two_tasks() -> None:
    messages = talk(
        "Plan a trip to Rome for me, no museums please.",
        "Day 1 ...",
        "By the way, write an email to my boss about my holiday. Keep it short.",
        "Dear boss ...",
        "Make it friendlier.",
    )

    trip, mail = read(messages)

    assert (trip.domain, trip.first, trip.last) == ("trip", 0, 1)
    assert (mail.domain, mail.first, mail.last) == ("email", 2, 4)


def test_a_long_pause_ends_a_task() -> None:
    messages = talk("Plan a trip to Rome.", "Done.", "Plan a trip to Oslo.", "Done.")

    readings = read_conversation_by_rules(build_turns(messages, timedelta(hours=7)), [0, 1, 2, 3])

    assert len(readings) == 2


def test_what_is_refused_is_not_wished_for() -> None:
    (trip,) = read(talk("Plan a trip to Rome. No museums, and I don't want to get up early."))

    assert {finding.text for finding in trip.findings} == {"No museums", "Does not want to get up early"}


def test_a_correction_becomes_experience() -> None:
    (report,) = read(STRONG["report zh"])

    lessons = [finding.text for finding in report.findings if finding.part == FindingPart.CORRECTION]
    assert lessons == ["太长了：控制在一页以内"]


def test_the_tools_of_a_task_are_named_in_their_order() -> None:
    turns = build_turns(RETURN)
    call = ToolCall("1", "get_order", "{}")
    turns[3] = Turn("assistant", turns[3].text, turns[3].said_at, calls=(call,))
    (episode,) = read_conversation_by_rules(turns, range(len(turns)))

    assert [finding.text for finding in episode.findings if finding.part == FindingPart.TOOLS] == [
        "`get_order`"
    ]


def test_only_what_is_alike_is_put_together() -> None:
    (rome,), (oslo,) = known(talk("Plan a trip to Rome.")), known(talk("Plan a trip to Oslo."))
    (mail,) = known(talk("Write an email to my boss."))
    (code,) = known(talk("Write a Python function that parses dates."))
    (other,) = known(talk("Explain this docker compose error to me."))

    assert are_alike(rome, oslo)
    assert not are_alike(rome, mail)
    assert not are_alike(code, other)


def test_the_later_of_two_that_cannot_hold_together_is_written() -> None:
    text = skill_md(INTENSE, talk("Plan a trip to Kunming. I do not prefer cultural attractions any more."))

    assert "Does not prefer cultural attractions" in text
    assert "Prefers cultural attractions" not in text


def test_confidence_grows_with_conversations() -> None:
    first, second = known(INTENSE, 1), known(NIGHT_OWL, 2)

    assert compute_confidence(first) < compute_confidence([*first, *second]) < 1


def test_what_a_person_changed_is_kept_where_generation_changes_something_else() -> None:
    oslo = talk("Plan a trip to Oslo for me. I never take night trains.")
    first, second = compose_skill(known(INTENSE)), compose_skill([*known(INTENSE), *known(oslo, 2)])
    assert first is not None
    assert second is not None
    before, after = first.value, second.value
    edited = before | {"description": "Mine.", "preference": [*before["preference"][1:], "By train only"]}

    merged = apply_to_edited(edited, before, after, "en")

    assert merged["description"] == "Mine."
    assert merged["preference"] == [*before["preference"][1:], "By train only", "Never takes night trains"]


@pytest.mark.parametrize(
    "text",
    ["", "?" * 5_000, "太" * 5_000, "1. " * 3_000, "plan a trip " * 800, "\n" * 4_000, "- a\n" * 2_000],
)
def test_no_message_holds_the_rules_up(text: str) -> None:
    turns = [
        Turn("user", text, NOON),
        Turn("assistant", text, NOON),
        Turn("user", f"Plan a trip. {text}", NOON),
    ]

    assert len(read_conversation_by_rules(turns, [0, 1, 2])) <= 2
