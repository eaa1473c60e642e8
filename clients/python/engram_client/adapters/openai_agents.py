"""OpenAI's Agents SDK: sessions that are kept in Engram, and a tool that searches what is remembered."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid5

from agents import FunctionTool, SessionSettings, function_tool
from agents.memory.session_settings import resolve_session_limit

from engram_client.adapters.recalled import TOOL_DESCRIPTION, as_list
from engram_client.client_async import AsyncEngram
from engram_client.errors import NotFound

Item = Mapping[str, Any]
# Names in the `meta` of a message's part: the item as JSON, and which of its members is the part's text and left out
# there. In a message's own `meta`: that the item was popped.
ITEM, TEXT_MEMBER, IS_POPPED = "openai_agents_item", "openai_agents_text", "openai_agents_popped"
MAX_PAGE = 200
# Sessions with the same name of different users are different sessions.
NAMES = UUID("6f0e8c52-3b1f-4d0e-9c7c-6a3f0d5f9a11")


class EngramSession:
    """The history of one conversation of one end user, as a session of Engram's skills API.

    Items come back exactly as they were added. What the user and the assistant said is remembered as well, unless
    `remember` is false; clearing the session, or taking an item back, leaves what was remembered. All methods raise
    `EngramError`.
    """

    def __init__(
        self,
        session_id: str,
        client: AsyncEngram,
        *,
        user_id: str,
        remember: bool = True,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id, self.client, self.user_id, self.remember = session_id, client, user_id, remember
        self.session_settings = session_settings
        self._stored_id = str(uuid5(NAMES, json.dumps([user_id, session_id])))

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The last `limit` items in their order, all without a limit."""
        wanted = resolve_session_limit(limit, self.session_settings)
        items: list[Any] = []
        if wanted is not None and wanted <= 0:
            return items
        async for _, item in self._newest(wanted):
            items.append(item)
            if len(items) == wanted:
                break
        return items[::-1]

    async def add_items(self, items: Sequence[Any]) -> None:
        """Store items one by one, then have what was said remembered."""
        if not items:
            return
        await self.client.create_session(user=self.user_id, use_uuid=self._stored_id)
        for item in items:
            await self.client.store_message(self._stored_id, _as_message(item), format="acontext")
        messages: list[Any] = [message for item in items for message in _said(item)]
        if self.remember and messages:
            await self.client.add(messages, user_id=self.user_id, conversation_id=self.session_id)

    async def pop_item(self) -> Any | None:
        """Remove the last item from the history, and give it."""
        async for message_id, item in self._newest(1):
            await self.client.update_message_meta(self._stored_id, message_id, {IS_POPPED: True})
            return item
        return None

    async def clear_session(self) -> None:
        """Delete all items."""
        try:
            await self.client.delete_session(self._stored_id)
        except NotFound:  # nothing was added yet
            return

    async def _newest(self, wanted: int | None) -> AsyncIterator[tuple[str, Any]]:
        """Items with the ids of their messages, the last first, page by page."""
        cursor: str | None = None
        while True:
            try:
                page = await self.client.session_messages(
                    self._stored_id,
                    format="acontext",
                    limit=min(wanted or MAX_PAGE, MAX_PAGE),
                    cursor=cursor,
                    newest_first=True,
                )
            except NotFound:  # nothing was added yet
                return
            rows = list(zip(page["ids"], page["items"], page["metas"], strict=True))
            for message_id, message, meta in reversed(rows):
                if not meta.get(IS_POPPED):
                    yield message_id, _as_item(message["parts"][0])
            if not page["has_more"]:
                return
            cursor = page["next_cursor"]


def search_memory_tool(client: AsyncEngram, *, user_id: str, session_id: str | None = None) -> FunctionTool:
    """A tool by which an agent searches what is remembered of one end user.

    With `session_id` it leaves out what was just said in that session, which the agent has before it.
    """

    async def search_memory(query: str) -> str:
        answer = await client.search(query, user_id=user_id, conversation_id=session_id)
        return as_list(answer, session_id)

    return function_tool(search_memory, description_override=TOOL_DESCRIPTION)


def _as_message(item: Item) -> dict[str, Any]:
    """A message with one part, which says in Engram's words what the item is and has the item itself beside it."""
    kind = str(item.get("type") or "message")
    is_input = item.get("role", "assistant") != "assistant" or kind.endswith("_output")
    member = "output" if kind == "function_call_output" else "content"
    text = _join_texts(item.get(member))
    part: dict[str, Any] = {"type": "data", "meta": {"data_type": kind}}
    if kind == "function_call" and item.get("name"):
        call = {"id": item.get("call_id"), "name": item["name"], "arguments": item.get("arguments") or "{}"}
        part = {"type": "tool-call", "meta": call}
    elif kind == "function_call_output" and item.get("call_id"):
        part = {"type": "tool-result", "text": text or "-", "meta": {"tool_call_id": item["call_id"]}}
    elif kind == "message" and text:
        part = {"type": "text", "text": text, "meta": {}}
    rest = dict(item)
    if "text" in part and part["text"] == rest.get(member):
        part["meta"][TEXT_MEMBER] = member
        del rest[member]
    part["meta"][ITEM] = json.dumps(rest)
    return {"role": "user" if is_input else "assistant", "parts": [part]}


def _as_item(part: Any) -> Any:
    item = json.loads(part["meta"][ITEM])
    member = part["meta"].get(TEXT_MEMBER)
    return {**item, member: part["text"]} if member else item


def _join_texts(content: Any) -> str:
    """The texts of a content, which is a text or a list of parts, without characters that no database keeps."""
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [str(part["text"]) for part in parts if isinstance(part, Mapping) and part.get("text")]
    return "\n".join(texts).replace("\0", " ").encode(errors="replace").decode()


def _said(item: Item) -> list[Any]:
    """What a person or the assistant said, as a message to be remembered; nothing of other items."""
    role, text = item.get("role"), _join_texts(item.get("content"))
    return [{"role": role, "content": text}] if role in ("user", "assistant") and text.strip() else []
