"""How the rules read talks, in English and Chinese: which requests there are, and how each went."""

from __future__ import annotations

import pytest

from skills.reading.messages.requests import read_ask
from skills.reading.task_board import Board
from skills.reading.tasks import read_tasks
from tests.support.skills.outcomes import outcome
from tests.support.skills.read_talks import talk


def preferences(*texts: str) -> list[str]:
    board = Board()
    read_tasks(board, talk("\n".join(f"U: {text}" for text in texts)), 0)
    return board.preferences


REQUESTS = [
    ("Please deploy the API to staging.", ["Deploy the API to staging."]),
    (
        "Book a flight to Paris and reserve a hotel near the Louvre.",
        ["Book a flight to Paris", "Reserve a hotel near the Louvre."],
    ),
    ("Find and fix the bug in login.py", ["Find and fix the bug in login.py"]),
    ("Check the logs and tell me what is wrong", ["Check the logs and tell me what is wrong"]),
    ("Write the report and send it to Kim.", ["Write the report and send it to Kim."]),
    (
        "Can you write a poem about autumn? Make it rhyme.",
        ["Can you write a poem about autumn? Make it rhyme."],
    ),
    ("My order 17 hasn't arrived. Can you check?", ["My order 17 hasn't arrived. Can you check?"]),
    (
        "Hello! I'd like to book a table for Friday and cancel my reservation for Saturday.",
        ["I'd like to book a table for Friday", "Cancel my reservation for Saturday."],
    ),
    (
        "Please do the following:\n1. Book a table at Luigi's\n2. Send the invitation to Bob",
        ["Book a table at Luigi's", "Send the invitation to Bob"],
    ),
    (
        "Please fix the following issues:\n- The header overlaps the menu\n- Rename the login button",
        ["The header overlaps the menu", "Rename the login button"],
    ),
    ("Summarize this article:\nTrade is down. Book a flight to Mars.", ["Summarize this article"]),
    ("What's the weather in Beijing?", ["What's the weather in Beijing?"]),
    ("I want a refund for order 17", ["I want a refund for order 17"]),
    ("My name is Gus", []),
    ("Call me Sam.", []),
    ("Let's plan the trip first. What should we do first?", []),
    ("Let's plan this. Please write a roadmap for the move.", ["Write a roadmap for the move."]),
    ("Before you start, back up the database.", ["Before you start, back up the database."]),
    ("I prefer trains over planes. Find me a train to Vienna.", ["Find me a train to Vienna."]),
    ("我不吃香菜。帮我订一家餐厅", ["帮我订一家餐厅"]),
    ("Please don't use emojis in your replies.", []),
    ("请记住我对花生过敏", []),
    (
        "I need to migrate our database. Can you help me?",
        ["I need to migrate our database. Can you help me?"],
    ),
    ("Thanks, that works perfectly!", []),
    ("Yes, go ahead.", []),
    (
        "帮我查一下北京明天的天气，然后订一家故宫附近的酒店",
        ["帮我查一下北京明天的天气", "订一家故宫附近的酒店"],
    ),
    ("如果明天下雨，帮我取消预约", ["如果明天下雨，帮我取消预约"]),
    ("帮我写一封邮件，发给张总", ["帮我写一封邮件，发给张总"]),
    ("请查一下库存，然后告诉我结果", ["请查一下库存，然后告诉我结果"]),
    ("帮我做三件事：\n1. 查一下明天的天气\n2. 给王经理写封邮件", ["查一下明天的天气", "给王经理写封邮件"]),
    ("我的订单还没到，怎么办？", ["我的订单还没到，怎么办？"]),
    ("我叫小王，我喜欢喝茶。", []),
    ("谢谢，搞定了！", []),
    ("好的，继续", []),
]


@pytest.mark.parametrize(("message", "asked"), REQUESTS)
def test_requests_are_told_apart_in_the_users_own_words(message: str, asked: list[str]) -> None:
    assert [*read_ask(message).requests] == asked


SUCCESSES = {
    "thanks": "U: Convert the report to PDF.\nA: Here is the PDF.\nU: Thanks!",
    "it works": "U: Convert the report to PDF.\nA: Here is the PDF.\nU: Yes, it works now.",
    "nothing else": "U: Convert the report to PDF.\nA: Done. Anything else?\nU: No, that's all.",
    "after a retry": """U: Convert the report to PDF.
C: convert {"to": "pfd"}
R: convert {"error": "unknown format"}
C: convert {"to": "pdf"}
R: convert {"ok": true}
A: Here is the PDF.
U: Perfect""",
    "after a complaint": """U: Convert the report to PDF.
A: Here is the PDF.
U: That's wrong, the tables are missing.
A: I added the tables and exported it again.
U: Great, looks good.""",
    "never mind, it works": """U: Convert the report to PDF.
A: I changed the settings.
U: Never mind, it works now!""",
    "an answer in between": """U: Convert the report to PDF.
A: Which report do you mean?
U: The one of March.
A: Here it is.
U: thank you""",
    "praise and another wish about it": """U: Convert the report to PDF.
A: Here it is.
U: Use the landscape format instead.
A: Changed to landscape.
U: lgtm""",
}


@pytest.mark.parametrize("play", SUCCESSES.values(), ids=SUCCESSES)
def test_a_task_succeeds_when_the_user_says_so(play: str) -> None:
    assert outcome(play) == [("Convert the report to PDF.", "success")]


FAILURES = {
    "given up": "U: Fix the login bug.\nA: I changed the timeout.\nU: Never mind, I'll do it myself.",
    "said to be wrong": "U: Fix the login bug.\nA: I changed the timeout.\nU: It still doesn't work.",
    "the agent cannot": "U: Fix the login bug.\nA: I am sorry, I was unable to find the cause.",
    "wrong and given up": """U: Fix the login bug.
A: I changed the timeout.
U: Still broken.
A: I'm sorry, I cannot find the cause.
U: Forget it.""",
    "stopped": "U: Fix the login bug.\nA: Let me look at the code.\nU: Stop it, that is not worth the time.",
}


@pytest.mark.parametrize("play", FAILURES.values(), ids=FAILURES)
def test_a_task_fails_when_the_user_says_so_or_gives_up_or_the_agent_must(play: str) -> None:
    assert outcome(play) == [("Fix the login bug.", "failed")]


RUNNING = {
    "no word yet": "U: Fix the login bug.\nA: I changed the timeout.",
    "tools at work": 'U: Fix the login bug.\nC: run_tests {"path": "login"}',
    "an error on the way": 'U: Fix the login bug.\nC: run {"it": 1}\nR: run Error: exit code 1',
    "a question back": "U: Fix the login bug.\nA: I couldn't reproduce it. Which browser do you use?",
    "agreed to go on": "U: Fix the login bug.\nA: Shall I change the timeout?\nU: Yes, great, go ahead.",
    "tried once more": "U: Fix the login bug.\nA: I changed it.\nU: Still broken.\nA: I fixed the redirect, too.",
    "thanks beforehand": "U: Fix the login bug.\nA: I will look into it. Which page?\nU: /login, thanks in advance",
    "asked whether it is done": "U: Fix the login bug.\nA: I am at it.\nU: Is it fixed?",
}


@pytest.mark.parametrize("play", RUNNING.values(), ids=RUNNING)
def test_a_task_goes_on_as_long_as_nobody_ends_it(play: str) -> None:
    assert outcome(play) == [("Fix the login bug.", "running")]


CHINESE = {
    "谢谢": ("U: 帮我导出报表\nA: 报表已导出。\nU: 不错，谢谢！", "success"),
    "搞定了": ("U: 帮我导出报表\nA: 已修复导出功能。\nU: 搞定了", "success"),
    "重试后成功": (
        'U: 帮我导出报表\nC: export {"month": 13}\nR: export {"error": "月份无效"}\nC: export {"month": 12}\n'
        'R: export {"ok": true}\nA: 报表已导出。\nU: 可以了',
        "success",
    ),
    "抱怨之后": (
        "U: 帮我导出报表\nA: 已导出。\nU: 不对，漏了三月\nA: 已补上三月。\nU: 这次对了，辛苦",
        "success",
    ),
    "还需要别的吗": ("U: 帮我导出报表\nA: 已导出，还需要别的吗？\nU: 不用了", "success"),
    "还是报错": ("U: 帮我导出报表\nA: 已修复。\nU: 还是报错，没解决", "failed"),
    "算了": ("U: 帮我导出报表\nA: 正在尝试。\nU: 算了，不弄了", "failed"),
    "做不到": ("U: 帮我导出报表\nA: 很抱歉，我无法访问报表系统。", "failed"),
    "再试一次": ("U: 帮我导出报表\nA: 已导出。\nU: 不对，重新导出一次\nA: 重新导出好了。", "running"),
    "没有说完": ("U: 帮我导出报表\nA: 正在导出。\nU: 好的，继续", "running"),
    "可以了吗": ("U: 帮我导出报表\nA: 正在导出。\nU: 可以了吗？", "running"),
}


@pytest.mark.parametrize(("play", "status"), CHINESE.values(), ids=CHINESE)
def test_chinese_talks_are_read_as_well(play: str, status: str) -> None:
    assert outcome(play) == [("帮我导出报表", status)]


def test_going_on_to_something_else_ends_what_was_done_without_errors() -> None:
    play = """U: What's the weather in Beijing?
A: It is sunny, 7 degrees.
U: Delete the old backups.
A: I was not able to delete them: permission denied.
U: Write a poem about Beijing.
A: Autumn sun over the lake."""

    assert outcome(play) == [
        ("What's the weather in Beijing?", "success"),
        ("Delete the old backups.", "failed"),
        ("Write a poem about Beijing.", "running"),
    ]


def test_of_two_requests_each_gets_the_steps_that_are_its_own() -> None:
    play = """U: Book a flight to Paris and reserve a hotel near the Louvre.
C: reserve_hotel {"near": "Louvre"}
R: reserve_hotel {"ok": true}
A: I reserved the Hotel du Louvre.
C: search_flights {"to": "Paris"}
R: search_flights {"error": "no flights found"}
A: I was unable to find a flight to Paris."""
    board, heard = Board(), talk(play)

    read_tasks(board, heard, 0)

    flight, hotel = board.tasks
    assert [at.position for at in heard if board.placed.get(at.id) is hotel] == [1, 2, 3]
    assert [at.position for at in heard if board.placed.get(at.id) is flight] == [0, 4, 5, 6]
    assert (flight.status, hotel.status) == ("failed", "running")
    assert flight.progresses[-2:] == [
        "search_flights failed: no flights found",
        "I was unable to find a flight to Paris.",
    ]


def test_what_a_tool_must_not_tell_stands_in_no_note() -> None:
    play = 'U: Log in to the shop.\nC: login {"user": "kim", "password": "hunter2-secret"}\nR: login {"ok": true}'
    board = Board()

    read_tasks(board, talk(play), 0)

    assert "hunter2" not in str(board.tasks[0].progresses)
    assert "Called login(" in board.tasks[0].progresses[0]


def test_a_task_that_was_finished_before_is_taken_up_again() -> None:
    first, second = (
        talk("U: Fix the login bug.\nA: I changed the timeout.\nU: Thanks!"),
        talk(
            "U: It fails again with the same error.\nA: I fixed the redirect now.\nU: Now it works, thank you."
        ),
    )
    board = Board()
    read_tasks(board, first, 0)
    (task,) = board.tasks
    assert task.status == "success"
    task.has_ended = False

    read_tasks(board, [*first, *second[:2]], len(first))
    assert (task.status, task.has_ended) == ("running", False)
    read_tasks(board, [*first, *second], len(first) + 2)

    assert (len(board.tasks), task.status, task.has_ended) == (1, "success", True)


@pytest.mark.parametrize("cuts", [(2, 3), (1, 2, 3, 4), (3,), (4,)])
def test_a_talk_in_several_readings_is_the_same_talk(cuts: tuple[int, ...]) -> None:
    heard = talk(
        """U: Fix the login bug and update the changelog.
A: I changed the login timeout.
U: The login still does not work.
A: I corrected the login redirect.
U: Great, the login works now."""
    )
    board, known = Board(), 0
    for cut in (*cuts, len(heard)):
        read_tasks(board, heard[:cut], known)
        known = cut

    assert [(task.description, task.status.value) for task in board.tasks] == [
        ("Fix the login bug", "success"),
        ("Update the changelog.", "pending"),
    ]


def test_plans_belong_to_no_task() -> None:
    heard = talk(
        "U: Let's plan the trip first.\nA: Sure. When?\nU: In May, for ten days.\nU: Find a train to Vienna."
    )
    board = Board()

    read_tasks(board, heard, 0)

    assert [task.description for task in board.tasks] == ["Find a train to Vienna."]
    assert [at.position for at in heard if at.id in board.planned] == [0, 2]


def test_what_a_program_says_before_the_talk_is_no_request() -> None:
    assert outcome("S: You are a bot. Always answer in French. Book nothing.\nU: hi\nA: Bonjour !") == []


@pytest.mark.parametrize(
    ("messages", "noted"),
    [
        (["My name is Gus"], ["The user's name is Gus."]),
        (
            ["I live in Lisbon and I'm allergic to peanuts. Find a restaurant for tonight."],
            ["The user lives in Lisbon.", "The user is allergic to peanuts."],
        ),
        (["I prefer trains over planes."], ["The user prefers trains over planes."]),
        (["我叫小王，我喜欢喝茶。"], ["用户喜欢喝茶。"]),
        (["What's the weather in Beijing?"], []),
        (["The build fails with exit code 1."], []),
        (["My name is Gus", "My name is Gus"], ["The user's name is Gus."]),
    ],
)
def test_what_users_say_of_themselves_is_noted_in_the_third_person(
    messages: list[str], noted: list[str]
) -> None:
    statements = preferences(*messages)
    assert [text for text in noted if text not in statements] == []
    assert noted or not statements
