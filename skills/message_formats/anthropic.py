"""Messages of Anthropic's messages API."""

from __future__ import annotations

from typing import Any

from skills.message_formats.parts import (
    ASSISTANT,
    USER,
    NormalisedMessage,
    Part,
    PartType,
    build_message_error,
    build_part,
    build_tool_call,
    build_tool_result,
    came_in_list,
    get_part_meta,
    list_objects,
    parse_part_arguments,
    pick_fields,
    remove_nulls,
    require_object,
    require_text,
)
from skills.models import SessionMessage

TOOL_USE = "tool_use"
SOURCE_NAMES = ("type", "media_type", "data", "url", "file_id", "content")


def read_message(blob: dict[str, Any]) -> NormalisedMessage:
    message = remove_nulls(blob)
    role, content = message.get("role"), message.get("content")
    if role not in (USER, ASSISTANT):
        raise build_message_error("the role is user or assistant")
    kept: dict[str, Any] = {"format": "anthropic", "role": role}
    if isinstance(content, str):
        parts = [build_part(PartType.TEXT, content)] if content else []
    else:
        kept["is_list"] = True
        parts = [_parse_part(block) for block in list_objects(content, "content")]
    if not parts and role == USER:
        raise build_message_error("the message has no content")
    return NormalisedMessage(str(role), parts, kept)


def _parse_part(block: dict[str, Any]) -> Part:
    cached = block.get("cache_control")
    match block.get("type"):
        case "text":
            return build_part(PartType.TEXT, require_text(block), cache_control=cached)
        case "image":
            return build_part(PartType.IMAGE, **_flatten_source(block), cache_control=cached)
        case "document":
            about = pick_fields(block, "title", "context")
            return build_part(PartType.FILE, **_flatten_source(block), **about, cache_control=cached)
        case "tool_use":
            return build_tool_call(block.get("id"), block.get("name"), block.get("input") or {}, TOOL_USE)
        case "tool_result":
            return _parse_result(block)
        case "thinking":
            return build_part(
                PartType.THINKING, require_text(block, "thinking"), signature=block.get("signature")
            )
        case "redacted_thinking":
            return build_part(PartType.REDACTED_THINKING, data=require_text(block, "data"))
    raise build_message_error(
        "the content is of blocks text, image, document, tool_use, tool_result, thinking and redacted_thinking"
    )


def _flatten_source(block: dict[str, Any]) -> dict[str, Any]:
    """Return where the bytes are, flat: how they are given (type), and a url, an id of a file, or the data itself."""
    return pick_fields(require_object(block, "source"), *SOURCE_NAMES)


def _parse_result(block: dict[str, Any]) -> Part:
    """Parse the text of a tool's result; other content is stored as it came."""
    content = block.get("content", "")
    failed = block.get("is_error") or None
    if isinstance(content, str):
        return build_tool_result(block.get("tool_use_id"), content, is_error=failed)
    blocks = list_objects(content, "the content of a tool_result")
    text = "\n".join(require_text(text_block) for text_block in blocks if text_block.get("type") == "text")
    return build_tool_result(block.get("tool_use_id"), text, is_error=failed, blocks=blocks)


def write_message(message: SessionMessage) -> list[dict[str, Any]]:
    blocks = [block for block in map(_build_block, message.parts) if block is not None]
    is_text = (
        len(blocks) == 1 and set(blocks[0]) == {"type", "text"} and not came_in_list(message, "anthropic")
    )
    return [{"role": message.role, "content": blocks[0]["text"] if is_text else blocks}]


def _build_block(part: Part) -> dict[str, Any] | None:
    meta = get_part_meta(part)
    made: dict[str, Any] | None = None
    match part["type"]:
        case PartType.TEXT:
            made = {"type": "text", "text": part.get("text", "")}
        case PartType.IMAGE:
            made = {"type": "image", "source": _write_source(meta, "image/png")}
        case PartType.FILE:
            about = pick_fields(meta, "title", "context")
            made = {"type": "document", "source": _write_source(meta, "application/pdf")} | about
        case PartType.TOOL_CALL:
            made = {"type": TOOL_USE, "id": meta.get("id") or "", "name": meta.get("name", "")}
            made["input"] = _write_input(part)
        case PartType.TOOL_RESULT:
            content = meta.get("blocks", part.get("text", ""))
            made = {"type": "tool_result", "tool_use_id": meta.get("tool_call_id"), "content": content}
            made |= {"is_error": True} if meta.get("is_error") else {}
        case PartType.THINKING:
            made = {"type": "thinking", "thinking": part.get("text", "")}
            made["signature"] = meta.get("signature", "")
        case PartType.REDACTED_THINKING:
            made = {"type": "redacted_thinking", "data": meta.get("data", "")}
    if made is not None and "cache_control" in meta:
        made["cache_control"] = meta["cache_control"]
    return made


def _write_input(part: Part) -> dict[str, Any]:
    """An object always; what another format wrote as a bare text is put into one."""
    arguments = parse_part_arguments(part)
    return arguments if isinstance(arguments, dict) else {"input": arguments}


def _write_source(meta: dict[str, Any], media_type: str) -> dict[str, Any]:
    """As it came, or made of what another format says: an address, or one that holds the bytes."""
    if meta.get("type") in ("base64", "url", "file", "text", "content"):
        return pick_fields(meta, *SOURCE_NAMES)
    url = str(meta.get("url") or meta.get("file_data") or "")
    if url.startswith("data:") and ";base64," in url:
        head, _, data = url.removeprefix("data:").partition(";base64,")
        return {"type": "base64", "media_type": head or media_type, "data": data}
    if meta.get("file_id"):
        return {"type": "file", "file_id": meta["file_id"]}
    return {"type": "url", "url": url}
