"""Parse and write SKILL.md: name, description and the known sections.

Imports no Django, for the child process reads it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from skills.packages import front_matter
from skills.packages.front_matter import BadFrontMatter

MAX_NAME, MAX_DESCRIPTION = 200, 2_000

PROCEDURE, EXPERIENCE, PREFERENCE, EXAMPLES, OTHERS = (
    "procedure",
    "experience",
    "preference",
    "examples",
    "others",
)
# Headings by which people call the sections, without case and marks.
SECTIONS = {
    "procedure": PROCEDURE,
    "procedures": PROCEDURE,
    "steps": PROCEDURE,
    "workflow": PROCEDURE,
    "步骤": PROCEDURE,
    "流程": PROCEDURE,
    "操作步骤": PROCEDURE,
    "执行步骤": PROCEDURE,
    "experience": EXPERIENCE,
    "experiences": EXPERIENCE,
    "lessons": EXPERIENCE,
    "经验": EXPERIENCE,
    "经验总结": EXPERIENCE,
    "user preferences": PREFERENCE,
    "user preference": PREFERENCE,
    "preferences": PREFERENCE,
    "preference": PREFERENCE,
    "用户偏好": PREFERENCE,
    "偏好": PREFERENCE,
    "examples": EXAMPLES,
    "example": EXAMPLES,
    "示例": EXAMPLES,
    "例子": EXAMPLES,
    "additional information": "additional_information",
    "附加信息": "additional_information",
    "补充信息": "additional_information",
    "补充说明": "additional_information",
}
# Linear in the line, whatever its blanks: signs that close a heading are cut off by `clean_heading`.
HEADING = re.compile(r"^(#{1,6})[ \t]++(\S(?:.*\S)?)[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_EXAMPLE_HEADING = re.compile(r"#{3,6}[ \t]")
_ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,3}[.)、])[ \t]*(.*)$")
_UNSAFE = re.compile(r'[\s/\\:*?"<>|\x00-\x1f\x7f]')


@dataclass(frozen=True, slots=True)
class SkillText:
    """A SKILL.md as it was read. `value` is what searches return of it; `extra` what else the front matter says."""

    title: str
    description: str
    body: str
    value: dict[str, Any]
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return build_safe_name(self.title)


def parse_skill_md(text: str) -> SkillText:
    """Raises `BadFrontMatter`, whose words name the rule and quote nothing of the file."""
    front, body = front_matter.parse(text)
    if "\0" in body:  # no database keeps it
        raise BadFrontMatter("it holds a sign that no text has")
    title = _require_field(front, "name", MAX_NAME)
    description = _require_field(front, "description", MAX_DESCRIPTION)
    extra = {key: value for key, value in front.items() if key not in {"name", "description"}}
    value = {"name": title, "description": description} | parse_sections(body)
    return SkillText(title, description, body, value, extra)


def _require_field(front: dict[str, Any], key: str, most: int) -> str:
    value = front.get(key)
    if not isinstance(value, str) or not value.strip():
        raise BadFrontMatter(f"the front matter has no `{key}`")
    if len(value.strip()) > most:
        raise BadFrontMatter(f"`{key}` is longer than {most} characters")
    return value.strip()


def clean_heading(heading: re.Match[str]) -> str:
    """Return what the heading says, without the signs that close it."""
    return heading[2].rstrip("#").rstrip(" \t") or heading[2]


def build_safe_name(title: str) -> str:
    """Build what stands in paths for a title; "-" for each sign that a path or a shell would read."""
    return _UNSAFE.sub("-", title).strip(".") or "skill"


def parse_sections(body: str) -> dict[str, Any]:
    """The body by its known headings; what stands under others is kept, heading by heading, in `others`."""
    section_texts: dict[str, list[str]] = {}
    others: dict[str, str] = {}
    for heading, lines in _split_by_heading(body):
        text = "\n".join(lines).strip()
        known = SECTIONS.get(_normalise_heading(heading))
        if known in {PROCEDURE, EXPERIENCE, PREFERENCE, EXAMPLES} and text:
            section_texts.setdefault(str(known), []).append(text)
        elif text:
            key = known or heading or "introduction"
            others[key] = f"{others[key]}\n\n{text}" if key in others else text
    return {
        PROCEDURE: "\n".join(section_texts.get(PROCEDURE, [])),
        EXPERIENCE: _split_items("\n".join(section_texts.get(EXPERIENCE, []))),
        PREFERENCE: _split_items("\n".join(section_texts.get(PREFERENCE, []))),
        EXAMPLES: _split_examples("\n".join(section_texts.get(EXAMPLES, []))),
        "scripts": None,
        OTHERS: others or None,
    }


def _normalise_heading(heading: str) -> str:
    return re.sub(r"[\s*_`:：]+", " ", heading).strip().lower()


def _split_by_heading(body: str) -> Iterator[tuple[str, list[str]]]:
    """Cut at headings of the first two levels; deeper ones belong to the text of their section."""
    heading, lines = "", list[str]()
    for line, is_code in _mark_code_lines(body):
        match = None if is_code else HEADING.match(line)
        if match and len(match.group(1)) <= 2:
            yield heading, lines
            heading, lines = clean_heading(match), []
        else:
            lines.append(line)
    yield heading, lines


def _mark_code_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a block of code, whose fences do: as CommonMark has it."""
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            yield line, True
            fence = "" if mark and _closes(mark, fence) else fence
        else:
            # One line may begin and end with three ticks: code within a sentence.
            fence = mark[1] if mark and not (mark[1][0] == "`" and "`" in mark[2]) else ""
            yield line, bool(fence)


def _closes(mark: re.Match[str], fence: str) -> bool:
    return mark[1].startswith(fence) and not mark[2].strip()


def write_section_text(text: str, most: int) -> str:
    """The text, or its first `most` characters, as the text of one section: its headings become plain lines, and a
    block of code that has no end is closed."""
    lines: list[str] = []
    for line, is_code in _mark_code_lines(text):
        heading = None if is_code else HEADING.match(line)
        lines.append(clean_heading(heading) if heading else line)
    kept = "\n".join(lines).strip()[:most]
    fence = _open_fence(kept)
    return f"{kept}\n{fence}" if fence else kept


def _open_fence(text: str) -> str:
    """The fence of a block of code in which the text ends."""
    fence = ""
    for line, is_code in _mark_code_lines(text):
        mark = _FENCE.match(line)
        if mark and is_code:
            fence = mark[1] if not fence else "" if _closes(mark, fence) else fence
    return fence


def _split_items(text: str) -> list[str]:
    """The items of a list; a paragraph is one too."""
    items: list[str] = []
    is_open = False
    for line in text.splitlines():
        match = _ITEM.match(line)
        if match:
            items.append(match.group(1).strip())
        elif not line.strip():
            is_open = False
            continue
        elif is_open and items:
            items[-1] = f"{items[-1]} {line.strip()}"
        else:
            items.append(line.strip())
        is_open = True
    return [item for item in items if item]


def _split_examples(text: str) -> list[str]:
    """One for each heading below the section's own, or the whole."""
    parts: list[list[str]] = [[]]
    for line, is_code in _mark_code_lines(text):
        if not is_code and _EXAMPLE_HEADING.match(line):
            parts.append([])
        parts[-1].append(line)
    return [example for part in parts if (example := "\n".join(part).strip())]


_TITLES = {
    "en": ("Procedure", "Experience", "User Preferences", "Examples", "Additional Information"),
    "zh": ("步骤", "经验", "用户偏好", "示例", "补充信息"),
}


def write_skill_md(value: dict[str, Any], language: str = "en") -> str:
    """The text of a skill's sections, in the recommended form; empty sections are left out."""
    procedure, experience, preference, examples, more = _TITLES["zh" if language == "zh" else "en"]
    front = {"name": value["name"], "description": value["description"]}
    parts = [front_matter.write(front)]
    parts += _write_section(procedure, value.get(PROCEDURE) or "")
    parts += _write_section(experience, _write_list(value.get(EXPERIENCE)))
    parts += _write_section(preference, _write_list(value.get(PREFERENCE)))
    parts += _write_section(examples, "\n\n".join(value.get(EXAMPLES) or ()))
    for heading, text in (value.get(OTHERS) or {}).items():
        parts += _write_section(more if heading == "additional_information" else heading, str(text))
    return "\n\n".join(parts) + "\n"


def _write_section(heading: str, text: str) -> list[str]:
    return [f"## {heading}\n\n{text.strip()}"] if text.strip() else []


def _write_list(items: Any) -> str:
    return "\n".join(f"- {' '.join(str(item).split())}" for item in items or ())


__all__ = [
    "BadFrontMatter",
    "SkillText",
    "parse_skill_md",
    "build_safe_name",
    "parse_sections",
    "write_skill_md",
]
