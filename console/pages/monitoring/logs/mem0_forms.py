"""How the operations of mem0's clients are called, by their names in the log."""

from __future__ import annotations

import json
from functools import partial

from console.interfaces.mem0.add import read_add
from console.interfaces.mem0.entities import MOST as MOST_ENTITIES
from console.interfaces.mem0.entities import read_entity
from console.interfaces.mem0.events import MOST as MOST_EVENTS
from console.interfaces.mem0.memories import (
    CHANGED,
    NARROWING,
    read_batch,
    read_batch_changes,
    read_change,
    read_delete_all,
    read_delete_linked,
    read_rating,
    refuse_delete_all_body,
    require_memories,
)
from console.interfaces.mem0.search import OLD_THRESHOLD, build_flat_filters, read_page, read_search
from console.pages.monitoring.logs.call_form import Body, CallForm, Checker, fill_form_path
from console.pages.monitoring.logs.query_checks import as_texts, check_mem0_list, check_mem0_page
from tenancy.models import Project, RequestLog

MEM0 = "mem0/"


def build_mem0_form(entry: RequestLog, sent: Body) -> CallForm | None:
    """Addresses of several versions have one name in the log: it was the one that refuses the body as it was refused,
    else the newest."""
    named = (fill_form_path(form, entry) for form in _FORMS.get((entry.endpoint, entry.method), ()))
    forms = [form for form in named if form]
    for form in forms:
        # What was an error of ours may be one again when it is read here.
        fault = form.fault(sent, entry.project) if entry.code and entry.http_status < 500 else None
        if fault is not None and fault.code == entry.code and fault.text in _read_answered_message(entry):
            return form
    return forms[0] if forms else None


def _read_answered_message(entry: RequestLog) -> str:
    try:
        answer = json.loads(entry.response_body)
    except ValueError:
        return ""
    return str(answer.get("detail", "")) if isinstance(answer, dict) else ""


_MESSAGE = {"role": "user", "content": "I moved to Shanghai in June."}
_FILTERS = {"user_id": "kim"}
_SHARED = frozenset({"user_id", "agent_id", "app_id", "run_id", "metadata", "filters"})
_OF_ADD = _SHARED | {"messages", "infer", "async_mode", "timestamp", "expiration_date", "immutable"}
_OF_SEARCH = _SHARED | {"query", "top_k", "threshold", "fields", "categories", "show_expired"}
_OF_LIST = _SHARED | {"page", "page_size", "fields", "categories", "start_date", "end_date", "show_expired"}
_OF_CHANGE = frozenset(CHANGED)
_OF_RATING = frozenset({"memory_id", "feedback", "feedback_reason"})
_ADD = {"messages": [_MESSAGE], "user_id": "kim"}
_SEARCH = {"query": "Where do I live?", "filters": _FILTERS, "threshold": 0.3, "top_k": 10}
_LIST = {"filters": _FILTERS, "page": 1, "page_size": 100}
_PAGE = {"page": 1, "page_size": 100}
_CHANGE = {
    "text": "The user lives in Shanghai.",
    "metadata": {"topic": "home"},
    "expiration_date": "2030-12-31",
}
_RATING = {"feedback": "POSITIVE", "feedback_reason": "It is right."}
_MEMORY, _BATCH = "/v1/memories/{memory_id}/", "/v1/batch/"
# Which memory is meant nobody else can say: this is no id, and what is checked with it is refused.
_WHICH = {"memory_id": "YOUR_MEMORY_ID"}
_CHANGES, _DELETED = {"memories": [{**_WHICH, **_CHANGE}]}, {"memories": [_WHICH]}
_OF_BATCH = frozenset(_DELETED)
_LINKED = {"delete_linked": False}
_ENTITY = {"entity_type": "user", "entity_id": "kim"}
_WHOSE = {"user_id": "kim", "filters": _FILTERS, "metadata": {"topic": "home"}}


def _check_changes(body: Body, project: Project) -> None:
    require_memories(project, [amendment.memory_id for amendment in read_batch_changes(body)])


def _check_batch(body: Body, project: Project) -> None:
    require_memories(project, [str(key) for key, _ in read_batch(body)])


def _check_deletion(query: Body, project: Project) -> None:
    read_delete_linked(as_texts(query))


def _check_delete_all(query: Body, project: Project) -> None:
    read_delete_all(as_texts(query))


def _check_entity(named: Body, project: Project) -> None:
    read_entity(str(named.get("entity_type", "")), str(named.get("entity_id", "")))


def _refuse_body(body: Body, project: Project) -> None:
    refuse_delete_all_body(body)


def _declare_mem0_form(path: str, example: Body, names: frozenset[str], check: Checker) -> CallForm:
    return CallForm("POST", path, example, names, check)


_FORMS: dict[tuple[str, str], tuple[CallForm, ...]] = {
    (f"{MEM0}add", "POST"): (_declare_mem0_form("/v3/memories/add/", _ADD, _OF_ADD, read_add),),
    (f"{MEM0}memories", "POST"): (_declare_mem0_form("/v1/memories/", _ADD, _OF_ADD, read_add),),
    (f"{MEM0}search", "POST"): (
        _declare_mem0_form(
            "/v3/memories/search/", _SEARCH, _OF_SEARCH, lambda body, project: read_search(body)
        ),
        _declare_mem0_form(
            "/v1/memories/search/",
            _SEARCH,
            _OF_SEARCH,
            lambda body, project: read_search(body, OLD_THRESHOLD, is_flat=True),
        ),
    ),
    (f"{MEM0}list", "POST"): (
        _declare_mem0_form(
            "/v3/memories/", _LIST, _OF_LIST, lambda body, project: read_page(body, body.get("filters"))
        ),
        _declare_mem0_form(
            "/v2/memories/", _LIST, _OF_LIST, lambda body, project: read_page(body, build_flat_filters(body))
        ),
    ),
    (f"{MEM0}list", "GET"): (
        CallForm("GET", "/v1/memories/", {"user_id": "kim", **_PAGE}, _OF_LIST | _SHARED, check_mem0_list),
    ),
    (f"{MEM0}entities", "GET"): (
        CallForm("GET", "/v1/entities/", _PAGE, frozenset(_PAGE), partial(check_mem0_page, MOST_ENTITIES)),
    ),
    (f"{MEM0}events", "GET"): (
        CallForm("GET", "/v1/events/", _PAGE, frozenset(_PAGE), partial(check_mem0_page, MOST_EVENTS)),
    ),
    (f"{MEM0}get", "GET"): (CallForm("GET", _MEMORY, {}),),
    (f"{MEM0}history", "GET"): (CallForm("GET", f"{_MEMORY}history/", {}),),
    (f"{MEM0}event", "GET"): (CallForm("GET", "/v1/event/{event_id}/", {}),),
    # What is left out of a change stays as it was: nobody meant that.
    (f"{MEM0}update", "PUT"): (
        CallForm(
            "PUT",
            _MEMORY,
            _CHANGE,
            _OF_CHANGE,
            lambda body, project: read_change(body, ""),
            may_leave_out=False,
        ),
    ),
    (f"{MEM0}batch_update", "PUT"): (
        CallForm("PUT", _BATCH, _CHANGES, _OF_BATCH, _check_changes, may_leave_out=False, lists_orders=True),
    ),
    (f"{MEM0}batch_delete", "DELETE"): (
        CallForm(
            "DELETE",
            _BATCH,
            _DELETED,
            _OF_BATCH,
            _check_batch,
            may_leave_out=False,
            lists_orders=True,
            deletes_by="body",
        ),
    ),
    (f"{MEM0}delete", "DELETE"): (
        CallForm("DELETE", _MEMORY, _LINKED, frozenset(_LINKED), _check_deletion, deletes_by="query"),
    ),
    (f"{MEM0}delete_all", "DELETE"): (
        CallForm(
            "DELETE",
            "/v1/memories/",
            _WHOSE,
            frozenset(NARROWING),
            _check_delete_all,
            may_leave_out=False,
            deletes_by="query",
        ),
        CallForm(
            "DELETE",
            "/v1/memories/",
            _WHOSE,
            frozenset(NARROWING),
            _refuse_body,
            may_leave_out=False,
            deletes_by="body",
        ),
    ),
    (f"{MEM0}delete_entity", "DELETE"): (
        CallForm(
            "DELETE",
            "/v2/entities/{entity_type}/{entity_id}/",
            _ENTITY,
            frozenset(_ENTITY),
            _check_entity,
            may_leave_out=False,
            deletes_by="path",
        ),
    ),
    (f"{MEM0}feedback", "POST"): (
        _declare_mem0_form("/v1/feedback/", _RATING, _OF_RATING, lambda body, project: read_rating(body)),
    ),
}
