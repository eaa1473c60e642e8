"""Messages in Acontext's format, which is the normal form, checked part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from skills.merge_meta import refuse_large
from skills.message_formats.parts import (
    ASSISTANT,
    USER,
    NormalisedMessage,
    Part,
    PartType,
    build_message_error,
    build_tool_call,
    list_objects,
)
from tenancy.api.bodies.forms import FormFile

_KNOWN = [kind.value for kind in PartType]
_WITH_UPLOAD = {PartType.IMAGE, PartType.AUDIO, PartType.VIDEO, PartType.FILE, PartType.DATA}
_NEEDS_TEXT = {PartType.TEXT, PartType.THINKING}
_NEEDS_META = {
    PartType.TOOL_CALL: ("name", "arguments"),
    PartType.TOOL_RESULT: ("tool_call_id",),
    PartType.DATA: ("data_type",),
}


def read_message(
    blob: dict[str, Any], files: Mapping[str, FormFile] = MappingProxyType({})
) -> NormalisedMessage:
    """`files` are those that came beside the message, by the names that its parts call them (`file_field`)."""
    role = blob.get("role")
    if role not in (USER, ASSISTANT):
        raise build_message_error("the role is user or assistant")
    meta = blob.get("meta")
    if meta is not None and not isinstance(meta, dict):
        raise build_message_error("meta is an object")
    if meta:
        refuse_large(meta, "blob: meta")
    sent = list_objects(blob.get("parts"), "parts")
    parts = [_parse_part(part) for part in sent]
    uploads = _match_uploads(sent, parts, files)
    if not parts and role == USER:
        raise build_message_error("a message of a user has parts")
    return NormalisedMessage(
        str(role), parts, {"format": "acontext"} | ({"meta": meta} if meta else {}), uploads
    )


def _match_uploads(
    sent: Sequence[dict[str, Any]], parts: Sequence[Part], files: Mapping[str, FormFile]
) -> dict[int, FormFile]:
    """The file of each part that names one; a part without a file name of its own takes the file's."""
    uploads: dict[int, FormFile] = {}
    for index, (part, made) in enumerate(zip(sent, parts, strict=True)):
        name = part.get("file_field")
        if name is None or name == "":
            continue
        if not isinstance(name, str) or name not in files:
            raise build_message_error(
                f"no file came in the form field {str(name)[:60]} that file_field names"
            )
        if made["type"] not in _WITH_UPLOAD:
            raise build_message_error(
                f"file_field: only parts of the types {', '.join(sorted(_WITH_UPLOAD))} have files"
            )
        uploads[index] = files[name]
        made.setdefault("filename", files[name].name)
    unnamed = [name for name in files if name not in [part.get("file_field") for part in sent]]
    if unnamed:
        raise build_message_error(f"the file {min(unnamed)[:60]} is named by no part (file_field)")
    return uploads


def _parse_part(part: dict[str, Any]) -> Part:
    kind = part.get("type")
    if kind not in _KNOWN:
        raise build_message_error(f"parts are of the types {', '.join(sorted(_KNOWN))}")
    text, meta, filename = part.get("text"), part.get("meta") or {}, part.get("filename")
    if not all(value is None or isinstance(value, str) for value in (text, filename)):
        raise build_message_error("text and filename of a part are strings")
    if not isinstance(meta, dict):
        raise build_message_error("the meta of a part is an object")
    if kind in _NEEDS_TEXT and not text:
        raise build_message_error(f"a part of type {kind} has a text")
    for name in _NEEDS_META.get(PartType(kind), ()):
        if meta.get(name) in (None, ""):
            raise build_message_error(f"the meta of a part of type {kind} has {name}")
    if kind == PartType.TOOL_CALL:
        made = build_tool_call(
            meta.get("id"), meta["name"], meta["arguments"], str(meta.get("type") or "function")
        )
        return made | {"meta": meta | made["meta"]}
    made = {"type": kind, "text": text, "meta": meta, "filename": filename}
    return {name: value for name, value in made.items() if value not in (None, {})}
