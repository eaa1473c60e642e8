"""Recall tests: searches with memories that they must and must not return, and how the last runs of them went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from memories.cubes.access import select_reachable_memories
from memories.models import MemCube, RecallMark, RecallTest
from memories.values import OwnerKind
from tenancy.audit.log import record_event
from tenancy.errors import EndUserUnknown, InvalidParameters
from tenancy.models import Project, User

MOST_TESTS, MOST_MARKS, RESULTS_KEPT = 50, 50, 20
BY_HAND, AFTER_CHANGE = "hand", "change"


def save_recall_test(
    project: Project,
    actor: User,
    body: Mapping[str, Any],
    expected: Iterable[UUID],
    forbidden: Iterable[UUID],
) -> RecallTest:
    """Save a recall test, inside the project's tenant scope.

    Raises `EndUserUnknown`, and `InvalidParameters` for too many tests and for one without marks.
    """
    marks = dict.fromkeys(expected, True) | dict.fromkeys(forbidden, False)
    held = (
        select_reachable_memories(project)
        .filter(pk__in=list(marks)[:MOST_MARKS])
        .values_list("pk", flat=True)
    )
    known = set(held)
    if not known:
        raise InvalidParameters("mark at least one memory")
    if RecallTest.objects.within(project).count() >= MOST_TESTS:
        raise InvalidParameters(f"a project has at most {MOST_TESTS} recall tests; delete one first")
    cubes = MemCube.objects.within(project).filter(owner_kind=OwnerKind.END_USER)
    cube = cubes.filter(owner_id=str(body.get("user_id", ""))).first()
    if cube is None:
        raise EndUserUnknown(str(body.get("user_id", "")))
    owner = {"account_id": project.account_id, "project": project}
    try:
        with transaction.atomic():
            test: RecallTest = RecallTest.objects.create(
                **owner, cube=cube, question=str(body["query"]), body=dict(body), created_by=actor
            )
            RecallMark.objects.bulk_create(
                RecallMark(**owner, test=test, memory_id=key, is_expected=wanted)
                for key, wanted in marks.items()
                if key in known
            )
    except IntegrityError as error:
        raise InvalidParameters("a marked memory was deleted meanwhile; search again") from error
    record_event(project.account, actor, "recall_test.created", test, project=project)
    return test


def list_recall_tests(project: Project) -> QuerySet[RecallTest]:
    """Newest first; inside the project's scope."""
    tests: QuerySet[RecallTest] = RecallTest.objects.within(project).exclude(marks=None)
    return tests.select_related("cube").order_by("-created_at", "-pk").distinct()


def load_recall_marks(project: Project, tests: Iterable[RecallTest]) -> dict[UUID, list[RecallMark]]:
    """The marks of each test with their memories, what is expected first."""
    marks_by_test: dict[UUID, list[RecallMark]] = {test.pk: [] for test in tests}
    marks = RecallMark.objects.within(project).filter(test__in=list(marks_by_test)).select_related("memory")
    for mark in marks.defer("memory__embedding", "memory__words").order_by("-is_expected", "pk"):
        marks_by_test[mark.test_id].append(mark)
    return marks_by_test


def note_result(test: RecallTest, ranks: Mapping[UUID, int], by: str) -> bool:
    """Store the result and return whether the test passed: all that is expected was returned, nothing that is
    forbidden. `ranks` are those of the memories that were returned, from 1 in each group. Inside the project's scope.
    """
    # Rows that are deleted meanwhile are not updated, which saving them would take for a fault.
    held = RecallMark.objects.within(test.project_id)
    marks = list(held.filter(test=test))
    for mark in marks:
        held.filter(pk=mark.pk).update(previous_rank=mark.rank, rank=ranks.get(mark.memory_id))
    passed = all((mark.memory_id in ranks) == mark.is_expected for mark in marks)
    now = timezone.now()
    result = {"at": now.isoformat(), "by": by, "passed": passed}
    test.results = [result, *test.results][:RESULTS_KEPT]
    test.passed, test.ran_at = passed, now
    mine = RecallTest.objects.within(test.project_id).filter(pk=test.pk)
    mine.update(results=test.results, passed=passed, ran_at=now)
    return passed


def delete_recall_test(project: Project, test: RecallTest, actor: User) -> None:
    """Delete a recall test, inside the project's tenant scope."""
    record_event(project.account, actor, "recall_test.deleted", test, project=project)
    test.delete()
