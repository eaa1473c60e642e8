"""A list asks the database as often for many rows as for few."""

from __future__ import annotations

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from skills.message_formats import normalise_message
from skills.sessions.messages import NewMessage, store_message
from skills.spaces.spaces import attach_session, include_skill
from tenancy.models import User
from tests.support.accounts.people import add_member
from tests.support.api_client import Api, Tenant
from tests.support.console.skill_pages import (
    TALK,
    changed_skill,
    list_project_skills,
    made_skill,
    skill_text,
    space_with,
    talked,
    with_tasks,
)
from tests.support.knowledge.knowledge import fetch_files, filled_base, new_base, upload, wait_for_files

MOST = 25
PAGES = ("memories", "health", "logs", "api-keys", "quickstart")
MANY = "I have two cats. I live in Lisbon. I work as a nurse. I like green tea. I like jazz. My name is Kim."


def count_queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        answer = client.get(path)
    assert answer.status_code == 200
    return len(asked)


def test_a_page_asks_no_more_for_many_rows_than_for_few(tenant: Tenant, api: Api) -> None:
    client = Client(HTTP_HOST="localhost")
    client.force_login(User.objects.get(email=tenant.email), "django.contrib.auth.backends.ModelBackend")
    pages = [f"/p/{tenant.project_id}/{page}/" for page in PAGES]
    api.add("kim", "I have a dog.")
    client.get(pages[-1])  # the first visit of all also makes a key
    few = [count_queries(client, path) for path in pages]

    api.add("kim", MANY)
    for _ in range(3):
        api.search("kim", "Where do I live?")

    for path, before in zip(pages, few, strict=True):
        assert count_queries(client, path) <= min(before + 1, MOST), path


def test_pages_of_the_account_ask_no_more_for_many_rows_than_for_few(tenant: Tenant, api: Api) -> None:
    client = Client(HTTP_HOST="localhost")
    client.force_login(User.objects.get(email=tenant.email), "django.contrib.auth.backends.ModelBackend")
    place = f"/a/{tenant.project.account_id}/"
    paths = [f"{place}usage/?by={by}" for by in ("", "day", "key", "user")] + [f"{place}limits/", "/pricing/"]
    paths += [f"{place}members/"]
    api.search("kim", "Where do I live?")
    client.get(paths[0])
    few = [count_queries(client, path) for path in paths]

    for number in range(3):
        api.search(f"user {number}", "Where do I live?")
        api.call("rerank", {"query": "tea", "documents": ["tea"]})
        add_member(tenant.project.account, "viewer")

    for path, before in zip(paths, few, strict=True):
        assert count_queries(client, path) <= min(before + 1, MOST), path


def test_pages_of_knowledge_bases_ask_no_more_for_many_rows_than_for_few(tenant: Tenant, api: Api) -> None:
    client = Client(HTTP_HOST="localhost")
    client.force_login(User.objects.get(email=tenant.email), "django.contrib.auth.backends.ModelBackend")
    base = filled_base(api, {"a.md": b"# Parking\n\nThe company pays for parking."})
    (file,) = fetch_files(api, base)
    place = f"/p/{tenant.project_id}/knowledge/"
    tabs = ["documents", "memories", "corrections", "projects", "settings"]
    paths = [place, *(f"{place}{base}/?tab={tab}" for tab in tabs), f"{place}{base}/files/{file['id']}/"]
    correct(api, base, "Parking is not paid for by the company, but by the driver.")
    client.get(place)
    few = [count_queries(client, path) for path in paths]

    for number in range(3):
        new_base(api, f"Base {number}")
    many = b"".join(b"# Rule %d\n\nRoom %d is cleaned on day %d.\n\n" % (n, n, n) for n in range(6))
    upload(api, base, {"a.md": many, **{f"{n}.md": b"# Note\n\nNote %d." % n for n in range(2)}})
    wait_for_files(api, base)
    correct(api, base, "Room 3 is cleaned on day 30, not on day 3.")
    paths[-1] = f"{place}{base}/files/{fetch_files(api, base, page_size=100)[-1]['id']}/"

    for path, before in zip(paths, few, strict=True):
        assert count_queries(client, path) <= min(before + 1, MOST), path


def test_pages_of_skills_and_sessions_ask_no_more_for_many_rows_than_for_few(tenant: Tenant) -> None:
    client = Client(HTTP_HOST="localhost")
    client.force_login(User.objects.get(email=tenant.email), "django.contrib.auth.backends.ModelBackend")
    place = f"/p/{tenant.project_id}/"
    skill, session = made_skill(tenant, user="kim"), talked(tenant)
    with_tasks(tenant, session)
    changed_skill(tenant, skill, skill_text("Greeting again"))
    space = space_with(tenant, session)
    paths = [f"{place}{name}/" for name in ("skills", "spaces", "sessions", "spaces/people", "settings")]
    paths += [f"{place}skills/{skill.pk}/?tab={tab}" for tab in ("content", "versions", "evidence", "use")]
    paths += [f"{place}skills/{skill.pk}/edit/", f"{place}skills/{skill.pk}/merge/"]
    paths += [f"{place}spaces/{space.pk}/?tab={tab}" for tab in ("skills", "sessions", "metadata")]
    paths += [f"{place}sessions/{session.pk}/?tab={tab}" for tab in ("messages", "tasks", "configs")]
    client.get(place + "skills/")
    few = [count_queries(client, path) for path in paths]

    for number in range(3):
        name = f"Skill {number}"
        include_skill(tenant.project, space.pk, made_skill(tenant, name, files={"a/b.txt": "b"}).pk)
        other = talked(tenant, f"user{number}")
        attach_session(tenant.project, space.pk, other.pk)
        space_with(tenant, talked(tenant), f"user{number}")
        changed_skill(tenant, list_project_skills(tenant)[0], skill_text(name))
    for blob in TALK * 3:
        store_message(tenant.project, session.pk, NewMessage.of(normalise_message("openai", blob)), {})

    for path, before in zip(paths, few, strict=True):
        assert count_queries(client, path) <= min(before + 1, MOST), path


def correct(api: Api, base: str, words: str) -> None:
    body = {"user_id": "kim", "feedback_content": words, "allow_knowledgebase_ids": [base]}
    task = api.data("add/feedback", {"conversation_id": "talk", **body})
    assert api.wait_until_done(task["task_id"]) == "completed"


def test_a_listing_of_the_api_asks_no_more_for_many_memories(tenant: Tenant, api: Api) -> None:
    client = Client(HTTP_HOST="localhost", HTTP_AUTHORIZATION=f"Token {tenant.key}")

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            body = {"user_id": "kim", "size": 50}
            answer = client.post("/api/openmem/v1/get/memory", body, content_type="application/json")
        assert answer.status_code == 200
        return len(queries)

    api.add("kim", "I have a dog. I like tea.")
    asked()
    few = asked()

    api.add("kim", MANY)

    assert asked() <= min(few + 1, MOST)
