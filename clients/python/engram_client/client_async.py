"""The async client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack, cast

import httpx

from engram_client import requests
from engram_client.errors import TaskFailed, TimedOut, build_error
from engram_client.requests import Call, ChatPiece, OnProgress, checked, read, skills, write

if TYPE_CHECKING:  # to make these types takes longer than a request
    from engram_client import types

    Listed = types.ListedFact | types.ListedPreference | types.ListedTool

MAX_PAGE = 50


class AsyncEngram:
    """The async client of one project.

    Writes carry an Idempotency-Key and are repeated after lost connections, rates (429) and faults (5xx), `retries`
    times at most, with growing pauses or as long as Retry-After says. `timeout` is the time limit of one try, in
    seconds. All methods raise `EngramError`: `APIError` for refusals, `ConnectionFailed` and `TimedOut`.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = 60.0,
        retries: int = 3,
    ) -> None:
        self.settings = requests.read_settings(api_key, base_url, timeout, retries)
        self._http = httpx.AsyncClient(
            base_url=self.settings.base_url,
            headers=self.settings.headers,
            timeout=self.settings.limits,
            verify=self.settings.has_tls,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    # Memories

    async def ping(self) -> types.Success:
        """Check that the server is there and takes the key."""
        return cast("types.Success", await self._data(Call("GET", f"{requests.MEMORIES}ping")))

    async def add(
        self,
        messages: str | Sequence[types.MessageBody],
        *,
        idempotency_key: str | None = None,
        **options: Unpack[types.AddOptions],
    ) -> types.TaskAnswer:
        """Store messages, of which memories are made; a text is one message of the user."""
        body = checked(options, "AddOptions") | {"messages": requests.list_messages(messages)}
        return cast("types.TaskAnswer", await self._data(write("add/message", body, idempotency_key)))

    async def add_verbatim(
        self,
        text: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        info: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> str:
        """Keep a text word for word as one frozen memory, and nothing else of it; the id of the memory.

        Nothing that is said later rewords or replaces it, and a text that is kept already is kept again. Raises
        `EngramError` where the project's extraction policies forbid the text.
        """
        call = requests.verbatim(text, {"user_id": user_id, "agent_id": agent_id}, info, idempotency_key)
        return requests.verbatim_id(await self._data(call))

    async def search(self, query: str, **options: Unpack[types.SearchOptions]) -> types.SearchAnswer:
        """Find what matters to a question, the best first."""
        body = checked(options, "SearchOptions") | {"query": query}
        return cast("types.SearchAnswer", await self._data(read("search/memory", body)))

    async def list_memories(self, **options: Unpack[types.PageOptions]) -> types.MemoryPage:
        """One page of what is remembered, newest first; `page` counts from 1, `size` is at most 50."""
        body = checked(options, "PageOptions")
        return cast("types.MemoryPage", await self._data(read("get/memory", body)))

    async def get_memories(self, **options: Unpack[types.ListOptions]) -> AsyncIterator[Listed]:
        """All that is remembered, page by page: facts, preferences and tool memories. `size` is the size of a page."""
        body = checked(options, "ListOptions")
        if body.get("size") is None:
            body["size"] = MAX_PAGE
        page = 1
        while True:
            answer = cast("types.MemoryPage", await self._data(read("get/memory", body | {"page": page})))
            items: list[Any] = [
                *answer["memory_detail_list"],
                *answer["preference_detail_list"],
                *answer["tool_memory_detail_list"],
            ]
            for item in items:
                yield item
            if page >= answer["pages"]:
                return
            page += 1

    async def get_memory(self, memory_id: str) -> types.MemoryWhole:
        """One memory with its sources and its history."""
        path = f"{requests.MEMORIES}get/memory/{requests.escaped(memory_id)}"
        return cast("types.MemoryWhole", await self._data(Call("GET", path)))

    async def update(
        self, memory_id: str, *, idempotency_key: str | None = None, **options: Unpack[types.UpdateOptions]
    ) -> types.Success:
        """Change the words, title, state, tags or info of a memory by hand."""
        body = checked(options, "UpdateOptions") | {"memory_id": memory_id}
        return cast("types.Success", await self._data(write("update/memory", body, idempotency_key)))

    async def delete(
        self, *, idempotency_key: str | None = None, **options: Unpack[types.DeleteOptions]
    ) -> types.Success:
        """Delete for good: the memories of `memory_ids`, or everything of one `user_id` or `agent_id`."""
        body = checked(options, "DeleteOptions")
        return cast("types.Success", await self._data(write("delete/memory", body, idempotency_key)))

    async def feedback(
        self,
        feedback_content: str,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[types.FeedbackOptions],
    ) -> types.TaskAnswer:
        """Correct what is remembered, in a person's own words."""
        body = checked(options, "FeedbackOptions") | {"feedback_content": feedback_content}
        return cast("types.TaskAnswer", await self._data(write("add/feedback", body, idempotency_key)))

    async def status(self, task_id: str) -> types.TaskStatus:
        """How far a task is: running, completed or failed."""
        return cast("types.TaskStatus", await self._data(read("get/status", {"task_id": task_id})))

    async def wait(self, task: str | types.TaskAnswer, *, timeout: float = 60.0) -> types.TaskStatus:
        """Wait until a task is completed. Raises `TaskFailed`, and `TimedOut` after `timeout` seconds."""
        task_id = task if isinstance(task, str) else task["task_id"]
        end, pause = requests.now() + timeout, requests.FIRST_LOOK
        while True:
            status = await self.status(task_id)
            if status["status"] == "completed":
                return status
            if status["status"] == "failed":
                raise TaskFailed(f"Task {task_id} failed; the console's logs say why.")
            if requests.now() + pause > end:
                raise TimedOut(f"Task {task_id} is still running after {timeout:g} seconds.")
            await asyncio.sleep(pause)
            pause = min(requests.LONGEST_LOOK, pause * 2)

    async def messages(
        self, conversation_id: str, **options: Unpack[types.MessageOptions]
    ) -> list[types.StoredMessage]:
        """The last messages of a conversation, in order."""
        body = checked(options, "MessageOptions") | {"conversation_id": conversation_id}
        answer = await self._data(read("get/message", body))
        return cast("list[types.StoredMessage]", answer["message_detail_list"])

    async def chat(
        self,
        query: str,
        *,
        user_id: str,
        conversation_id: str,
        idempotency_key: str | None = None,
        **options: Unpack[types.ChatOptions],
    ) -> str:
        """Answer what an end user says, from what is remembered, and remember the turn."""
        body = checked(options, "ChatOptions")
        body |= {"query": query, "user_id": user_id, "conversation_id": conversation_id}
        return str((await self._data(write("chat", body, idempotency_key)))["response"])

    async def stream_chat(
        self, query: str, *, user_id: str, conversation_id: str, **options: Unpack[types.ChatOptions]
    ) -> AsyncIterator[ChatPiece]:
        """The answer piece by piece. Raises `StreamFailed` where the model broke off."""
        body = checked(options, "ChatOptions")
        body |= {"query": query, "user_id": user_id, "conversation_id": conversation_id, "stream": True}
        call = write("chat", body, None, streams=True)
        response = await self._send(call, stream=True)
        try:
            reader = requests.StreamReader()
            async for line in response.aiter_lines():
                piece = reader.read_line(line)
                if piece is not None:
                    yield piece
            reader.finish()
        except httpx.TransportError as error:
            raise requests.as_connection_failure(error, response.url) from error
        finally:
            await response.aclose()

    async def extract(
        self, messages: str | Sequence[types.MessageBody], **options: Unpack[types.ExtractOptions]
    ) -> types.ExtractAnswer:
        """What would be remembered of messages; nothing is stored."""
        body = checked(options, "ExtractOptions") | {"messages": requests.list_messages(messages)}
        return cast("types.ExtractAnswer", await self._data(read("extract/memory", body)))

    async def rerank(
        self, query: str, documents: Sequence[str], **options: Unpack[types.RerankOptions]
    ) -> types.RerankAnswer:
        """Texts in the order in which they answer a query."""
        body = checked(options, "RerankOptions") | {"query": query, "documents": list(documents)}
        return cast("types.RerankAnswer", await self._data(read("rerank", body)))

    # Knowledge bases

    async def create_knowledge_base(
        self, name: str, description: str = "", *, idempotency_key: str | None = None
    ) -> str:
        """Make a knowledge base that is linked to the project; its id."""
        body = {"knowledgebase_name": name, "knowledgebase_description": description}
        return str((await self._data(write("create/knowledgebase", body, idempotency_key)))["id"])

    async def remove_knowledge_base(
        self, knowledgebase_id: str, *, idempotency_key: str | None = None
    ) -> types.Success:
        """Take a knowledge base out of the project; its files stay."""
        body = {"knowledgebase_id": knowledgebase_id}
        return cast("types.Success", await self._data(write("delete/knowledgebase", body, idempotency_key)))

    async def add_files(
        self,
        knowledgebase_id: str,
        files: Sequence[types.FileBody],
        *,
        type: str | None = None,
        idempotency_key: str | None = None,
    ) -> list[types.FileAdded]:
        """Add files as addresses, data URLs or Base64; `type` is document or skill."""
        body = {"knowledgebase_id": knowledgebase_id, "file": list(files), "type": type}
        answer = await self._data(write("add/knowledgebase-file", body, idempotency_key))
        return cast("list[types.FileAdded]", answer)

    async def upload_files(
        self,
        knowledgebase_id: str,
        paths: Sequence[str | Path],
        *,
        type: str | None = None,
        on_progress: OnProgress | None = None,
        idempotency_key: str | None = None,
    ) -> list[types.FileAdded]:
        """Upload files of this machine. `on_progress` is called with the bytes sent and the bytes in all."""
        call = Call(
            "POST",
            f"{requests.MEMORIES}add/knowledgebase-file",
            params={"knowledgebase_id": knowledgebase_id, "type": type},
            files=requests.files_to_upload(paths, on_progress),
            headers={"Idempotency-Key": idempotency_key or requests.new_key()},
            fields=("knowledgebase_id", "type", "file"),
        )
        return cast("list[types.FileAdded]", await self._data(call))

    async def list_files(
        self, knowledgebase_id: str, *, type: str | None = None, page_size: int = 100
    ) -> AsyncIterator[types.FileDetail]:
        """All files of a knowledge base with the step that each is at, page by page."""
        page = 1
        while True:
            body = {
                "knowledgebase_id": knowledgebase_id,
                "type": type,
                "page": page,
                "page_size": page_size,
            }
            answer = cast("types.FilePage", await self._data(read("get/knowledgebase-file", body)))
            for file in answer["file_detail_list"]:
                yield file
            if page * answer["page_size"] >= answer["total"]:
                return
            page += 1

    async def get_files(self, file_ids: Sequence[str]) -> list[types.FileDetail]:
        """Files by their ids."""
        answer = await self._data(read("get/knowledgebase-file", {"file_ids": list(file_ids)}))
        return cast("list[types.FileDetail]", answer["file_detail_list"])

    async def delete_files(
        self, file_ids: Sequence[str], *, idempotency_key: str | None = None
    ) -> types.Success:
        """Delete files of knowledge bases with what was read from them: all, or none where an id is unknown."""
        call = write("delete/knowledgebase-file", {"file_ids": list(file_ids)}, idempotency_key)
        return cast("types.Success", await self._data(call))

    # Profiles

    async def add_profile_template(
        self, name: str, metadata: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> str:
        """Make a profile template of categories, fields and subfields; its id."""
        call = write("add/profile_template", {"name": name, "metadata": metadata}, idempotency_key)
        return str((await self._data(call))["profile_template_id"])

    async def update_profile_template(
        self,
        profile_template_id: str,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[types.TemplateOptions],
    ) -> types.TemplateChanged:
        """Change a template, and with it every profile of it."""
        body = checked(options, "TemplateOptions") | {"profile_template_id": profile_template_id}
        call = write("update/profile_template", body, idempotency_key)
        return cast("types.TemplateChanged", await self._data(call))

    async def delete_profile_template(
        self, profile_template_id: str, *, idempotency_key: str | None = None
    ) -> types.TemplateDeleted:
        """Delete a template with its profiles."""
        body = {"profile_template_id": profile_template_id}
        call = write("delete/profile_template", body, idempotency_key)
        return cast("types.TemplateDeleted", await self._data(call))

    async def bind_profile_templates(
        self, bind_list: Sequence[types.BindingBody], *, idempotency_key: str | None = None
    ) -> types.Success:
        """Give subjects profiles of templates: all, or none."""
        call = write("bind/profile_template", {"bind_list": list(bind_list)}, idempotency_key)
        return cast("types.Success", await self._data(call))

    async def edit_profile(
        self,
        profile_template_id: str,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[types.ProfileOptions],
    ) -> types.Success:
        """Add, change, lock and remove fields of one profile."""
        body = checked(options, "ProfileOptions") | {"profile_template_id": profile_template_id}
        return cast("types.Success", await self._data(write("edit/profile", body, idempotency_key)))

    async def delete_profile(
        self,
        profile_template_id: str,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[types.ProfileSubject],
    ) -> types.Success:
        """Delete one profile."""
        body = checked(options, "ProfileSubject") | {"profile_template_id": profile_template_id}
        return cast("types.Success", await self._data(write("delete/profile", body, idempotency_key)))

    # Skills and sessions

    async def list_skills(self, user: str | None = None) -> AsyncIterator[types.Skill]:
        """All skills, or those of one person, page by page."""
        async for skill in self._items("agent_skills", {"user": user}):
            yield cast("types.Skill", skill)

    async def get_skill(self, skill_id: str) -> types.Skill:
        """A skill with the list of its files."""
        return cast("types.Skill", await self._data(skills("GET", "agent_skills/{}", skill_id)))

    async def get_skill_file(self, skill_id: str, file_path: str = "SKILL.md") -> types.FileContent:
        """A file of a skill: `content` of a text, else the `url` of the file."""
        call = skills("GET", "agent_skills/{}/file", skill_id, params={"file_path": file_path})
        return cast("types.FileContent", await self._data(call))

    async def upload_skill(
        self,
        source: str | Path | bytes,
        *,
        user: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> types.Skill:
        """Upload a skill: a folder with a SKILL.md, or a ZIP archive of one as a file or as bytes."""
        archive = requests.skill_archive(source)
        form = {} if user is None else {"user": user}
        call = skills(
            "POST",
            "agent_skills",
            form=form if meta is None else form | {"meta": json.dumps(meta)},
            files=lambda: [("file", ("skill.zip", archive, "application/zip"))],
        )
        return cast("types.Skill", await self._data(call))

    async def download_skill(self, skill_id: str) -> bytes:
        """A skill as a ZIP archive."""
        response = await self._send(skills("GET", "agent_skills/{}/download_zip", skill_id))
        return response.content

    async def delete_skill(self, skill_id: str) -> None:
        """Delete a skill."""
        await self._data(skills("DELETE", "agent_skills/{}", skill_id))

    async def create_session(self, **options: Unpack[types.SessionOptions]) -> types.Session:
        """Begin a session, whose messages are read for tasks and lessons."""
        body = requests.without_none(checked(options, "SessionOptions"))
        return cast("types.Session", await self._data(skills("POST", "session", body=body)))

    async def list_sessions(self, user: str | None = None) -> AsyncIterator[types.Session]:
        """All sessions, or those of one person, page by page."""
        async for session in self._items("session", {"user": user}):
            yield cast("types.Session", session)

    async def delete_session(self, session_id: str) -> None:
        """Delete a session with its messages."""
        await self._data(skills("DELETE", "session/{}", session_id))

    async def store_message(
        self,
        session_id: str,
        blob: Mapping[str, Any],
        *,
        format: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> types.SessionMessage:
        """Store a message of a session, in the format openai, acontext or anthropic."""
        body = requests.without_none({"blob": blob, "format": format, "meta": meta})
        call = skills("POST", "session/{}/messages", session_id, body=body)
        return cast("types.SessionMessage", await self._data(call))

    async def session_messages(
        self,
        session_id: str,
        *,
        format: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        newest_first: bool = False,
    ) -> types.SessionMessagePage:
        """Messages of a session in their order: up to `limit` of 200, else up to 1,000 and 8 MB.

        They are the first, or the last with `newest_first`. Where `has_more` is true, the answer's `next_cursor` as
        `cursor` gives the next page.
        """
        params = {
            "format": format,
            "limit": limit,
            "cursor": cursor,
            "time_desc": "true" if newest_first else None,
        }
        call = skills("GET", "session/{}/messages", session_id, params=params)
        return cast("types.SessionMessagePage", await self._data(call))

    async def update_message_meta(
        self, session_id: str, message_id: str, changes: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Change a message's own `meta`, and give all of it; None removes a name."""
        path = "session/{}/messages/{}/meta"
        call = skills("PATCH", path, session_id, message_id, body={"meta": changes})
        return dict((await self._data(call))["meta"])

    async def session_tasks(self, session_id: str) -> AsyncIterator[types.SessionTask]:
        """The tasks that were found in a session, page by page."""
        async for task in self._items(f"session/{requests.escaped(session_id)}/task", {}):
            yield cast("types.SessionTask", task)

    async def flush_session(self, session_id: str) -> types.FlushAnswer:
        """Have the waiting messages of a session read now."""
        return cast("types.FlushAnswer", await self._data(skills("POST", "session/{}/flush", session_id)))

    async def get_project_configs(self) -> dict[str, Any]:
        """Criteria of tasks, and whatever else the project keeps there."""
        return dict(await self._data(skills("GET", "project/configs")))

    async def update_project_configs(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Change configs of the project; None removes one. All of them are answered."""
        return dict(await self._data(skills("PATCH", "project/configs", body=changes)))

    # Keys, usage and request logs; each needs its own scope of the key

    async def list_keys(self, *, include_ended: bool = False) -> list[types.Key]:
        """The project's API keys, newest first."""
        call = requests.console("GET", "keys", params={"include_ended": "true"} if include_ended else None)
        return cast("list[types.Key]", (await self._data(call))["keys"])

    async def create_key(
        self, name: str, scopes: Sequence[str], **options: Unpack[types.KeyOptions]
    ) -> types.CreatedKey:
        """Make a key; `api_key` of the answer is the key itself, which is never shown again."""
        body = checked(options, "KeyOptions") | {"name": name, "scopes": list(scopes)}
        call = requests.console("POST", "keys", body=requests.without_none(body))
        return cast("types.CreatedKey", await self._data(call))

    async def revoke_key(self, key_id: str) -> None:
        """Revoke a key, within a second."""
        await self._data(requests.console("DELETE", "keys/{}", key_id))

    async def usage(
        self,
        *,
        first_day: str | None = None,
        last_day: str | None = None,
        group_by: str | None = None,
        key_id: str | None = None,
    ) -> types.Usage:
        """What the project used, this month unless days are named, and what the account has left."""
        params = {"first_day": first_day, "last_day": last_day, "group_by": group_by, "key_id": key_id}
        return cast("types.Usage", await self._data(requests.console("GET", "usage", params=params)))

    async def list_requests(self, **filters: str | int | None) -> types.LogPage:
        """One page of the request log, newest first, or what came `after` an answer, oldest first."""
        return cast("types.LogPage", await self._data(requests.console("GET", "logs", params=filters)))

    async def get_request(self, request_id: str) -> types.LogDetail:
        """A logged request with bodies and trace."""
        call = requests.console("GET", "logs/{}", request_id)
        return cast("types.LogDetail", await self._data(call))

    # Sending

    async def _items(self, path: str, params: Mapping[str, Any]) -> AsyncIterator[Any]:
        """Follow the cursors of a list of the skills API."""
        cursor: str | None = None
        while True:
            call = Call("GET", requests.SKILLS + path, params={**params, "limit": 200, "cursor": cursor})
            page = await self._data(call)
            for item in page["items"]:
                yield item
            if not page["has_more"]:
                return
            cursor = page["next_cursor"]

    async def _data(self, call: Call) -> Any:
        return requests.read_data(await self._send(call))

    async def _send(self, call: Call, *, stream: bool = False) -> httpx.Response:
        """Send a call as often as it takes and may be. Raises `APIError`, `ConnectionFailed` or `TimedOut`."""
        attempt = 0
        while True:
            delay = await self._try(call, stream, attempt)
            if isinstance(delay, httpx.Response):
                return delay
            attempt += 1
            await asyncio.sleep(delay)

    async def _try(self, call: Call, stream: bool, attempt: int) -> httpx.Response | float:
        """Send a call once: the answer, or how long to wait before the next try."""
        options = call.request_options()
        request = requests.build_request(self._http, call, options)
        try:
            response = await self._http.send(request, stream=stream)
            if response.is_success:
                return response
            await response.aread()
        except httpx.TransportError as transport_error:
            delay = requests.delay_after_failure(transport_error, call, attempt, self.settings.retries)
            if delay is None:
                raise requests.as_connection_failure(transport_error, request.url) from transport_error
            return delay
        finally:
            requests.close_files(options)
        error = build_error(response, call.fields)
        delay = requests.delay_after_answer(error, call, attempt, self.settings.retries)
        if delay is None:
            raise error
        return delay
