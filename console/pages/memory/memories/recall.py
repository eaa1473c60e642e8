"""Would this question recall this memory? Each gate of the search answers, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from console.templatetags.console import STATUSES
from memories.models import Memory
from memories.retrieval.browse.recalls import LOOKED_AT, list_recent_recalls
from memories.retrieval.explain_search import Gate, explain_search
from memories.retrieval.queries.query import SearchQuery
from memories.settings.search_defaults import SearchDefaults
from memories.values import SUBJECT_KINDS, OwnerKind, Subject
from tenancy.models import Project

LONGEST_QUESTION = 2_000
# Searches leave tools out unless they ask for them; then they get so many, if the project does not say otherwise.
TOOLS = 6
# A shared memory is looked for as its conversation's user would: any user may find it.
ANYBODY = Subject(OwnerKind.END_USER, "")


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """One gate as a person reads it. `has_passed` is None for gates that were not reached."""

    title: str
    has_passed: bool | None
    words: str
    parts: list[tuple[str, float]]


def recall_context(project: Project, opened: Memory, question: str) -> dict[str, Any]:
    """The requests that returned it; the gates are empty without a question."""
    question = question.strip()[:LONGEST_QUESTION]
    requests = {"requests": list_recent_recalls(project, opened), "looked_at": LOOKED_AT}
    if not question:
        return requests | {"question": "", "gates": [], "is_recalled": False}
    limits = {"tools": TOOLS} | SearchDefaults.of(project).as_setting()
    query = SearchQuery(_get_subject(opened), question, knowledge_bases=_list_bases(opened), **limits)
    gates = [_explain_gate(gate) for gate in explain_search(project, query, opened.pk)]
    return requests | {
        "question": question,
        "gates": gates,
        "is_recalled": all(gate.has_passed for gate in gates),
    }


def _get_subject(opened: Memory) -> Subject:
    kind = opened.cube.owner_kind
    if kind in SUBJECT_KINDS:
        return Subject(OwnerKind(kind), opened.cube.owner_id)
    return ANYBODY


def _list_bases(opened: Memory) -> tuple[str, ...]:
    """A search reads the knowledge base that it names."""
    is_shared = opened.cube.owner_kind == OwnerKind.KNOWLEDGE_BASE
    return (opened.cube.owner_id,) if is_shared else ()


def _explain_gate(gate: Gate) -> GateAnswer:
    title, words = _GATES[gate.name]
    parts = sorted(gate.why.get("parts", {}).items(), key=lambda part: -abs(part[1]))
    relevant = [(PARTS[name]().strip(), value) for name, value in parts if abs(value) >= 0.05]
    return GateAnswer(title(), gate.has_passed, words(gate) if gate.has_passed is not None else "", relevant)


def _explain_owner(gate: Gate) -> str:
    return "" if gate.has_passed else _("It belongs to a user that this search does not read.")


def _explain_kind(gate: Gate) -> str:
    return "" if gate.has_passed else _("Searches of this form do not ask for this kind.")


def _explain_status(gate: Gate) -> str:
    if gate.has_passed:
        return ""
    label = STATUSES[gate.why["status"]][0]
    return _("Only active and frozen memories are recalled. This one: %(status)s.") % {"status": label}


def _explain_time(gate: Gate) -> str:
    if "expires_on" in gate.why:
        return _("Its last day is over.")
    if "valid_until" not in gate.why:
        return _("It is current.")
    if gate.has_passed:
        return _("It is outdated, but the question is about the past.")
    return _("It is outdated, and the question is not about the past.")


def _explain_nothing(gate: Gate) -> str:
    return ""


def _explain_candidates(gate: Gate) -> str:
    if gate.has_passed:
        return _("One of %(candidates)s candidates.") % gate.why
    return _("Not among the best by meaning or by words, which are all that is scored here.")


def _explain_relativity(gate: Gate) -> str:
    return _("%(relativity).2f, and %(threshold).2f is needed. Place %(place)s of %(of)s.") % gate.why


def _repeats(gate: Gate) -> str:
    return "" if gate.has_passed else _("A better-placed memory says the same.")


def _explain_diversity(gate: Gate) -> str:
    return (
        ""
        if gate.has_passed
        else _("Too close to better-placed memories, or longer than others that are as good.")
    )


def _describe_limit(gate: Gate) -> str:
    return _("Rank %(place)s of %(passing)s that passed; the limit is %(limit)s.") % gate.why


_GATES: dict[str, tuple[Callable[[], str], Callable[[Gate], str]]] = {
    "owner": (lambda: _("Owner"), _explain_owner),
    "kind": (lambda: _("Kind"), _explain_kind),
    "status": (lambda: _("Status"), _explain_status),
    "time": (lambda: _("Validity"), _explain_time),
    "filter": (lambda: _("Filter"), _explain_nothing),
    "candidates": (lambda: _("Candidates"), _explain_candidates),
    "relativity": (lambda: _("Relativity"), _explain_relativity),
    "repeats": (lambda: _("Repeats"), _repeats),
    "diversity": (lambda: _("Diversity"), _explain_diversity),
    "limit": (lambda: _("Limit"), _describe_limit),
}
# What adds to the logistic of the relativity, or takes from it.
PARTS: dict[str, Callable[[], str]] = {
    "meaning": lambda: _("Meaning"),
    "question": lambda: _("Kind of question"),
    "context": lambda: _("Surrounding lines"),
    "words": lambda: _("Matching words"),
    "speaker": lambda: _("Speaker named"),
    "dates": lambda: _("Date named"),
    "date": lambda: _("Date named"),
    "length": lambda: _("Length"),
    "conversation": lambda: _("Same conversation"),
    "recency": lambda: _("Recency"),
    "assistant": lambda: _("Only the assistant said it"),
    "confidence": lambda: _("Doubt"),
    "topic": lambda: _("Present topic"),
    "subject": lambda: _("No person in the question"),
    "state": lambda: _("Shows what is requested"),
    "corrected": lambda: _("Corrected by people"),
    "then": lambda: _("Held at that time"),
    "filter": lambda: _("Chosen by the filter"),
    "relative": lambda: _("Relative never mentioned"),
    "rival": lambda: _("Another of its kind is meant"),
    "value": lambda: _("Required value missing"),
    "health": lambda: _("Health matters here"),
    "reference": lambda: _("Names the reference"),
    "superseded": lambda: _("Replaced later"),
}
