"""Views that call engines and store nothing: extraction without memory, and reranking."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers.models import ExtractBody, RerankBody
from memories.ingest.preview import extract_only
from memories.retrieval.rerank_documents import rerank_documents
from memories.values import Draft, MemoryKind
from tenancy.api.base import ContractView
from tenancy.metering.count_tokens import count_tokens
from tenancy.metering.meters import Meter


class ExtractView(ContractView):
    meter = Meter.EXTRACT

    def post(self, request: Request) -> Response:
        body = self.read(ExtractBody)
        messages = body.validated_data["messages"]
        self.charge([message.text for message in messages])
        drafts = extract_only(self.project, messages, body.kinds)
        lists: dict[str, Any] = {"success": True}
        if MemoryKind.FACT in body.kinds:
            lists["memory_detail_list"] = [
                _build_fact(draft) for draft in drafts if draft.kind == MemoryKind.FACT
            ]
        if MemoryKind.PREFERENCE in body.kinds:
            lists["preference_detail_list"] = [
                _build_preference(draft) for draft in drafts if draft.kind == MemoryKind.PREFERENCE
            ]
        return self.answer(lists)


def _build_fact(draft: Draft) -> dict[str, Any]:
    return {
        "memory_key": draft.title,
        "memory_value": draft.text,
        "memory_type": draft.memory_type,
        "tags": list(draft.tags),
    }


def _build_preference(draft: Draft) -> dict[str, Any]:
    return {
        "preference": draft.text,
        "reasoning": draft.reasoning,
        "preference_type": draft.preference_type or "explicit_preference",
    }


class RerankView(ContractView):
    """Rerank documents. A success has no envelope, as the contract has it."""

    meter = Meter.RERANK

    def post(self, request: Request) -> Response:
        sent = self.read(RerankBody).validated_data
        query, documents = sent["query"], sent["documents"]
        self.charge([query, *documents])
        reranked = rerank_documents(self.project, query, documents)
        tokens = count_tokens([query, *documents])
        return Response(
            {
                "id": self.request_id,
                "model": reranked.engine,
                "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
                "results": [
                    {
                        "index": result.index,
                        "document": {"text": documents[result.index]},
                        "relevance_score": round(result.score, 6),
                    }
                    for result in reranked.placed[: sent["top_n"]]
                ],
            }
        )
