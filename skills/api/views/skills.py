"""Views of skills as files: parse, call one function, answer."""

from __future__ import annotations

from typing import IO, Any

from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from memories.files.storage import PIECE
from skills.api import answer_types, answers
from skills.api.base import SkillView
from skills.api.parse_forms import SkillFormParser
from skills.api.query import build_page
from skills.api.serializers import UploadBody
from skills.catalogue import catalogue
from skills.catalogue.archive import Download
from skills.catalogue.download_views import build_attachment_response
from skills.catalogue.downloads import MOST_SECONDS, SECONDS
from skills.models import Skill
from tenancy.errors import RequiredFieldEmpty
from tenancy.metering.meters import Meter


class WholeSkillView(SkillView):
    def skill_data(self, skill: Skill) -> answer_types.Skill:
        return answers.build_skill(skill, catalogue.load_file_indexes(self.project, [skill])[skill.pk])


class SkillsView(WholeSkillView):
    posts_as = Meter.SKILLS
    parser_classes = [SkillFormParser]

    def post(self, request: Request) -> Response:
        sent = self.read(UploadBody).validated_data
        if sent["user"]:
            self.is_about("person", sent["user"])
        upload = catalogue.PackageUpload(sent["file"].opened(), sent["user"], sent["meta"])
        return self.answer(self.skill_data(catalogue.upload_skill(self.project, upload, self.paying)), 201)

    def get(self, request: Request) -> Response:
        row_slice = catalogue.list_catalogue(self.project, self.query.window(), self.query.text("user"))
        files = catalogue.load_file_indexes(self.project, row_slice.rows)
        return self.answer(
            build_page(row_slice, [answers.build_skill(row, files[row.pk]) for row in row_slice.rows])
        )


class OneSkillView(WholeSkillView):
    def get(self, request: Request, **ids: Any) -> Response:
        return self.answer(self.skill_data(catalogue.load_skill(self.project, self.id("skill"))))

    def delete(self, request: Request, **ids: Any) -> Response:
        catalogue.remove_skill(self.project, self.id("skill"))
        return self.answer()


class SkillFileView(SkillView):
    def get(self, request: Request, **ids: Any) -> Response:
        skill_id, path = self.id("skill"), self.query.text("file_path")
        if not path:
            raise RequiredFieldEmpty("file_path")
        seconds = self.query.whole("expire", SECONDS, 1, MOST_SECONDS)
        content = catalogue.load_file_content(self.project, skill_id, path, seconds)
        data: dict[str, Any] = {"path": path, "mime": content.mime}
        if content.form is None:
            return self.answer(data | {"url": content.url})
        return self.answer(data | {"content": {"type": content.form.value, "raw": content.text}})


class SkillArchiveView(SkillView):
    def get(self, request: Request, **ids: Any) -> HttpResponseBase:
        skill, archive = catalogue.build_skill_archive(self.project, self.id("skill"))
        response = build_attachment_response(
            Download(f"{skill.name}.zip", "application/zip", _read_pieces(archive))
        )
        self.log(request, response.status_code, {"code": 0})
        return response


def _read_pieces(archive: IO[bytes]) -> Any:
    with archive:
        while piece := archive.read(PIECE):
            yield piece
