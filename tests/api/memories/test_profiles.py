"""Templates of profiles, bound to users: what may be sent, what is answered, and who may see it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from tenancy.isolation.scoping import tenant_scope
from tenancy.models import AuditEvent, RequestLog
from tests.support.api_client import Api, Tenant
from tests.support.expect import accepted, refused
from tests.support.tasks.request_log import wait_for_log_row

TREE: dict[str, Any] = {
    "Basic": {
        "Name": {"value": "", "algorithm_updatable": False},
        "City": {"value": "unknown", "algorithm_updatable": True},
    },
    "Service": {"Contact": {"Hours": {"value": "weekdays"}}},
}
UNKNOWN = "tpl_7c9e6679742540de944be07fc1f90ae7"
LEAF = {"value": ""}


def template(api: Api, tree: dict[str, Any] = TREE) -> str:
    made = accepted(api.call("add/profile_template", {"name": "Customer", "metadata": tree}))
    assert set(made) == {"profile_template_id"}
    assert made["profile_template_id"].startswith("tpl_")
    return str(made["profile_template_id"])


def bind(api: Api, user: str, key: str) -> None:
    body = {"bind_list": [{"user_id": user, "agent_id": None, "profile_template_id": key}]}
    assert accepted(api.call("bind/profile_template", body)) == {"success": True}


def edit(api: Api, user: str, key: str, **changes: Any) -> None:
    body = {"user_id": user, "agent_id": None, "profile_template_id": key, **changes}
    assert accepted(api.call("edit/profile", body)) == {"success": True}


def trees(api: Api, user: str, kind: str = "user_id") -> list[dict[str, Any]]:
    answer = accepted(api.call("get/memory", {kind: user, "include_memory_view": ["profile"]}))
    return list(answer["profile_detail_list"])


def properties(api: Api, user: str) -> dict[str, Any]:
    (profile,) = trees(api, user)
    return dict(profile["properties"])


@pytest.fixture
def bound(api: Api, user: str) -> str:
    key = template(api)
    bind(api, user, key)
    return key


def test_a_bound_profile_begins_with_the_values_of_its_template(api: Api, user: str, bound: str) -> None:
    (profile,) = trees(api, user)

    assert (profile["profile_template_id"], profile["status"]) == (bound, "activated")
    assert profile["properties"] == {
        "Basic": TREE["Basic"],
        "Service": {"Contact": {"Hours": {"value": "weekdays", "algorithm_updatable": True}}},
    }


def test_a_search_that_asks_for_profiles_gets_flat_items(api: Api, user: str, bound: str) -> None:
    edit(api, user, bound, metadata={"Basic": {"City": {"value": "Porto"}}})

    answer = api.search(user, "Which city does the user live in?", include_memory_view=["profile", "x"])

    items = answer["profile_detail_list"]
    assert [item["memory"] for item in items] == ["Basic.City: Porto", "Service.Contact.Hours: weekdays"]
    city = items[0]
    assert city["relativity"] > items[1]["relativity"] >= 0
    assert (city["memory_type"], city["template_id"], city["status"]) == ("ProfileMemory", bound, "activated")
    assert (city["profile_category"], city["profile_field"]) == ("Basic", "City")
    assert (city["profile_path"], city["algorithm_updatable"]) == ("Basic.City", False)
    assert len({item["id"] for item in items}) == 2


@pytest.mark.parametrize(
    "asked", [None, [], ["detail_factual"], "profile", 5, {"profile": 1}, ["everything"]]
)
def test_profiles_are_absent_unless_they_are_asked_for(api: Api, user: str, bound: str, asked: Any) -> None:
    assert "profile_detail_list" not in api.search(user, "city", include_memory_view=asked)
    assert "profile_detail_list" not in api.listed(user, include_memory_view=asked)


def test_who_has_no_profile_has_an_empty_list(api: Api, user: str) -> None:
    assert trees(api, user) == []
    assert api.search(user, "city", include_memory_view=["profile"])["profile_detail_list"] == []


def test_binding_twice_keeps_the_profile(api: Api, user: str, bound: str) -> None:
    edit(api, user, bound, metadata={"Basic": {"City": {"value": "Porto"}}})
    (before,) = trees(api, user)

    bind(api, user, bound)

    assert trees(api, user) == [before]


def test_twenty_subjects_are_bound_at_once_agents_too(api: Api, user: str) -> None:
    key = template(api)
    names = [f"{user}-{number}" for number in range(20)]
    items = [{"agent_id": name, "profile_template_id": key} for name in names]

    accepted(api.call("bind/profile_template", {"bind_list": items}))

    assert all(len(trees(api, name, "agent_id")) == 1 for name in names)
    assert trees(api, names[0]) == []
    deleted = accepted(api.call("delete/profile_template", {"profile_template_id": key}))
    assert deleted == {"success": True, "profile_template_id": key, "deleted_instances": 20}
    assert trees(api, names[0], "agent_id") == []


def test_one_unknown_template_among_the_bindings_binds_nobody(api: Api, user: str) -> None:
    good = {"user_id": user, "profile_template_id": template(api)}
    bad = {"user_id": user, "profile_template_id": UNKNOWN}

    refused(api.call("bind/profile_template", {"bind_list": [good, bad]}), 40001, UNKNOWN)

    assert trees(api, user) == []


def test_fields_are_added_changed_removed_and_brought_back_by_hand(api: Api, user: str, bound: str) -> None:
    more = {"Basic": {"Languages": {"value": ["German", "French"]}}, "VIP": {"value": True}}
    edit(api, user, bound, metadata=more, remove_fields=["Service"])
    tree = properties(api, user)
    assert tree["Basic"]["Languages"]["value"] == ["German", "French"]
    assert tree["VIP"]["value"] is True
    assert "Service" not in tree

    edit(api, user, bound, metadata={"Service": {"Contact": {"Hours": {"value": "evenings"}}}})
    assert properties(api, user)["Service"]["Contact"]["Hours"]["value"] == "evenings"


def test_a_changed_template_changes_its_profiles_and_leaves_the_rest(api: Api, user: str, bound: str) -> None:
    edit(api, user, bound, metadata={"Basic": {"City": {"value": "Porto"}, "Name": {"value": "Kim"}}})
    new = {"Basic": {"City": TREE["Basic"]["City"], "Name": {"value": "?"}, "Job": LEAF}}

    answer = accepted(api.call("update/profile_template", {"profile_template_id": bound, "metadata": new}))

    assert answer == {"success": True, "profile_template_id": bound}
    basic = properties(api, user)["Basic"]
    assert {name: leaf["value"] for name, leaf in basic.items()} == {"City": "Porto", "Name": "?", "Job": ""}
    assert "Service" not in properties(api, user)


def test_a_persons_own_field_gives_way_where_the_template_has_a_branch_now(
    api: Api, user: str, bound: str
) -> None:
    edit(api, user, bound, metadata={"Job": {"value": "nurse"}, "Basic": {"Shoe": {"value": "39"}}})
    new = {"Job": {"Title": LEAF}, "Basic": TREE["Basic"]}

    accepted(api.call("update/profile_template", {"profile_template_id": bound, "metadata": new}))

    tree = properties(api, user)
    assert tree["Job"] == {"Title": {"value": "", "algorithm_updatable": True}}
    assert tree["Basic"]["Shoe"]["value"] == "39"


def test_a_deleted_profile_is_gone_and_its_template_stays(api: Api, user: str, bound: str) -> None:
    body = {"user_id": user, "profile_template_id": bound}
    assert accepted(api.call("delete/profile", body)) == {"success": True}
    assert trees(api, user) == []
    refused(api.call("delete/profile", body), 40001)
    refused(api.call("edit/profile", {**body, "remove_fields": ["Basic"]}), 40001)

    bind(api, user, bound)
    assert len(trees(api, user)) == 1


def test_another_tenants_template_is_as_unknown_as_one_that_never_was(
    api: Api, strangers_api: Api, user: str, bound: str
) -> None:
    subject = {"user_id": user}
    for key in (bound, UNKNOWN):
        whose = {**subject, "profile_template_id": key}
        for path, body in (
            ("update/profile_template", {"profile_template_id": key, "name": "Mine"}),
            ("delete/profile_template", {"profile_template_id": key}),
            ("bind/profile_template", {"bind_list": [whose]}),
            ("edit/profile", {**whose, "remove_fields": ["Basic"]}),
            ("delete/profile", whose),
        ):
            refused(strangers_api.call(path, body), 40001, key)

    assert trees(strangers_api, user) == []
    assert len(trees(api, user)) == 1


def test_under_one_idempotency_key_one_template_is_made(api: Api) -> None:
    headers = {"Idempotency-Key": uuid4().hex}
    body = {"name": "Customer", "metadata": TREE}

    first, again = (api.call("add/profile_template", body, headers=headers) for _ in range(2))

    assert accepted(first) == accepted(again)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert template(api) != accepted(first)["profile_template_id"]


def test_the_audit_counts_and_the_log_names_the_user(
    api: Api, developer: Tenant, user: str, bound: str
) -> None:
    edit(api, user, bound, metadata={"Basic": {"City": {"value": f"secret of {user}"}}})
    asked = api.call(
        "bind/profile_template", {"bind_list": [{"user_id": user, "profile_template_id": bound}]}
    )

    row = wait_for_log_row(developer.project, asked.headers["X-Request-Id"])

    assert (row.endpoint, row.subjects) == ("bind/profile_template", [f"end_user:{user}"])
    with tenant_scope(developer.project):
        events = AuditEvent.objects.within(developer.project.account).filter(action="profile.edited")
        assert events.filter(detail={"edited": 1, "removed": 0}).exists()
        assert not events.filter(detail__icontains="secret").exists()


def test_a_deleted_user_has_no_profile_any_more_and_no_words_in_the_log(
    api: Api, developer: Tenant, user: str, bound: str
) -> None:
    edit(api, user, bound, metadata={"Basic": {"City": {"value": f"secret of {user}"}}})

    api.data("delete/memory", {"user_id": user})

    assert trees(api, user) == []
    last = api.call("get/memory", {"user_id": "nobody"})
    wait_for_log_row(developer.project, last.headers["X-Request-Id"])  # those before it are stored by now
    with tenant_scope(developer.project):
        rows = RequestLog.objects.within(developer.project).filter(request_body__contains=f"secret of {user}")
        assert not rows.exists()
        bindings = RequestLog.objects.within(developer.project).filter(endpoint="bind/profile_template")
        assert not bindings.filter(request_body__contains=user).exists()


def test_a_field_cannot_hold_fields(api: Api, user: str, bound: str) -> None:
    body = {"user_id": user, "profile_template_id": bound}
    below = {"Basic": {"City": {"Street": {"value": "Rua"}}}}

    refused(api.call("edit/profile", {**body, "metadata": below}), 40000, "Basic.City")
    refused(api.call("edit/profile", {**body, "remove_fields": ["Basic.Shoe"]}), 40001, "Basic.Shoe")

    assert properties(api, user)["Basic"] == TREE["Basic"]


def test_a_hostile_tree_costs_nothing(api: Api) -> None:
    wide = {f"field {number}": LEAF for number in range(20_000)}

    refused(api.call("add/profile_template", {"name": "x", "metadata": {"A": wide}}), 40000, "at most 100")


def test_no_more_templates_than_allowed_are_made_at_the_same_time(tenant: Tenant) -> None:
    with tenant.api() as api:
        for _ in range(97):
            template(api)

    def create(number: int) -> int:
        with tenant.api() as beside:
            body = {"name": str(number), "metadata": TREE}
            return int(beside.call("add/profile_template", body).json()["code"])

    with ThreadPoolExecutor(10) as pool:
        codes = sorted(pool.map(create, range(10)))

    assert codes == [0] * 3 + [40000] * 7
