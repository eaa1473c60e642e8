"""What the API answers in English, as a member with the Chinese console reads it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from console.ui.texts.api_words import translate_answer, translate_detail, translate_failure, translate_remedy

ROOT = Path(__file__).resolve().parents[3]
APPS = ("console", "knowledgebase", "memories", "skills", "tenancy")
# What raises with a sentence for clients or members: at which place of the call it stands.
RAISED = {
    **dict.fromkeys(
        re.findall(r"^class (\w+)\(", (ROOT / "tenancy/errors.py").read_text(encoding="utf-8"), re.MULTILINE),
        slice(0, 1),
    ),
    "NotHad": slice(0, 1),
    "FieldRefused": slice(1, 2),
    "Unreadable": slice(0, 2),
    "PackageRefused": slice(0, 1),
    "Refused": slice(0, 1),
    "BadFrontMatter": slice(0, 1),
    "unusable": slice(0, 1),
}
# Two words of English beside each other that are no name of the API and stand in no example.
ENGLISH = re.compile(r"\b[A-Za-z]{2,} [a-z]{2,}")


def find_raised_sentences(source: str) -> Iterator[str]:
    """Each text that is raised, with a number where a value stands."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in RAISED:
            continue
        given = [*node.args[RAISED[name]], *(word.value for word in node.keywords if word.arg == "cure")]
        for value in given:
            both = (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
            yield from filter(None, map(read_text, both))


def read_text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else read_value(part) for part in node.values
        )
    return ""


def read_value(part: ast.expr) -> str:
    """`line` of a fault of YAML is " (line 7)" or nothing."""
    value = part.value if isinstance(part, ast.FormattedValue) else part
    return "" if isinstance(value, ast.Name) and value.id == "line" else "7"


def test_every_sentence_that_is_raised_is_translated() -> None:
    """Who adds one to the code adds it to `api_details.toml`."""
    english: list[str] = []
    count = 0
    with translation.override("zh-hans"):
        for app in APPS:
            for path in (ROOT / app).rglob("*.py"):
                for text in find_raised_sentences(path.read_text(encoding="utf-8")):
                    count += 1
                    chinese = re.sub(r"`[^`]*`", "", translate_detail(text))
                    if ENGLISH.search(chinese):
                        english.append(f"{path.relative_to(ROOT)}: {text} | {chinese}")
    assert count > 400
    assert english == []


@pytest.mark.parametrize(
    ("code", "message", "shown"),
    [
        (
            40012,
            "relativity must be between 0 and 1: relativity: 7",
            "relativity 必须在 0 到 1 之间：relativity: 7",
        ),
        (
            40000,
            "Invalid request parameters: messages[3].content: must be a string",
            "请求参数无效：messages[3].content: 必须是字符串",
        ),
        (
            40000,
            "Invalid request parameters: filter.and[0].x: at most 20 characters, not 31",
            "请求参数无效：filter.and[0].x: 最多 20 个字符，收到了 31 个",
        ),
        (40000, "This memory is frozen and cannot be changed: 0af3", "此记忆已冻结，无法更改：0af3"),
        (
            40000,
            "Invalid request parameters: pass user_id or agent_id, not both",
            "请求参数无效：传入 user_id 或 agent_id，不要同时传入两者",
        ),
        (
            40000,
            "Invalid request parameters: the body is not valid JSON: Expecting value (line 1, column 5)",
            "请求参数无效：请求体不是有效的 JSON：缺少值（第 1 行，第 5 列）",
        ),
        (
            40304,
            "The storage of the plan is used up: it allows 1.0 GB in all; 1.0 GB are stored",
            "套餐的存储空间已用完：共允许 1.0 GB，已存储 1.0 GB",
        ),
        (40001, "session not found", "未找到会话"),
        (40002, "Required field cannot be empty: query", "必填字段不能为空：query"),
        (99999, "Nobody knows this one", "Nobody knows this one"),
    ],
)
def test_an_answer_is_read_in_chinese(code: int, message: str, shown: str) -> None:
    with translation.override("zh-hans"):
        assert translate_answer(code, message) == shown
    assert translate_answer(code, message) == message


@pytest.mark.parametrize(
    "detail", ["kim", "", "3f0a-77", "我的项目", "the user moved to Lisbon", "x" * 5_000, "a: " * 900]
)
def test_what_is_no_sentence_stays_as_it_is(detail: str) -> None:
    with translation.override("zh-hans"):
        assert translate_detail(detail) == detail


def test_reasons_of_tasks_and_remedies_are_read_in_chinese() -> None:
    with translation.override("zh-hans"):
        assert translate_failure("50107", "Invalid file format: it holds macros") == "文件格式无效：含有宏"
        assert translate_failure("provider_refused", "timed out") == "超时"
        assert translate_remedy("Save it without macros, as .docx.") == "请另存为不含宏的 .docx。"
        assert translate_remedy("Check the task_id.") == "检查 task_id。"
    assert translate_remedy("Check the task_id.") == "Check the task_id."
