"""Rows, texts and stored files of attachments."""

from __future__ import annotations

import base64

from memories.files import storage
from memories.models import Attachment, MemCube, Memory
from tenancy.api.bodies.files_in_json import LongText
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

LONG = "\n\n".join(
    f"## Rule {number}\n\nRule number {number} is that room {number} is closed." for number in range(40)
)


def inline(text: str) -> LongText:
    return LongText.of(base64.b64encode(text.encode()).decode())


def texts(project: Project) -> list[tuple[str, str]]:
    with tenant_scope(project):
        rows = Memory.objects.within(MemCube.objects.within(project)).filter(is_raw=False)
        return sorted(rows.values_list("cube__owner_id", "text"))


def get_attachment(project: Project) -> Attachment:
    with tenant_scope(project):
        row: Attachment = Attachment.objects.within(project).get()
        return row


def list_stored_keys(project: Project) -> list[str]:
    return [
        key
        for folder in storage.list_folders("messages")
        if folder.holder == project.pk
        for key in folder.keys
    ]
