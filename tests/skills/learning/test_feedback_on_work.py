"""What a user says of work that was just reported: the method has it, and not the action that it rejects."""

from __future__ import annotations

import pytest

from skills.reading.task_board import Board
from skills.reading.tasks import read_tasks
from tests.support.skills.methods import learn_methods
from tests.support.skills.read_talks import talk

FEEDBACK = {
    "photos": (
        """U: Rename every photo in /trip to YYYY-MM-DD_place.jpg using the EXIF date.
A: Done, I renamed 212 photos using the file's modification date because 30 had no EXIF.
U: No, when there's no EXIF date leave the name alone and list them for me. Never guess from the modification date.
A: Understood. I restored the 30 names and here is the list.
U: Perfect, thanks.""",
        ["(1) When there is no EXIF date leave the name alone", "(2) Never guess from the modification date"],
        ["I renamed", "here is the list"],
    ),
    "restaurant": (
        """U: Book a table for six on Friday at Da Mario.
A: I called; they only take groups of six in the garden room, so I booked that for 8 pm.
U: Great. By the way for groups over four always ask for one bill, they split it badly.
A: Noted, I added one bill to the booking.""",
        ["(1) For groups over four always ask for one bill", "I called, they only take groups of six"],
        [],
    ),
    "contacts": (
        """U: Clean up the duplicate contacts in the CRM.
A: I merged 340 duplicates by name.
U: By name is dangerous, we have two John Smiths. Merge by email address only.
A: I undid the merge and merged 290 contacts by email address.
U: That's better, thank you!""",
        ["(1) Merge by email address only", "Merge contacts by email address."],
        ["by name"],
    ),
    "ink": (
        """U: Order ink for the plotter.
A: I ordered four cartridges from InkHub.
U: That's the wrong supplier. We have a framework contract with PaperCo so everything printing goes through them.
A: I cancelled it and ordered from PaperCo.
U: good""",
        ["“That's the wrong supplier. We have a framework contract with PaperCo", "Order from PaperCo."],
        ["from InkHub"],
    ),
    "seats": (
        """U: Make a seating plan for the gala.
A: I placed the sponsors at tables one to four and the press at the back.
U: The mayor can't sit next to the developer. If there's a feud put at least two tables between them.
A: I moved the developer to table nine.
U: Perfect.""",
        [
            "(2) If there is a feud put at least two tables between them",
            "Place the sponsors at tables one to four and the press at the back.",
        ],
        [],
    ),
    "boiler": (
        """U: Check the boiler logs for anomalies.
A: I found two pressure drops on Monday night.
U: Those are the scheduled flushes. Ignore anything between 2 and 3 am.
A: Then there are no anomalies.
U: Good, thanks.""",
        ["(1) Ignore anything between 2 and 3 am"],
        [],
    ),
    "prices": (
        """U: Update the price list on the website.
A: I updated all prices and published the page.
U: In future don't publish before Marta has signed it off.
A: Understood, I'll ask Marta first.""",
        ["(1) Do not publish before Marta has signed it off", "Update all prices."],
        ["Publish the page"],
    ),
    "hours": (
        """U: Post the new opening hours on our channels.
A: I posted them to Instagram and Facebook.
U: Brilliant! Going forward also update Google Maps, half our customers look there.
A: I updated Google Maps.""",
        ["update Google Maps"],
        [],
    ),
    "rota": (
        """U: Put together the weekly rota for the lifeguards.
A: I gave Tom five shifts and Aisha three.
U: Nope, under-18s can't do more than four shifts. Swap one of Tom's with Lena.
A: I moved Tom's Sunday shift to Lena.
U: Sorted, thanks.""",
        ["(1) Under-18s cannot do more than four shifts"],
        ["gave Tom five"],
    ),
    "deploy": (
        """U: Deploy the billing service to staging.
A: The deploy failed: migration 0042 needs the column 'vat_rate'. I ran 0041 first and then it went through.
U: Good. Remember to run pending migrations before any deploy of billing.
A: Will do.""",
        [
            "(1) Run pending migrations before any deploy of billing",
            "I ran 0041 first and then it went through.",
        ],
        ["Will do"],
    ),
    "expenses": (
        """U: 帮我把这份报销单录进系统
A: 录好了，不过系统提示发票抬头不对，我改用了公司全称。
U: 对，发票抬头必须用公司全称，不然财务会退回来。以后金额超过五千的先给我看一下再提交。
A: 好的，记住了。""",
        ["（1）发票抬头必须用公司全称", "（2）金额超过五千的先给用户看一下再提交"],
        ["记住了"],
    ),
    "slides": (
        """U: 给下周的家长会做个PPT
A: 做好了，一共二十页。
U: 太多了，家长会就半小时，十页以内。成绩排名不要放，容易得罪人。
A: 我压缩到九页，去掉了排名。
U: 很好""",
        ["（1）十页以内", "（2）成绩排名不要放", "我压缩到九页，去掉了排名。"],
        ["一共二十页"],
    ),
    "attendance": (
        """U: 把这个月的考勤汇总一下
A: 汇总好了，迟到的有三人。
U: 出差的不能算迟到。你先跟出差申请核对一遍。
A: 我核对了出差申请，迟到的只有一人。
U: 对了，谢谢""",
        ["（1）出差的不能算迟到", "（2）先跟出差申请核对一遍"],
        [],
    ),
    "thermostat": (
        """U: Set the thermostat schedule for the chapel.
A: I set 20 degrees from 8 to 12 every day.
U: We only use it on Sundays, heating it daily costs a fortune.
A: I changed it to Sundays only.
U: Much better.""",
        [
            "“We only use it on Sundays, heating it daily costs a fortune.” (what helped: “I changed it to Sundays"
        ],
        [],
    ),
    "projector": (
        """U: Set up the projector for the talk.
A: I set it up with HDMI.
U: Our speakers mostly bring Macs. Leave a USB-C adapter on the lectern each time.
A: I put one on the lectern.
U: thanks""",
        ["(1) Leave a USB-C adapter on the lectern each time"],
        [],
    ),
    "sweep": (
        """U: Schedule the chimney sweep.
A: I booked Monday at 7 am.
U: Nothing before nine, the neighbours have a baby.
A: I moved it to Tuesday at ten.
U: ok""",
        ["“Nothing before nine, the neighbours have a baby.”"],
        [],
    ),
    "chairs": (
        """U: 采购一批办公椅
A: 我选了最便宜的那款，下单了。
U: 便宜的坐半年就塌了，我们要有五年质保的。
A: 我退了单，换了五年质保的。
U: 可以""",
        ["“便宜的坐半年就塌了，我们要有五年质保的。”"],
        [],
    ),
    "stock": (
        """U: 把仓库的库存盘点一遍
A: 盘点好了，差异有五处。
U: 不是这么盘的，要先停发货再盘。
A: 我暂停了发货，重新盘了一遍，差异只有一处。
U: 这下对了""",
        ["不是这么盘的，要先停发货再盘"],
        ["差异有五处"],
    ),
}


@pytest.mark.parametrize(("play", "wanted", "rejected"), FEEDBACK.values(), ids=FEEDBACK)
def test_what_the_user_said_of_the_work_is_in_the_method(
    play: str, wanted: list[str], rejected: list[str]
) -> None:
    (entry,) = learn_methods(play)

    for phrase in wanted:
        assert phrase in entry
    steps = entry.partition("- **Steps**")[2] or entry.partition("- **步骤**")[2]
    for phrase in rejected:
        assert phrase not in steps


def test_a_secret_in_what_the_user_said_is_not_in_the_method() -> None:
    (entry,) = learn_methods(
        """U: Connect the shop to the payment provider.
A: I connected it with the test key.
U: The live key is sk-live-4f8a9b2c7d1e6f3a8b9c and the password is Tr0ub4dor&3, not the test one.
A: I switched it to the live key.
U: Perfect."""
    )

    assert "The live key is" in entry
    assert "4f8a9b2c" not in entry
    assert "Tr0ub4dor" not in entry


@pytest.mark.parametrize(
    "reply",
    [
        "Not bad at all!",
        "No problem, take your time.",
        "I don't have time today, we'll talk tomorrow.",
        "Thanks! I'm off to the dentist now.",
        "No, that's everything, thanks.",
        "When you have a minute look at the ferns too.",
        "Ben and I met at a flower show when we were six, and he nearly drowned me.",
    ],
)
def test_what_is_no_judgement_of_the_work_is_none(reply: str) -> None:
    entries = learn_methods(
        f"U: Water the orchids in the hall.\nA: I watered all six and removed the dead leaves.\nU: {reply}\nA: Fine."
    )

    assert all("Principle" not in entry for entry in entries)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Book the village hall for the panto.", "The panto posters need printing. Order 200 copies in A3."),
        ("Order ink for the plotter.", "Paper is running low too. Order ten rolls."),
        ("Plan the menu for the retreat.", "My sister arrives on Thursday. Book a taxi from the station."),
        ("帮我订周五的会议室", "再帮我订十份午餐"),
    ],
)
def test_another_request_is_a_task_of_its_own(first: str, second: str) -> None:
    board = Board()
    read_tasks(board, talk(f"U: {first}\nA: I did it, all is set for 12 December.\nU: {second}\nA: Done."), 0)

    assert len(board.tasks) == 2


def test_praise_and_what_is_to_hold_from_now_on_are_two_things() -> None:
    board = Board()
    read_tasks(
        board,
        talk(
            "U: Order wood for the stove.\nA: I ordered two tonnes of beech.\nU: Lovely. Next time order birch."
        ),
        0,
    )

    (task,) = board.tasks
    assert task.status == "success"
