"""Work of any field, and what the user asked for on the way: the method says what to do, in words that hand it on."""

from __future__ import annotations

import pytest

from memories.text.en.verb_forms import find_base_of_gerund, find_base_of_past
from skills.learning.rules.distill import find_instructions
from skills.reading.progress import extract_gist
from skills.reading.task_board import Board
from skills.reading.tasks import read_tasks
from tests.support.skills.methods import learn_methods
from tests.support.skills.read_talks import talk


@pytest.mark.parametrize(
    ("play", "title", "phrases"),
    [
        (
            """U: Set up payroll for the new gardener, she starts Monday.
A: I created the employee record, set the pay day to Friday, and registered her with the tax office.
U: You forgot the pension enrolment. Always enrol new staff before the first pay run.
A: Done: I enrolled her in the workplace pension and re-ran the payroll check.
U: Perfect.""",
            "## Set up payroll for the new gardener",
            [
                "(1) Do not forget the pension enrolment; (2) Always enrol new staff before the first pay run.",
                "1. Create the employee record.",
                "3. Register her with the tax office.",
                "5. Re-run the payroll check.",
            ],
        ),
        (
            """U: Empty the quarantine folder of the mail server.
A: I listed the quarantine and deleted all 14 messages.
U: Hm, next time don't delete invoices before I have looked at them.
A: I restored the invoices from the backup.
U: OK good.""",
            "## Empty a quarantine folder of the mail server",
            ["(1) Do not delete invoices before the user has looked at them.", "1. List the quarantine."],
        ),
        (
            """U: Draft the obituary for my uncle.
A: I drafted it with the service details.
U: Keep it short and don't mention the illness.
A: I cut it to one page.
U: That's lovely, thank you.""",
            "## Draft an obituary for an uncle",
            ["(1) Keep the obituary short and do not mention the illness."],
        ),
        (
            """U: Book a slot at the garage for the van.
A: I called the garage and booked Thursday.
U: Thursday is market day, you should have checked the calendar first.
A: I moved the slot to Friday.
U: Great.""",
            "## Book a slot at the garage for the van",
            ["(1) Check the calendar first."],
        ),
        (
            """U: 帮我给新租客写一份入住须知。
A: 我写好了入住须知，包括钥匙和退房时间。
U: 漏了水电费的说明。
A: 好的，我补上了水电费的说明。
U: 可以了，谢谢。""",
            "## 给新租客写一份入住须知",
            ["（1）不要漏掉水电费的说明。", "补上水电费的说明"],
        ),
        (
            """U: 把这批样品寄给客户，要冷链。
A: 我下了冷运的单，单号已经发给客户。
U: 你应该先拍照留底再交给快递。
A: 好的，我补拍了照片存档。
U: 很好。""",
            "## 把这批样品寄给客户",
            ["（1）先拍照留底再交给快递。"],
        ),
        (
            """U: Can you restock the first aid kits in both vans?
A: I checked both kits and ordered plasters and gauze.
U: You always have to check the expiry dates as well.
A: I replaced the eye wash.
U: Perfect.""",
            "## Restock first aid kits in both vans",
            ["(1) Always check the expiry dates as well.", "2. Order plasters and gauze."],
        ),
        (
            """U: Write the menu for the wedding.
A: I wrote a three-course menu and marked the vegan dishes.
U: The allergens aren't listed. List them under every dish, please.
A: I added the allergens under each dish.
U: Super, thanks.""",
            "## Write a menu for the wedding",
            ["“The allergens aren't listed. List them under every dish, please.”"],
        ),
        (
            """U: 给合唱团排一份练习计划。
A: 我排好了四周的练习计划，每周两次。
U: 太满了，周三别排，大家要上班。
A: 我把周三的练习移到了周六。
U: 这样可以了。""",
            "## 给合唱团排一份练习计划",
            ["（1）周三别排。"],
        ),
        (
            """U: Prepare the minutes of the meeting.
A: I wrote the minutes from the recording and asked the board for the figures.
U: The vote counts are wrong. Please check votes against the sheet every time.
A: I corrected the counts.
U: Right, thanks.""",
            "## Prepare minutes of the meeting",
            ["Check votes against the sheet every time", "2. Ask the board for the figures."],
        ),
        (
            """U: 跟供应商谈一下交货时间。
A: 我联系了供应商，他们同意提前三天。
U: 你没问违约金，下次先问清楚违约金。
A: 我补问了违约金。
U: 可以了。""",
            "## 跟供应商谈一下交货时间",
            ["先问清楚违约金"],
        ),
    ],
    ids=[
        "payroll",
        "mail",
        "obituary",
        "garage",
        "tenants",
        "samples",
        "first aid",
        "menu",
        "choir",
        "minutes",
        "supplier",
    ],
)
def test_a_method_hands_on_what_was_done_and_what_was_wanted(
    play: str, title: str, phrases: list[str]
) -> None:
    (entry,) = learn_methods(play)

    assert entry.split("\n", 1)[0] == title
    for phrase in phrases:
        assert phrase in entry


def test_an_order_of_its_own_behind_a_standing_one_is_another_task() -> None:
    board = Board()
    read_tasks(
        board,
        talk(
            """U: Reconcile the petty cash.
A: I matched the receipts against the ledger.
U: Always group small receipts by week.
A: I grouped them.
U: Good. Now order printer paper."""
        ),
        0,
    )

    assert [task.description for task in board.tasks] == ["Reconcile the petty cash.", "Order printer paper."]


def test_a_complaint_about_something_else_is_another_task() -> None:
    board = Board()
    read_tasks(
        board,
        talk(
            """U: Add a dark theme to the shop.
A: I added the dark theme.
U: The newsletter form is broken, please repair the newsletter form.
A: I repaired the form.
U: Great, never mind the rest."""
        ),
        0,
    )

    assert [(str(task.status), task.description[:14]) for task in board.tasks] == [
        ("success", "Add a dark the"),
        ("success", "The newsletter"),
    ]


@pytest.mark.parametrize(
    ("sentence", "instructions"),
    [
        ("Wait, never prune before the last frost.", ["Never prune before the last frost"]),
        ("You should not have emailed the landlord.", ["Do not email the landlord"]),
        ("You shouldn't call before nine.", ["Do not call before nine"]),
        ("Always tired after lunch, me.", []),
        ("Next time we lost the key.", []),
        ("You should have been there!", []),
        ("下次要先问我。", ["先问用户"]),
    ],
)
def test_what_a_user_wants_otherwise_is_an_instruction(sentence: str, instructions: list[str]) -> None:
    assert find_instructions(sentence) == instructions


def test_the_number_of_a_list_ends_no_sentence() -> None:
    assert extract_gist("Checklist: 1. Tour of the kennels, 2. Sign the waiver.") == (
        "Checklist: Tour of the kennels; Sign the waiver"
    )


def test_verbs_have_their_base_forms() -> None:
    past = {
        "created": "create",
        "enrolled": "enrol",
        "planned": "plan",
        "re-ran": "re-run",
        "sent": "send",
        "set": "set",
    }
    gerunds = {"handling": "handle", "planning": "plan", "singing": "sing", "changing": "change"}

    assert {form: find_base_of_past(form) for form in past} == past
    assert {form: find_base_of_gerund(form) for form in gerunds} == gerunds
    assert [find_base_of_past(form) for form in ("wicked", "table")] == ["", ""]
