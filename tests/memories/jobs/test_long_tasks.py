"""What may take many seconds is marked when it is asked for, so that it never takes all workers from other accounts."""

from __future__ import annotations

from tests.support.api_client import Api, Tenant, message
from tests.support.tasks.long_tasks import is_long


def test_a_request_is_long_by_the_words_of_all_its_messages(tenant: Tenant, api: Api) -> None:
    sentence = "The archive has a copy of each letter. "
    short = api.add("kim", message("user", sentence * 10))
    long = api.add("ann", *[message("user", sentence * 60)] * 5)

    assert not is_long(tenant, short["task_id"])
    assert is_long(tenant, long["task_id"])
