"""add, search, get, origin, update, delete, feedback, message, status, chat, extract and rerank."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import typer

from engram_cli.failures import CommandFailed, UsageFailed
from engram_cli.options import (
    Agent,
    Conversation,
    Format,
    User,
    Wait,
    Yes,
    conversation,
    open_client,
    read_text,
    subject,
)
from engram_cli.output import Row, Shown, chosen_format, printable, show

TEXTS = ("memory_value", "preference", "tool_value", "memory", "content")
LISTS = {
    "memory_detail_list": "fact",
    "preference_detail_list": "preference",
    "tool_memory_detail_list": "tool",
    "skill_detail_list": "skill",
    "profile_detail_list": "profile",
}
SIMPLE = ("memory", "kind", "relativity", "id")
DETAIL = (*SIMPLE, "status", "confidence", "memory_time", "conversation_id", "tags", "knowledgebase_id")
Detail = Annotated[str, typer.Option(help="simple or detail.")]


def list_rows(answer: Mapping[str, Any]) -> list[Row]:
    """Memories of all kinds as one list, in the API's order."""
    return [
        {
            **item,
            "memory": get_memory_text(item),
            "kind": kind,
            "memory_time": readable_time(item.get("memory_time")),
        }
        for name, kind in LISTS.items()
        for item in answer.get(name) or []
    ]


def get_memory_text(item: Mapping[str, Any]) -> str:
    if "skill_value" in item:
        return f"{item['skill_value'].get('name', '')}: {item['skill_value'].get('description', '')}"
    if "properties" in item:
        return json.dumps(item["properties"], ensure_ascii=False)
    return next((str(item[name]) for name in TEXTS if item.get(name)), "")


def readable_time(milliseconds: int | None) -> str:
    return datetime.fromtimestamp(milliseconds / 1000).isoformat(" ", "minutes") if milliseconds else ""


def choose_columns(detail: str, *left_out: str) -> tuple[str, ...]:
    if detail not in ("simple", "detail"):
        raise UsageFailed(f"There is no detail {detail}: use simple or detail.")
    return tuple(column for column in (DETAIL if detail == "detail" else SIMPLE) if column not in left_out)


def add(
    text: Annotated[str | None, typer.Argument(help="What was said; - reads standard input.")] = None,
    message: Annotated[str | None, typer.Option("--message", "-m", help="In place of the argument.")] = None,
    role: Annotated[str, typer.Option(help="Who said it: user or assistant.")] = "user",
    tag: Annotated[list[str] | None, typer.Option(help="A label to filter by; may be repeated.")] = None,
    wait: Wait = False,
    user_id: User = None,
    agent_id: Agent = None,
    conversation_id: Conversation = None,
    format: Format = None,
) -> None:
    """Store what was said, and make memories of it."""
    messages: Any = [{"role": role, "content": read_text(text, message, "What to remember")}]
    whose = subject(user_id, agent_id)
    more: Any = {"conversation_id": conversation(conversation_id), "tags": tag, "source": "cli"}
    with open_client() as client:
        task: Any = client.add(messages, **whose, **more)
        if wait:
            task = {**task, **client.wait(task)}
    show(Shown(task, [task], ("status", "task_id")), format)


def search(
    question: Annotated[str | None, typer.Argument(help="The question, in any words.")] = None,
    query: Annotated[str | None, typer.Option("--query", "-q", help="In place of the argument.")] = None,
    include_preference: Annotated[bool, typer.Option(help="Whether preferences are wanted.")] = True,
    include_tool_memory: Annotated[bool, typer.Option(help="Whether tool memories are wanted.")] = False,
    include_skill_memory: Annotated[bool, typer.Option(help="Whether skills are wanted.")] = False,
    memory_limit_number: Annotated[int | None, typer.Option(help="How many facts at most.")] = None,
    preference_limit_number: Annotated[int | None, typer.Option(help="How many preferences at most.")] = None,
    tool_memory_limit_number: Annotated[int | None, typer.Option(help="How many tool memories.")] = None,
    skill_memory_limit_number: Annotated[int | None, typer.Option(help="How many skills.")] = None,
    relativity: Annotated[float | None, typer.Option(help="The least a hit must reach, 0 to 1.")] = None,
    filter: Annotated[str | None, typer.Option(help="A filter as JSON.")] = None,
    knowledge_base: Annotated[
        list[str] | None, typer.Option("--kb", help="A knowledge base, or all.")
    ] = None,
    user_id: User = None,
    agent_id: Agent = None,
    conversation_id: Conversation = None,
    detail: Detail = "simple",
    format: Format = None,
) -> None:
    """Find what matters to a question."""
    columns = choose_columns(detail)
    asked = read_text(question, query, "The question")
    options: Any = {
        "conversation_id": conversation(conversation_id),
        "include_preference": include_preference,
        "include_tool_memory": include_tool_memory,
        "include_skill": include_skill_memory,
        "memory_limit_number": memory_limit_number,
        "preference_limit_number": preference_limit_number,
        "tool_memory_limit_number": tool_memory_limit_number,
        "skill_limit_number": skill_memory_limit_number,
        "relativity": relativity,
        "filter": json_option(filter, "--filter"),
        "knowledgebase_ids": "all" if knowledge_base == ["all"] else knowledge_base or None,
    }
    whose = subject(user_id, agent_id)
    with open_client() as client:
        answer = client.search(asked, **whose, **options)
    show(Shown(answer, list_rows(answer), columns), format)


def json_option(text: str | None, name: str) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError as error:
        raise UsageFailed(f"{name} is not JSON: {error}") from error


def get(
    user: Annotated[str | None, typer.Argument(help="The end user.")] = None,
    page: Annotated[
        int | None, typer.Option(min=1, help="One page only, from 1; all pages without it.")
    ] = None,
    size: Annotated[
        int | None, typer.Option(min=1, max=50, help="Memories of each kind on a page, at most 50.")
    ] = None,
    include_preference: Annotated[bool, typer.Option(help="Whether preferences are wanted.")] = True,
    include_tool_memory: Annotated[bool, typer.Option(help="Whether tool memories are wanted.")] = True,
    user_id: User = None,
    agent_id: Agent = None,
    detail: Detail = "simple",
    format: Format = None,
) -> None:
    """List what is remembered of a user, newest first."""
    columns = choose_columns(detail, "relativity")
    options: Any = {
        "size": size,
        "include_preference": include_preference,
        "include_tool_memory": include_tool_memory,
    }
    whose: Any = subject(user or user_id, agent_id)
    with open_client() as client:
        if page:
            answer: Any = client.list_memories(page=page, **whose, **options)
            show(Shown(answer, list_rows(answer), columns), format)
            return
        items: list[Any] = list(client.get_memories(**whose, **options))
    answer = {
        "memory_detail_list": [item for item in items if "memory_value" in item],
        "preference_detail_list": [item for item in items if "preference" in item],
        "tool_memory_detail_list": [item for item in items if "tool_value" in item],
        "total": len(items),
    }
    show(Shown(answer, list_rows(answer), columns), format)


def origin(
    memory_id: Annotated[str, typer.Argument(help="The id of a memory.")], format: Format = None
) -> None:
    """Show what a memory was made from, and how it changed."""
    with open_client() as client:
        memory: Any = client.get_memory(memory_id)
    sources = [
        {
            "content": source.get("content") or source.get("file", {}).get("name", ""),
            "origin": source.get("type", ""),
            "by": source.get("role", ""),
            "at": source.get("chat_time", ""),
        }
        for source in memory["metadata"]["sources"]
    ]
    versions = [
        {
            "content": version["content"],
            "origin": f"version {version['version']}",
            "by": version["actor"],
            "at": version["created_at"],
        }
        for version in memory["history"]
    ]
    shown = Shown(
        memory,
        [*sources, *versions],
        ("content", "origin", "by", "at"),
        "No source is kept.",
        memory["content"],
    )
    show(shown, format)


def update(
    memory_id: Annotated[str, typer.Argument(help="The id of a memory.")],
    content: Annotated[str | None, typer.Argument(help="What it says from now on.")] = None,
    title: Annotated[str | None, typer.Option(help="Its title.")] = None,
    status: Annotated[str | None, typer.Option(help="activated or archived.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Its labels; may be repeated.")] = None,
    format: Format = None,
) -> None:
    """Change a memory by hand."""
    changes: Any = {"content": content, "title": title, "status": status, "tags": tag or None}
    if not any(changes.values()):
        raise UsageFailed("What shall change? Give the new text, --title, --status or --tag.")
    with open_client() as client:
        answer = client.update(memory_id, **changes)
    show(Shown(answer, [{"result": "changed", "id": memory_id}], ("result", "id")), format)


def delete(
    memory_ids: Annotated[list[str] | None, typer.Argument(help="Ids of memories.")] = None,
    user_id: Annotated[str | None, typer.Option("--user-id", "-u", help="All of this user.")] = None,
    agent_id: Annotated[str | None, typer.Option(help="All of this agent.")] = None,
    yes: Yes = False,
    format: Format = None,
) -> None:
    """Delete memories by their ids, or everything of a user."""
    if bool(memory_ids) + bool(user_id) + bool(agent_id) != 1:
        raise UsageFailed("Give either ids of memories, or --user-id, or --agent-id.")
    if not memory_ids and not yes:
        name = f"user {user_id}" if user_id else f"agent {agent_id}"
        confirm(f"Delete everything that is remembered of {name}, with messages, for good?")
    selection: Any = {"memory_ids": memory_ids or None, "user_id": user_id, "agent_id": agent_id}
    with open_client() as client:
        answer = client.delete(**selection)
    row = {"result": "deleted", "what": memory_ids or user_id or agent_id}
    show(Shown(answer, [row], ("result", "what")), format)


def confirm(question: str) -> None:
    """Raises `CommandFailed` where the answer is no, and `UsageFailed` where nobody can be asked."""
    if not sys.stdin.isatty():
        raise UsageFailed("Nobody can be asked here: repeat with --yes.")
    if not typer.confirm(question, err=True):
        raise CommandFailed("Nothing was changed.")


def chat(
    question: Annotated[str | None, typer.Argument(help="What the user says.")] = None,
    query: Annotated[str | None, typer.Option("--query", "-q", help="In place of the argument.")] = None,
    system_prompt: Annotated[str | None, typer.Option(help="Instructions to the model.")] = None,
    model: Annotated[str | None, typer.Option(help="One of the project's models.")] = None,
    remember: Annotated[bool, typer.Option(help="Whether the turn is remembered.")] = True,
    user_id: User = None,
    conversation_id: Conversation = None,
    format: Format = None,
) -> None:
    """Answer from what is remembered, piece by piece."""
    question_text = read_text(question, query, "The question")
    whose = subject(user_id, None)["user_id"]
    thread = conversation(conversation_id) or "cli"
    options: Any = {"system_prompt": system_prompt, "model_name": model, "add_message_on_answer": remember}
    name = chosen_format(format)
    with open_client() as client:
        if name == "json":
            answer = client.chat(question_text, user_id=whose, conversation_id=thread, **options)
            show(Shown({"response": answer}, [], ()), "json")
            return
        for piece in client.stream_chat(
            question_text, user_id=whose, conversation_id=thread, source="cli", **options
        ):
            if piece.type == "text":
                print(printable(piece.text), end="", flush=True)
        print()


def extract(
    text: Annotated[str | None, typer.Argument(help="What was said.")] = None,
    message: Annotated[str | None, typer.Option("--message", "-m", help="In place of the argument.")] = None,
    format: Format = None,
) -> None:
    """Show what would be remembered of a text; nothing is stored."""
    content = read_text(text, message, "The text")
    with open_client() as client:
        answer = client.extract(content)
    show(Shown(answer, list_rows(answer), ("memory", "kind", "tags"), "Nothing would be remembered."), format)


def rerank(
    query: Annotated[str, typer.Argument(help="The question.")],
    documents: Annotated[list[str] | None, typer.Argument(help="Texts.")] = None,
    document: Annotated[
        list[str] | None, typer.Option("--documents", help="A text; may be repeated.")
    ] = None,
    top_n: Annotated[int | None, typer.Option(help="Only the best of them.")] = None,
    format: Format = None,
) -> None:
    """Put texts in the order in which they answer a question."""
    texts = [*(documents or []), *(document or [])]
    if not texts:
        raise UsageFailed("Give at least one text.")
    with open_client() as client:
        answer = client.rerank(query, texts, top_n=top_n)
    rows = [
        {
            "document": result["document"]["text"],
            "relevance_score": result["relevance_score"],
            "index": result["index"],
        }
        for result in answer["results"]
    ]
    show(Shown(answer, rows, ("document", "relevance_score", "index")), format)


def feedback(
    text: Annotated[str | None, typer.Argument(help="The correction, in plain words.")] = None,
    feedback_content: Annotated[str | None, typer.Option(help="In place of the argument.")] = None,
    wait: Wait = False,
    user_id: User = None,
    agent_id: Agent = None,
    conversation_id: Conversation = None,
    format: Format = None,
) -> None:
    """Correct what is remembered, in plain words."""
    correction = read_text(text, feedback_content, "The correction")
    whose: Any = subject(user_id, agent_id)
    with open_client() as client:
        task: Any = client.feedback(correction, conversation_id=conversation(conversation_id), **whose)
        if wait:
            task = {**task, **client.wait(task)}
    show(Shown(task, [task], ("status", "task_id")), format)


def message(
    limit: Annotated[int | None, typer.Option(help="How many messages, at most 50.")] = None,
    user_id: User = None,
    agent_id: Agent = None,
    conversation_id: Conversation = None,
    format: Format = None,
) -> None:
    """Show the last messages of a conversation."""
    thread = conversation(conversation_id)
    if not thread:
        raise UsageFailed("Which conversation? Use --conversation-id.")
    whose: Any = subject(user_id, agent_id)
    with open_client() as client:
        messages = client.messages(thread, message_limit_number=limit, **whose)
    data = {"message_detail_list": messages}
    rows: Any = [{**entry, "content": entry["content"]} for entry in messages]
    show(Shown(data, rows, ("content", "role", "chat_time"), "No messages are kept."), format)


def status(
    task_id: Annotated[str, typer.Argument(help="The id that add or feedback answered.")],
    wait: Wait = False,
    format: Format = None,
) -> None:
    """Show how far a task is."""
    with open_client() as client:
        answer = client.wait(task_id) if wait else client.status(task_id)
    show(Shown(answer, [answer], ("status", "task_id")), format)
