"""Run a project's recall tests and keep what they found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from uuid import UUID

from rest_framework.exceptions import ValidationError

from memories.api.serializers.recall import SearchBody
from memories.jobs import outbox
from memories.models import RecallTest, Task
from memories.retrieval.browse.recall_tests import AFTER_CHANGE, list_recall_tests, note_result
from memories.retrieval.search import search_memories
from memories.values import MemoryKind
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project

# Kinds that a search returns in one list have one row of ranks.
GROUPS = {MemoryKind.TOOL_TRAJECTORY: MemoryKind.TOOL_SCHEMA}


def run_recall_tests(task: Task) -> None:
    """Costs the project nothing: it was not the project that asked. Raises `outbox.LeaseLost`."""
    projects = Project.objects.select_related("account__plan")
    project = projects.filter(pk=task.own_project).first()
    counts: Counter[str] = Counter()
    if project is not None:
        with tenant_scope(project):
            tests = list(list_recall_tests(project))
        for test in tests:
            counts[_run_test(project, test)] += 1
    with tenant_scope(Scope(task.account_id, task.project_id)):
        outbox.complete(task, dict(counts))


def _run_test(project: Project, test: RecallTest) -> str:
    body = SearchBody(data=test.body, context={"project": project})
    try:
        body.is_valid(raise_exception=True)
        hits = search_memories(project, body.build_value())
    except (ValidationError, CatalogueError):
        return "refused"  # a knowledge base that is no longer linked, for one
    ranks = compute_ranks((hit.memory.pk, MemoryKind(hit.memory.kind)) for hit in hits)
    with tenant_scope(project):
        if not RecallTest.objects.within(project).filter(pk=test.pk).exists():
            return "deleted"
        return "passed" if note_result(test, ranks, AFTER_CHANGE) else "failed"


def compute_ranks(results: Iterable[tuple[UUID, MemoryKind]]) -> dict[UUID, int]:
    """Rank results from 1 in each group of kinds, in the order of the search."""
    counted: Counter[MemoryKind] = Counter()
    ranks: dict[UUID, int] = {}
    for key, kind in results:
        group = GROUPS.get(kind, kind)
        counted[group] += 1
        ranks[key] = counted[group]
    return ranks
