"""What people do, where and with whom, changes as they say it; what sounds like a change and is none ends nothing."""

from __future__ import annotations

import pytest

from memories.consolidation.ends.other_states import ends_memory
from memories.text.clauses.changing.differences import compute_new_values
from memories.text.clauses.clausewise import find_new_values
from tests.support.english_talks import remember, texts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Where, when, with whom, how to get there.
        ("The user's dog Bracken sleeps outside in the kennel.", "Bracken sleeps indoors these days."),
        ("The user trains at the Victoria baths.", "The user trains at the lido now."),
        (
            "The user's brother teaches at the grammar school.",
            "The user's brother teaches at the academy now.",
        ),
        ("The user's daughter Ella swims on Saturdays.", "Ella swims on Sundays now."),
        ("The user sees the physio twice a week.", "The user only sees the physio once a fortnight now."),
        ("The user walks the dog with Jess.", "The user walks the dog with Omar these days."),
        ("The user plays squash with Dermot every Monday.", "The user plays padel with Dermot now."),
        ("The user takes the 46 bus to college.", "The user cycles to college now."),
        ("The user's hives are in the orchard.", "The user has shifted the hives to the heather for good."),
        # Who does it, and who has a role.
        (
            "The user's mum looks after the kids on Wednesdays.",
            "A childminder has the kids on Wednesdays now.",
        ),
        ("The user runs the book club.", "Priya runs the book club now."),
        ("The user's landlord is Mr Petrov.", "The new landlord is a firm called Keystone."),
        ("The user's dentist is Dr Cole in Bath.", "The user has a new dentist, Dr Iyer."),
        ("Tunde is the user's goalkeeper.", "Malik is the goalkeeper now."),
        ("The user's husband Ravi drives a school bus in Cork.", "Ravi fits solar panels now."),
        # Another thing of one kind.
        ("The user throws pots on a kick wheel in the shed.", "The user is on an electric wheel now."),
        ("The user's allotment is plot 14 by the gate.", "The committee moved the user to plot 22."),
        (
            "The user uses a brown inhaler morning and night.",
            "The nurse put the user on a pink inhaler instead of the brown one.",
        ),
        (
            'The user said on 4 May 2025: "My landlord is Mr Petrov, he lives downstairs."',
            "The user's new landlord is Mrs Achterberg.",
        ),
    ],
)
def test_another_habit_takes_the_place_of_the_former(old: str, new: str) -> None:
    assert ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user runs the village choir.", "The user has handed the choir over to Ines."),
        ("Lena captains the user's netball team.", "Shauna has taken over from Lena as captain."),
        ("The user is treasurer of the tennis club.", "The user has stood down as treasurer."),
        ("The user mows the pitch with a petrol mower.", "The user has traded the mower in for a robot."),
        ("The user plays the trombone in the works band.", "The user has packed the trombone in."),
        ("The user keeps ferrets.", "The user had to rehome the ferrets."),
        ("The user is on dialysis.", "The user is off dialysis since May."),
        ("The user wears a splint at night.", "The user is done with the splint."),
        ("The user's daughter Ana wears braces.", "Ana's braces came off on Tuesday."),
        ("The user drinks coffee every morning.", "The user has not had coffee since Easter."),
        ("The user uses Slack at work.", "The user and others have moved over to Teams from Slack."),
        ("The user is doing an evening course in welding.", "The user has finished the course."),
        ("The user is a nurse on the stroke ward.", "The user transferred to paediatrics in June 2025."),
        ("The user has a lodger, Kofi, in the back room.", "Kofi has moved out."),
        ("The user's daughter Freya goes to St Brendan's.", "Freya has switched schools."),
        (
            "The user works nights at the parcel depot.",
            'The user said on 13 October 2025: "No more night shifts for me!"',
        ),
        (
            "The user is having chemo every second Thursday.",
            'The user said on 13 October 2025: "That\'s the last of the chemo"',
        ),
    ],
)
def test_an_end_is_understood_in_the_words_that_people_use(old: str, new: str) -> None:
    assert ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Another person's, or another person's thing.
        ("The user's dog sleeps in the kennel.", "The user's sister's dog sleeps indoors these days."),
        ("The user works nights at the depot.", "The user's brother is on days now."),
        ("The user's landlord is Mr Petrov.", "The user's sister has a new landlord."),
        ("The user's mother takes warfarin.", "The user has come off the warfarin."),
        ("The user runs the book club.", "Priya runs the film club now."),
        # For a while, once, or perhaps.
        ("The user's son Timo studies in Graz.", "Timo studies in Berlin this month."),
        ("The user does the big shop on Thursdays.", "The user did the big shop on Sunday this week."),
        ("The user works nights.", "If they offer earlies, the user will give up nights."),
        ("The user weaves on a table loom.", "The user is thinking of getting rid of the table loom."),
        ("The user runs every Sunday.", "The user swims instead of running."),
        (
            "The user loves swimming.",
            'The user said on 4 May 2025: "No more swimming this week, I have a cold."',
        ),
        ("The user has a blue kayak.", "The user lent the kayak to Maren for the summer."),
        # Beside the other.
        ("The user plays the fiddle in a band.", "The user plays the banjo in a band now as well."),
        ("The user plays chess with Ole.", "The user plays chess with Ida now and then."),
        ("The user swims in the sea.", "The user swims in the pool in winter now."),
        ("The user goes to the gym with Sam.", "The user goes to the cinema with Sam now."),
        ("The user drives a school bus.", "The user fits kitchens now too."),
        # Another thing that only shares a word.
        ("The user sings in the village choir.", "The user has handed the choir over to Ines."),
        ("The user plays chess at the library.", "The user cancelled the library card."),
        ("The user uses a phone for work.", "The user dropped the phone."),
        ("The user works at the school.", "The user is off school this week."),
        ("The user's son plays the piano.", "The user plays the piano now."),
        ("The user's boss is Henrik.", "The user has a new colleague, Amira."),
        ("The user plays chess with Kofi.", "Kofi has moved out."),
    ],
)
def test_what_sounds_like_a_change_and_is_none_ends_nothing(old: str, new: str) -> None:
    assert not ends_memory(new, old, "en")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("用户的爱人在厂里开叉车。", "用户的爱人现在跑外卖了，时间自由些。"),
        ("用户每天骑电动车上班。", "用户现在坐地铁上班。"),
        ("用户每天骑电动车上班。", "电动车卖了，现在坐地铁上班。"),
        ("用户的女儿在实验小学上三年级。", "用户的女儿转学了，现在在育才小学。"),
        ("用户在社区合唱团当指挥。", "合唱团用户交给小林带了，用户只管唱。"),
        ("用户在医院上夜班。", "用户从这个月起不上夜班了，全是白班。"),
        ("用户的儿子的班主任是王老师。", "用户的儿子班主任换了，现在是赵老师。"),
    ],
)
def test_another_habit_in_chinese_takes_the_place_of_the_former(old: str, new: str) -> None:
    assert ends_memory(new, old, "zh")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("用户每天骑电动车上班。", "要是下雪用户就改坐地铁上班了。"),
        ("用户每天骑车上班。", "用户今天坐地铁上班。"),
        ("用户的爱人在厂里开叉车。", "用户的同事的爱人现在跑外卖了。"),
        ("用户在厂里开叉车。", "用户现在做晚饭了。"),
        ("用户的女儿在实验小学上学。", "用户的儿子转学了，现在在育才小学。"),
        ("用户在社区合唱团唱男低音。", "合唱团用户交给小林带了。"),
    ],
)
def test_what_sounds_like_a_change_in_chinese_and_is_none_ends_nothing(old: str, new: str) -> None:
    assert not ends_memory(new, old, "zh")


@pytest.mark.parametrize(
    ("old", "new", "amount"),
    [
        ("The user's rent is 640 euros a month.", "The user's rent went up by 35 euros.", ("640", "675")),
        ("The user charges £25 for a piano lesson.", "The piano lesson went up by 5 pounds.", ("£25", "£30")),
        ("The dairy pays the user 31 cents.", "The dairy cut the price by 3 cents.", ("31", "28")),
        ("用户的小区停车费一个月三百块。", "用户停车费又涨了五十块。", ("三百", "350")),
    ],
)
def test_a_difference_is_added_to_the_known_amount(old: str, new: str, amount: tuple[str, str]) -> None:
    assert compute_new_values(new, old) == (amount,)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user's rent is 640 euros.", "The user's sister's rent went up by 40 euros."),
        ("The user's rent is 640 euros.", "The electricity went up by 35 euros."),
        ("The user's rent is 640 euros.", "The user's rent went up by 5 percent."),
        ("The user's rent is 640 euros.", "The user's rent went up by 35."),
        ("The user pays 600 euros in rent and 40 euros for the garage.", "The rent went up by 35 euros."),
        ("The user's rent is 640 euros.", "The user's rent went up to 675 euros."),
        ("用户的妹妹房租一千五百块。", "用户的房租涨了两百块。"),
    ],
)
def test_a_difference_of_another_thing_or_unit_computes_nothing(old: str, new: str) -> None:
    assert not compute_new_values(new, old)


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        (
            "The user has a kitten called Pumpkin.",
            "The user renamed the cat Biscuit.",
            ("Pumpkin", "Biscuit"),
        ),
        (
            "The user works for a small company called Bluefin Data.",
            "The company is called Norvik now, after the merger.",
            ("Bluefin Data", "Norvik"),
        ),
        (
            "The user's band is called The Wet Stones.",
            "The user changed the band's name to Harbour Lights.",
            ("The Wet Stones", "Harbour Lights"),
        ),
        ("用户家养了只橘猫，叫豆豆。", "用户等人给猫改名叫元宝了。", ("豆豆", "元宝")),
        ("用户开了家小吃店，叫老街味道。", "店名改成巷口小馆了。", ("老街味道", "巷口小馆")),
    ],
)
def test_a_new_name_takes_the_place_of_the_old_one(old: str, new: str, names: tuple[str, str]) -> None:
    assert find_new_values(new, old) == (names,)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user's boat is called Tern.", "The user renamed the dog Biscuit."),
        ("The user's cat is called Moss.", "The neighbours renamed their cat Biscuit."),
        ("The user's band is called The Wet Stones.", "The user wants to rename the band Harbour Lights."),
        ("用户家的猫叫豆豆。", "用户想给猫改名叫元宝。"),
        ("用户家的猫叫豆豆。", "邻居给猫改名叫元宝了。"),
    ],
)
def test_a_name_of_another_thing_changes_nothing(old: str, new: str) -> None:
    assert not find_new_values(new, old)


def test_what_is_said_of_now_keeps_its_now() -> None:
    assert texts("I'm on an electric wheel now, my knees had had enough.")[0] == (
        "The user is on an electric wheel now."
    )
    assert texts("Shauna's taken over from Lena as captain.") == [
        "Shauna has taken over from Lena as captain."
    ]
    assert texts("We rewrote the backend in Rust.") == ["The user rewrote the backend in Rust."]
    assert "The user called their kitten Pumpkin." in texts("We adopted a kitten and called her Pumpkin.")


def test_a_second_van_takes_no_place() -> None:
    (first,), (second,) = remember("We have a van for the market."), remember("We got a second van.")
    assert (first.slot, second.slot) == ("vehicle", "")


@pytest.mark.parametrize(
    ("old", "new", "is_over"),
    [
        ("The user works at the library on Mondays.", "The user works at the archive on Fridays now.", False),
        ("The user works at the library on Mondays.", "The user works at the archive on Mondays now.", True),
        ("The user works at the library.", "The user works at the archive now.", True),
        (
            "The user's choir is at the hall on Tuesdays.",
            "The user's choir is at the church on Thursdays now.",
            True,
        ),
    ],
)
def test_another_place_on_another_day_stands_beside_the_first(old: str, new: str, is_over: bool) -> None:
    assert ends_memory(new, old, "en") == is_over


@pytest.mark.parametrize(
    ("old", "new", "values"),
    [
        ("The user's shift starts at six.", "They moved my start to five.", (("six", "five"),)),
        ("The user starts work at six.", "They moved my start to five.", (("six", "five"),)),
        ("The user's course starts at six.", "They moved my start to five.", ()),
        ("The user's shift starts at six.", "They might move my start to five.", ()),
    ],
)
def test_a_start_that_was_moved_gives_the_new_hour(
    old: str, new: str, values: tuple[tuple[str, str], ...]
) -> None:
    assert find_new_values(f'The user said on 11 March 2026: "{new}"', old) == values


TEAM = "The user plays football for Malton Town."


@pytest.mark.parametrize(
    ("old", "new", "is_over"),
    [
        (TEAM, "The user signed for Whitby Athletic last month (March 2025).", True),
        (TEAM, "The user plays football for Whitby Athletic now.", True),
        (TEAM, "The user switched to Octopus Energy.", False),
        (TEAM, "The user has transferred to the Leeds office.", False),
        (TEAM, "The user's brother has transferred to Whitby Athletic.", False),
        (TEAM, "The user also plays football for Whitby Athletic now.", False),
        ("The user works as a chef in a hotel.", "The user teaches cookery at a college now.", True),
        ("The user is a bus driver.", "The user trains drivers at the depot now.", True),
        ("The user is a postman.", "The user trains at the gym near work now.", False),
        ("The user is a nurse.", "The user teaches at a Sunday school now.", False),
        ("The user works as a chef.", "The user teaches their daughter to cook at home now.", False),
        ("The user's biggest client is Roche.", "The user's largest customer is now Novartis.", True),
        ("The user's main supplier is Brakes.", "The user's biggest supplier is Bidfood these days.", True),
        ("The user's biggest client is Roche.", "The user's biggest problem is the tax now.", False),
        ("The user's best friend is Tomas.", "The user's best friend at work is Dina now.", False),
        ("The user's office number is 0161 496 0123.", "The office phone number is now 0161 496 0999.", True),
        ("The user's office number is 0161 496 0123.", "The emergency line is now 0161 496 0999.", False),
    ],
)
def test_what_takes_the_place_of_another_ends_that_alone(old: str, new: str, is_over: bool) -> None:
    assert ends_memory(new, old, "en") == is_over


@pytest.mark.parametrize(
    ("old", "new", "is_over"),
    [
        (
            "The user's mum's carer is called Bernadette.",
            "The user's mum's carer is a man called Idris now.",
            True,
        ),
        ("The user swims every Tuesday.", "The user has taken up rowing instead of swimming.", True),
        ("The user swims every Tuesday.", "The user went rowing instead of swimming.", False),
        (
            "The user is paying off a car loan.",
            "The user made the last payment on the car loan in March.",
            True,
        ),
        ("The user is paying off a student loan.", "The user made the last payment on the car loan.", False),
        ("The user owns a car.", "The user made the last payment on the car.", False),
        ("The user's son Jonah is in Year 5 at Holy Trinity.", "Jonah has moved to St Edmund's.", True),
        ("The user's son Jonah is in Year 5 at Holy Trinity.", "Jonah has moved to Leeds.", False),
        ("The user drives a forklift.", "The user is on the lorries now and not the forklift.", True),
        ("The user drives a forklift.", "The user drove the lorry today and not the forklift.", False),
        ("The user cannot eat grapefruit because of tablets.", "The user can eat grapefruit again.", True),
        ("The user's sister cannot eat grapefruit.", "The user can eat grapefruit again.", False),
    ],
)
def test_what_is_paid_left_or_allowed_again_ends_only_its_own(old: str, new: str, is_over: bool) -> None:
    assert ends_memory(new, old, "en") == is_over


@pytest.mark.parametrize(
    ("old", "new", "is_over"),
    [
        ("用户在还车贷，一个月两千一。", "用户的车贷三月份（2025年3月）还清了。", True),
        ("用户在还房贷。", "用户的车贷三月份（2025年3月）还清了。", False),
        ("用户的儿子在圣心小学上五年级，喜欢下棋。", "用户的儿子转到实验小学了。", True),
        ("用户的女儿在圣心小学上五年级。", "用户的儿子转到实验小学了。", False),
        ("用户的读书会每周三在狐狸咖啡馆碰头。", "用户读书会换地方了，现在在钟楼书店碰头。", True),
        ("用户的合唱团每周三在狐狸咖啡馆碰头。", "用户读书会换地方了，现在在钟楼书店碰头。", False),
        ("用户跟前任轮流养狗，一人一周。", "用户的狗以后都归用户养。", True),
        ("用户跟前任轮流养猫，一人一周。", "用户的狗以后都归用户养。", False),
        ("用户不能吃西柚。", "医生给用户换了药，现在能吃西柚了。", True),
        ("用户不能吃海鲜。", "医生给用户换了药，现在能吃西柚了。", False),
        ("用户不能吃西柚。", "用户的妈妈现在能吃西柚了。", False),
        ("用户每周二上班前跑步。", "泳池关门了，用户改划船了。", False),
        ("照顾用户的妈妈的阿姨姓吴。", "吴阿姨回老家了，现在照顾用户的妈妈的是小秦。", True),
        ("照顾用户的爸爸的阿姨姓吴。", "吴阿姨回老家了，现在照顾用户的妈妈的是小秦。", False),
    ],
)
def test_what_is_paid_left_or_allowed_again_ends_only_its_own_in_chinese(
    old: str, new: str, is_over: bool
) -> None:
    assert ends_memory(new, old, "zh") == is_over


def test_an_amount_alone_is_of_what_the_clause_before_it_names() -> None:
    rented = "用户在首饰工坊租了个工位，一个月九百五。"
    assert find_new_values("工位租金涨到一千二了。", rented) == (("九百五", "一千二"),)
    assert not find_new_values("仓库租金涨到一千二了。", rented)
