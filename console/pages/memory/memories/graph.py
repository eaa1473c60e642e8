"""One memory among its neighbours: what it came from, what it took the place of, and what became of it.

Drawn as SVG by the server: columns of what was before on the left, the memory in the middle, what came after on the
right. Beside it stands a table with the same links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from unicodedata import east_asian_width

from django.urls import reverse
from django.utils.translation import gettext as _

from console.pages.memory.memories.links import build_memory_url
from memories.consolidation.tool_memories import format_words_with_calls
from memories.models import Memory, MemorySource
from memories.values import MemoryStatus
from skills.models import Skill, SkillEvidence
from tenancy.models import Project

# So many neighbours of each sort are drawn; one more says that there are others.
SHOWN = 5
# In units of the drawing, which is as wide as a drawer.
WIDTH, NODE_HEIGHT, GAP, JOINT = 440.0, 56.0, 10.0, 26.0
# A letter is about so wide, one of Chinese and its like twice; a box has two lines.
LETTER, PADDING, LINES = 6.1, 10.0, 2
LONGEST = 120
# Words with the space behind them, long ones in parts; Chinese and its like letter by letter.
_PIECE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\u9fff]{1,8}\s?|.")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Thing that a memory is linked to; `look` is a colour of the drawing, `at` None where the time is not known."""

    relation: str
    text: str
    url: str
    look: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A box with its upper left corner and its lines; `joint` joins it with the box in the middle, which has none."""

    neighbour: Neighbour
    x: str
    y: str
    lines: list[tuple[str, str]]
    joint: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """Positions of the columns, in units of the SVG: two or three, as wide as the drawing lets them be."""

    height: float
    node_width: float
    middle: float
    right: float

    @classmethod
    def of(cls, before: int, after: int) -> Drawing:
        height = max(before, after, 1) * (NODE_HEIGHT + GAP) - GAP
        columns = 1 + bool(before) + bool(after)
        width = (WIDTH - (columns - 1) * JOINT) / columns
        return cls(height, width, width + JOINT if before else 0.0, WIDTH - width)

    def draw_node(self, neighbour: Neighbour, x: float, y: float, joint: str) -> GraphNode:
        lines = wrap(neighbour.text, (self.node_width - 2 * PADDING) / LETTER)
        placed = [(_format_coordinate(32 + 15 * place), line) for place, line in enumerate(lines)]
        return GraphNode(neighbour, _format_coordinate(x), _format_coordinate(y), placed, joint)

    def draw_column(self, neighbours: Iterable[Neighbour], x: float) -> list[GraphNode]:
        """One below the other, in the middle of the height, each joined with the box in the middle."""
        boxes = list(neighbours)
        top = (self.height - len(boxes) * (NODE_HEIGHT + GAP) + GAP) / 2
        is_left = x < self.middle
        start, end = (self.node_width, self.middle) if is_left else (self.middle + self.node_width, x)
        half, centre = (start + end) / 2, self.height / 2
        nodes = []
        for place, neighbour in enumerate(boxes):
            y = top + place * (NODE_HEIGHT + GAP)
            own = y + NODE_HEIGHT / 2
            first, last = (own, centre) if is_left else (centre, own)
            points = [(half, first), (half, last), (end, last)]
            curve = " ".join(
                f"{_format_coordinate(across)} {_format_coordinate(down)}" for across, down in points
            )
            nodes.append(
                self.draw_node(
                    neighbour, x, y, f"M{_format_coordinate(start)} {_format_coordinate(first)} C{curve}"
                )
            )
        return nodes


def build_graph_context(project: Project, opened: Memory) -> dict[str, Any]:
    """Build the graph around a memory, inside the project's tenant scope."""
    before = [*_list_sources(project, opened), *_list_predecessors(project, opened)]
    after = [*_list_successors(project, opened), *_list_skills(project, opened)]
    drawing = Drawing.of(len(before), len(after))
    middle = Neighbour(_("This memory"), opened.text[:LONGEST], "", opened.kind)
    return {
        "neighbours": [*before, *after],
        "nodes": [
            *drawing.draw_column(before, 0.0),
            drawing.draw_node(middle, drawing.middle, (drawing.height - NODE_HEIGHT) / 2, ""),
            *drawing.draw_column(after, drawing.right),
        ],
        "view_box": f"0 0 {_format_coordinate(WIDTH)} {_format_coordinate(drawing.height + 2)}",
        "node_width": _format_coordinate(drawing.node_width),
        "box_width": _format_coordinate(drawing.node_width - 1),
        "line_width": _format_coordinate(drawing.node_width - 2 * PADDING),
    }


def wrap(text: str, units: float) -> list[str]:
    """Break a text into at most two lines of so many letters, between words if possible; the rest becomes "…"."""
    lines, line, left = [], "", units
    pieces = _PIECE.findall(" ".join(text.split()))
    for place, piece in enumerate(pieces):
        if line and _compute_width(piece) > left:
            lines.append(line.strip())
            line, left = "", units
        if len(lines) == LINES:
            return [*lines[:-1], f"{lines[-1]}…"] if place < len(pieces) else lines
        line, left = line + piece, left - _compute_width(piece)
    return [*lines, line.strip()] if line.strip() else lines


def _compute_width(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _list_sources(project: Project, opened: Memory) -> list[Neighbour]:
    rows = MemorySource.objects.within(opened).select_related("message__conversation")
    neighbours = []
    for source in rows.order_by("-message__said_at", "-pk")[: SHOWN + 1]:
        message = source.message
        address = reverse("console:conversation", args=[project.pk, message.conversation_id])
        url = f"{address}?from={message.position}#message-{message.pk}"
        text = format_words_with_calls(message)[:LONGEST] or _("Deleted text")
        neighbours.append(Neighbour(_("Source"), text, url, "message", message.said_at))
    if file := opened.details.get("file"):
        name = str(file.get("name", ""))[:LONGEST] or "–"
        neighbours.append(Neighbour(_("File"), name, _build_file_url(project, opened), "file"))
    return _cut_neighbours(neighbours, build_memory_url(project, opened, open=opened.pk, view="sources"))


def _build_file_url(project: Project, opened: Memory) -> str:
    key = opened.details["file"].get("file")
    if not key:
        return ""
    return reverse("console:knowledge_file", args=[project.pk, opened.cube.owner_id, key])


def _list_predecessors(project: Project, opened: Memory) -> list[Neighbour]:
    rows = (
        opened.supersedes.select_related("cube")
        .defer("embedding", "words", "words_vector")
        .order_by("-valid_until", "-pk")
    )
    neighbours = [
        _build_memory_neighbour(
            project, row, _("Merged into it") if row.status == MemoryStatus.MERGED else _("Replaced by it")
        )
        for row in rows[: SHOWN + 1]
    ]
    return _cut_neighbours(neighbours, build_memory_url(project, opened, open=opened.pk, view="history"))


def _list_successors(project: Project, opened: Memory) -> list[Neighbour]:
    successor = opened.superseded_by
    if successor is None:
        return []
    is_merged = opened.status == MemoryStatus.MERGED
    return [_build_memory_neighbour(project, successor, _("Merged into") if is_merged else _("Replaced by"))]


def _list_skills(project: Project, opened: Memory) -> list[Neighbour]:
    """List the skills that rest on the memory, and the skill that searches find by it."""
    cited = SkillEvidence.objects.within(project).filter(memory=opened.pk).values("skill")
    mine = Skill.objects.within(project.account_id).filter(project=project)
    rows = (mine.filter(pk__in=cited) | mine.filter(memory=opened.pk)).distinct().order_by("name", "pk")
    neighbours = [
        Neighbour(
            _("Skill"),
            skill.name[:LONGEST],
            reverse("console:skill", args=[project.pk, skill.pk]),
            "skill",
            skill.updated_at,
        )
        for skill in rows[: SHOWN + 1]
    ]
    return _cut_neighbours(neighbours, reverse("console:skills", args=[project.pk]))


def _build_memory_neighbour(project: Project, memory: Memory, relation: str) -> Neighbour:
    url = build_memory_url(project, memory, open=memory.pk, view="graph")
    return Neighbour(
        relation, memory.text[:LONGEST], url, memory.kind, memory.valid_until or memory.created_at
    )


def _cut_neighbours(neighbours: list[Neighbour], rest_url: str) -> list[Neighbour]:
    if len(neighbours) <= SHOWN:
        return neighbours
    return [*neighbours[:SHOWN], Neighbour(neighbours[-1].relation, _("and others"), rest_url, "rest")]


def _format_coordinate(value: float) -> str:
    """With a point in every language."""
    return f"{value:.1f}"
