"""What the rules find worth learning in a finished task, in English and Chinese."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from skills.learning.distill_engine import DistillationCase
from skills.learning.rules.distill import find_lessons
from skills.packages.skill_md import parse_skill_md
from skills.reading.task_board import Board
from skills.reading.tasks import read_tasks
from skills.spaces.defaults import load_default_skills
from tests.support.skills.read_talks import talk

DEFAULTS = [(text.name, text.description) for text in map(parse_skill_md, load_default_skills())]


def lessons(play: str, *skills: tuple[str, str]) -> list[tuple[str, dict[str, Any]]]:
    """Of all tasks of the talk and of what was said beside them, as they stand at its end."""
    board, heard = Board(), talk(play)
    read_tasks(board, heard, 0)
    pairs = []
    groups: list[tuple[str, bool, list[str], list[Any]]] = [
        (
            task.description,
            task.status != "failed",
            task.progresses,
            [message for message in heard if board.placed.get(message.id) is task],
        )
        for task in board.tasks
    ]
    groups.append(("", True, [], [message for message in heard if message.id in board.planned]))
    for goal, is_success, notes, messages in groups:
        case = DistillationCase(
            goal, is_success, notes, messages, board.preferences, [], [*DEFAULTS, *skills]
        )
        pairs += [(kind.value, content) for kind, content in find_lessons(case)]
    return pairs


def test_calls_that_worked_are_the_approach_and_those_that_failed_a_warning() -> None:
    ((kind, content),) = lessons(
        """U: Deploy the API to staging.
C: deploy {"env": "stagin"}
R: deploy Error: environment not found
C: deploy {"env": "staging"}
R: deploy {"status": "ok"}
A: The API is deployed.
U: Thanks!"""
    )

    assert kind == "success"
    assert content["approach"] == 'Called deploy(env="staging"). The API is deployed.'
    assert "'deploy' failed with env=\"stagin\" (not_found" in content["generalizable_pattern"]
    assert 'changed from "stagin" to "staging"' in content["generalizable_pattern"]
    assert content["applies_when"] == "The user asks for something like “Deploy the API to staging”."


def test_what_the_user_wanted_otherwise_is_minded_the_next_time() -> None:
    ((kind, content),) = lessons(
        """U: Convert the report to PDF.
A: Here is the PDF.
U: That's wrong, the tables are missing.
A: I added the tables and exported it again.
U: Great, looks good."""
    )

    assert kind == "success"
    assert content["key_decisions"] == ["The user asked: “That's wrong, the tables are missing.”"]
    assert "the tables are missing" in content["generalizable_pattern"]
    assert "(what helped: “I added the tables and exported it again.”)" in content["generalizable_pattern"]


def test_steps_that_an_agent_listed_are_the_method() -> None:
    board, (asked, answered, thanked) = (
        Board(),
        talk("U: Plan how to move the office.\nA: Here.\nU: Perfect!"),
    )
    listed = replace(answered, text="Here is the plan:\n1. Back up the servers.\n2. Move the racks.")
    read_tasks(board, [asked, listed, thanked], 0)
    (task,) = board.tasks

    ((_, content),) = [
        (kind.value, content)
        for kind, content in find_lessons(
            DistillationCase(
                task.description, True, task.progresses, [asked, listed, thanked], [], [], DEFAULTS
            )
        )
    ]

    assert content["generalizable_pattern"] == (
        "For requests such as “Plan how to move the office”: (1) Back up the servers; (2) Move the racks."
    )


def test_a_list_of_things_is_no_method() -> None:
    asked, answered = talk("U: Write a packing list.\nA: Here it is.")
    listed = replace(answered, text="Here is the list:\n1. A warm coat\n2. Gloves and a scarf")

    ((_, content),) = find_lessons(
        DistillationCase("Write a packing list.", True, [], [asked, listed], [], [], DEFAULTS)
    )

    assert content["generalizable_pattern"] == ""


def test_work_without_a_method_is_noted_and_no_more() -> None:
    ((kind, content),) = lessons("U: Rename the file.\nA: I renamed it to notes.txt.\nU: Thanks!")

    assert (kind, content["generalizable_pattern"]) == ("success", "")
    assert content["approach"] == "I renamed it to notes.txt."


@pytest.mark.parametrize(
    "play",
    [
        "U: Hi there!\nA: Hello!",
        "U: What is the capital of France?\nA: Paris.\nU: Thanks!",
        "U: How are you?\nA: Fine, and you?",
        "U: 法国的首都是哪里？\nA: 巴黎。\nU: 谢谢",
    ],
)
def test_small_talk_and_trivia_teach_nothing(play: str) -> None:
    assert lessons(play) == []


def test_trivia_that_a_skill_of_the_space_is_for_are_kept() -> None:
    play = "U: What is the capital of France?\nA: Paris.\nU: Thanks!"
    skill = ("capitals", "Capitals of countries that the user asked for, to be learned by heart.")

    ((kind, content),) = lessons(play, skill)

    assert (kind, content["task_goal"]) == ("success", "What is the capital of France?")


def test_a_failure_says_where_it_broke_and_what_would_have_helped() -> None:
    ((kind, content),) = lessons(
        """U: Move the backups.
C: move {"region": "us"}
R: move Error: permission denied
A: I was unable to move the backups: permission denied.
U: Use the EU region instead.
C: move {"region": "eu"}
R: move Error: permission denied
A: I am unable to do it.
U: Forget it."""
    )

    assert kind == "failure"
    assert content["failure_point"] == "I am unable to do it."
    assert content["flawed_reasoning"] == 'The agent called move(region="eu"), which did not work.'
    assert "Use the EU region instead." in content["what_should_have_been_done"]
    assert content["prevention_principle"].startswith("For requests such as “Move the backups”: ")


def test_nothing_is_invented_for_a_failure_that_nobody_explained() -> None:
    ((kind, content),) = lessons(
        "U: Fix the login bug.\nA: I changed the timeout.\nU: It still doesn't work."
    )

    assert kind == "failure"
    assert content["failure_point"] == "The user said: “It still doesn't work.”"
    assert content["flawed_reasoning"] == "The agent had gone on from: “I changed the timeout.”"
    assert content["what_should_have_been_done"] == ""
    assert "check the result before calling it done" in content["prevention_principle"]


def test_chinese_tasks_teach_in_chinese() -> None:
    success, failure = lessons(
        """U: 帮我订一家故宫附近的酒店
C: book {"near": "故宫"}
R: book {"error": "没有空房"}
C: book {"near": "王府井"}
R: book {"ok": true}
A: 已在王府井订好酒店。
U: 不错，谢谢！
U: 帮我导出上个月的报表
A: 抱歉，我无法访问报表系统，没有权限。
U: 算了"""
    )

    assert success[1]["approach"] == '调用 book(near="王府井")。已在王府井订好酒店。'
    assert '把 near 从 "故宫" 改为 "王府井" 后成功' in success[1]["generalizable_pattern"]
    assert success[1]["applies_when"] == "用户提出类似“帮我订一家故宫附近的酒店”的请求时。"
    assert failure[0] == "failure"
    assert failure[1]["failure_point"] == "抱歉，我无法访问报表系统，没有权限。"
    assert "没有权限" in failure[1]["what_should_have_been_done"]


def test_people_keep_their_names_where_the_talk_says_she() -> None:
    ((kind, content),) = lessons(
        "U: I met Alice Chen today. She is a product manager at Acme. Her birthday is in May.\nA: Nice!"
    )

    assert kind == "facts"
    texts = [fact["text"] for fact in content["facts"]]
    assert "Alice Chen is a product manager at Acme." in texts
    assert any(text.startswith("Alice Chen's birthday is in May") for text in texts)
    assert {fact["subject"] for fact in content["facts"]} == {"Alice Chen"}


def test_chinese_people_are_named_too() -> None:
    ((kind, content),) = lessons("U: 我的同事张伟是产品经理。他喜欢爬山。\nA: 好的。")

    assert kind == "facts"
    assert [fact["subject"] for fact in content["facts"]] == ["张伟", "张伟"]
    assert content["facts"][1]["text"] == "张伟喜欢爬山。"


def test_what_is_only_about_the_matter_at_hand_is_no_fact() -> None:
    pairs = lessons("U: My order 17 has not arrived. Can you check?\nA: It is on its way.\nU: Thanks!")

    assert [kind for kind, _ in pairs if kind == "facts"] == []


def test_secrets_stay_out_of_lessons() -> None:
    pairs = lessons(
        'U: Log in to the shop.\nC: login {"user": "kim", "password": "hunter2-secret"}\nR: login {"ok": true}\nA: OK.'
    )

    assert pairs != []
    assert "hunter2" not in str(pairs)


CONTACTS = ("contacts", "People whom the user mentions.")


@pytest.mark.parametrize(
    ("play", "subject", "text"),
    [
        (
            "U: Please remember that Bob Martinez prefers email over calls.\nA: Sure.",
            "Bob Martinez",
            "Bob Martinez prefers email over calls.",
        ),
        (
            "U: Alice Chen left Northwind, she now works at Contoso.\nA: Noted.",
            "Alice Chen",
            "Alice Chen left Northwind, she now works at Contoso.",
        ),
        (
            "U: 帮我订一家餐厅，李婷不吃辣。\nA: 已订好。\nU: 谢谢",
            "李婷",
            "李婷不吃辣。",
        ),
    ],
)
def test_statements_beside_and_inside_requests_are_facts(play: str, subject: str, text: str) -> None:
    facts = [
        fact for kind, content in lessons(play, CONTACTS) if kind == "facts" for fact in content["facts"]
    ]

    assert {"text": text, "subject": subject} in facts


def test_what_should_have_been_done_is_in_the_users_words() -> None:
    pairs = lessons(
        """U: Deploy the release to production.
C: deploy {"env": "prod"}
R: deploy Error: column users.locale does not exist
A: The deployment failed because the migrations had not been run.
U: You have to run the migrations on staging first, then on production. Forget it for today.
A: Understood."""
    )

    ((kind, content),) = [pair for pair in pairs if pair[0] != "facts"]
    assert kind == "failure"
    assert "run the migrations on staging first" in content["what_should_have_been_done"]
