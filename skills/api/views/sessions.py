"""Views of sessions and messages: parse, call one function, answer."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from skills.api import answers
from skills.api.base import SkillView
from skills.api.large_answers import LargeAnswerRenderer, limit_large_answer
from skills.api.parse_forms import MessageParser
from skills.api.query import build_page, write_mark
from skills.api.serializers import ConfigsBody, MetaBody, SessionBody, StoreMessageBody
from skills.catalogue.downloads import SECONDS, build_signed_file_url
from skills.message_formats import ACONTEXT, WRITERS, normalise_message
from skills.models import SessionMessage
from skills.sessions import messages, sessions
from skills.sessions.session_message_files import get_uploads, with_files
from skills.sessions.status import flush_session, get_observing_status
from tenancy.errors import InvalidParameters, UnsupportedType
from tenancy.metering.meters import Meter


class SessionsView(SkillView):
    def post(self, request: Request) -> Response:
        sent = self.read(SessionBody).validated_data
        new = sessions.NewSession(
            sent["user"], sent["disable_task_tracking"], sent["configs"], sent["use_uuid"]
        )
        session, is_new = sessions.create_session(self.project, new)
        self.is_about("session", str(session.public_id))
        return self.answer(answers.build_session(session), 201 if is_new else 200)

    def get(self, request: Request) -> Response:
        wanted, user = self.query.json("filter_by_configs"), self.query.text("user")
        row_slice = sessions.list_sessions(self.project, self.query.window(), user, wanted)
        return self.answer(build_page(row_slice, [answers.build_session(row) for row in row_slice.rows]))


class OfSessionView(SkillView):
    logged_as = "session"


class SessionView(OfSessionView):
    def delete(self, request: Request, **ids: Any) -> Response:
        sessions.delete_session(self.project, self.id("session"))
        return self.answer()


class ConfigsView(OfSessionView):
    def get(self, request: Request, **ids: Any) -> Response:
        return self.answer(answers.build_session(sessions.load_session(self.project, self.id("session"))))

    def put(self, request: Request, **ids: Any) -> Response:
        session_id, configs = self.id("session"), self.read(ConfigsBody).validated_data["configs"]
        sessions.replace_configs(self.project, session_id, configs)
        return self.answer()

    def patch(self, request: Request, **ids: Any) -> Response:
        session_id, changes = self.id("session"), self.read(ConfigsBody).validated_data["configs"]
        return self.answer({"configs": sessions.merge_configs(self.project, session_id, changes)})


class TasksView(OfSessionView):
    def get(self, request: Request, **ids: Any) -> Response:
        row_slice = sessions.list_tasks(self.project, self.id("session"), self.query.window())
        return self.answer(build_page(row_slice, [answers.build_task(row) for row in row_slice.rows]))


class MessagesView(OfSessionView):
    posts_as = Meter.ADD
    parser_classes = [MessageParser]
    renderer_classes = [LargeAnswerRenderer]

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer the request. What is large is written out before the turn of the answer ends, which takes as much as
        making it."""
        with ExitStack() as self.turns:
            return super().dispatch(request, *args, **kwargs).render()

    def post(self, request: Request, **ids: Any) -> Response:
        session_id, sent = self.id("session"), self.read(StoreMessageBody).validated_data
        body: Any = request.data  # what MessageParser makes of it
        new = messages.NewMessage.of(normalise_message(sent["format"], sent["blob"], body.files))
        self.charge(new.texts, new.taken.tokens)
        message, before = messages.store_message(self.project, session_id, new, sent["meta"], self.paying)
        return self.answer(answers.build_message(message, before), 201)

    def get(self, request: Request, **ids: Any) -> Response:
        wanted = self.query.text("format", "openai")
        if wanted != ACONTEXT and wanted not in WRITERS:
            raise UnsupportedType(f"format: one of {ACONTEXT}, {', '.join(WRITERS)}")
        if self.query.text("edit_strategies") not in ("", "[]"):
            raise InvalidParameters("edit_strategies: this server edits no messages")
        page = messages.read_messages(self.project, self.id("session"), self.query.window(absent=0))
        self.turns.enter_context(limit_large_answer(self.project.account_id, page.slice.size))
        data = _build_page_data(page, wanted) | ({"events": []} if self.query.flag("with_events") else {})
        if wanted == ACONTEXT:
            shows_urls = self.query.flag("with_asset_public_url", absent=True)
            data["public_urls"] = _build_public_urls(page.messages) if shows_urls else {}
        return self.answer(data)


def _build_page_data(page: messages.MessagePage, wanted: str) -> dict[str, Any]:
    """Items, ids and metas go together one by one; a message that takes several items stands there as often."""
    rows = [with_files(row, with_uploads=wanted != ACONTEXT) for row in page.messages]
    pairs: list[tuple[SessionMessage, Mapping[str, object]]]
    if wanted == ACONTEXT:
        pairs = list(zip(rows, answers.build_raw_messages(rows, page.before), strict=True))
    else:
        pairs = [(row, item) for row in rows for item in WRITERS[wanted](row)]
    data: dict[str, Any] = {
        "items": [item for _, item in pairs],
        "ids": [str(row.pk) for row, _ in pairs],
        "metas": [row.meta for row, _ in pairs],
        "has_more": page.slice.next is not None,
        "this_time_tokens": sum(messages.count_message_tokens(row) for row in rows),
    }
    data |= {"next_cursor": write_mark(page.slice.next)} if page.slice.next else {}
    data |= {"edit_at_message_id": str(rows[-1].pk)} if rows else {}
    return data


def _build_public_urls(rows: list[SessionMessage]) -> dict[str, Any]:
    """Return where each file that came beside a message can be fetched without a key, by its digest."""
    until = timezone.now() + timedelta(seconds=SECONDS)
    return {
        row.parts[part]["asset"]["sha256"]: {
            "url": build_signed_file_url(row.project_id, row.pk, part, until),
            "expire_at": answers.format_rfc3339(until),
        }
        for row, part in get_uploads(rows)
    }


class MessageMetaView(OfSessionView):
    def patch(self, request: Request, **ids: Any) -> Response:
        changes = self.read(MetaBody).validated_data["meta"]
        meta = messages.merge_message_meta(self.project, self.id("session"), self.id("message"), changes)
        return self.answer({"meta": meta})


class FlushView(OfSessionView):
    def post(self, request: Request, **ids: Any) -> Response:
        flushed = flush_session(self.project, self.id("session"))
        return self.answer({"status": flushed.status, "errmsg": flushed.reason})


class ObservingView(OfSessionView):
    def get(self, request: Request, **ids: Any) -> Response:
        counts = get_observing_status(self.project, self.id("session"))
        data = {"observed": counts.observed, "in_process": counts.in_process, "pending": counts.pending}
        return self.answer(data | {"updated_at": answers.format_rfc3339(timezone.now())})


class TokensView(OfSessionView):
    def get(self, request: Request, **ids: Any) -> Response:
        return self.answer({"total_tokens": messages.count_session_tokens(self.project, self.id("session"))})
