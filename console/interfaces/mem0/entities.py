"""Entities of mem0's contract (user, agent, app, run): list, read, change, and delete with all their memories."""

from __future__ import annotations

from datetime import timedelta
from difflib import get_close_matches
from typing import Any

from django.utils import timezone
from django.utils.crypto import salted_hmac
from rest_framework.request import Request
from rest_framework.response import Response

from console.interfaces.mem0.answers import build_entity_row, format_iso_time, record_event
from console.interfaces.mem0.base import Mem0View
from console.interfaces.mem0.parsing import TYPES, parse_id, parse_page
from memories.lifecycle.entities import count_entities, erase_entity, find_entity, list_entities
from memories.models import MemCube, Task
from memories.profiles.bindings import show_profiles
from memories.values import OwnerKind, Subject, TaskKind
from tenancy.errors import EndUserUnknown, InvalidParameters, NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.requests.log import MAX_SUBJECTS, name_subject

# Without a page all are listed: a published client deletes what the first page names.
MOST, PAGE = 1_000, 100
# In the payload of a deletion: digests of the entities whose last memories went with it.
WITH_IT = "with_it"
# So long a client may take to delete all that it had listed.
SAME_WALK = timedelta(hours=1)
# Of a type and one that there is, as `difflib` counts it.
LEAST_LIKENESS = 0.8
COUNTS = {"user": "total_users", "agent": "total_agents", "app": "total_apps", "run": "total_runs"}


class EntitiesView(Mem0View):
    def get(self, request: Request, **_: Any) -> Response:
        query = request.query_params
        default = PAGE if "page" in query else MOST
        number, size = parse_page(query, default, MOST)
        counts = count_entities(self.project)
        total, start = sum(counts.values()), (number - 1) * size
        shown = list_entities(self.project, counts, start, size)
        base = request._request.build_absolute_uri(request.path)
        more = start + size < total
        return self.answer(
            {
                "count": total,
                "next": f"{base}?page={number + 1}&page_size={size}" if more else None,
                "previous": f"{base}?page={number - 1}&page_size={size}" if number > 1 else None,
                "results": [build_entity_row(self.project, entity) for entity in shown],
                **{name: counts[TYPES[kind]] for kind, name in COUNTS.items()},
            }
        )


def read_entity(kind: str, name: str) -> tuple[OwnerKind, str]:
    """Raises `InvalidParameters` for a type that there is not."""
    if kind not in TYPES:
        raise InvalidParameters(f"entity_type: must be one of {', '.join(TYPES)}")
    return TYPES[kind], parse_id(name, "entity_id")


class EntityView(Mem0View):
    named = {"GET": "entity", "DELETE": "delete_entity"}

    def get_named_entity(self) -> tuple[OwnerKind, str]:
        return read_entity(self.segment("kind"), self.segment("name"))

    def get(self, request: Request, **_: Any) -> Response:
        kind, name = self.get_named_entity()
        self.is_about(kind, name)
        return self.answer([build_entity_row(self.project, find_entity(self.project, kind, name))])

    def delete(self, request: Request, **_: Any) -> Response:
        kind, name = self.get_named_entity()
        return self.answer(self.run_once(lambda: self._delete_entity(kind, name)))

    def _delete_entity(self, kind: OwnerKind, name: str) -> dict[str, Any]:
        with tenant_scope(self.project):
            try:
                with_it = erase_entity(self.project, kind, name)
            except EndUserUnknown:
                if not self._went_with_another(kind, name):
                    raise
                with_it = []
            digests = [self._compute_digest(subject.kind, subject.id) for subject in with_it]
            event = record_event(self.project, "DELETE_USER", **{WITH_IT: digests})
        return {"message": "Entity deleted successfully!", "event_id": str(event.pk)}

    def _parse_address(self, request: Request, status: int) -> dict[str, Any]:
        if (
            request.method == "DELETE"
            and status == InvalidParameters.status
            and (meant := self._find_meant())
        ):
            return {"entity_type": self.segment("kind"), "entity_id": meant[1]}
        return super()._parse_address(request, status)

    def _subjects(self, sent: Any, refused: bytes = b"") -> list[str]:
        meant = self._find_meant()
        named = [name_subject(*meant)] if meant else []
        return list(dict.fromkeys([*named, *super()._subjects(sent, refused)]))[:MAX_SUBJECTS]

    def _find_meant(self) -> tuple[OwnerKind, str] | None:
        """The entity whose type is only misspelt, as `users`. Else nobody knows which part of the address is a name."""
        try:
            kind, name = self.segment("kind"), self.segment("name")
        except InvalidParameters:
            return None
        close = [] if kind in TYPES else get_close_matches(kind.lower(), TYPES, 1, LEAST_LIKENESS)
        return (TYPES[close[0]], name) if close else None

    def _went_with_another(self, kind: OwnerKind, name: str) -> bool:
        """Return whether its last memories went with another entity's: a client that deletes all that it had listed
        comes to it afterwards, and stops at what is unknown."""
        lately = Task.objects.within(self.project).filter(created_at__gte=timezone.now() - SAME_WALK)
        events = lately.filter(kind=TaskKind.PURGE)
        return events.filter(**{f"payload__{WITH_IT}__contains": [self._compute_digest(kind, name)]}).exists()

    def _compute_digest(self, kind: OwnerKind, name: str) -> str:
        """A task holds no names, least of all of who was deleted."""
        return salted_hmac("mem0.erased", f"{self.project.pk}:{kind}:{name}").hexdigest()[:32]


def _put_field(profile: dict[str, Any], path: str, value: Any) -> None:
    """Nested by its path. Where one of a user's templates has a field and another a group of that name, the one bound
    first stands: this shape has no place for both."""
    *above, last = path.split(".")
    branch: Any = profile
    for step in above:
        branch = branch.setdefault(step, {})
        if not isinstance(branch, dict):
            return
    if not isinstance(branch.get(last), dict):
        branch[last] = value


class ProfileView(EntityView):
    http_method_names = ["get"]

    def get(self, request: Request, **_: Any) -> Response:
        kind, name = self.get_named_entity()
        if kind != OwnerKind.END_USER:
            raise InvalidParameters("entity_type: only users have a profile")
        self.is_about(kind, name)
        subject = Subject(kind, name)
        with tenant_scope(self.project):
            if not MemCube.objects.within(self.project).filter(owner_kind=kind, owner_id=name).exists():
                raise NotFound(f"user {name}")
        shown = show_profiles(self.project, subject)
        profile: dict[str, Any] = {}
        for shown_profile in shown:
            for field in shown_profile.fields:
                _put_field(profile, field.path, field.value)
        return self.answer(
            {
                "profile": profile,
                "status": "succeeded" if shown else "not_enabled",
                "entity_type": "user",
                "entity_id": name,
                "updated_at": format_iso_time(
                    max((shown_profile.profile.updated_at for shown_profile in shown), default=None)
                ),
                "generation_count": len(shown),
                "error": None,
            }
        )
