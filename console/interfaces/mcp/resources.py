"""Resources: the project's skills and the documents of its knowledge bases, as text."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from console.interfaces.in_process import SKILLS, ApiCall, InProcessApi
from console.interfaces.mcp.caller import API, KEY
from console.interfaces.mcp.documents import BaseDocument, list_documents, read_document
from console.interfaces.mcp.tool_requests import build_skill_file_call
from tenancy.api.identify_sender import Scope, run_in_thread
from tenancy.errors import CatalogueError
from tenancy.models import ApiKey

SKILL, DOCUMENT = "engram://skills/", "engram://documents/"
PAGE = 100
# A cursor of the second part of the list, which follows the skills.
DOCUMENTS_FROM = "documents:"
TEMPLATES = (
    ResourceTemplate(
        uri_template=f"{SKILL}{{skill_id}}/{{+path}}",
        name="skill_file",
        title="File of a skill",
        description="A file of a skill by its path, for example SKILL.md.",
        mime_type="text/markdown",
    ),
    ResourceTemplate(
        uri_template=f"{DOCUMENT}{{file_id}}",
        name="document",
        title="Document",
        description="The text of a document of a knowledge base.",
        mime_type="text/plain",
    ),
)


async def list_templates(context: Any, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(resource_templates=list(TEMPLATES))


async def list_resources(context: Any, params: PaginatedRequestParams | None) -> ListResourcesResult:
    """First all skills, then all documents, `PAGE` at a time."""
    cursor = (params.cursor if params else None) or ""
    if cursor.startswith(DOCUMENTS_FROM):
        return await _list_document_resources(context.request.scope, cursor.removeprefix(DOCUMENTS_FROM))
    return await _list_skill_resources(context.request.scope[API], cursor)


async def _list_skill_resources(api: InProcessApi, cursor: str) -> ListResourcesResult:
    query = {"limit": str(PAGE), **({"cursor": cursor} if cursor else {})}
    answer = await api.send(ApiCall("GET", f"{SKILLS}/agent_skills", query=query), "list_resources")
    if not answer.is_success:
        raise MCPError(code=INVALID_PARAMS, message=answer.sentence)
    page = answer.data["data"]
    resources = [
        Resource(
            uri=f"{SKILL}{skill['id']}/SKILL.md",
            name=skill["name"],
            description=skill["description"],
            mime_type="text/markdown",
        )
        for skill in page["items"]
    ]
    return ListResourcesResult(resources=resources, next_cursor=page.get("next_cursor") or DOCUMENTS_FROM)


async def _list_document_resources(scope: Scope, after: str) -> ListResourcesResult:
    documents = await _run_or_refuse(
        list_documents, *_get_caller(scope), _parse_resource_id(after) if after else None, PAGE
    )
    rows = [
        Resource(
            uri=f"{DOCUMENT}{row.id}",
            name=row.name,
            description=f"Document of the knowledge base {row.base}",
            mime_type="text/plain",
            size=row.size,
        )
        for row in documents
    ]
    more = f"{DOCUMENTS_FROM}{documents[-1].id}" if len(documents) == PAGE else None
    return ListResourcesResult(resources=rows, next_cursor=more)


async def read_resource(context: Any, params: ReadResourceRequestParams) -> ReadResourceResult:
    """The text of a skill's file or of a document."""
    uri, scope = str(params.uri), context.request.scope
    if uri.startswith(SKILL):
        return await _read_skill(scope[API], uri)
    if uri.startswith(DOCUMENT):
        document: BaseDocument = await _run_or_refuse(
            read_document, *_get_caller(scope), _parse_resource_id(uri.removeprefix(DOCUMENT))
        )
        return _build_text_result(uri, document.text, "text/plain")
    raise MCPError(code=INVALID_PARAMS, message=f"Unknown resource: {uri[:100]}")


async def _read_skill(api: InProcessApi, uri: str) -> ReadResourceResult:
    skill, _, path = uri.removeprefix(SKILL).partition("/")
    answer = await api.send(
        build_skill_file_call(str(_parse_resource_id(skill)), path or "SKILL.md"), "read_resource"
    )
    if not answer.is_success:
        raise MCPError(code=INVALID_PARAMS, message=answer.sentence)
    data = answer.data["data"]
    if "content" not in data:
        raise MCPError(code=INVALID_PARAMS, message=f"{path} is no text; download it from {data['url']}")
    return _build_text_result(uri, data["content"]["raw"], data["mime"])


def _build_text_result(uri: str, text: str, media_type: str) -> ReadResourceResult:
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=text, mime_type=media_type)])


def _get_caller(scope: Scope) -> tuple[ApiKey, str]:
    """The key of the request and the address it came from, to which the key may be restricted."""
    client = scope.get("client")
    return scope[KEY], client[0] if client else ""


def _parse_resource_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise MCPError(code=INVALID_PARAMS, message=f"[40000] not an id: {text[:40]}") from None


async def _run_or_refuse(work: Any, *about: Any) -> Any:
    """The result of database work; what the catalogue refuses becomes the protocol's error."""
    try:
        return await run_in_thread(work, *about)
    except CatalogueError as refusal:
        code = INVALID_PARAMS if refusal.status < 500 else INTERNAL_ERROR
        raise MCPError(code=code, message=f"[{refusal.code}] {refusal.text}") from None
