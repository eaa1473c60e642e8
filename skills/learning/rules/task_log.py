"""Write finished tasks into the logs of a space: one file for each day, or the period of the log's schema."""

from __future__ import annotations

import re

from memories.text.clauses.small_talk import is_courtesy
from memories.text.words.language_detection import detect_language
from skills.learning.lesson import Fact, LessonContent
from skills.learning.rules.markdown_pages import build_page, with_bullet, with_entry
from skills.learning.rules.schema import SchemaHeading
from skills.learning.rules.skill_choice import Filling, WritableSkill, find_writable_skills
from skills.learning.rules.statements.subjects import Cast
from skills.learning.rules.statements.text_similarity import TextSimilarity
from skills.learning.workspace.workspace import Workspace
from skills.values import LessonKind

_LONGEST_TITLE, _LONGEST_STATED, _MOST_SENTENCES = 90, 400, 3
_ENTRY = re.compile(r"(?m)^(?=## )")
# Not behind the number of a list.
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\b\d\.)(?<!\b\d\d\.)\s+|(?<=[。！？])")
_ENDED_WELL = re.compile(
    r"\bdone\b|\bfinished\b|\bcompleted?\b|\bachieved\b|\bshipped\b|完成|成果|做了", re.IGNORECASE
)
_ENDED_BADLY = re.compile(r"\bblock|\bfail|\bissue|\bproblem|\btrouble|失败|问题|阻塞|未完成", re.IGNORECASE)


class LogKeeper:
    """Notes that a task was done, once: the same task of the same day has one entry."""

    def __init__(self, workspace: Workspace, near: TextSimilarity) -> None:
        self._workspace = workspace
        self._near = near

    def keep(self, lesson: LessonContent) -> None:
        title = _write_title(lesson)
        if not title or is_courtesy(title):
            return
        fact = Fact(title, "")
        for target in find_writable_skills(list(self._workspace.skills.values())):
            if not target.is_log:
                continue
            for spot in Filling(Cast([fact]), self._near, lesson.day).list_spots(target, fact)[:1]:
                self._note_lesson(target, spot.path, spot.title, lesson)

    def _note_lesson(self, target: WritableSkill, path: str, day: str, lesson: LessonContent) -> None:
        headings = target.schema.headings
        held = target.skill.files.get(path)
        page = build_page(day, headings) if held is None else held
        page = (
            _add_under_heading(page, _choose_heading(headings, lesson), lesson)
            if headings
            else _as_entry(page, lesson)
        )
        if held is None:
            self._workspace.create(target.skill.name, path, page)
        elif page != held:
            self._workspace.rewrite(target.skill.name, path, held, page)


def _choose_heading(headings: tuple[SchemaHeading, ...], lesson: LessonContent) -> SchemaHeading:
    wanted = _ENDED_BADLY if lesson.kind is LessonKind.FAILURE else _ENDED_WELL
    return next((heading for heading in headings if wanted.search(heading.text)), headings[0])


def _add_under_heading(page: str, heading: SchemaHeading, lesson: LessonContent) -> str:
    line = f"{_write_title(lesson)}: {_write_statement(lesson)}"
    return page if f"- {line}" in page.split("\n") else with_bullet(page, line, heading)


def _as_entry(page: str, lesson: LessonContent) -> str:
    entry = f"## {_write_title(lesson)}\n\n- {_write_statement(lesson)}"
    blocks = _ENTRY.split(page)
    for at, block in enumerate(blocks):
        if block.split("\n", 1)[0] == entry.split("\n", 1)[0]:
            end = "\n\n" if at + 1 < len(blocks) else "\n"
            return "".join([*blocks[:at], entry + end, *blocks[at + 1 :]])
    return with_entry(page, entry)


def _write_title(lesson: LessonContent) -> str:
    title = lesson.goal.rstrip(".。!！ ")
    return title if len(title) <= _LONGEST_TITLE else f"{title[:_LONGEST_TITLE].rsplit(' ', 1)[0]}…"


def _write_statement(lesson: LessonContent) -> str:
    """One to three sentences: what was done, and how it ended."""
    is_chinese = detect_language(lesson.goal) == "zh"
    if lesson.kind is LessonKind.FAILURE:
        start = "未完成：" if is_chinese else "It failed: "
        parts = [f"{start}{lesson.text('failure_point')}", lesson.text("what_should_have_been_done")]
    elif lesson.kind is LessonKind.SUCCESS:
        parts = [lesson.text("approach"), "已完成。" if is_chinese else "It was done."]
    else:
        noted = [fact.text for fact in lesson.facts[:2]]
        parts = ["记下了：" + "；".join(noted)] if is_chinese else ["Noted: " + " ".join(noted)]
    sentences = [sentence for part in parts for sentence in _SENTENCE.split(part.strip()) if sentence]
    stated = ("" if is_chinese else " ").join(
        _end_sentence(sentence) for sentence in sentences[-_MOST_SENTENCES:]
    )
    return stated if len(stated) <= _LONGEST_STATED else f"{stated[:_LONGEST_STATED].rstrip()}…"


def _end_sentence(sentence: str) -> str:
    if sentence.endswith((".", "!", "?", "。", "！", "？", "…")):
        return sentence
    return f"{sentence}{'。' if detect_language(sentence) == 'zh' else '.'}"
