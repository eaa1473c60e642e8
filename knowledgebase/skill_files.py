"""Files of type skill: handed to whoever makes skills of them."""

from __future__ import annotations

from knowledgebase.models import KnowledgeFile
from tenancy.errors import UnsupportedType


def take_skill_file(file: KnowledgeFile) -> None:
    """The one place where a stored and checked skill file leaves the way of documents; outside of transactions.

    Until there is something that recalls skills, a file says so instead of looking as if it were used.
    Raises errors of the catalogue, which become the file's reason.
    """
    raise UnsupportedType(
        f"{file.type}: skill files are stored, but not recalled yet",
        cure="Keep the file; process it again when this installation can use skills.",
    )
