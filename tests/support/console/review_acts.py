"""What pages of logs, recall tests and memory health need to be posted to."""

from __future__ import annotations

from uuid import UUID

from memories.retrieval.browse.recall_tests import save_recall_test
from tenancy.isolation.scoping import tenant_scope
from tenancy.projects.log_sharing import allow_links
from tests.support.console.acts import Body, Scene
from tests.support.tasks.many_memories import hold_facts
from tests.support.tasks.request_log import store_rows


def of_shared_request(scene: Scene) -> Body:
    """A logged request of a project that allows public links."""
    allow_links(scene.project, scene.owner, allowed=True)
    store_rows(scene.tenant, {"request_id": "seen"})
    scene.known["request_id"] = "seen"
    return {}


def of_marked_search(scene: Scene) -> Body:
    """A search that the playground ran, with a memory marked as right."""
    memory = scene.with_memory()
    return {"search": "user_id=kim&query=Where+do+I+live%3F", f"mark_{memory}": "right"}


def of_recall_test(scene: Scene) -> Body:
    memory = UUID(scene.with_memory())
    body = {"user_id": "kim", "query": "Where do I live?"}
    with tenant_scope(scene.project):
        scene.known["test_id"] = save_recall_test(scene.project, scene.owner, body, [memory], []).pk
    return {}


def of_pair(scene: Scene) -> Body:
    """Two memories of one end user."""
    first, other = hold_facts(scene.tenant, "kim", "The user lives in Lisbon.", "The user keeps two cats.")
    scene.known["memory_id"], scene.known["other_id"] = str(first.pk), str(other.pk)
    return {}
