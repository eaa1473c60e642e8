"""Events of mem0's contract: the tasks that messages became, and what was done at once."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from rest_framework.request import Request
from rest_framework.response import Response

from console.interfaces.mem0.answers import EVENT, build_event_rows
from console.interfaces.mem0.base import Mem0View
from console.interfaces.mem0.parsing import parse_page, parse_uuid
from memories.models import Task
from memories.values import TaskKind
from tenancy.errors import TaskUnknown

MOST, PAGE = 200, 100
EVENTS = Q(kind=TaskKind.REFINE) | Q(kind=TaskKind.PURGE, payload__has_key=EVENT)


class EventView(Mem0View):
    def get(self, request: Request, **_: Any) -> Response:
        key = parse_uuid(self.segment("event_id"), "event_id")
        task = Task.objects.within(self.project).filter(EVENTS, pk=key).first()
        if task is None:
            raise TaskUnknown(str(key))
        return self.answer(build_event_rows(self.project, [task])[0])


class EventsView(Mem0View):
    def get(self, request: Request, **_: Any) -> Response:
        number, size = parse_page(request.query_params, PAGE, MOST)
        held = Task.objects.within(self.project).filter(EVENTS)
        start = (number - 1) * size
        tasks = list(held.order_by("-created_at", "-pk")[start : start + size])
        total = held.count()
        base = request._request.build_absolute_uri(request.path)
        more = start + size < total
        return self.answer(
            {
                "count": total,
                "next": f"{base}?page={number + 1}&page_size={size}" if more else None,
                "previous": f"{base}?page={number - 1}&page_size={size}" if number > 1 else None,
                "results": build_event_rows(self.project, tasks),
            }
        )
