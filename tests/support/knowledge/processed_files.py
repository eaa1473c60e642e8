"""Files at work and their fragments."""

from __future__ import annotations

from knowledgebase.models import Fragment, KnowledgeFile
from tenancy.isolation.scoping import Scope, tenant_scope

POLICY = b"# Travel\n\nTrains are first class.\n\n# Software\n\nA licence costs at most 800 CNY."
RULES = "\n\n".join(f"## Rule {number}\n\nRoom {number} is closed." for number in range(40)).encode()


def list_fragments(file: KnowledgeFile) -> list[Fragment]:
    with tenant_scope(Scope(file.account_id, None)):
        return list(Fragment.objects.within(file.account_id).filter(file=file).select_related("memory"))
