"""`search` and `get_all` as mem0's clients send them, today's and those of earlier versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q
from rest_framework.request import Request
from rest_framework.response import Response

from console.interfaces.mem0.answers import build_memory_row, select_fields
from console.interfaces.mem0.base import Mem0View
from console.interfaces.mem0.filters import Narrowed, match_all_pairs, match_any_category, parse_filters
from console.interfaces.mem0.parsing import (
    DEEPEST,
    ENTITIES,
    get_day_bounds,
    parse_day,
    parse_flag,
    parse_json_object,
    parse_number,
    parse_texts,
    parse_time,
)
from memories.lifecycle.entities import PERSONAL_KINDS, select_personal_memories
from memories.models import MemCube
from memories.retrieval.browse.listing import UNSHOWN
from memories.retrieval.queries.filters import MemoryFilter
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.search import Hit, search_memories
from memories.values import OwnerKind, Subject
from tenancy.errors import InvalidParameters, RelativityOutOfRange, RequiredFieldEmpty
from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.meters import Meter

MOST_HITS, HITS, THRESHOLD, OLD_THRESHOLD = 1_000, 10, 0.1, 0.3
MOST_ROWS, ROWS = 200, 100
# Of old lists that ask for no page.
ALL_ROWS = 1_000
BELONGS_INTO_FILTERS = "write it into filters"


def _build_conditions(sent: Mapping[str, Any]) -> Q:
    """Return what stands beside the filters."""
    conditions = Q()
    if sent.get("categories") is not None:
        wanted = parse_texts(sent["categories"], "categories")
        conditions &= match_any_category(wanted, "categories") if wanted else Q()
    if sent.get("metadata") is not None:
        conditions &= match_all_pairs(parse_json_object(sent["metadata"], "metadata"))
    if sent.get("keywords") is not None:
        if not isinstance(sent["keywords"], str):
            raise InvalidParameters("keywords: must be a string")
        conditions &= Q(text__icontains=sent["keywords"])
    if sent.get("start_date") is not None:
        conditions &= Q(created_at__gte=get_day_bounds(_parse_day_or_value(sent, "start_date"))[0])
    if sent.get("end_date") is not None:
        conditions &= Q(created_at__lt=get_day_bounds(_parse_day_or_value(sent, "end_date"))[1])
    return conditions


def _parse_day_or_value(sent: Mapping[str, Any], name: str) -> Any:
    value = sent[name]
    try:
        return parse_day(value, name)
    except InvalidParameters:
        return parse_time(value, name).date()


def _parse_fields(sent: Mapping[str, Any]) -> list[str]:
    return [] if sent.get("fields") is None else parse_texts(sent["fields"], "fields", 100)


def build_flat_filters(sent: Mapping[str, Any]) -> Any:
    """The filters of a call that names its entities at the top."""
    named = {name: sent[name] for name in ENTITIES if sent.get(name) not in (None, "")}
    given = parse_json_object(sent["filters"], "filters") if sent.get("filters") is not None else {}
    if named and given:
        return {"AND": [named, given]}
    return named or given


@dataclass(frozen=True, slots=True)
class SearchOrder:
    """A checked search: `query` as it is run, `limit` hits of it, narrowed to `fields` where some are named."""

    query: SearchQuery
    limit: int
    fields: list[str]
    user: str


def read_search(
    sent: Mapping[str, Any], threshold: float = THRESHOLD, *, is_flat: bool = False
) -> SearchOrder:
    """Raises what is wrong with the body. `is_flat` says that entities may stand at the top, beside `filters`."""
    text = _require_question(sent.get("query"))
    wanted = parse_filters(_read_filters(sent, is_flat=is_flat), more=_build_conditions(sent))
    limit = _parse_first_number(sent, ("top_k", "limit"), HITS, MOST_HITS)
    least = threshold if sent.get("threshold") is None else _parse_threshold(sent["threshold"])
    query = _build_query(sent, text, wanted, limit, least)
    return SearchOrder(query, limit, _parse_fields(sent), wanted.user)


def _read_filters(sent: Mapping[str, Any], *, is_flat: bool) -> Any:
    if is_flat:
        return build_flat_filters(sent)
    for name in ENTITIES:
        if sent.get(name) is not None:
            raise InvalidParameters(f"{name}: {BELONGS_INTO_FILTERS}")
    return sent.get("filters")


class SearchView(Mem0View):
    reads = True
    meter = Meter.SEARCH
    threshold: ClassVar[float] = THRESHOLD
    # Whether entities may stand at the top, beside `filters`.
    is_flat: ClassVar[bool] = False

    def post(self, request: Request, **_: Any) -> Response:
        order = read_search(self.sent, self.threshold, is_flat=self.is_flat)
        self.charge([order.query.text])
        hits = search_memories(self.project, order.query)
        best = sorted(hits, key=lambda hit: -hit.relativity)[: order.limit]
        return self.answer(self.formed(self._build_rows(best, order.fields, order.user)))

    def _build_rows(self, hits: Sequence[Hit], fields: Sequence[str], user: str) -> list[dict[str, Any]]:
        """All hits of a search for one end user are that user's: nobody asks the database whose they are."""
        if user:
            owner = MemCube(owner_kind=OwnerKind.END_USER, owner_id=user)
            return [_build_scored_row(hit, owner, fields) for hit in hits]
        cubes = self._load_cubes({hit.memory.cube_id for hit in hits})
        owned = [(hit, cubes.get(hit.memory.cube_id)) for hit in hits]
        return [
            _build_scored_row(hit, cube, fields) for hit, cube in owned if cube is not None
        ]  # else deleted meanwhile

    def _load_cubes(self, keys: set[UUID]) -> dict[UUID, MemCube]:
        """All owners in one question: the memories are shared with other searches, and none may be changed."""
        with tenant_scope(self.project):
            return {cube.pk: cube for cube in MemCube.objects.within(self.project).filter(pk__in=keys)}

    def formed(self, rows: list[dict[str, Any]]) -> Any:
        return {"results": rows}


class OldSearchView(SearchView):
    """`/v1/memories/search/` and `/v2/memories/search/` of older clients."""

    threshold = OLD_THRESHOLD
    is_flat = True

    def formed(self, rows: list[dict[str, Any]]) -> Any:
        return {"results": rows} if self.sent.get("output_format") == "v1.1" else rows


def _build_scored_row(hit: Hit, cube: MemCube, fields: Sequence[str]) -> dict[str, Any]:
    row = build_memory_row(hit.memory, cube=cube) | {"score": round(hit.relativity, 4)}
    return select_fields(row, fields)


def _parse_first_number(sent: Mapping[str, Any], names: Sequence[str], default: int, most: int) -> int:
    """A number from 1 under the first of its names that is given, by which a refusal calls it."""
    name = next((name for name in names if sent.get(name) is not None), None)
    return default if name is None else parse_number(sent[name], name, 1, most)


def _require_question(value: Any) -> str:
    if value is None or isinstance(value, str) and not value.strip():
        raise RequiredFieldEmpty("query")
    if not isinstance(value, str):
        raise InvalidParameters("query: must be a string")
    return value.strip()


def _parse_threshold(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidParameters("threshold: must be a number from 0 to 1")
    if not 0 <= value <= 1:
        raise RelativityOutOfRange(f"threshold: {value}"[:60])
    return float(value)


def _build_query(
    sent: Mapping[str, Any], text: str, wanted: Narrowed, limit: int, threshold: float
) -> SearchQuery:
    """One end user's memories are searched where they are kept at hand; whatever else, where they are stored."""
    today = sent.get("reference_date")
    personal = Q(kind__in=PERSONAL_KINDS, valid_until=None)
    is_of_user = bool(wanted.user)
    mine = wanted.within or Q()
    return SearchQuery(
        subject=Subject(OwnerKind.END_USER, wanted.user),
        text=text,
        narrowed=MemoryFilter(mine, Q(), Q()) if is_of_user else MemoryFilter.everything(),
        facts=limit,
        preferences=limit,
        relativity=threshold,
        across=None if is_of_user else personal & wanted.everything,
        is_personal=is_of_user,
        with_expired=parse_flag(sent.get("show_expired"), "show_expired", default=False),
        today=None if today is None else parse_time(today, "reference_date"),
    )


@dataclass(frozen=True, slots=True)
class PageOrder:
    """A checked list: `size` memories of page `number`, narrowed to `fields` where some are named."""

    wanted: Narrowed
    number: int
    size: int
    fields: list[str]
    with_expired: bool


def read_page(sent: Mapping[str, Any], filters: Any, most: int = MOST_ROWS, default: int = ROWS) -> PageOrder:
    """Raises what is wrong with the body."""
    number = _parse_first_number(sent, ("page",), 1, DEEPEST)
    size = _parse_first_number(sent, ("page_size", "limit", "top_k"), default, most)
    wanted = parse_filters(filters, more=_build_conditions(sent))
    fields = _parse_fields(sent)
    return PageOrder(
        wanted, number, size, fields, parse_flag(sent.get("show_expired"), "show_expired", default=False)
    )


def read_flat_page(sent: Mapping[str, Any]) -> PageOrder:
    """As `read_page`, of a call that names its entities beside the filters and may ask for no page."""
    most = ALL_ROWS if sent.get("page") is None else MOST_ROWS
    return read_page(sent, build_flat_filters(sent), most)


class _Page(NamedTuple):
    """The rows of a page, how many there are on all pages, the page's number from 1, and its size."""

    rows: list[dict[str, Any]]
    total: int
    number: int
    size: int


class ListView(Mem0View):
    """A page of memories, newest first."""

    reads = True

    def post(self, request: Request, **_: Any) -> Response:
        return self._build_page_answer(self._merge_query_and_body())

    def _merge_query_and_body(self) -> dict[str, Any]:
        """The body, over which the query wins."""
        query = self.request.query_params
        paging = {name: query[name] for name in ("page", "page_size") if name in query}
        return {**self.sent, **paging}

    def _build_page_answer(self, sent: Mapping[str, Any], filters: Any = None) -> Response:
        page = self._find_page(sent, sent.get("filters") if filters is None else filters)
        is_last = page.number * page.size >= page.total
        return self.answer(
            {
                "count": page.total,
                "next": None if is_last else self._build_page_url(page.number + 1, page.size),
                "previous": self._build_page_url(page.number - 1, page.size) if page.number > 1 else None,
                "results": page.rows,
            }
        )

    def _find_page(
        self, sent: Mapping[str, Any], filters: Any, most: int = MOST_ROWS, default: int = ROWS
    ) -> _Page:
        order = read_page(sent, filters, most, default)
        with tenant_scope(self.project):
            held = select_personal_memories(self.project).current().filter(order.wanted.everything)
            if not order.with_expired:
                held = held.unexpired()
            start = (order.number - 1) * order.size
            newest = held.order_by("-created_at", "-pk").select_related("cube").defer(*UNSHOWN)
            rows = [build_memory_row(memory, order.fields) for memory in newest[start : start + order.size]]
            return _Page(rows, held.count(), order.number, order.size)

    def _build_page_url(self, number: int, size: int) -> str:
        query = urlencode({"page": number, "page_size": size})
        return f"{self.request._request.build_absolute_uri(self.request.path)}?{query}"


class OldListView(ListView):
    """`POST /v2/memories/` of older clients: a bare list unless a page is asked for."""

    def post(self, request: Request, **_: Any) -> Response:
        return self._answer_list_or_page(self._merge_query_and_body())

    def _answer_list_or_page(self, sent: Mapping[str, Any]) -> Response:
        filters = build_flat_filters(sent)
        if sent.get("page") is not None:
            return self._build_page_answer(sent, filters)
        return self.answer(self._find_page(sent, filters, ALL_ROWS, ROWS).rows)
