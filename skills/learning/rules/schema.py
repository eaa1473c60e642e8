"""Parse a SKILL.md as a schema: what belongs in the skill, the names of its files, and their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from memories.text.words.language_detection import detect_language
from skills.learning.rules.naming import Hole, parse_hole
from skills.learning.workspace.workspace import WorkspaceSkill
from skills.packages.skill_md import HEADING, BadFrontMatter, clean_heading, parse_skill_md

# What of a SKILL.md is read as a schema: people write schemas by hand, and what is longer is something else.
LONGEST_LINE, MOST_LINES, LONGEST_CONTEXT, MOST_PATTERNS, MOST_NAMES = 400, 400, 8_000, 8, 40

_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_HOLE = re.compile(r"\[([^\[\]\n]{1,60})\]|\{([^{}\n]{1,60})\}|<([^<>\n/]{1,60})>")
_NAME = r"(?:[\w.\-/\u4e00-\u9fff]|\[[^\[\]\n]{1,60}\]|\{[^{}\n]{1,60}\}|<[^<>\n/]{1,60}>)"
_PATH = re.compile(rf"(?<![\w/])({_NAME}{{1,100}}?\.(?:md|markdown|txt))\b", re.IGNORECASE)
_NAMES_FILE = re.compile(r"\.(?:md|markdown|txt)\b", re.IGNORECASE)
# A date in a file's name is a placeholder, in brackets or not.
_BARE_DATE = re.compile(r"(?<![\w\[])(y{4}-m{2}(?:-d{2})?)(?![\w\]])", re.IGNORECASE)
_FILES = re.compile(
    r"\b(?:files?|structure|naming|layout|organi[sz]ation|folders?)\b|文件|结构|命名|目录", re.IGNORECASE
)
_FORMAT = re.compile(
    r"\b(?:format|template|sections?|contents?|headings?|outline)\b|格式|模板|内容|章节|栏目|小节",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"""
    (?:
        \be\.?g\.? | \bfor\ example | \bfor\ instance | \bsuch\ as | \blike | \bexamples?\b | 例如 | 比如
        | 譬如 | 例： | 如[:：]?\s*[`“] | → | ->
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LISTED = re.compile(
    r"""
    (?:sections?|headings?|parts|章节|栏目|部分|小节|标题)\s*(?:are|named|called|is|:|：|为|是|包括|有)?
    \s*(?P<list>[^.。\n]{3,200})
    | (?:has|have|with|contains?|包含|分为|分成|包括|设有)\s+(?:the\s+|just\s+|two\s+|three\s+|only\s+)*
      (?:sections?|headings?)\s+(?P<other>[^.。\n]{3,200})
    | (?:包含|分为|分成|包括|设有|只有)(?P<zh>[^。\n]{3,80}?)(?:几个|两个|三个|四个|两|三|四)?
      (?:部分|章节|栏目|小节|标题)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_QUOTED = re.compile(r"[`“\"「『*]{1,2}#{0,6}\s*([^`”\"」』*\n]{1,40}?)\s*[`”\"」』*]{1,2}")
# Where each entry has a heading of its own, those in the template are examples.
_PER_ENTRY = re.compile(
    r"""
    \b(?:each|every|per)\ (?:task|entry|item|meeting|decision|day|event)s?\b[^.\n]{0,40}\bheading
    | \bheading\b[^.\n]{0,30}\b(?:per|for\ each|for\ every)\b
    | 每(?:个|项|条|次|件)[^。\n]{0,12}(?:一个|的)?(?:二级)?标题
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CATEGORIES = re.compile(
    r"""
    (?:categor(?:y|ies)|topics?|types?|kinds?|areas?|类别|分类|主题|种类)[^:：\n]{0,40}[:：]\s*
    (?P<list>[^:：\n]{3,300})$
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_RULES = re.compile(
    r"\b(?:guidelines?|rules?|purpose|when to|how to|examples?|usage)\b|准则|规则|说明|目的|示例|注意",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SchemaHeading:
    """A heading of a file, with what the schema says should stand below it."""

    level: int
    text: str
    note: str = ""

    @property
    def line(self) -> str:
        return f"{'#' * self.level} {self.text}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Pattern of file names: `parts` are texts and placeholders in turn. `note` is what stands beside it."""

    template: str
    parts: tuple[str | Hole, ...]
    note: str = ""

    @property
    def holes(self) -> list[Hole]:
        return [part for part in self.parts if isinstance(part, Hole)]

    def filled(self, values: dict[Hole, str]) -> str:
        return "".join(part if isinstance(part, str) else values[part] for part in self.parts)

    def matcher(self) -> re.Pattern[str]:
        """Return which paths were made by it; a group for each placeholder."""
        stated = (re.escape(part) if isinstance(part, str) else "([^/]+?)" for part in self.parts)
        return re.compile("".join(stated), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SkillSchema:
    """`fixed` are the names of files that are always the same, with what is said of them."""

    name: str
    description: str
    purpose: str
    patterns: tuple[Pattern, ...]
    headings: tuple[SchemaHeading, ...]
    categories: tuple[str, ...] = ()
    fixed: dict[str, str] = field(default_factory=dict)
    language: str = "en"

    @property
    def about(self) -> str:
        """Return what a statement is compared with."""
        return f"{self.name.replace('-', ' ')}: {self.description} {self.purpose}"[:600]


def parse_skill_schema(skill: WorkspaceSkill) -> SkillSchema | None:
    """Parse a skill's schema; None when its SKILL.md cannot be read."""
    return _read_schema(skill.name, skill.schema)


@lru_cache(maxsize=64)
def _read_schema(name: str, text: str) -> SkillSchema | None:
    try:
        stated = parse_skill_md(text)
    except BadFrontMatter:
        return None
    body = "\n".join(line[:LONGEST_LINE] for line in stated.body.splitlines()[:MOST_LINES])
    parts = list(_split_parts(body))
    around = f"{stated.description[:LONGEST_LINE]}\n{body[:LONGEST_CONTEXT]}"
    patterns, fixed = _list_patterns_and_names(parts, around)
    return SkillSchema(
        name=name,
        description=stated.description,
        purpose=_find_purpose(parts),
        patterns=tuple(patterns),
        headings=() if _PER_ENTRY.search(body) else tuple(_find_headings(parts)),
        categories=tuple(_list_categories(body)),
        fixed=fixed,
        language=detect_language(around),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch below one heading of the SKILL.md; what is inside fences apart from the prose."""

    level: int
    heading: str
    prose: tuple[str, ...]
    fenced: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join([*self.prose, *self.fenced])


def _split_parts(body: str) -> Iterator[_Part]:
    level, heading, prose, fenced, fence = 0, "", list[str](), list[str](), ""
    for line in body.splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or mark.group(1) == fence):
            fence = "" if fence else mark.group(1)
            continue
        match = None if fence else HEADING.match(line)
        if match:
            yield _Part(level, heading, tuple(prose), tuple(fenced))
            level, heading, prose, fenced = len(match.group(1)), clean_heading(match), [], []
        else:
            (fenced if fence else prose).append(line)
    yield _Part(level, heading, tuple(prose), tuple(fenced))


def _find_purpose(parts: Sequence[_Part]) -> str:
    """The first words that are neither about files nor about their form."""
    for part in parts:
        if not _FILES.search(part.heading) and not _FORMAT.search(part.heading):
            text = " ".join(" ".join(part.prose).split())
            if text:
                return text[:400]
    return ""


def _list_patterns_and_names(parts: Sequence[_Part], around: str) -> tuple[list[Pattern], dict[str, str]]:
    """The patterns, and the names without a placeholder that are no examples."""
    stated = [part for part in parts if _FILES.search(part.heading) and _NAMES_FILE.search(part.text)]
    stated = stated or [part for part in parts if _NAMES_FILE.search(part.text)]
    patterns: dict[str, Pattern] = {}
    fixed: dict[str, str] = {}
    lines = [line for part in stated for line in part.text.splitlines() if _NAMES_FILE.search(line)]
    for line in lines[:MOST_NAMES]:
        for match in _PATH.finditer(line):
            path = _BARE_DATE.sub(r"[\1]", match.group(1)).removeprefix("./")
            if _HOLE.search(path):
                if path not in patterns and len(patterns) < MOST_PATTERNS:
                    patterns[path] = _build_pattern(path, line, around)
            elif path.casefold() != "skill.md" and not _EXAMPLE.search(line[: match.start() + 1]):
                fixed.setdefault(path, line.strip())
    if patterns:  # beside a pattern a name is more likely an example than a file
        fixed = {
            path: line
            for path, line in fixed.items()
            if not any(pattern.matcher().fullmatch(path) for pattern in patterns.values())
        }
    return list(patterns.values()), fixed


def _build_pattern(path: str, line: str, around: str) -> Pattern:
    parts: list[str | Hole] = []
    end = 0
    for match in _HOLE.finditer(path):
        if match.start() > end:
            parts.append(path[end : match.start()])
        parts.append(parse_hole(next(filter(None, match.groups())), f"{line}\n{around}"))
        end = match.end()
    if end < len(path):
        parts.append(path[end:])
    return Pattern(path, tuple(parts), line.strip())


def _find_headings(parts: Sequence[_Part]) -> list[SchemaHeading]:
    """Find headings in a fenced template, below the section on the format, or in a list of their names."""
    for part in parts:
        headings = _read_headings(part.fenced)
        if any(heading.level > 1 for heading in headings) or (headings and _FORMAT.search(part.heading)):
            return [heading for heading in headings if heading.level > 1]
    for at, part in enumerate(parts):
        if _FORMAT.search(part.heading) or _FILES.search(part.heading):
            below = _list_headings_below(parts, at)
            if below:
                return below
    for part in parts:
        if _FORMAT.search(part.heading) or _FILES.search(part.heading) or part.level < 2:
            listed = _find_listed_headings(part.text)
            if listed:
                return listed
    return []


def _read_headings(lines: Sequence[str]) -> list[SchemaHeading]:
    sections: list[tuple[int, str, list[str]]] = []
    for line in lines:
        match = HEADING.match(line.strip())
        if match:
            sections.append((len(match.group(1)), clean_heading(match), []))
        elif sections and line.strip():
            sections[-1][2].append(line.strip())
    return [
        SchemaHeading(level, text, " ".join(notes)[:300])
        for level, text, notes in sections
        if not _is_filled(text)
    ]


def _is_filled(text: str) -> bool:
    """A heading that is written anew for each entry: the name of a task, a date."""
    return bool(_HOLE.search(text) or _BARE_DATE.search(text))


def _list_headings_below(parts: Sequence[_Part], at: int) -> list[SchemaHeading]:
    """The headings that stand deeper than this part's, until one that does not; as deep, where it is empty itself."""
    headings = []
    least = parts[at].level if parts[at].text.strip() else parts[at].level - 1
    for part in parts[at + 1 :]:
        if part.level <= least or _RULES.search(part.heading):
            break
        if not _FILES.search(part.heading) and not _FORMAT.search(part.heading):
            name = _QUOTED.sub(r"\1", part.heading).strip("`*# ")
            headings.append(SchemaHeading(2, name, " ".join(" ".join(part.prose).split())[:300]))
    return headings


def _find_listed_headings(text: str) -> list[SchemaHeading]:
    inline = [match for line in text.splitlines() for match in re.findall(r"`#{2,4}\s+([^`\n]{1,40})`", line)]
    if inline:
        return [SchemaHeading(2, name.strip()) for name in dict.fromkeys(inline)]
    for match in _LISTED.finditer(text):
        stated = match.group("list") or match.group("other") or match.group("zh") or ""
        names = [name.strip("# ") for name in _QUOTED.findall(stated)]
        if len(names) < 2:
            cut = re.split(r"\s*(?:,|，|、|;|；|\band\b|和|与|及|以及)\s*", stated.strip(" :：.。"))
            names = [name.strip(' `*"“”「」') for name in cut]
            names = (
                names
                if len(names) > 1 and all(0 < len(name) <= 24 and len(name.split()) <= 3 for name in names)
                else []
            )
        if names:
            return [SchemaHeading(2, name) for name in dict.fromkeys(names) if not _PATH.search(name)]
    return []


def _list_categories(body: str) -> list[str]:
    """Names that the schema lists for a placeholder such as [category]."""
    for match in _CATEGORIES.finditer(body):
        stated = re.sub(r"\.(?:md|markdown|txt)\b", "", match.group("list"))
        names = [
            name.strip(' `*"“”「」.。()（）[]')
            for name in re.split(r"[,，、;；/|]|\band\b|\bor\b|和|或", stated)
        ]
        kept = [
            name
            for name in names
            if name and len(name) <= 40 and len(name.split()) <= 4 and not _HOLE.search(name)
        ]
        if len(kept) >= 2:
            return list(dict.fromkeys(kept))
    return []
