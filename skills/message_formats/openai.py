"""Messages of OpenAI's chat completions."""

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
    pick_fields,
    remove_nulls,
    require_object,
    require_text,
)
from skills.models import SessionMessage

FUNCTION, CUSTOM, OLD_CALL = "function", "custom", "function_call"
REFUSAL = "refusal"
FILE_NAMES = ("file_id", "file_data", "filename")


def read_message(blob: dict[str, Any]) -> NormalisedMessage:
    """Null is absent: clients send whole objects of their library."""
    message = remove_nulls(blob)
    role = message.get("role")
    if not isinstance(role, str):
        raise build_message_error("the message has a role")
    kept: dict[str, Any] = {"format": "openai", "role": role}
    if isinstance(message.get("name"), str):
        kept["name"] = message["name"]
    if isinstance(message.get("content"), list):
        kept["is_list"] = True
    if role == ASSISTANT:
        return NormalisedMessage(ASSISTANT, _parse_assistant_message(message), kept)
    if role == "tool":
        return NormalisedMessage(
            USER, [build_tool_result(message.get("tool_call_id"), _join_texts(message.get("content")))], kept
        )
    if role == "function":
        return NormalisedMessage(
            USER, [build_tool_result(message.get("name"), _join_texts(message.get("content")))], kept
        )
    if role in {USER, "system", "developer"}:
        return NormalisedMessage(USER, _require_parts(_parse_content(message.get("content"))), kept)
    raise build_message_error("the role is system, developer, user, assistant or tool")


def _require_parts(parts: list[Part]) -> list[Part]:
    if not parts:
        raise build_message_error("the message has no content")
    return parts


def _parse_content(content: Any) -> list[Part]:
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [build_part(PartType.TEXT, content)]
    return [_parse_part(block) for block in list_objects(content, "content")]


def _parse_part(block: dict[str, Any]) -> Part:
    match block.get("type"):
        case "text":
            return build_part(PartType.TEXT, require_text(block))
        case "refusal":
            return build_part(PartType.TEXT, require_text(block, REFUSAL), type=REFUSAL)
        case "image_url":
            image = require_object(block, "image_url")
            return build_part(PartType.IMAGE, url=require_text(image, "url"), detail=image.get("detail"))
        case "input_audio":
            sound = require_object(block, "input_audio")
            return build_part(PartType.AUDIO, data=sound.get("data"), format=sound.get("format"))
        case "file":
            return build_part(PartType.FILE, **pick_fields(require_object(block, "file"), *FILE_NAMES))
    raise build_message_error("the content is of parts text, image_url, input_audio and file")


def _parse_assistant_message(message: dict[str, Any]) -> list[Part]:
    parts = _parse_content(message.get("content"))
    if isinstance(message.get(REFUSAL), str) and message[REFUSAL]:
        parts.append(build_part(PartType.TEXT, message[REFUSAL], type=REFUSAL))
    if "tool_calls" in message:
        parts += [_read_call(call) for call in list_objects(message["tool_calls"], "tool_calls")]
    if "function_call" in message:
        call = require_object(message, "function_call")
        parts.append(build_tool_call(None, call.get("name"), call.get("arguments"), OLD_CALL))
    return parts


def _read_call(call: dict[str, Any]) -> Part:
    if call.get("type", FUNCTION) == CUSTOM:
        custom = require_object(call, CUSTOM)
        return build_tool_call(call.get("id"), custom.get("name"), custom.get("input"), CUSTOM)
    function = require_object(call, FUNCTION)
    return build_tool_call(call.get("id"), function.get("name"), function.get("arguments"))


def _join_texts(content: Any) -> str:
    """Return what a tool answered; nothing is an answer too."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(require_text(block) for block in list_objects(content, "content"))


def write_message(message: SessionMessage) -> list[dict[str, Any]]:
    """Each result of a tool is a message of its own. What this format has no words for (thinking) is left out."""
    name = {"name": message.kept["name"]} if "name" in message.kept else {}
    results = [part for part in message.parts if part["type"] == PartType.TOOL_RESULT]
    rest = [part for part in message.parts if part["type"] != PartType.TOOL_RESULT]
    if message.role == ASSISTANT:
        return [{"role": ASSISTANT} | name | _write_assistant_message(message, rest)]
    role = message.kept.get("role")
    if role == "function" and results:
        return [{"role": role, "content": results[0].get("text", "")} | name]
    answers = [_write_result(result) | name for result in results]
    if results and not rest:
        return answers
    spoken = role if role in {"system", "developer"} else USER
    content = _write_content(rest, is_list=came_in_list(message, "openai"))
    return [*answers, {"role": spoken, "content": "" if content is None else content} | name]


def _write_result(part: Part) -> dict[str, Any]:
    return {
        "role": "tool",
        "tool_call_id": get_part_meta(part).get("tool_call_id"),
        "content": part.get("text", ""),
    }


def _write_assistant_message(message: SessionMessage, parts: list[Part]) -> dict[str, Any]:
    calls = [part for part in parts if part["type"] == PartType.TOOL_CALL]
    old = [call for call in calls if get_part_meta(call).get("type") == OLD_CALL]
    new = [call for call in calls if call not in old]
    spoken = [part for part in parts if part["type"] != PartType.TOOL_CALL]
    content = _write_content(spoken, is_list=came_in_list(message, "openai"))
    made: dict[str, Any] = {} if content is None else {"content": content}
    if not made and not calls:
        made["content"] = ""
    if new:
        made["tool_calls"] = [_write_call(call) for call in new]
    if old:
        made["function_call"] = _write_named_call(old[0], "arguments")
    return made


def _write_call(part: Part) -> dict[str, Any]:
    call_id = get_part_meta(part).get("id") or ""
    if get_part_meta(part).get("type") == CUSTOM:
        return {"id": call_id, "type": CUSTOM, CUSTOM: _write_named_call(part, "input")}
    return {"id": call_id, "type": FUNCTION, FUNCTION: _write_named_call(part, "arguments")}


def _write_named_call(part: Part, arguments: str) -> dict[str, Any]:
    return {"name": get_part_meta(part).get("name", ""), arguments: get_part_meta(part).get("arguments", "")}


def _write_content(parts: list[Part], *, is_list: bool) -> str | list[dict[str, Any]] | None:
    """One text as a string, unless it came in a list; None for nothing at all."""
    blocks = [block for block in map(_build_block, parts) if block is not None]
    if not blocks:
        return None
    if len(blocks) == 1 and blocks[0]["type"] == "text" and not is_list:
        return str(blocks[0]["text"])
    return blocks


def _build_block(part: Part) -> dict[str, Any] | None:
    meta = get_part_meta(part)
    match part["type"]:
        case PartType.TEXT if meta.get("type") == REFUSAL:
            return {"type": REFUSAL, REFUSAL: part.get("text", "")}
        case PartType.TEXT:
            return {"type": "text", "text": part.get("text", "")}
        case PartType.IMAGE:
            return {"type": "image_url", "image_url": _write_image(meta)}
        case PartType.AUDIO if meta.get("data"):
            return {
                "type": "input_audio",
                "input_audio": {"data": meta["data"], "format": meta.get("format", "wav")},
            }
        case PartType.FILE:
            return {
                "type": "file",
                "file": pick_fields(meta, *FILE_NAMES),
            }
    return None


def _write_image(meta: dict[str, Any]) -> dict[str, Any]:
    """Bytes of another format become an address that holds them."""
    url = meta.get("url") or f"data:{meta.get('media_type', 'image/png')};base64,{meta.get('data', '')}"
    return {"url": url} | ({"detail": meta["detail"]} if "detail" in meta else {})
