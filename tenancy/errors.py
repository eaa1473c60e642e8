"""The error catalogue: every error that the API reports to developers, and the codes that the contract reserves.

One class per failure: the code and status that clients see, the sentence, and what to do about it. The API,
the console and the documentation read the same classes. Codes are those of the MemOS Cloud contract; which
HTTP status goes with which code follows from what its published clients can bear: 400 for whatever the caller
can put right, 401 for keys, 429 for rates and quotas over time, 5xx for our own faults, never 403 or 404 for
a business error.
"""

from __future__ import annotations

from typing import Any, ClassVar


class CatalogueError(Exception):
    """An error with code, HTTP status, message and remedy; `cure` is the remedy for this case."""

    # Not of codes that clients know and nothing here raises.
    is_sent: ClassVar[bool] = True
    code: ClassVar[int]
    status: ClassVar[int] = 400
    message: ClassVar[str]
    remedy: ClassVar[str]

    def __init__(
        self, detail: str = "", *, retry_after: float | None = None, cure: str = "", **values: Any
    ) -> None:
        self.detail = detail
        self.cure = cure or self.remedy
        self.retry_after = retry_after
        self.values = values
        self.sentence = self.message.format(**values) if values else self.message
        super().__init__(self.text)

    @property
    def text(self) -> str:
        """The sentence a client reads: the catalogue's, then which field and why."""
        return f"{self.sentence}: {self.detail}" if self.detail else self.sentence


class InvalidParameters(CatalogueError):
    code, message = 40000, "Invalid request parameters"
    remedy = "Check the names, types and formats of the parameters named."


class IdempotencyInProgress(InvalidParameters):
    status = 409
    message = "A request with this Idempotency-Key is in progress"
    remedy = "Wait for its answer, then repeat the request to read it."


class MemoryFrozen(InvalidParameters):
    message = "This memory is frozen and cannot be changed"
    remedy = "Leave it as it is, or have it unfrozen first."


class DuplicateMemory(InvalidParameters):
    message = "Another memory says the same"
    remedy = "Change or delete the memory that the message names."


class MemoryBeingRefined(InvalidParameters):
    status = 409
    message = "This memory is still being refined"
    remedy = "Wait for its task, then change the memories that were made of it."


class CorrectionNotLast(InvalidParameters):
    message = "What this correction led to was changed since"
    remedy = "Revert the later correction first, or tell the knowledge base what holds now."


class Conflict(InvalidParameters):
    status = 409
    message = "This contradicts what is there already"
    remedy = "Look at what is there first; what the message names is taken."


class LastOwner(InvalidParameters):
    message = "An account needs an owner"
    remedy = "Make another member an owner first, or delete the account."


class InvitationClosed(InvalidParameters):
    message = "This invitation was used, revoked or is past its time"
    remedy = "Ask the person who invited you for a new one."


class MethodNotAllowed(InvalidParameters):
    status = 405
    message = "Method not allowed"
    remedy = "Use the HTTP method that the API reference names for this address."


class NotFound(CatalogueError):
    code, message = 40001, "Requested data not found"
    remedy = "Check that the id is one this project's API returned."


class UnknownRoute(NotFound):
    status = 404
    message = "Unknown API address"
    remedy = "Check the path against the API reference."


class RequiredFieldEmpty(CatalogueError):
    code, message = 40002, "Required field cannot be empty"
    remedy = "Provide the field named, with a value."


class EmptyList(CatalogueError):
    code, message = 40003, "Field is empty"
    remedy = "Put at least one item into the list or object named."


class UnsupportedType(CatalogueError):
    code, message = 40006, "Unsupported type"
    remedy = "Use one of the documented values."


class UnsupportedFileType(CatalogueError):
    code, message = 40007, "Unsupported file type"
    remedy = "Upload .pdf, .docx, .doc, .txt, .json, .md, .xml, .html, .csv, .xlsx or .pptx."


class InvalidBase64Content(CatalogueError):
    code, message = 40008, "Invalid Base64 content"
    remedy = "Check the Base64 text for letters outside its alphabet."


class InvalidBase64Format(CatalogueError):
    code, message = 40009, "Invalid Base64 format"
    remedy = "Check the padding, or the form of the data URL."


class UserIdTooLong(CatalogueError):
    code, message = 40010, "User ID too long"
    remedy = "Use at most 100 characters."


class ConversationIdTooLong(CatalogueError):
    code, message = 40011, "Conversation ID too long"
    remedy = "Use a short id of at most 100 characters; never put text or JSON into it."


class RelativityOutOfRange(CatalogueError):
    code, message = 40012, "relativity must be between 0 and 1"
    remedy = "Send a number from 0 (no threshold) to 1."


class TooManyMessages(CatalogueError):
    code, message = 40013, "Too many messages in one request"
    remedy = "Split the conversation and send it in several requests."


class InvalidProject(CatalogueError):
    """Reserved by the contract, never sent: a key names its project."""

    is_sent = False
    code, message = 40020, "Invalid Project ID"
    remedy = "Check the project id."


class KeyRequired(CatalogueError):
    code, status, message = 40100, 401, "API key authentication required"
    remedy = "Send the header `Authorization: Token mpg-...`."


class KeyForbidden(CatalogueError):
    code, status, message = 40103, 401, "This API key cannot access the project"
    remedy = "Use a key that belongs to the project."


class KeyMalformed(CatalogueError):
    code, status, message = 40130, 401, "API key authentication required"
    remedy = "Write the header as `Authorization: Token mpg-...`: the word Token, a blank, the key."


class KeyInvalid(CatalogueError):
    code, status, message = 40132, 401, "Invalid or expired API key"
    remedy = "Copy the key again from the API keys page, or create a new one."


class ScopeMissing(KeyInvalid):
    message = "This API key may not do that"
    remedy = "Create a key with the scope that the message names on the API keys page, and use that one here."


class RateLimited(CatalogueError):
    code, status, message = 40300, 429, "Rate limit exceeded"
    remedy = "Wait as long as Retry-After says, then repeat."


class ChatRequestQuotaExceeded(CatalogueError):
    code, message = 40301, "Chat request token quota exceeded"
    remedy = "Reduce the input or choose a larger plan."


class ChatResponseQuotaExceeded(CatalogueError):
    code, message = 40302, "Chat response token quota exceeded"
    remedy = "Ask for a shorter answer or choose a larger plan."


class ChatTooLong(CatalogueError):
    code, message = 40303, "Chat length exceeds the model's limit"
    remedy = "Reduce the input or the expected output."


class CallQuotaExceeded(CatalogueError):
    code, status, message = 40304, 429, "Total API call quota exceeded"
    remedy = "Wait for the next month or choose a larger plan."


class PlanLimitReached(CallQuotaExceeded):
    # Not 429: nothing changes by waiting, so clients must not be asked to retry.
    status = 400
    message = "The limit of the plan is reached"
    remedy = "Free some of it, or choose a larger plan."


class StorageFull(PlanLimitReached):
    message = "The storage of the plan is used up"
    remedy = (
        "Delete files, messages, memories, skills or sessions for good (what is in the trash counts too),"
        " or choose a larger plan."
    )


class TooManyTokens(CatalogueError):
    code, message = 40305, "Input content exceeds the token limit"
    remedy = "Send less in one request, the most important first."


class DeletionForbidden(CatalogueError):
    code, message = 40306, "delete_memory authentication failed"
    remedy = "Use a key that may delete in the project which holds the memory."


class MemoryUnknown(CatalogueError):
    code, message = 40307, "Memory for deletion does not exist"
    remedy = "Use an id that search/memory or get/memory returned."


class EndUserUnknown(CatalogueError):
    code, message = 40308, "User for deletion does not exist"
    remedy = "Check the user_id: it has written nothing in this project."


class TokenRateExceeded(CatalogueError):
    code, status, message = 40309, 429, "Token usage exceeds the limit per minute"
    remedy = "Slow down bulk imports; repeat after Retry-After seconds."


class InternalError(CatalogueError):
    code, status, message = 50000, 500, "Internal server error"
    remedy = "Repeat the request; if it stays, report the request id."


class OperationFailed(CatalogueError):
    code, status, message = 50002, 503, "Operation failed"
    remedy = "Repeat the request after a while."


class MemoryUnavailable(CatalogueError):
    code, status, message = 50004, 503, "Memory service is temporarily unavailable"
    remedy = "Repeat the request after a while."


class SearchUnavailable(CatalogueError):
    code, status, message = 50005, 503, "Search service is temporarily unavailable"
    remedy = "Repeat the request after a while."


class TooManyFiles(CatalogueError):
    code, message = 50103, "File count exceeds the limit"
    remedy = "Upload at most 20 files at once."


class FileTooLarge(CatalogueError):
    code, message = 50104, "Single file size exceeds the limit"
    remedy = "Upload files of at most 100 MB."


class FilesTooLarge(CatalogueError):
    code, message = 50105, "Total file size exceeds the limit"
    remedy = "Upload at most 300 MB at once."


class InvalidFile(CatalogueError):
    code, message = 50107, "Invalid file format"
    remedy = "Check the file, save it again in the right format."


class KnowledgeBaseUnknown(CatalogueError):
    code, message = 50120, "Knowledge base not found"
    remedy = "Check the knowledgebase_id."


class KnowledgeBaseNotLinked(CatalogueError):
    code, message = 50123, "Knowledge base not linked to this project"
    remedy = "Link the knowledge base to the project, or leave its id out."


class TaskUnknown(CatalogueError):
    code, message = 50131, "Task not found"
    remedy = "Check the task_id."


class AddMemoryFailed(CatalogueError):
    code, status, message = 50143, 500, "Failed to add memory"
    remedy = "Repeat the request after a while."


class AddMessageFailed(CatalogueError):
    code, status, message = 50144, 500, "Failed to add message"
    remedy = "Repeat the request after a while."


class AddFeedbackFailed(CatalogueError):
    """Reserved by the contract, never sent: a feedback is applied by its task, which reports its own errors."""

    is_sent = False
    code, status, message = 50145, 500, "Failed to save feedback and write memory"
    remedy = "Repeat the request after a while."


def list_errors() -> list[type[CatalogueError]]:
    """All errors, one class per code, ordered by code."""
    primary: dict[int, type[CatalogueError]] = {}
    for entry in CatalogueError.__subclasses__():
        primary.setdefault(entry.code, entry)
    return [primary[code] for code in sorted(primary)]
