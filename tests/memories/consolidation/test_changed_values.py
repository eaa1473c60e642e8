"""A new value of the same thing replaces the old one; of another thing, day or event it replaces nothing."""

from __future__ import annotations

import pytest

from memories.consolidation.similarity import ComparedText, Similarity, compare_statements
from memories.text.clauses.clausewise import find_exchanges
from memories.text.clauses.corrections import correct_text
from memories.text.clauses.stated_values import find_values
from memories.values import Draft, MemoryKind

# Two statements as near to each other as these mostly are for the embedder.
NEAR = 0.75


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The user's meeting with the landlord is at 4.",
            "The user's meeting with the landlord is at 5 now.",
        ),
        (
            "The user pays 400 a month to Uncle Dermot.",
            "The user pays 450 a month to Uncle Dermot since New Year.",
        ),
        ("The choir's concert is on 18 April 2026.", "The choir's concert has been moved to 25 April 2026."),
        (
            "Surgery is booked for 2 November 2026 at St Luke's.",
            "Surgery got pushed to the 16th (16 November 2026).",
        ),
        ("The user runs 5 km every morning.", "The user runs 8 km every morning."),
        ("The book club meets on Tuesday.", "The book club now meets on Thursday."),
        ("The user's order number is AX-1093.", "The user's order number is AX-1903."),
        ("The team's stand-up is at half past nine.", "The team's stand-up has moved to ten o'clock."),
        ("The user cooks forty lunches a day.", "The user cooks three hundred lunches a day now."),
        ("Rye bread is up to 4.10.", "The rye bread costs 4.30."),
        ("The user has five hives.", "The user has four hives left."),
        ("Half board is 72 euros.", "Half board is 78 euros this year (2025)."),
        (
            'The user said on 10 March 2024: "A haircut at my salon costs 30 pounds."',
            "A haircut at the user's salon now costs 35 pounds.",
        ),
        ("用户的会议在下午三点。", "用户的会议改到下午四点了。"),
        ("用户每天跑5公里。", "用户现在每天跑8公里。"),
        ("面试定在3月16日。", "面试改到3月18日了。"),
        ("食堂要订260份盒饭。", "食堂要订320份盒饭。"),
        ("航班在B12登机口。", "航班的登机口改成C3了。"),
        ("民宿一晚300元。", "民宿一晚涨到380元了。"),
        ("公司的周会在周一上午十点。", "公司的周会改到周一上午九点半。"),
    ],
)
def test_another_value_of_the_same_thing_is_a_change(old: str, new: str) -> None:
    assert compare_statements(ComparedText(new), ComparedText(old), NEAR) == Similarity.CHANGED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The wedding is on 5 June 2026.", "Surgery got pushed to the 16th (16 November 2026)."),
        ("The user ran 5 km on 3 March 2026.", "The user ran 8 km on 5 March 2026."),
        ("The user has a meeting on Tuesday at 4.", "The user has a meeting on Wednesday at 5."),
        ("The user's sister has two sons.", "The user's brother has three sons."),
        ("The user takes 10 mg of lisinopril a day.", "The user takes 500 mg of metformin a day."),
        ("The lock code of the blue bike is 1234.", "The lock code of the red bike is 5678."),
        ("The user's meeting with Anna is at 4.", "The user's meeting with Ben is at 5."),
        (
            "The user's dentist appointment is on 5 May 2026.",
            "The user's dentist appointment is on 5 November 2026.",
        ),
        ("The user's flight to Rome is at 9:00.", "The user's flight back from Rome is at 18:00."),
        ("The user sleeps six hours on weekdays.", "The user sleeps nine hours on weekends."),
        ("The user ran three marathons.", "The user ran two marathons this year (2025)."),
        ("The user has three sisters.", "The user has two hours left."),
        ("用户3月3日跑了5公里。", "用户3月5日跑了8公里。"),
        ("用户和小李的会议在下午四点。", "用户和小王的会议在下午五点。"),
        ("用户早上喝两杯咖啡。", "用户晚上喝一杯茶。"),
        ("大床房一晚300元。", "双床房一晚380元。"),
        ("哥哥的座位是12A。", "妹妹的座位是12B。"),
        ("用户还有一个三点的预约。", "用户还有一个五点的预约。"),
        ("The user is rehearsing the Requiem for 28 March 2026.", "They moved the rehearsing to Wednesdays."),
        (
            "The user teaches a class on Mondays and Wednesdays.",
            "The user moved their Monday class to Friday.",
        ),
    ],
)
def test_a_value_of_another_thing_or_event_changes_nothing(old: str, new: str) -> None:
    assert compare_statements(ComparedText(new), ComparedText(old), NEAR) != Similarity.CHANGED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The ferry leaves at half six every evening.",
            'The user said on 3 May 2025: "they shifted the ferry to ten past seven"',
        ),
        ("A haircut is thirty quid.", "Haircut is now 38.50, beard 15."),
        ("The dairy pays the user 31 cents a litre.", "The dairy cut the user to 28 cents."),
        ("Rye bread is 3.60 a loaf.", "Rye bread is up to 4.10."),
        (
            "The user paints Mondays at half seven in the parish hall.",
            "The user paints in the studio on Fridays from now on.",
        ),
        ("用户在镇上开了家洗车店，洗一次三十，打蜡一百二。", "打蜡涨价了，现在做一次收一百五。"),
        ("A facial is 42 pounds with the user.", "The user had to put the facial up to 48."),
        ("The user's league games are on Mondays.", "League games moved to Thursdays because of the fair."),
        ("图书室上午九点开门。", "天冷，改成十点开门，下午不开。"),
        ("用户跳高一米四。", "跳高到一米五五了。"),
        ("The user takes 10 mg of lisinopril.", "The user's doctor raised the user's lisinopril to 20 mg."),
        (
            "The user takes 500 mg of metformin twice a day.",
            'The user said on 26 August 2026: "They put my metformin up to 850 mg"',
        ),
        ("用户胰岛素打8个单位。", "医生把胰岛素给用户加到10个单位了。"),
        ("用户一周健身三次。", "用户健身改成一周五次了。"),
        ("社长是老秦，春游定在4月8号。", "春游改期了，推到4月15号。"),
    ],
)
def test_one_clause_may_change_a_value_that_one_clause_gave(old: str, new: str) -> None:
    assert compare_statements(ComparedText(new), ComparedText(old), 0.4) == Similarity.CHANGED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user pays 50 euros for water.", "The user pays 40 euros for gas now."),
        ("The user trains arms on Mondays.", "The user trains legs on Tuesdays now."),
        ("Sarah pays 500 in rent.", "The user's rent is now 450."),
        ("The user's sister pays 500 in rent.", "The rent is now 450."),
        ("The user bought the bike for 300 in May.", "The bike would now cost 500."),
        ("The user's mum takes 10 mg of lisinopril.", "The user's doctor raised their lisinopril to 20 mg."),
        (
            "The user takes 10 mg of lisinopril.",
            "The user's doctor may raise the user's lisinopril to 20 mg.",
        ),
        ("用户的妹妹房租一千五。", "用户的房租涨到一千八。"),
        ("用户上周跑了三公里。", "用户昨天跑了五公里。"),
        ("理发三十，染发两百。", "烫发涨到三百五了。"),
    ],
)
def test_a_clause_about_another_thing_or_person_changes_nothing(old: str, new: str) -> None:
    assert compare_statements(ComparedText(new), ComparedText(old), 0.4) != Similarity.CHANGED


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("一斤三块九", "3.9"),
        ("跳远两米五六", "2.56"),
        ("打蜡一百二，", "120"),
        ("一个月五千三", "5300"),
        ("涨到四十五了", "45"),
        ("Rye bread is 4.10", "4.1"),
    ],
)
def test_spoken_prices_and_lengths_are_numbers(text: str, key: str) -> None:
    assert find_values(text)[-1].key == key


def test_what_a_statement_says_besides_keeps_its_words_with_the_new_value() -> None:
    old = "用户在镇上开了家洗车店，洗车三十，打蜡一百二。"
    assert find_exchanges("打蜡涨价了，现在做一次收一百五。", old) == (("一百二", "一百五"),)
    # The place has changed too: the old words would not hold with the new day.
    assert not find_exchanges(
        "The user paints in the studio on Fridays from now on.",
        "The user paints Mondays at half seven in the parish hall.",
    )


@pytest.mark.parametrize(
    ("old", "new", "exchanged"),
    [
        (
            "The user has driving lessons on Wednesday and Saturday afternoons.",
            "The user's driving lessons moved to Sunday mornings.",
            ("Wednesday and Saturday afternoons", "Sunday mornings"),
        ),
        (
            "The choir rehearsals are on Tuesday evenings.",
            "Rehearsals moved to Wednesdays.",
            ("Tuesday", "Wednesday"),
        ),
        (
            "The user's class is on Mondays.",
            "The class moved to Tuesdays and Thursdays.",
            ("Mondays", "Tuesdays and Thursdays"),
        ),
        ("用户每周三和周五游泳。", "用户游泳改到周一了。", ("周三和周五", "周一")),
        ("用户每周三和周六下午练车。", "用户练车改到周日上午了。", ("周三和周六下午", "周日上午")),
        ("用户每周一三五训练。", "训练改成周二、周四了。", ("周一三五", "周二、周四")),
        ("用户招牌是片儿川，一碗十八块。", "片儿川涨到二十了。", ("十八", "二十")),
        ("用户读书会每周日下午，在星光书店。", "用户读书会改到周六了。", ("周日", "周六")),
        ("用户卖豆浆，一杯两块五。", "豆浆涨到三块了。", ("两块五", "三块")),
        (
            "用户跟两个室友合租，一个学建筑，一个做设计，房租每人两千三。",
            "用户的房租涨到两千五了。",
            ("两千三", "两千五"),
        ),
        ("记账用的是随手记。", "记账软件从随手记换成了钱迹。", ("随手记", "钱迹")),
        ("用户骑的是捷安特。", "用户把捷安特换成了闪电。", ("捷安特", "闪电")),
    ],
)
def test_all_of_the_old_value_gives_way_and_nothing_else(
    old: str, new: str, exchanged: tuple[str, str]
) -> None:
    assert find_exchanges(new, old) == (exchanged,)


def test_of_many_numbers_only_the_changed_one_is_written_anew() -> None:
    old = "用户跟两个室友合租，一个学建筑，一个做设计，房租每人两千三。"
    changed = Draft(MemoryKind.FACT, "用户的房租涨到两千五了。", "", (0,), 1.0)
    assert correct_text(old, changed) == old.replace("两千三", "两千五")
