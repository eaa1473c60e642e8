"""One memory among its neighbours: what it came from, what it took the place of, and what became of it.

Drawn as SVG by the server: columns of what was before on the left, the memory in the middle, what came after on the
right. Beside it stands a table with the same links.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from console.pages.memory.memories.addresses import page_of_memory
from memories.consolidation.tool_memories import words_with_calls
from memories.models import Memory, MemorySource
from memories.values import Status
from skills.models import Skill, SkillEvidence
from tenancy.models import Project

# So many neighbours of each sort are drawn; one more says that there are others.
SHOWN = 5
# In units of the drawing, which is as wide as a drawer.
WIDTH, NODE_WIDTH, NODE_HEIGHT, GAP = 440.0, 132.0, 40.0, 10.0
MIDDLE = (WIDTH - NODE_WIDTH) / 2
RIGHT = WIDTH - NODE_WIDTH
LONGEST = 60


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What a memory is linked to; `look` is a colour of the drawing, `at` None where the time is not known."""

    relation: str
    text: str
    url: str
    look: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A box with its upper left corner, and the line that joins it with the box in the middle, which has none."""

    neighbour: Neighbour
    x: str
    y: str
    line: str


def graph_context(project: Project, opened: Memory) -> dict[str, Any]:
    """Inside the project's scope."""
    before = [*_sources(project, opened), *_predecessors(project, opened)]
    after = [*_successors(project, opened), *_skills(project, opened)]
    rows = max(len(before), len(after), 1)
    height = rows * (NODE_HEIGHT + GAP) - GAP
    middle = Neighbour(_("This memory"), opened.text[:LONGEST], "", opened.kind)
    nodes = [
        *_column(before, 0.0, height),
        Node(middle, _figure(MIDDLE), _figure((height - NODE_HEIGHT) / 2), ""),
        *_column(after, RIGHT, height),
    ]
    return {
        "neighbours": [*before, *after],
        "nodes": nodes,
        "view_box": f"0 0 {_figure(WIDTH)} {_figure(height + 2)}",
        "node_width": _figure(NODE_WIDTH),
        "node_height": _figure(NODE_HEIGHT),
    }


def _sources(project: Project, opened: Memory) -> list[Neighbour]:
    rows = MemorySource.objects.within(opened).select_related("message__conversation")
    found = []
    for source in rows.order_by("-message__said_at", "-pk")[: SHOWN + 1]:
        message = source.message
        address = reverse("console:conversation", args=[project.pk, message.conversation_id])
        url = f"{address}?from={message.position}#message-{message.pk}"
        said = words_with_calls(message)[:LONGEST] or _("Deleted text")
        found.append(Neighbour(_("Source"), said, url, "message", message.said_at))
    if file := opened.details.get("file"):
        name = str(file.get("name", ""))[:LONGEST] or "–"
        found.append(Neighbour(_("File"), name, _file_url(project, opened), "file"))
    return _cut(found, page_of_memory(project, opened, open=opened.pk, view="sources"))


def _file_url(project: Project, opened: Memory) -> str:
    key = opened.details["file"].get("file")
    if not key:
        return ""
    return reverse("console:knowledge_file", args=[project.pk, opened.cube.owner_id, key])


def _predecessors(project: Project, opened: Memory) -> list[Neighbour]:
    rows = (
        opened.supersedes.select_related("cube")
        .defer("embedding", "words", "words_vector")
        .order_by("-valid_until", "-pk")
    )
    found = [
        _memory(project, row, _("Merged into it") if row.status == Status.MERGED else _("Replaced by it"))
        for row in rows[: SHOWN + 1]
    ]
    return _cut(found, page_of_memory(project, opened, open=opened.pk, view="history"))


def _successors(project: Project, opened: Memory) -> list[Neighbour]:
    successor = opened.superseded_by
    if successor is None:
        return []
    is_merged = opened.status == Status.MERGED
    return [_memory(project, successor, _("Merged into") if is_merged else _("Replaced by"))]


def _skills(project: Project, opened: Memory) -> list[Neighbour]:
    """Those that rest on it, and the one that it is the entry of."""
    cited = SkillEvidence.objects.within(project).filter(memory=opened.pk).values("skill")
    mine = Skill.objects.within(project.account_id).filter(project=project)
    rows = (mine.filter(pk__in=cited) | mine.filter(memory=opened.pk)).distinct().order_by("name", "pk")
    found = [
        Neighbour(
            _("Skill"),
            skill.name[:LONGEST],
            reverse("console:skill", args=[project.pk, skill.pk]),
            "skill",
            skill.updated_at,
        )
        for skill in rows[: SHOWN + 1]
    ]
    return _cut(found, reverse("console:skills", args=[project.pk]))


def _memory(project: Project, memory: Memory, relation: str) -> Neighbour:
    url = page_of_memory(project, memory, open=memory.pk, view="graph")
    return Neighbour(
        relation, memory.text[:LONGEST], url, memory.kind, memory.valid_until or memory.created_at
    )


def _cut(found: list[Neighbour], rest_url: str) -> list[Neighbour]:
    if len(found) <= SHOWN:
        return found
    return [*found[:SHOWN], Neighbour(found[-1].relation, _("and others"), rest_url, "rest")]


def _column(neighbours: Iterable[Neighbour], x: float, height: float) -> list[Node]:
    """One below the other, in the middle of the drawing's height, each joined with the box in the middle."""
    boxes = list(neighbours)
    top = (height - len(boxes) * (NODE_HEIGHT + GAP) + GAP) / 2
    nodes = []
    for place, one in enumerate(boxes):
        y = top + place * (NODE_HEIGHT + GAP)
        start, end = (x + NODE_WIDTH, MIDDLE) if x < MIDDLE else (MIDDLE + NODE_WIDTH, x)
        own, centre = y + NODE_HEIGHT / 2, height / 2
        first, last = (own, centre) if x < MIDDLE else (centre, own)
        half = (start + end) / 2
        line = (
            f"M{_figure(start)} {_figure(first)} C{_figure(half)} {_figure(first)}"
            f" {_figure(half)} {_figure(last)} {_figure(end)} {_figure(last)}"
        )
        nodes.append(Node(one, _figure(x), _figure(y), line))
    return nodes


def _figure(value: float) -> str:
    """With a point in every language."""
    return f"{value:.1f}"
