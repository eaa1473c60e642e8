"""File types that a knowledge base accepts: readable documents, and skills (a text or a ZIP package)."""

from __future__ import annotations

from pathlib import PurePosixPath

from knowledgebase.values import FileType
from memories.files import file_types
from memories.files.storage import Rules, StoredFile
from memories.files.values import MAX_FILES, FileKind
from skills.packages.limits import MAX_SKILL_MD, MAX_ZIP
from tenancy.errors import EmptyList, FileTooLarge, InvalidFile, UnsupportedFileType

FOLDER = "knowledge"
SKILL_KINDS = {".md": FileKind.MD, ".zip": FileKind.ZIP}
ZIP_HEAD = b"PK\x03\x04"
ZIP_MEDIA_TYPE = "application/zip"


def refuse_name(name: str, type: FileType) -> None:
    """Raise `UnsupportedFileType` for a name whose extension is not accepted for this type."""
    suffix = PurePosixPath(name.lower()).suffix
    if type == FileType.SKILL and suffix and suffix not in SKILL_KINDS:
        raise UnsupportedFileType(f"{suffix[:20]} (a skill is a .md or a .zip)")
    if type == FileType.DOCUMENT:
        file_types.refuse_name(name)
        if file_types.detect_kind_by_name(name) == FileKind.IMAGE:
            raise UnsupportedFileType(suffix[:20])


def accept_document(head: bytes, name: str) -> tuple[FileKind, str]:
    """Return what `file_types.detect_file_kind` finds, without images: there is nothing to read in them."""
    kind, media_type = file_types.detect_file_kind(head, name)
    if kind == FileKind.IMAGE:
        raise UnsupportedFileType("an image")
    return kind, media_type


def accept_skill(head: bytes, name: str) -> tuple[FileKind, str]:
    """A text or a ZIP archive, as its name says if it has one; what is in it is looked at when it is processed."""
    if not head:
        raise EmptyList("the file is empty")
    kind = FileKind.ZIP if head.startswith(ZIP_HEAD) else FileKind.MD
    if kind == FileKind.MD and b"\0" in head:
        raise UnsupportedFileType("the content is neither a text nor a ZIP archive")
    named = SKILL_KINDS.get(PurePosixPath(name.lower()).suffix, kind)
    if named != kind:
        raise InvalidFile(f"the content is {kind.value}, the name says {named.value}")
    return kind, ZIP_MEDIA_TYPE if kind == FileKind.ZIP else file_types.MEDIA_TYPES[kind]


RULES = {
    FileType.DOCUMENT: Rules(look=accept_document),
    FileType.SKILL: Rules(MAX_ZIP, accept_skill),
}


def refuse_large_skill(type: FileType, stored: StoredFile) -> None:
    """A skill that is one text is small. Raises `FileTooLarge`."""
    if type == FileType.SKILL and stored.kind == FileKind.MD and stored.size > MAX_SKILL_MD:
        raise FileTooLarge(f"a skill's text has at most {MAX_SKILL_MD // 1024} KB")


__all__ = ["MAX_FILES", "FOLDER", "RULES", "refuse_large_skill", "refuse_name"]
