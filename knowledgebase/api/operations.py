"""OpenAPI descriptions of the knowledge base operations of the MemOS contract."""

from __future__ import annotations

from knowledgebase.api import answer_types as answers
from knowledgebase.api.serializers import AddFilesBody, BaseBody, CreateBaseBody, FileIdsBody, GetFilesBody
from memories.api.answer_types import Success
from tenancy import errors
from tenancy.api.operations import IDEMPOTENCY_KEY, Operation

KNOWLEDGE = "Knowledge bases"
# Of examples: a test puts ids of rows that are there in their place.
BASE_ID = "base0197c2a4-8043-7f6e-ac51-2d3e4f506172"
FILE_ID = "0197c2a491547f8fbd623e4f50617283"

_FORM = {
    "type": "object",
    "required": ["knowledgebase_id", "file"],
    "properties": {
        "knowledgebase_id": {"type": "string"},
        "type": {"type": "string", "enum": ["document", "skill"]},
        "file": {
            "type": "array",
            "items": {"type": "string", "contentMediaType": "application/octet-stream"},
        },
    },
}

OPERATIONS = (
    Operation(
        id="createKnowledgeBase",
        method="POST",
        path="create/knowledgebase",
        tag=KNOWLEDGE,
        summary="Create a knowledge base",
        parameters=(IDEMPOTENCY_KEY,),
        body=CreateBaseBody,
        example={"knowledgebase_name": "Handbook", "knowledgebase_description": "How our company works"},
        answer=answers.BaseCreated,
        refusals=(errors.TokenRateExceeded, errors.TooManyTokens, errors.PlanLimitReached),
    ),
    Operation(
        id="deleteKnowledgeBase",
        method="POST",
        path="delete/knowledgebase",
        tag=KNOWLEDGE,
        summary="Take a knowledge base out of the project",
        description="Its files stay until the base is deleted in the console.",
        parameters=(IDEMPOTENCY_KEY,),
        body=BaseBody,
        example={"knowledgebase_id": BASE_ID},
        answer=Success,
        refusals=(errors.KnowledgeBaseUnknown, errors.KnowledgeBaseNotLinked),
    ),
    Operation(
        id="addKnowledgeBaseFiles",
        method="POST",
        path="add/knowledgebase-file",
        tag=KNOWLEDGE,
        summary="Add files to a knowledge base",
        description="Each content is an address, a data URL or Base64 text. A form has the files in parts named file.",
        parameters=(IDEMPOTENCY_KEY,),
        body=AddFilesBody,
        other_bodies={"multipart/form-data": _FORM},
        example={
            "knowledgebase_id": BASE_ID,
            "file": [
                {
                    "name": "leave.md",
                    "type": "document",
                    "content": "IyBMZWF2ZQoKRXZlcnlib2R5IGhhcyB0aGlydHkgZGF5cyBvZiBsZWF2ZSBhIHllYXIuCg==",
                }
            ],
        },
        answer=list[answers.FileAdded],
        refusals=(
            errors.KnowledgeBaseUnknown,
            errors.KnowledgeBaseNotLinked,
            errors.InvalidBase64Content,
            errors.InvalidBase64Format,
            errors.InvalidFile,
            errors.FileTooLarge,
            errors.FilesTooLarge,
            errors.TooManyFiles,
            errors.PlanLimitReached,
        ),
    ),
    Operation(
        id="getKnowledgeBaseFiles",
        method="POST",
        path="get/knowledgebase-file",
        tag=KNOWLEDGE,
        summary="See how far files are, by their ids or page by page",
        description="Exactly one of file_ids and knowledgebase_id is needed.",
        body=GetFilesBody,
        example={"knowledgebase_id": BASE_ID, "page": 1, "page_size": 20},
        answer=answers.FilePage,
        refusals=(errors.NotFound, errors.KnowledgeBaseUnknown, errors.KnowledgeBaseNotLinked),
    ),
    Operation(
        id="deleteKnowledgeBaseFiles",
        method="POST",
        path="delete/knowledgebase-file",
        tag=KNOWLEDGE,
        summary="Delete files and what was learned of them",
        parameters=(IDEMPOTENCY_KEY,),
        body=FileIdsBody,
        example={"file_ids": [FILE_ID]},
        answer=Success,
        refusals=(errors.NotFound,),
    ),
)
