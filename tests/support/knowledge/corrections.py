"""Corrections of a knowledge base."""

from __future__ import annotations

from knowledgebase.corrections.corrections import (
    CorrectionWording,
    list_corrections,
    load_correction_wordings,
)
from knowledgebase.models import Correction, KnowledgeBase
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.documents.policies import LIMITS

RIGHT = LIMITS.replace("office software is 800", "office software is 600")
STATED = "The procurement limit for office software is 600 yuan."


def listed(tenant: Tenant, base: KnowledgeBase) -> list[Correction]:
    """The oldest first."""
    with tenant_scope(tenant.project):
        return list(list_corrections(base))[::-1]


def worded(tenant: Tenant, base: KnowledgeBase) -> list[CorrectionWording]:
    with tenant_scope(tenant.project):
        return load_correction_wordings(list(list_corrections(base))[::-1], tenant.project)
