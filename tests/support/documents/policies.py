"""A company's policy on software, as knowledge bases of tests hold it: long passages in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from uuid import uuid4

from knowledgebase.bases.bases import create_base
from knowledgebase.models import KnowledgeBase
from memories.engine import get_embedder
from memories.ingest.passages import EmbeddedMemory, Passage, create_passages, place_vectors, show_passages
from memories.models import Memory
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

LIMITS = (
    "Software Procurement Reimbursement Policy > Limits\n"
    "This policy aims to standardize the procurement and reimbursement of software in the company. The procurement"
    " limit for design software is 1000 yuan, applicable to graphic design, video editing and prototypes. The"
    " procurement limit for office software is 800 yuan, applicable to document editing and spreadsheets, with examples"
    " including Office Suite and WPS. The procurement limit for security software is 800 yuan, applicable to antivirus"
    " and firewalls. Software above its limit needs a business reason and a special approval."
)
TRAVEL = (
    "Travel Policy > Allowances\n"
    "The travel allowance is 800 yuan per day. Flights are booked by the office, and hotels by the traveller, who keeps"
    " the receipts for thirty days. Taxis are paid for between the airport and the hotel only, and never at night when"
    " a company car is there. Meals are a part of the allowance."
)
TABLE = (
    "Software Procurement Reimbursement Policy > Annex\n"
    "Category: Design software; Limit: 1000 yuan\n"
    "Category: Office software; Limit: 800 yuan\n"
    "Category: Security software; Limit: 800 yuan\n"
    "Category: Project management software; Limit: 900 yuan\n"
    "Category: Data analysis software; Limit: 1200 yuan\n"
)
LIMITS_ZH = (
    "软件采购报销制度 > 采购限额\n"
    "本制度旨在规范公司各类软件的采购与报销流程，所有软件采购须遵守各类别的金额上限。设计软件的采购上限"
    "为1000元，适用于平面设计、"
    "视频剪辑与原型设计。办公软件的采购上限为800元，适用于文档编辑与表格处理，例如WPS。安全防护软件的采"
    "购上限为800元，适用于杀毒与"
    "防火墙。代码开发软件的采购上限为1500元，适用于集成开发环境。超出上限的软件须说明业务理由并经特别审"
    "批，审批通过后方可采购。"
    "所有采购均须符合公司预算与信息安全要求。"
)
TRAVEL_ZH = (
    "差旅制度 > 补贴\n差旅补贴标准为每天800元。机票由行政部统一预订，酒店由出差人自行预订，票据须保留三十天。"
)
ENGLISH, CHINESE = (LIMITS, TRAVEL, TABLE), (LIMITS_ZH, TRAVEL_ZH)


@cache
def embed_passage(text: str) -> list[float]:
    """Long ones that many tests share."""
    return get_embedder().embed_passages([text])[0]


def create_base_with_passages(
    project: Project, passages: Sequence[str], name: str = "Policies"
) -> KnowledgeBase:
    """A base with the passages of one document, as files leave them there."""
    base = create_base(project, name)
    rows = [Passage(number, text, text.partition("\n")[0]) for number, text in enumerate(passages)]
    vectors = [embed_passage(row.text) for row in rows]
    with tenant_scope(project):
        document = uuid4()
        keys = create_passages(base.cube, document, rows)
        embedded = [EmbeddedMemory(*fields) for fields in zip(keys, passages, vectors, strict=True)]
        place_vectors(base.cube, embedded, get_embedder().name)
        show_passages(base.cube, document)
    return base


def held(project: Project, base: KnowledgeBase) -> list[str]:
    """What the base says now."""
    with tenant_scope(project):
        rows = Memory.objects.within(base.cube_id).current().order_by("created_at", "ordinal", "pk")
        return list(rows.values_list("text", flat=True))
