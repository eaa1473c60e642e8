"""Write successes and failures into the skill of their field: one that covers it, or a new one."""

from __future__ import annotations

import re

from memories.text.words.language_detection import detect_language
from skills.learning.lesson import Fact, LessonContent
from skills.learning.rules.contacts import mask_contacts
from skills.learning.rules.markdown_pages import build_page, with_entry
from skills.learning.rules.skill_choice import Filling, WritableSkill, find_writable_skills
from skills.learning.rules.statements.domains import Domain, build_own_domain, find_domain
from skills.learning.rules.statements.subjects import Cast
from skills.learning.rules.statements.text_similarity import TextSimilarity
from skills.learning.workspace.workspace import Workspace
from skills.packages.front_matter import write as write_front_matter
from skills.reading.task_board import RefusedAction
from skills.reading.wording import name_task
from skills.values import LessonKind

METHODS, PITFALLS = "methods.md", "pitfalls.md"
# How much a lesson must have to do with a skill of its own field by the words, of no known field, and of another one.
SAME_FIELD_FROM, NO_FIELD_FROM, OTHER_FIELD_FROM = 0.02, 0.08, 0.14
# How near two principles are that say the same.
SAME_ENTRY_FROM = 0.80
_LABELS = {
    "en": {
        "day": "Day",
        "principle": "Principle",
        "when": "When to apply",
        "steps": "Steps",
        "symptom": "Symptom",
        "cause": "Root cause",
        "correct": "Correct approach",
        "prevention": "Prevention",
    },
    "zh": {
        "day": "日期",
        "principle": "原则",
        "when": "适用场景",
        "steps": "步骤",
        "symptom": "现象",
        "cause": "根因",
        "correct": "正确做法",
        "prevention": "预防",
    },
}
_WORKED = re.compile(
    r"\bmethods?\b|\bwork(?:s|ed)\b|success|best practice|procedure|how to|方法|成功|做法|最佳", re.IGNORECASE
)
_BROKE = re.compile(
    r"pitfall|fail|mistake|warning|wrong|trouble|incident|lesson|坑|失败|教训|错误|问题|故障", re.IGNORECASE
)
_ENTRY = re.compile(r"(?m)^(?=## )")
# Not behind the number of a list.
_STEP_END = re.compile(r"(?<=[.!?;])(?<!\b\d\.)(?<!\b\d\d\.)\s+|(?<=[。！？；])")
_LONGEST_TITLE = 90


class MethodKeeper:
    """Writes what was learned of how work is done."""

    def __init__(self, workspace: Workspace, near: TextSimilarity) -> None:
        self._workspace = workspace
        self._near = near

    def keep(self, lesson: LessonContent) -> list[str]:
        """Keep the methods; return what was left out, and why."""
        if not _get_principle(lesson):
            return ["the lesson says no principle"]
        entry = format_lesson_entry(lesson)
        target = self._find_covering(lesson) or self._create_skill(lesson)
        if target is None:
            return ["no skill of its field may be written"]
        path, left_out = self._choose_path(target, lesson)
        self._put_entry(target, path, entry, lesson)
        return left_out

    def _find_covering(self, lesson: LessonContent) -> WritableSkill | None:
        """The skill of the lesson's field: named after it, about it by its words, or near it in meaning."""
        targets = [
            target
            for target in find_writable_skills(list(self._workspace.skills.values()))
            if target.is_of_methods
        ]
        stated, field = describe_lesson(lesson), find_lesson_domain(lesson)
        named = next((target for target in targets if target.skill.name == field.name), None)
        if named is not None:
            return named
        self._near.expect([stated, *(target.schema.about for target in targets)])
        ranked = [(self._near.concern(stated, target.schema.about), at) for at, target in enumerate(targets)]
        for concern, at in sorted(ranked, reverse=True):
            if concern >= _covers_from(targets[at], field):
                return targets[at]
        return None

    def _create_skill(self, lesson: LessonContent) -> WritableSkill | None:
        field = find_lesson_domain(lesson)
        try:
            skill = self._workspace.create_skill(
                write_skill_text(field, detect_language(describe_lesson(lesson)))
            )
        except RefusedAction:  # enough skills, or one of this name that may not be written
            return None
        return next(target for target in find_writable_skills([skill]))

    def _choose_path(self, target: WritableSkill, lesson: LessonContent) -> tuple[str, list[str]]:
        """As the skill's own schema names it, else one file for what worked and one for what did not."""
        fact = Fact(f"{lesson.goal}. {lesson.text('applies_when')}", "")
        filling = Filling(Cast([fact]), self._near, lesson.day)
        spots = filling.list_spots(target, fact)
        if spots:
            return spots[0].path, []
        failed = lesson.kind is LessonKind.FAILURE
        wanted = _BROKE if failed else _WORKED
        fixed = next((path for path, line in target.schema.fixed.items() if wanted.search(line)), "")
        return target.find_path(fixed or (PITFALLS if failed else METHODS)), filling.left_out

    def _put_entry(self, target: WritableSkill, path: str, entry: str, lesson: LessonContent) -> None:
        held = target.skill.files.get(path)
        if held is None:
            title = _get_page_title(path, detect_language(entry))
            self._workspace.create(target.skill.name, path, with_entry(build_page(title, ()), entry))
            return
        page = self._replace_entry(held, entry, lesson) or with_entry(held, entry)
        if page != held:
            self._workspace.rewrite(target.skill.name, path, held, page)

    def _replace_entry(self, page: str, entry: str, lesson: LessonContent) -> str | None:
        """The page with the entry in place of one that says the same; None where none does."""
        blocks = _ENTRY.split(page)
        principle = _get_principle(lesson)
        for at, block in enumerate(blocks):
            theirs = _find_first_point(block)
            if (
                theirs
                and self._near.between(principle, theirs) >= SAME_ENTRY_FROM
                and _kind(block) == _kind(entry)
            ):
                end = "\n\n" if at + 1 < len(blocks) else "\n"
                return "".join([*blocks[:at], entry.strip() + end, *blocks[at + 1 :]])
        return None


def _covers_from(target: WritableSkill, field: Domain) -> float:
    theirs = find_domain(target.schema.description, target.schema.name.replace("-", " "))
    if theirs is None:
        return NO_FIELD_FROM
    return SAME_FIELD_FROM if theirs.name == field.name else OTHER_FIELD_FROM


def find_lesson_domain(lesson: LessonContent) -> Domain:
    texts = (
        lesson.goal,
        lesson.text("generalizable_pattern") or lesson.text("prevention_principle"),
        lesson.text("applies_when"),
        lesson.text("approach") or lesson.text("what_should_have_been_done"),
    )
    return find_domain(*texts) or build_own_domain(*texts)


def describe_lesson(lesson: LessonContent) -> str:
    return f"{lesson.goal}. {_get_principle(lesson)} {lesson.text('applies_when')}"[:600]


def _get_principle(lesson: LessonContent) -> str:
    return lesson.text("generalizable_pattern") or lesson.text("prevention_principle")


def format_lesson_entry(lesson: LessonContent) -> str:
    """A success as principle, when to apply, steps; a failure as symptom, root cause, correct approach, prevention.

    Without the addresses and numbers of the people of its case.
    """
    say = _LABELS[detect_language(describe_lesson(lesson))]
    lines = [f"## {_write_title(lesson)}", "", f"- **{say['day']}**: {lesson.day.isoformat()}"]
    stated: tuple[tuple[str, str], ...]
    if lesson.kind is LessonKind.FAILURE:
        stated = (
            ("symptom", "failure_point"),
            ("cause", "flawed_reasoning"),
            ("correct", "what_should_have_been_done"),
            ("prevention", "prevention_principle"),
            ("when", "applies_when"),
        )
    else:
        stated = (("principle", "generalizable_pattern"), ("when", "applies_when"))
    lines += [f"- **{say[label]}**: {lesson.text(key)}" for label, key in stated if lesson.text(key)]
    steps = _split_steps(lesson)
    if steps:
        lines += [f"- **{say['steps']}**:", *(f"  {at}. {step}" for at, step in enumerate(steps, 1))]
    return mask_contacts("\n".join(lines))


def _write_title(lesson: LessonContent) -> str:
    stated = lesson.goal or _get_principle(lesson)
    # What the entry is filed under names the kind of task, not this one's case.
    kind = name_task(stated, detect_language(stated)) if lesson.goal else ""
    title = kind if _says_enough(kind) else stated.rstrip(".。!！ ")
    return title if len(title) <= _LONGEST_TITLE else f"{title[:_LONGEST_TITLE].rsplit(' ', 1)[0]}…"


def _says_enough(title: str) -> bool:
    return len(title.split()) > 2 or len(_HAN.findall(title)) > 3


_HAN = re.compile("[\u4e00-\u9fff]")


def _split_steps(lesson: LessonContent) -> list[str]:
    approach = _STEP_END.split(lesson.text("approach"))
    steps = [*(part.strip(" ;；") for part in approach), *lesson.texts("key_decisions")]
    principle = _get_principle(lesson)
    return [step for step in dict.fromkeys(steps) if step and not _is_quoted(step, principle)]


def _is_quoted(step: str, principle: str) -> bool:
    """Return whether the principle has the user's words that the step consists of."""
    quoted = _QUOTED.search(step)
    return quoted is not None and quoted[0] in principle


_QUOTED = re.compile(r"“.+”$")


def _find_first_point(block: str) -> str:
    """The principle or the prevention that an entry states."""
    labels = [_LABELS[language][key] for language in _LABELS for key in ("principle", "prevention")]
    match = re.search(rf"(?m)^- \*\*(?:{'|'.join(map(re.escape, labels))})\*\*: (.+)$", block)
    return match.group(1).strip() if match else ""


def _kind(block: str) -> bool:
    """Return whether an entry tells of a failure."""
    return any(f"**{_LABELS[language]['symptom']}**" in block for language in _LABELS)


def _get_page_title(path: str, language: str) -> str:
    known = {METHODS: ("Methods", "方法"), PITFALLS: ("Pitfalls", "教训")}
    if path in known:
        return known[path][language == "zh"]
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("-", " ").capitalize()


def write_skill_text(field: Domain, language: str) -> str:
    """The SKILL.md of a new skill for a field."""
    title = field.titled(language)
    if language == "zh":
        front = {
            "name": field.name,
            "description": f"{title}方面的方法和教训：怎样做有效，哪里出过错。处理这类任务之前先看。",
        }
        return f"{write_front_matter(front)}\n\n{_BODY_ZH.replace('{title}', title)}"
    front = {
        "name": field.name,
        "description": (
            f"Methods and pitfalls of {title.lower()}: what worked and what went wrong. Use it before "
            f"working on a task of this field."
        ),
    }
    return f"{write_front_matter(front)}\n\n{_BODY_EN.replace('{title}', title)}"


_BODY_EN = """# {title}

What finished tasks of this field taught, so that the next one begins where they ended.

## Files

- `methods.md`: what worked.
- `pitfalls.md`: what failed, and what to do instead.

## Format

Each entry has a heading of the second level that names the task, the day, and a list. What worked is told as principle,
when to apply, steps; what failed as symptom, root cause, correct approach, prevention.

## Guidelines

- One entry for each method; a better way to do the same replaces it.
- Keep to when a method applies.
- No names, numbers or other details of a single case.
"""
_BODY_ZH = """# {title}

这类任务做完之后学到的东西，供下一次从这里开始。

## 文件

- `methods.md`：有效的方法。
- `pitfalls.md`：失败的教训，以及正确的做法。

## 格式

每个条目有一个二级标题，写明任务，下面是日期和列表。有效的方法写原则、适用场景、步骤；失败的教训写现象、根因、正确做法、预防。

## 准则

- 一种方法一个条目；更好的做法替换旧的。
- 写清适用场景，不要扩大。
- 不写单个案例的姓名、数字等细节。
"""
