"""Views of learning spaces: parse, call one function, answer."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from skills.api import answers
from skills.api.base import SkillView
from skills.api.query import build_page
from skills.api.serializers import IncludeBody, LearnBody, MetaBody, SpaceBody
from skills.catalogue.catalogue import load_file_indexes
from skills.spaces import spaces


class SpacesView(SkillView):
    def post(self, request: Request) -> Response:
        sent = self.read(SpaceBody).validated_data
        space = spaces.create_space(self.project, sent["user"], sent["meta"])
        self.is_about("space", str(space.pk))
        return self.answer(answers.build_space(space), 201)

    def get(self, request: Request) -> Response:
        wanted, user = self.query.json("filter_by_meta"), self.query.text("user")
        row_slice = spaces.list_spaces(self.project, self.query.window(), user, wanted)
        return self.answer(build_page(row_slice, [answers.build_space(row) for row in row_slice.rows]))


class SpaceView(SkillView):
    logged_as = "space"

    def get(self, request: Request, **ids: Any) -> Response:
        return self.answer(answers.build_space(spaces.load_space(self.project, self.id("space"))))

    def patch(self, request: Request, **ids: Any) -> Response:
        space_id, meta = self.id("space"), self.read(MetaBody).validated_data["meta"]
        return self.answer(answers.build_space(spaces.merge_meta(self.project, space_id, meta)))

    def delete(self, request: Request, **ids: Any) -> Response:
        spaces.delete_space(self.project, self.id("space"))
        return self.answer()


class LearnView(SkillView):
    def post(self, request: Request, **ids: Any) -> Response:
        space_id, session_id = self.id("space"), self.read(LearnBody).validated_data["session_id"]
        return self.answer(
            answers.build_record(spaces.attach_session(self.project, space_id, session_id)), 201
        )


class RecordsView(SkillView):
    def get(self, request: Request, **ids: Any) -> Response:
        row_slice = spaces.list_records(self.project, self.id("space"), self.query.window(absent=0))
        return self.answer_list(row_slice, [answers.build_record(row) for row in row_slice.rows])


class RecordView(SkillView):
    def get(self, request: Request, **ids: Any) -> Response:
        record = spaces.load_record(self.project, self.id("space"), self.id("session"))
        return self.answer(answers.build_record(record))


class SpaceSkillsView(SkillView):
    def post(self, request: Request, **ids: Any) -> Response:
        space_id, skill_id = self.id("space"), self.read(IncludeBody).validated_data["skill_id"]
        return self.answer(answers.build_link(spaces.include_skill(self.project, space_id, skill_id)), 201)

    def get(self, request: Request, **ids: Any) -> Response:
        row_slice = spaces.list_skills(self.project, self.id("space"), self.query.window(absent=0))
        files = load_file_indexes(self.project, row_slice.rows)
        return self.answer_list(
            row_slice, [answers.build_skill(row, files[row.pk]) for row in row_slice.rows]
        )


class SpaceSkillView(SkillView):
    def delete(self, request: Request, **ids: Any) -> Response:
        spaces.exclude_skill(self.project, self.id("space"), self.id("skill"))
        return self.answer()
