"""What was said is found before it is refined, without the secrets that tools returned."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from memories.ingest.accept_messages import add_messages
from memories.models import MemCube, Memory, Message
from memories.text.secrets import MASKED_FIRST
from memories.values import NewMessage, NewMessages, OwnerKind, Subject
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant


def add_raw_memory(tenant: Tenant, *turns: tuple[str, str]) -> Memory:
    """As the next search finds it: read before the worker can hear of it."""
    messages = tuple(NewMessage(role, text, text, timezone.now(), "") for role, text in turns)
    new = NewMessages((Subject(OwnerKind.END_USER, "kim"),), "talk", messages)
    with tenant_scope(tenant.project):
        add_messages(tenant.project, new)
        memory: Memory = Memory.objects.within(MemCube.objects.within(tenant.project)).get(is_raw=True)
        return memory


@pytest.mark.parametrize(
    ("result", "secret"),
    [
        (json.dumps({"city": "Porto", "session": {"token": "abc-def"}}), "abc-def"),
        ("Logged in at Porto, password: hunter2", "hunter2"),
        ("Porto: clone with https://kim:hunter2@example.org/a.git", "hunter2"),
        ("Porto, sk-abcdef1234567890abcdef", "sk-abcdef"),
    ],
)
def test_what_a_tool_returned_is_found_without_its_secrets(tenant: Tenant, result: str, secret: str) -> None:
    memory = add_raw_memory(tenant, ("user", "Log me in."), ("tool", result))

    assert "Porto" in memory.text
    for kept in (memory.text, memory.title, memory.words):
        assert secret not in kept
    with tenant_scope(tenant.project):
        assert result in Message.objects.within(tenant.project).values_list("text", flat=True)


def test_what_people_say_is_kept_as_they_say_it(tenant: Tenant) -> None:
    memory = add_raw_memory(tenant, ("user", "The password is hunter2."), ("assistant", "Noted: token=abc1"))

    assert "hunter2" in memory.text
    assert "token=abc1" in memory.text


def test_the_end_of_a_very_long_result_is_not_looked_through(tenant: Tenant) -> None:
    memory = add_raw_memory(tenant, ("tool", "It rains. " * MASKED_FIRST))

    assert MASKED_FIRST <= len(memory.text) < MASKED_FIRST + 100
