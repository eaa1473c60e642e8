"""Answers without a model: quoted from what is remembered, and never more than that."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memories.engine import get_embedder
from memories.engine.answering import Briefing, Manner, PieceKind, Remembered
from memories.engine.local.answers.answer import LocalAnswerer
from memories.engine.protocols import ProviderUnavailable
from memories.values import MemoryKind
from tests.support.servers import own_loop

NOW = datetime(2025, 7, 2, 12, tzinfo=UTC)
POLICY = (
    "Purchasing > Software: Every software purchase needs the approval of the head of department. "
    "Licences below 800 euros may be ordered by the team itself. The finance team books them in the same month. "
    "Invoices are kept for ten years."
)
POLICY_ZH = "采购制度：部门经理审批所有软件采购。单价低于800元的许可证可由团队自行购买。发票保存十年。"


def fact(text: str, relativity: float = 0.8, **more: Any) -> Remembered:
    return Remembered(MemoryKind.FACT, text, relativity, "2025-07-01", **more)


def preference(text: str, relativity: float = 0.6) -> Remembered:
    return Remembered(MemoryKind.PREFERENCE, text, relativity, "2025-06-01")


def passage(text: str, source: str = "policy.md, p. 2", relativity: float = 0.7) -> Remembered:
    return Remembered(MemoryKind.KNOWLEDGE, text, relativity, "2025-01-01", source)


def lines(query: str, *remembered: Remembered, tokens: int = 0) -> list[str]:
    briefing = Briefing(query, remembered, NOW, manner=Manner(tokens=tokens))
    return LocalAnswerer(get_embedder()).answer(briefing).text.split("\n")


def test_a_memory_is_quoted_and_the_answer_says_that_no_model_made_it() -> None:
    opening, quote = lines("Where do I live?", fact("The user lives in Porto."))

    assert "without a language model" in opening
    assert quote == "- You live in Porto. (2025-07-01)"


def test_a_chinese_question_is_answered_in_chinese() -> None:
    answer_lines = lines("我想找一家杭州的茶馆。", fact("用户住在杭州。"), preference("用户喜欢喝龙井茶。"))

    assert answer_lines == [
        "以下内容由已存储的记忆拼成，未使用语言模型：",
        "- 你住在杭州。（2025-07-01）",
        "可能相关的偏好：",
        "- 你喜欢喝龙井茶。（2025-06-01）",
    ]


@pytest.mark.parametrize(("query", "word"), [("Who won the cup?", "No stored memory"), ("谁赢了？", "没有")])
def test_where_nothing_is_remembered_it_says_so(query: str, word: str) -> None:
    (line,) = lines(query)

    assert word in line


def test_what_does_not_answer_is_left_out_even_if_no_threshold_was_set() -> None:
    weak = fact("The user plays chess.", 0.1), preference("The user likes tea.", 0.05)

    (nothing,) = lines("Which languages does my sister speak?", *weak)
    answer_lines = lines(
        "Who taught me to play chess?", *weak, fact("Grandfather taught the user to play chess.", 0.4)
    )

    assert "No stored memory" in nothing
    assert (
        answer_lines[1:]
        == [
            "- Grandfather taught you to play chess. (2025-07-01)",
            "- You play chess. (2025-07-01)",
        ][: len(answer_lines) - 1]
    )


@pytest.mark.parametrize(
    ("query", "is_about_user"),
    [
        ("How old is the universe?", False),
        ("Tell me something about stars, please", False),
        ("宇宙有多少年的历史？", False),
        ("请告诉我太阳的温度", False),
        ("How old am I?", True),
        ("Which year is good for me?", True),
        ("我今年几岁？", True),
        ("Age?", True),
        ("When was the birthday party?", True),
    ],
)
def test_questions_about_the_world_are_not_answered_with_what_is_known_of_the_user(
    query: str, is_about_user: bool
) -> None:
    birthday = fact(
        "用户的生日是五月三日。" if query[0] >= "\u4e00" else "The user's birthday is 3 May.", 0.98
    )

    assert any("3 May" in line or "五月三日" in line for line in lines(query, birthday)) is is_about_user


def test_what_lies_far_behind_the_best_is_beside_the_point() -> None:
    answer_lines = lines(
        "Where do I live?", fact("The user lives in Porto.", 0.95), fact("The user was in Rome.", 0.5)
    )

    assert answer_lines[1:] == ["- You live in Porto. (2025-07-01)"]


def test_of_a_document_the_sentence_that_answers_is_quoted_with_its_place() -> None:
    answer_lines = lines("Up to how many euros may a team order licences itself?", passage(POLICY))

    assert answer_lines[1:] == [
        "From documents:",
        "- Licences below 800 euros may be ordered by the team itself. (policy.md, p. 2)",
    ]


def test_of_a_chinese_document_too() -> None:
    answer_lines = lines("团队可以自行购买多少元的许可证？", passage(POLICY_ZH, "采购制度.docx"))

    assert answer_lines[1:] == ["来自文档：", "- 单价低于800元的许可证可由团队自行购买。（采购制度.docx）"]


def test_a_document_in_another_language_is_compared_by_meaning() -> None:
    answer_lines = lines("发票要保存多少年？", passage(POLICY))

    assert "- Invoices are kept for ten years. （policy.md, p. 2）".replace(" （", "（") in answer_lines


def test_while_the_embedder_is_away_the_passage_begins_at_its_beginning() -> None:
    class Away:
        name, dimensions = "away", 3

        def embed_query(self, text: str) -> list[float]:
            raise ProviderUnavailable("not reachable")

        def embed_passages(self, texts: Any) -> list[list[float]]:
            raise ProviderUnavailable("not reachable")

    answer = LocalAnswerer(Away()).answer(Briefing("发票要保存多少年？", (passage(POLICY),), NOW))

    assert "Every software purchase" in answer.text


def test_documents_come_first_where_they_answer_best() -> None:
    answer_lines = lines(
        "May my team order licences?", fact("The user leads a team.", 0.5), passage(POLICY, relativity=0.9)
    )

    assert answer_lines.index("From documents:") < answer_lines.index("- You lead a team. (2025-07-01)")


def test_a_turn_just_spoken_is_quoted_without_its_questions_and_without_the_assistants_words() -> None:
    turn = (
        "user: [09:44 AM on 01 July, 2025 UTC]: I live in Porto. Is it nice there?\n"
        "assistant: [09:44 AM on 01 July, 2025 UTC]: You live in Rome.\n"
    )

    answer_lines = lines("Where do I live?", fact(turn, is_raw=True))

    assert answer_lines[1:] == ["- You said: “I live in Porto.” (2025-07-01)"]


def test_a_turn_of_nothing_but_questions_answers_nothing() -> None:
    turn = "user: [09:44 AM on 01 July, 2025 UTC]: Where do I live?\n"

    assert "No stored memory" in lines("Where do I live?", fact(turn, is_raw=True))[0]


def test_how_tools_were_used_is_no_answer() -> None:
    used = Remembered(MemoryKind.TOOL_TRAJECTORY, "The weather tool was asked for Porto.", 0.9)

    assert "No stored memory" in lines("Where do I live?", used)[0]


def test_the_answer_keeps_its_limit() -> None:
    facts = [fact(f"The user has lived in house number {n}.", 0.8) for n in range(5)]

    assert len(lines("Where did I live?", *facts)) == 6
    assert 2 <= len(lines("Where did I live?", *facts, tokens=50)) < 5


def test_line_by_line_it_says_the_same() -> None:
    engine = LocalAnswerer(get_embedder())
    briefing = Briefing("Where do I live?", (fact("The user lives in Porto."),), NOW)

    async def heard() -> list[Any]:
        return [piece async for piece in engine.stream(briefing)]

    *pieces, end = own_loop.run(heard())
    assert "".join(piece.text for piece in pieces) == engine.answer(briefing).text
    assert len(pieces) == 2
    assert end.kind == PieceKind.END
