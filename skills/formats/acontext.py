"""Messages that are in the normal form already, checked part by part."""

from __future__ import annotations

from typing import Any

from skills.formats.parts import ASSISTANT, USER, Part, PartType, Said, members, tool_call, unusable

_KNOWN = [kind.value for kind in PartType]
_NEEDS_TEXT = {PartType.TEXT, PartType.THINKING}
_NEEDS_META = {
    PartType.TOOL_CALL: ("name", "arguments"),
    PartType.TOOL_RESULT: ("tool_call_id",),
    PartType.DATA: ("data_type",),
}


def said(blob: dict[str, Any]) -> Said:
    role = blob.get("role")
    if role not in (USER, ASSISTANT):
        raise unusable("the role is user or assistant")
    meta = blob.get("meta")
    if meta is not None and not isinstance(meta, dict):
        raise unusable("meta is an object")
    parts = [_part(one) for one in members(blob.get("parts"), "parts")]
    if not parts and role == USER:
        raise unusable("a message of a user has parts")
    return Said(str(role), parts, {"format": "acontext"} | ({"meta": meta} if meta else {}))


def _part(one: dict[str, Any]) -> Part:
    kind = one.get("type")
    if kind not in _KNOWN:
        raise unusable(f"parts are of the types {', '.join(sorted(_KNOWN))}")
    if one.get("file_field"):
        raise unusable("files that come with a message are not taken")
    text, meta, filename = one.get("text"), one.get("meta") or {}, one.get("filename")
    if not all(told is None or isinstance(told, str) for told in (text, filename)):
        raise unusable("text and filename of a part are strings")
    if not isinstance(meta, dict):
        raise unusable("the meta of a part is an object")
    if kind in _NEEDS_TEXT and not text:
        raise unusable(f"a part of type {kind} has a text")
    for name in _NEEDS_META.get(PartType(kind), ()):
        if meta.get(name) in (None, ""):
            raise unusable(f"the meta of a part of type {kind} has {name}")
    if kind == PartType.TOOL_CALL:
        made = tool_call(meta.get("id"), meta["name"], meta["arguments"], str(meta.get("type") or "function"))
        return made | {"meta": meta | made["meta"]}
    made = {"type": kind, "text": text, "meta": meta, "filename": filename}
    return {name: value for name, value in made.items() if value not in (None, {})}
