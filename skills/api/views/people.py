"""Views of people and project configuration: parse, call one function, answer."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from rest_framework.request import Request
from rest_framework.response import Response

from skills.api import answers
from skills.api.base import SkillView
from skills.api.envelope import PREFIX, build_success_body
from skills.api.query import build_page
from skills.settings import learning_settings
from skills.users import users
from tenancy.api.bodies.parsing import refuse_unstorable
from tenancy.errors import UnknownRoute

LIST, RESOURCES = "ls", "resources"


class PingView(SkillView):
    def get(self, request: Request) -> Response:
        return Response(build_success_body(message="pong"))


class UserView(SkillView):
    """An identifier may hold anything, slashes too: it is read off the address as it was sent, before decoding."""

    def get(self, request: Request, **path: Any) -> Response:
        match self._split_segments(request):
            case [word] if word == LIST:
                row_slice = users.list_people(self.project, self.query.window(absent=0))
                return self.answer(
                    build_page(row_slice, [answers.build_person(row) for row in row_slice.rows])
                )
            case [identifier, word] if word == RESOURCES:
                counts = users.count_user_resources(self.project, identifier)
                counted = {"sessions_count": counts.sessions, "skills_count": counts.skills, "disks_count": 0}
                return self.answer({"counts": counted})
        raise UnknownRoute

    def delete(self, request: Request, **path: Any) -> Response:
        match self._split_segments(request):
            case [identifier] if identifier:
                users.delete_person(self.project, identifier)
                return self.answer()
        raise UnknownRoute

    @staticmethod
    def _split_segments(request: Request) -> list[str]:
        """Return what follows the word user, segment by segment, decoded."""
        raw = request._request.scope["raw_path"].decode("ascii")  # type: ignore[attr-defined]  # ASGI's
        parts = raw.partition(f"{PREFIX}user/")[2].rstrip("/").split("/")
        segments = [unquote(part) for part in parts]
        refuse_unstorable(segments, "the address")
        return segments


class ProjectConfigsView(SkillView):
    def get(self, request: Request) -> Response:
        return self.answer(learning_settings.load_learning_configs(self.project))

    def patch(self, request: Request) -> Response:
        return self.answer(learning_settings.change_configs(self.project, dict(request.data), None))


class UnknownView(SkillView):
    """Requests without a key learn nothing about URLs, not even that one does not exist."""

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        raise UnknownRoute(request.path[:200])
