"""Messages of OpenAI's chat completions."""

from __future__ import annotations

from typing import Any

from skills.message_formats.parts import (
    ASSISTANT,
    USER,
    Part,
    PartType,
    Said,
    came_in_list,
    get_part_meta,
    list_objects,
    part,
    pick_fields,
    tool_call,
    tool_result,
    unusable_message,
    wanted_object,
    wanted_text,
    without_nulls,
)
from skills.models import SessionMessage

FUNCTION, CUSTOM, OLD_CALL = "function", "custom", "function_call"
REFUSAL = "refusal"
FILE_NAMES = ("file_id", "file_data", "filename")


def read_message(blob: dict[str, Any]) -> Said:
    """Null is absent: clients send whole objects of their library."""
    message = without_nulls(blob)
    role = message.get("role")
    if not isinstance(role, str):
        raise unusable_message("the message has a role")
    kept: dict[str, Any] = {"format": "openai", "role": role}
    if isinstance(message.get("name"), str):
        kept["name"] = message["name"]
    if isinstance(message.get("content"), list):
        kept["is_list"] = True
    if role == ASSISTANT:
        return Said(ASSISTANT, _of_assistant(message), kept)
    if role == "tool":
        return Said(USER, [tool_result(message.get("tool_call_id"), _plain(message.get("content")))], kept)
    if role == "function":
        return Said(USER, [tool_result(message.get("name"), _plain(message.get("content")))], kept)
    if role in {USER, "system", "developer"}:
        return Said(USER, _wanted(_content(message.get("content"))), kept)
    raise unusable_message("the role is system, developer, user, assistant or tool")


def _wanted(parts: list[Part]) -> list[Part]:
    if not parts:
        raise unusable_message("the message has no content")
    return parts


def _content(content: Any) -> list[Part]:
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [part(PartType.TEXT, content)]
    return [_part(block) for block in list_objects(content, "content")]


def _part(block: dict[str, Any]) -> Part:
    match block.get("type"):
        case "text":
            return part(PartType.TEXT, wanted_text(block))
        case "refusal":
            return part(PartType.TEXT, wanted_text(block, REFUSAL), type=REFUSAL)
        case "image_url":
            image = wanted_object(block, "image_url")
            return part(PartType.IMAGE, url=wanted_text(image, "url"), detail=image.get("detail"))
        case "input_audio":
            sound = wanted_object(block, "input_audio")
            return part(PartType.AUDIO, data=sound.get("data"), format=sound.get("format"))
        case "file":
            return part(PartType.FILE, **pick_fields(wanted_object(block, "file"), *FILE_NAMES))
    raise unusable_message("the content is of parts text, image_url, input_audio and file")


def _of_assistant(message: dict[str, Any]) -> list[Part]:
    parts = _content(message.get("content"))
    if isinstance(message.get(REFUSAL), str) and message[REFUSAL]:
        parts.append(part(PartType.TEXT, message[REFUSAL], type=REFUSAL))
    if "tool_calls" in message:
        parts += [_call(call) for call in list_objects(message["tool_calls"], "tool_calls")]
    if "function_call" in message:
        call = wanted_object(message, "function_call")
        parts.append(tool_call(None, call.get("name"), call.get("arguments"), OLD_CALL))
    return parts


def _call(call: dict[str, Any]) -> Part:
    if call.get("type", FUNCTION) == CUSTOM:
        custom = wanted_object(call, CUSTOM)
        return tool_call(call.get("id"), custom.get("name"), custom.get("input"), CUSTOM)
    function = wanted_object(call, FUNCTION)
    return tool_call(call.get("id"), function.get("name"), function.get("arguments"))


def _plain(content: Any) -> str:
    """What a tool answered; nothing is an answer too."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(wanted_text(block) for block in list_objects(content, "content"))


def write_message(message: SessionMessage) -> list[dict[str, Any]]:
    """Each result of a tool is a message of its own. What this format has no words for (thinking) is left out."""
    name = {"name": message.kept["name"]} if "name" in message.kept else {}
    results = [one for one in message.parts if one["type"] == PartType.TOOL_RESULT]
    rest = [one for one in message.parts if one["type"] != PartType.TOOL_RESULT]
    if message.role == ASSISTANT:
        return [{"role": ASSISTANT} | name | _assistant(message, rest)]
    role = message.kept.get("role")
    if role == "function" and results:
        return [{"role": role, "content": results[0].get("text", "")} | name]
    answers = [_result(one) | name for one in results]
    if results and not rest:
        return answers
    spoken = role if role in {"system", "developer"} else USER
    content = _given(rest, is_list=came_in_list(message, "openai"))
    return [*answers, {"role": spoken, "content": "" if content is None else content} | name]


def _result(one: Part) -> dict[str, Any]:
    return {
        "role": "tool",
        "tool_call_id": get_part_meta(one).get("tool_call_id"),
        "content": one.get("text", ""),
    }


def _assistant(message: SessionMessage, parts: list[Part]) -> dict[str, Any]:
    calls = [one for one in parts if one["type"] == PartType.TOOL_CALL]
    old = [one for one in calls if get_part_meta(one).get("type") == OLD_CALL]
    new = [one for one in calls if one not in old]
    spoken = [one for one in parts if one["type"] != PartType.TOOL_CALL]
    content = _given(spoken, is_list=came_in_list(message, "openai"))
    made: dict[str, Any] = {} if content is None else {"content": content}
    if not made and not calls:
        made["content"] = ""
    if new:
        made["tool_calls"] = [_given_call(one) for one in new]
    if old:
        made["function_call"] = _named(old[0], "arguments")
    return made


def _given_call(one: Part) -> dict[str, Any]:
    call_id = get_part_meta(one).get("id") or ""
    if get_part_meta(one).get("type") == CUSTOM:
        return {"id": call_id, "type": CUSTOM, CUSTOM: _named(one, "input")}
    return {"id": call_id, "type": FUNCTION, FUNCTION: _named(one, "arguments")}


def _named(one: Part, arguments: str) -> dict[str, Any]:
    return {"name": get_part_meta(one).get("name", ""), arguments: get_part_meta(one).get("arguments", "")}


def _given(parts: list[Part], *, is_list: bool) -> str | list[dict[str, Any]] | None:
    """One text as a string, unless it came in a list; None for nothing at all."""
    blocks = [block for block in map(_block, parts) if block is not None]
    if not blocks:
        return None
    if len(blocks) == 1 and blocks[0]["type"] == "text" and not is_list:
        return str(blocks[0]["text"])
    return blocks


def _block(one: Part) -> dict[str, Any] | None:
    meta = get_part_meta(one)
    match one["type"]:
        case PartType.TEXT if meta.get("type") == REFUSAL:
            return {"type": REFUSAL, REFUSAL: one.get("text", "")}
        case PartType.TEXT:
            return {"type": "text", "text": one.get("text", "")}
        case PartType.IMAGE:
            return {"type": "image_url", "image_url": _image(meta)}
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


def _image(meta: dict[str, Any]) -> dict[str, Any]:
    """Bytes of another format become an address that holds them."""
    url = meta.get("url") or f"data:{meta.get('media_type', 'image/png')};base64,{meta.get('data', '')}"
    return {"url": url} | ({"detail": meta["detail"]} if "detail" in meta else {})
