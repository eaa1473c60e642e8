"""The project's own Python client against the running installation."""

from __future__ import annotations

import asyncio
import zipfile
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest

from engram_client import (
    AsyncEngram,
    AuthenticationError,
    Engram,
    EngramError,
    InvalidRequest,
    NotFound,
)
from tests.support.api_client import Tenant

SKILL_MD = "---\nname: brew-tea\ndescription: How to brew tea.\n---\n\n# Tea\n\nBoil water first.\n"


def test_what_is_added_is_found_listed_and_read(client: Engram) -> None:
    task = client.add("I moved to Shanghai in June.", user_id="kim", conversation_id="c")
    client.wait(task)

    memories = client.search("Which city does the user live in?", user_id="kim")["memory_detail_list"]

    assert "Shanghai" in memories[0]["memory_value"]
    assert client.get_memory(memories[0]["id"])["content"] == memories[0]["memory_value"]
    assert [item["id"] for item in client.get_memories(user_id="kim")] == [memories[0]["id"]]
    assert client.messages("c", user_id="kim")[0]["content"] == "I moved to Shanghai in June."


def test_a_list_goes_on_over_all_pages(client: Engram) -> None:
    cities = ["Porto", "Oslo", "Lima", "Cairo", "Kyoto"]
    friends = " ".join(f"My friend {city}ina lives in {city}." for city in cities)
    client.wait(client.add(friends, user_id="kim"))

    listed = list(client.get_memories(user_id="kim", size=2))

    assert len(listed) == len({item["id"] for item in listed}) >= len(cities)
    assert client.list_memories(user_id="kim", size=2)["pages"] == -(-len(listed) // 2)


def test_a_memory_is_changed_corrected_and_deleted(client: Engram) -> None:
    client.wait(client.add("My hotel limit is 800 euros.", user_id="kim", conversation_id="c"))
    memory = next(client.get_memories(user_id="kim"))

    client.update(memory["id"], title="Hotels", tags=["travel"])
    assert client.get_memory(memory["id"])["title"] == "Hotels"
    client.wait(client.feedback("The limit is 600, not 800.", user_id="kim", conversation_id="c"))
    assert (
        "600"
        in client.search("What is the hotel limit?", user_id="kim")["memory_detail_list"][0]["memory_value"]
    )
    client.delete(user_id="kim")
    assert list(client.get_memories(user_id="kim")) == []


def test_chat_answers_whole_and_streamed(client: Engram) -> None:
    client.wait(client.add("I live in Porto.", user_id="kim"))

    whole = client.chat("Where do I live?", user_id="kim", conversation_id="c", add_message_on_answer=False)
    pieces = list(client.stream_chat("Where do I live?", user_id="kim", conversation_id="c"))

    assert "Porto" in whole
    assert "Porto" in "".join(piece.text for piece in pieces if piece.type == "text")


def test_extract_and_rerank_store_nothing(client: Engram) -> None:
    extracted = client.extract("I prefer short answers.", extraction_types=["preference"])
    ranked = client.rerank("Does the user play badminton?", ["Lives in Porto.", "Plays badminton."], top_n=1)

    assert "short answers" in extracted["preference_detail_list"][0]["preference"]
    assert ranked["results"][0]["index"] == 1


def test_a_knowledge_base_takes_files_and_gives_them_up(client: Engram, tmp_path: Path) -> None:
    path = tmp_path / "hotels.md"
    path.write_text("# Hotels\n\nA night may cost 120 euros.\n")
    sent: list[tuple[int, int]] = []
    base = client.create_knowledge_base("Travel")

    added = client.upload_files(base, [path], on_progress=lambda done, total: sent.append((done, total)))
    more = client.add_files(base, [{"name": "rules.txt", "content": "T25lIHJ1bGUuCg=="}])

    assert sent[-1] == (path.stat().st_size, path.stat().st_size)
    assert {file["name"] for file in client.list_files(base, page_size=1)} == {"hotels.md", "rules.txt"}
    assert client.get_files([added[0]["id"]])[0]["name"] == "hotels.md"
    client.delete_files([added[0]["id"], more[0]["id"]])
    assert list(client.list_files(base)) == []
    client.remove_knowledge_base(base)


def test_profiles_are_made_bound_edited_and_deleted(client: Engram) -> None:
    template = client.add_profile_template("Customer", {"Basic": {"City": {"value": ""}}})
    client.bind_profile_templates([{"user_id": "lee", "profile_template_id": template}])
    client.edit_profile(template, user_id="lee", metadata={"Basic": {"City": {"value": "Porto"}}})

    page = client.list_memories(user_id="lee", include_memory_view=["profile"])

    assert page["profile_detail_list"][0]["properties"]["Basic"]["City"]["value"] == "Porto"
    client.update_profile_template(template, name="Guest")
    client.delete_profile(template, user_id="lee")
    assert client.delete_profile_template(template)["deleted_instances"] == 0


def test_skills_go_up_and_come_down(client: Engram, tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(SKILL_MD)

    skill = client.upload_skill(tmp_path, user="kim", meta={"team": "kitchen"})

    assert [entry["id"] for entry in client.list_skills(user="kim")] == [skill["id"]]
    assert client.get_skill(skill["id"])["name"] == "brew-tea"
    assert "Boil water" in client.get_skill_file(skill["id"])["content"]["raw"]
    with zipfile.ZipFile(BytesIO(client.download_skill(skill["id"]))) as archive:
        assert any(name.endswith("SKILL.md") for name in archive.namelist())
    client.delete_skill(skill["id"])
    with pytest.raises(NotFound):
        client.get_skill(skill["id"])


def test_sessions_keep_messages(client: Engram) -> None:
    session = client.create_session(user="kim")

    client.store_message(session["id"], {"role": "user", "content": "My name is Gus"})

    client.store_message(session["id"], {"role": "assistant", "content": "Hello Gus"})
    whole = client.session_messages(session["id"])
    last = client.session_messages(session["id"], limit=1, newest_first=True)
    before = client.session_messages(session["id"], limit=1, newest_first=True, cursor=last["next_cursor"])
    assert [message["content"] for message in whole["items"]] == ["My name is Gus", "Hello Gus"]
    assert [message["content"] for message in (*last["items"], *before["items"])] == [
        "Hello Gus",
        "My name is Gus",
    ]
    assert client.update_message_meta(session["id"], last["ids"][0], {"seen": True})["seen"] is True
    assert [entry["id"] for entry in client.list_sessions(user="kim")] == [session["id"]]
    assert client.flush_session(session["id"])["status"] in (200, 202)
    assert isinstance(list(client.session_tasks(session["id"])), list)
    client.delete_session(session["id"])


def test_a_refusal_names_code_field_cure_and_request(client: Engram) -> None:
    with pytest.raises(InvalidRequest) as refused:
        client.search("anything", user_id="kim", memory_limit_number=999)

    assert refused.value.code == 40000
    assert refused.value.status == 400
    assert refused.value.field == "memory_limit_number"
    assert refused.value.cure
    assert refused.value.request_id in str(refused.value)


def test_a_missing_subject_is_named(client: Engram) -> None:
    with pytest.raises(InvalidRequest) as refused:
        client.search("anything")

    assert refused.value.code == 40002


def test_a_wrong_key_is_an_error_of_its_own(tenant: Tenant) -> None:
    with Engram("mpg-wrong", tenant.url) as client, pytest.raises(AuthenticationError) as refused:
        client.ping()

    assert refused.value.status == 401
    assert refused.value.cure


def test_a_key_sees_nothing_of_another_project(client: Engram, stranger: Tenant) -> None:
    client.wait(client.add("I live in Porto.", user_id="kim"))
    memory = next(client.get_memories(user_id="kim"))

    with Engram(stranger.key, stranger.url) as other:
        assert list(other.get_memories(user_id="kim")) == []
        with pytest.raises(NotFound):
            other.get_memory(memory["id"])


def test_a_misspelt_option_is_refused_before_anything_is_sent(client: Engram) -> None:
    with pytest.raises(TypeError, match="limit"):
        client.search("anything", user_id="kim", limit=3)  # type: ignore[call-arg]


def test_settings_come_from_the_environment(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENGRAM_API_KEY", raising=False)
    with pytest.raises(EngramError, match="ENGRAM_API_KEY"):
        Engram()
    monkeypatch.setenv("ENGRAM_API_KEY", tenant.key)
    monkeypatch.setenv("ENGRAM_BASE_URL", f"{tenant.url}/api/openmem/v1/")

    with Engram() as client:
        assert client.ping() == {"success": True}


def test_the_async_client_does_the_same(tenant: Tenant) -> None:
    async def play() -> tuple[str, list[str], str]:
        async with AsyncEngram(tenant.key, tenant.url) as client:
            await client.wait(await client.add("I live in Porto.", user_id="kim"))
            result = await client.search("Where does the user live?", user_id="kim")
            listed = [item["id"] async for item in client.get_memories(user_id="kim")]
            stream = client.stream_chat("Where do I live?", user_id="kim", conversation_id="c")
            answer = "".join([piece.text async for piece in stream])
        return result["memory_detail_list"][0]["id"], listed, answer

    # In a thread: beside a browser of Playwright this one has a running loop already.
    with ThreadPoolExecutor(1) as thread:
        memory_id, listed, answer = thread.submit(lambda: asyncio.run(play())).result()

    assert memory_id in listed
    assert "Porto" in answer


@pytest.mark.parametrize("text", ["half \ud800 a letter", "\udc00"])
def test_text_that_cannot_be_sent_is_an_error_of_the_client(client: Engram, text: str) -> None:
    for send in (
        lambda: client.add(text, user_id="kim", conversation_id="c"),
        lambda: client.search(text, user_id="kim"),
        lambda: client.add("plain", user_id="kim", conversation_id="c", idempotency_key=text),
        lambda: client.delete_session(text),
        lambda: list(client.list_sessions(text)),
        lambda: list(client.stream_chat(text, user_id="kim", conversation_id="c")),
    ):
        with pytest.raises(EngramError, match="Nothing was sent"):
            send()


def test_numbers_that_json_has_not_are_an_error_of_the_client(client: Engram) -> None:
    with pytest.raises(EngramError, match="Nothing was sent"):
        client.search("tea", user_id="kim", relativity=float("nan"))


def test_no_text_of_a_client_shows_its_key(client: Engram) -> None:
    key = client.settings.api_key

    assert key
    assert key not in f"{client!r} {client.settings!r} {client.settings}"
