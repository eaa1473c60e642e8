"""Tasks that people bring to assistants again and again, and how each is begun and ended, in both languages."""

from __future__ import annotations

import re

from skills.induction.daily import DAILY
from skills.induction.frames import Domain, Frame
from skills.induction.office import OFFICE

OTHER = ""


DOMAINS = (*DAILY, *OFFICE)
BY_KEY = {domain.key: domain for domain in DOMAINS}
# The conversation gave the task no name: its skill is called by what was asked for.
UNNAMED = Domain(
    OTHER,
    re.compile("(?!)"),
    Frame(
        "",
        "do it the way the user wants",
        "the user",
        "the user asks for something like it again",
        "Make sure what the user needs this time, and what is different from the last",
        "Show the result, and ask whether it is what the user had in mind",
    ),
    Frame(
        "",
        "按用户的方式完成任务",
        "用户",
        "用户再次提出类似请求时使用",
        "确认用户这次的需求，以及与上次的不同",
        "给出结果，并确认是否符合用户的想法",
    ),
    is_broad=True,
)
_READ = 2_000


def domain_of(key: str) -> Domain:
    return BY_KEY.get(key, UNNAMED)


def domains_in(text: str) -> dict[str, int]:
    """How often a text speaks of each domain, those only that it speaks of."""
    found = {domain.key: len(domain.asks.findall(text[:_READ])) for domain in DOMAINS}
    return {key: count for key, count in found.items() if count}
