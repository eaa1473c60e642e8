"""What is metered per account and month, and how much of it a plan allows."""

from __future__ import annotations

from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tenancy.models import Plan


class Meter(StrEnum):
    """API calls by kind, and chat tokens. Calls that no plan limits are counted as `OTHER`."""

    ADD = "add/message"
    SEARCH = "search/memory"
    CHAT = "chat"
    FEEDBACK = "add/feedback"
    EXTRACT = "extract/memory"
    RERANK = "rerank"
    FILES = "add/knowledgebase-file"
    SKILLS = "agent_skills"
    CHAT_INPUT = "chat/input-tokens"
    CHAT_OUTPUT = "chat/output-tokens"
    OTHER = "other"


# The column of `Plan` that holds each meter's allowance for a month.
ALLOWANCES = {
    Meter.ADD: "monthly_adds",
    Meter.SEARCH: "monthly_searches",
    Meter.CHAT: "monthly_chats",
    Meter.FEEDBACK: "monthly_feedbacks",
    Meter.EXTRACT: "monthly_extractions",
    Meter.RERANK: "monthly_rerankings",
    Meter.FILES: "monthly_file_uploads",
    Meter.SKILLS: "monthly_skill_uploads",
    Meter.CHAT_INPUT: "monthly_chat_input_tokens",
    Meter.CHAT_OUTPUT: "monthly_chat_output_tokens",
}
NAMES: dict[Meter, Promise] = {
    Meter.ADD: _("Messages added"),
    Meter.SEARCH: _("Searches"),
    Meter.CHAT: _("Chat answers"),
    Meter.FEEDBACK: _("Feedback"),
    Meter.EXTRACT: _("Extractions (dry run)"),
    Meter.RERANK: _("Rerank calls"),
    Meter.FILES: _("Uploads into knowledge bases"),
    Meter.SKILLS: _("Skill uploads"),
    Meter.CHAT_INPUT: _("Chat input tokens"),
    Meter.CHAT_OUTPUT: _("Chat output tokens"),
    Meter.OTHER: _("Other calls"),
}
TOKENS = frozenset({Meter.CHAT_INPUT, Meter.CHAT_OUTPUT})


def get_monthly_allowance(plan: Plan, meter: Meter) -> int | None:
    """The monthly limit of the plan; None for unlimited."""
    column = ALLOWANCES.get(meter)
    allowed: int | None = getattr(plan, column) if column else None
    return allowed
