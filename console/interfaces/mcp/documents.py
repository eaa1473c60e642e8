"""Documents of the project's knowledge bases as an assistant reads them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

from knowledgebase.bases.bases import list_linked_bases
from knowledgebase.files import find_files_by_id, get_shown_name
from knowledgebase.models import Fragment, KnowledgeFile
from knowledgebase.values import FileState
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.restrictions import check_key
from tenancy.metering.meters import Meter
from tenancy.models import ApiKey, RequestLog
from tenancy.people.permissions import require_scope
from tenancy.requests.log import writer

# What an assistant can take in; the rest is found by searching the base.
MOST_CHARACTERS = 200_000


@dataclass(frozen=True, slots=True)
class BaseDocument:
    """A document of a base; `size` in bytes; `text` only where it was read."""

    id: UUID
    name: str
    base: str
    size: int
    text: str = ""


def list_documents(key: ApiKey, address: str, after: UUID | None, most: int) -> list[BaseDocument]:
    """Documents that are ready, in the order of their ids."""
    began = time.monotonic()
    check_key(key, address)
    require_scope(key, "knowledge")
    with tenant_scope(key.project):
        bases = {base.pk: base.name for base in list_linked_bases(key.project)}
        files = KnowledgeFile.objects.within(key.account_id).filter(base__in=bases, state=FileState.COMPLETED)
        if after is not None:
            files = files.filter(pk__gt=after)
        rows = list(files.order_by("pk")[:most])
    _log_request(key, address, "mcp/list_resources", began)
    return [BaseDocument(row.pk, get_shown_name(row), bases[row.base_id], row.size) for row in rows]


def read_document(key: ApiKey, address: str, file_id: UUID) -> BaseDocument:
    """The passages of a document, joined. Raises `NotFound` for one that this project does not see."""
    began = time.monotonic()
    check_key(key, address)
    require_scope(key, "knowledge")
    (file,) = find_files_by_id(key.project, [file_id])
    with tenant_scope(key.project):
        passages = Fragment.objects.within(key.account_id).filter(file=file).order_by("ordinal")
        text = "\n\n".join(_limit_characters(passage.text for passage in passages.iterator(chunk_size=200)))
    _log_request(key, address, "mcp/read_resource", began)
    return BaseDocument(file.pk, get_shown_name(file), file.base.name, file.size, text)


def _limit_characters(texts: Iterable[str]) -> Iterator[str]:
    left = MOST_CHARACTERS
    for text in texts:
        if left <= 0:
            yield "[The document goes on; search the knowledge base for the rest.]"
            return
        yield text[:left]
        left -= len(text)


def _log_request(key: ApiKey, address: str, endpoint: str, began: float) -> None:
    row = RequestLog(
        account_id=key.account_id,
        project_id=key.project_id,
        api_key=key,
        request_id=uuid7().hex,
        endpoint=endpoint,
        method="POST",
        address=address,
        origin="mcp",
        code=0,
        http_status=200,
        milliseconds=round((time.monotonic() - began) * 1000, 2),
        subjects=[],
        trace=[],
    )
    row.meter = Meter.OTHER
    writer.put(row)
