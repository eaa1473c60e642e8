"""Views of the knowledge base operations: parse the body, call one function, answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from knowledgebase.api import answers
from knowledgebase.api.parse_forms import FilesParser
from knowledgebase.api.serializers import AddFilesBody, BaseBody, CreateBaseBody, FileIdsBody, GetFilesBody
from knowledgebase.bases.bases import create_base, load_base, unlink_base
from knowledgebase.bases.limits import refuse_if_full
from knowledgebase.files import delete_files, find_files_by_id, load_file_page
from knowledgebase.models import KnowledgeBase
from knowledgebase.uploads.add_files import FileUpload, Uploader, add_files
from knowledgebase.uploads.receive_uploads import receive_uploads
from memories.files.storage import UncommittedFiles, delete_uncommitted_files
from tenancy.api.base import ContractView
from tenancy.metering.meters import Meter


class KnowledgeView(ContractView):
    scope = "knowledge"


class CreateBaseView(KnowledgeView):
    def post(self, request: Request) -> Response:
        sent = self.read(CreateBaseBody).validated_data
        name, description = sent["knowledgebase_name"], sent["knowledgebase_description"]
        self.charge([name, description])

        def create() -> dict[str, Any]:
            return {"id": create_base(self.project, name, description).public_id}

        return self.answer(self.run_once(create))


class DeleteBaseView(KnowledgeView):
    """Unlinks the base from the project; it is deleted permanently in the console."""

    def post(self, request: Request) -> Response:
        public_id = self.read(BaseBody).validated_data["knowledgebase_id"]

        def unlink() -> dict[str, Any]:
            unlink_base(self.project, load_base(self.project, public_id))
            return {"success": True}

        return self.answer(self.run_once(unlink))


class AddFilesView(KnowledgeView):
    meter = Meter.FILES
    parser_classes = [FilesParser]

    def post(self, request: Request) -> Response:
        sent = self.read(AddFilesBody).validated_data
        data = self.find_stored_answer() or self._receive_files(sent)
        return self.answer(data["files"])

    def _receive_files(self, sent: dict[str, Any]) -> dict[str, Any]:
        base = load_base(self.project, sent["knowledgebase_id"])
        refuse_if_full(base)
        with delete_uncommitted_files() as kept:
            uploads = receive_uploads(base, sent["file"], kept)
            return self.run_once(lambda: self._add_files(base, uploads, kept))

    def _add_files(
        self, base: KnowledgeBase, uploads: Sequence[FileUpload], kept: UncommittedFiles
    ) -> dict[str, Any]:
        files = add_files(self.project, base, uploads, Uploader(key_hint=self.key.hint), self.bill.cost)
        kept.keep_on_commit()
        return {"files": [answers.build_added_file(file) for file in files]}


class GetFilesView(KnowledgeView):
    def post(self, request: Request) -> Response:
        sent = self.read(GetFilesBody).validated_data
        if "file_ids" in sent:
            files = find_files_by_id(self.project, sent["file_ids"])
            return self.answer(answers.build_file_page(files, len(files), 1, len(files)))
        base = load_base(self.project, sent["knowledgebase_id"])
        number, size = sent["page"], sent["page_size"]
        files, total = load_file_page(self.project, base, sent.get("type"), number, size)
        return self.answer(answers.build_file_page(files, total, number, size))


class DeleteFilesView(KnowledgeView):
    def post(self, request: Request) -> Response:
        ids = self.read(FileIdsBody).validated_data["file_ids"]

        def delete() -> dict[str, Any]:
            delete_files(self.project, ids)
            return {"success": True}

        return self.answer(self.run_once(delete))
