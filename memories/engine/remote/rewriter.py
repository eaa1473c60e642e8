"""A search's query in other words, by a chat model."""

from __future__ import annotations

import logging

from memories.engine.client.chat import AnswerSchema, ChatModel, ModelRequest
from memories.engine.client.http_json import Deadline
from memories.engine.client.json_answers import ask_for_json
from memories.engine.client.prompt_fence import build_messages, remove_unencodable
from memories.engine.prompts import read_schema
from memories.engine.protocols import MODEL_ERRORS, QueryRewriting

log = logging.getLogger(__name__)

PROMPT = "rewrite-1"
PURPOSE = "rewriting"
MOST = 3
_LONGEST_QUERY, _OUTPUT_TOKENS = 1_000, 400


class RemoteRewriter:
    """Rewrites a search's query with a model; without an answer in time the query stays as it is."""

    def __init__(self, model: ChatModel, seconds: float) -> None:
        self.name = f"{model.name} ({PROMPT})"
        self._model = model
        self._seconds = seconds

    def rewrite(self, query: str) -> QueryRewriting:
        messages = build_messages(PROMPT, {"query": remove_unencodable(query[:_LONGEST_QUERY])})
        question = ModelRequest(
            PURPOSE, messages, AnswerSchema("queries", read_schema(PROMPT)), _OUTPUT_TOKENS
        )
        try:
            queries = ask_for_json(self._model, question, Deadline.after(self._seconds))["queries"]
        except MODEL_ERRORS as error:
            log.warning("query_not_rewritten", extra={"reason": str(error), "provider": self._model.name})
            return QueryRewriting((), str(error))
        return QueryRewriting(_filter_usable(queries, query))


def _filter_usable(queries: list[str], query: str) -> tuple[str, ...]:
    """The first few that say something else than the query, in other letters than its own."""
    known = {query.casefold().strip()}
    kept: list[str] = []
    for text in (" ".join(text.split()) for text in queries):
        if text and len(text) <= _LONGEST_QUERY and text.casefold() not in known and len(kept) < MOST:
            known.add(text.casefold())
            kept.append(text)
    return tuple(kept)
