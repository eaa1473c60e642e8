"""The key's project as mem0's clients see it, the connection test, and what is refused in their words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db import transaction
from rest_framework.request import Request
from rest_framework.response import Response

from console.interfaces.mem0.answers import format_iso_time
from console.interfaces.mem0.base import Mem0View
from console.interfaces.mem0.errors import Missing, NotForKeys, NotHad
from console.interfaces.mem0.parsing import SETTING, parse_categories, parse_texts
from memories.settings.extraction import SETTING as EXTRACTION
from memories.settings.extraction import ExtractionPolicies
from tenancy.errors import CatalogueError, InvalidParameters, NotFound, RequiredFieldEmpty
from tenancy.models import Project
from tenancy.projects.projects import change_settings

MAX_STORED = 20_000
# What a client may set, and of which type it is. `custom_instructions` are the project's own for its chat model,
# `custom_categories` names that the extractor may choose from; the rest is stored and given back.
SETTINGS: dict[str, tuple[type, ...]] = {
    "custom_instructions": (str,),
    "custom_categories": (list,),
    "agent_custom_instructions": (str,),
    "multilingual": (bool,),
    "decay": (bool, dict),
    "memory_depth": (str, int, dict),
    "usecase": (str,),
    "version": (str, int),
}
# What clients say beside it.
BESIDE = frozenset({"org_id", "project_id", "source"})


def format_project_label(project: Project) -> str:
    """A name for the connection, and never a mail address: clients send it on to a third party."""
    return project.name.replace("@", " at ") or "project"


class PingView(Mem0View):
    def get(self, request: Request, **_: Any) -> Response:
        project = self.project
        return self.answer(
            {
                "status": "ok",
                "org_id": str(project.account_id),
                "project_id": str(project.pk),
                "user_email": format_project_label(project),
            }
        )


class ProjectView(Mem0View):
    named = {"GET": "project", "PATCH": "update_project", "DELETE": "delete_project"}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        wanted = (self.segment("org_id"), self.segment("project_id"))
        if wanted != (str(self.project.account_id), str(self.project.pk)):
            raise NotFound("no such project of this key")

    def get(self, request: Request, **_: Any) -> Response:
        project = self._load_project()
        stored = project.settings.get(SETTING, {})
        whole = {
            "project_id": str(project.pk),
            "name": project.name,
            "description": project.description,
            **{name: stored.get(name) for name in SETTINGS},
            "custom_instructions": ExtractionPolicies.of(project).instructions or None,
            "members": [],
            "created_at": format_iso_time(project.created_at),
            "updated_at": format_iso_time(project.created_at),
        }
        fields = parse_texts(request.query_params.getlist("fields"), "fields", 100)
        return self.answer({name: whole[name] for name in whole if name in fields} if fields else whole)

    def patch(self, request: Request, **_: Any) -> Response:
        return self.answer(self.run_once(lambda: self._change_settings(self.sent)))

    def _change_settings(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        wanted = _read_settings_in(sent)
        with transaction.atomic():
            project = self._load_project(for_change=True)
            if "custom_instructions" in wanted:
                policies = ExtractionPolicies.of(project)
                text = wanted.pop("custom_instructions") or ""
                changed = ExtractionPolicies(text, policies.never).as_setting()
                change_settings(project, EXTRACTION, changed, None)
            if wanted:
                stored = {**project.settings.get(SETTING, {}), **wanted}
                kept = {name: value for name, value in stored.items() if value is not None}
                change_settings(project, SETTING, kept, None)
        self.project.settings = project.settings  # of the key's copy, so that the next call follows them
        return {"message": "Project updated successfully!"}

    def _load_project(self, *, for_change: bool = False) -> Project:
        """As it is stored now: the key's own copy may be a second old, and would lose what was changed meanwhile."""
        rows = Project.objects.select_related("account")
        if for_change:
            rows = rows.select_for_update(of=("self",), no_key=True)
        fresh: Project = rows.get(pk=self.project.pk)
        return fresh

    def delete(self, request: Request, **_: Any) -> Response:
        raise NotForKeys("projects are deleted in the console")


def _read_settings_in(sent: Mapping[str, Any]) -> dict[str, Any]:
    wanted: dict[str, Any] = {}
    for name, value in sent.items():
        if name in BESIDE:
            continue
        if name not in SETTINGS:
            raise InvalidParameters(f"{name[:60]}: known are {', '.join(SETTINGS)}")
        if value is not None and not _fits(value, SETTINGS[name]):
            raise InvalidParameters(f"{name}: of the wrong type")
        wanted[name] = value
    if not wanted:
        raise RequiredFieldEmpty(f"one of {', '.join(SETTINGS)}")
    parse_categories(wanted.get("custom_categories") or [])
    if len(str(wanted)) > MAX_STORED:
        raise InvalidParameters(f"at most {MAX_STORED} characters")
    return wanted


def _fits(value: Any, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))


class RefusedView(Mem0View):
    """View for what upstream has and Engram does not: one sentence that says so, and what to use instead."""

    refusal: ClassVar[type[CatalogueError]] = Missing
    sentence: ClassVar[str] = ""

    def _refuse_request(self, request: Request, **_: Any) -> Response:
        raise self.refusal(self.sentence)

    get = post = put = patch = delete = _refuse_request


class LaterView(RefusedView):
    """Exports and webhooks."""

    sentence = "exports and webhooks are not served yet; read memories page by page from /v3/memories/"


class ConsoleView(RefusedView):
    refusal = NotForKeys
    sentence = "organisations, projects and their members are managed in the console"


class SummaryView(RefusedView):
    refusal = NotHad
    sentence = "summaries are not made; search with POST /v3/memories/search/"


class ProfileSettingsView(RefusedView):
    refusal = NotHad
    sentence = "profiles are filled from the project's profile templates, which the console manages"


class UnservedView(RefusedView):
    sentence = "no published client calls it; see the routes of /v3/memories/, /v1/entities/ and /v1/events/"
