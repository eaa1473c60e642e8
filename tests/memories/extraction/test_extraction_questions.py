"""What looks like a question and states something, and what looks like a statement and only supposes."""

from __future__ import annotations

import pytest

from tests.support.extraction.extraction import remember, texts


@pytest.mark.parametrize(
    "message",
    [
        "要是我以后得了糖尿病，是不是就不能吃水果了？",
        "要是我对青霉素过敏，那该吃什么？",
        "要是我对青霉素过敏。",
        "如果我怀孕了，还能喝咖啡吗？",
        "万一我爸摔了，该打哪个电话？",
        "假如我明年搬去上海，房租大概多少？",
        "我要是辞职了，社保怎么办？",
        "孩子要是对芒果过敏，能吃菠萝吗？",
        "我们家要是买车的话，停哪儿好？",
        "除非我拿到签证。",
        "If I was diabetic.",
        "If I had a car",
        "Unless I get the visa.",
        "If I got pregnant, should I stop the inhaler?",
        "If I were allergic to penicillin, what would I take?",
    ],
)
def test_what_is_only_supposed_is_no_fact(message: str) -> None:
    assert remember(message) == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("我有高血压，要是以后得了糖尿病，是不是不能吃糖？", ["用户有高血压。"]),
        ("我老公出差了，万一孩子发烧，我该挂哪个科？", ["用户的老公出差了。"]),
        ("倘若老板不同意，我怎么跟客户解释？我们下周开会。", None),
        ("如果下雨我就不去跑步了。", ["如果下雨用户就不去跑步了。"]),
        ("我只要一杯咖啡。", ["用户只要一杯咖啡。"]),
        ("我爸要是再喝酒，我就不理他了。", ["用户的爸爸要是再喝酒，用户就不理他了。"]),
        ("If my back hurts, I take ibuprofen.", ["If the user's back hurts, the user takes ibuprofen."]),
        ("When I get home I feed the cat.", ["When the user gets home the user feeds the cat."]),
    ],
)
def test_what_holds_beside_a_supposition_or_follows_from_it_is_kept(
    message: str, expected: list[str] | None
) -> None:
    memories = texts(remember(message))

    assert memories == expected if expected else memories and not any("老板" in text for text in memories)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("哪种药都行，就是别给我开头孢。", "哪种药都行，就是别给用户开头孢。"),
        ("我没吃什么药，就吃点维C。", "用户没吃什么药，就吃点维C。"),
        ("我没吃过什么中药。", "用户没吃过什么中药。"),
        ("谁来取都行，报我名字就可以。", "谁来取都行，报用户的名字就可以。"),
        ("怎么安排时间都行，我最近不忙。", "怎么安排时间都行，用户最近不忙。"),
        ("几点到都行，我九点后都在家。", "几点到都行，用户九点后都在家。"),
        ("什么颜色都行，我只穿黑的。", "什么颜色都行，用户只穿黑的。"),
        ("我没去过哪些国家，就去过泰国。", "用户没去过哪些国家，就去过泰国。"),
        ("我不认识几个人，就认识王姐。", "用户不认识几个人，就认识王姐。"),
        ("我没攒下多少钱，就三万。", "用户没攒下多少钱，就三万。"),
        ("我不会做什么菜，就会煮面。", "用户不会做什么菜，就会煮面。"),
        ("没买什么，就买了双鞋。", "用户没买什么，就买了双鞋。"),
    ],
)
def test_a_question_word_that_asks_nothing_makes_no_question(message: str, expected: str) -> None:
    assert texts(remember(message)) == [expected]


@pytest.mark.parametrize(
    "message",
    [
        "吃什么药好？",
        "哪种药都不行吗？",
        "谁来取？",
        "你没什么推荐的吗？",
        "你平时都吃什么？",
        "有没有吃什么药",
        "哪里不舒服？",
        "都有谁来了？",
    ],
)
def test_a_question_that_looks_alike_stays_one(message: str) -> None:
    assert remember(message) == []


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Had the boiler replaced on Thursday.", "boiler"),
        ("Had the twins on Thursday!", "twins"),
        ("Have the keys to the new flat at last.", "keys"),
        ("Had this weird rash since Monday.", "rash"),
    ],
)
def test_who_leaves_themselves_out_asks_nothing(message: str, kept: str) -> None:
    assert kept in " ".join(texts(remember(message)))


@pytest.mark.parametrize(
    "message", ["Have you got the recipe", "Have my results come back yet", "Has my parcel arrived"]
)
def test_a_question_without_its_mark_is_one(message: str) -> None:
    assert remember(message) == []
