"""Describe a trace: what each stage did, and why a search returned nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from console.templatetags.console import num
from console.ui.texts.api_words import translate_detail

STAGES: dict[str, Any] = {
    "limit": gettext_lazy("Check rate limit"),
    "auth": gettext_lazy("Authenticate the key"),
    "parse": gettext_lazy("Parse the body"),
    "validate": gettext_lazy("Validate the body"),
    "tokens": gettext_lazy("Count tokens"),
    "quota": gettext_lazy("Check quota"),
    "understand": gettext_lazy("Read the question"),
    "embed": gettext_lazy("Embed the text"),
    "rewrite": gettext_lazy("Reword the question"),
    "candidates": gettext_lazy("Gather candidates"),
    "words": gettext_lazy("Compare words"),
    "rank": gettext_lazy("Score candidates"),
    "rerank": gettext_lazy("Rerank by a model"),
    "cut": gettext_lazy("Choose memories"),
    "load": gettext_lazy("Load memories"),
    "profiles": gettext_lazy("Read profiles"),
    "profile": gettext_lazy("Read the profile"),
    "skills": gettext_lazy("Read the skills"),
    "history": gettext_lazy("Read the conversation"),
    "search": gettext_lazy("Search memories"),
    "overview": gettext_lazy("List what is known"),
    "prompt": gettext_lazy("Build the prompt"),
    "model": gettext_lazy("Ask the model"),
    "extract": gettext_lazy("Extract memories"),
    "files": gettext_lazy("Receive files"),
    "store": gettext_lazy("Store"),
    "wait": gettext_lazy("Wait for the worker"),
    "settle": gettext_lazy("Settle the charge"),
    "log": gettext_lazy("Write the log"),
}


def describe_stage(stage: Mapping[str, Any]) -> tuple[str, str]:
    """Title of a stage, and its counts and reasons in words; counts of nothing are left out."""
    name, note = str(stage["stage"]), stage.get("note")
    title = str(STAGES.get(name, name))
    if not isinstance(note, Mapping):
        return title, str(note or "")
    parts = [_describe_note(key, value) for key, value in note.items()]
    return title, " · ".join(part for part in parts if part)


def describe_verdict(trace: Iterable[Mapping[str, Any]]) -> str:
    """Describe why a search returned no memory: the gate at which the last candidate stopped. Empty where some were
    returned, or where nothing was searched."""
    notes = {str(stage["stage"]): stage.get("note") or {} for stage in trace}
    gathered, cut = notes.get("candidates"), notes.get("cut")
    if not isinstance(gathered, Mapping) or not isinstance(cut, Mapping) or "candidates" not in gathered:
        return ""
    count = int(gathered["candidates"])
    if count == 0:
        return _explain_no_candidate(gathered)
    if count > int(cut.get("below_threshold", 0)) + int(cut.get("not_ranked", 0)):
        return ""
    best = [score for score in notes.get("rank", {}).get("best", []) if score is not None]
    if not best:
        return ""
    values = {"best": num(max(best), 2), "threshold": num(cut.get("threshold"), 2)}
    if cut.get("threshold") is None:
        return _("Nothing recalled: stopped at Relativity (best score %(best)s).") % values
    return _("Nothing recalled: stopped at Relativity (%(best)s < %(threshold)s).") % values


def _explain_no_candidate(gathered: Mapping[str, Any]) -> str:
    reasons = [
        _describe_note(name, gathered.get(name)) for name in ("other_kind", "no_longer_true", "filtered_out")
    ]
    shown = " · ".join(reason for reason in reasons if reason)
    if shown:
        return _("Nothing recalled: no memory was a candidate (%(reasons)s).") % {"reasons": shown}
    return _("Nothing recalled: nothing is remembered of this end user yet.")


def _describe_note(name: str, value: Any) -> str:
    if value in (None, 0, "", [], {}):
        return ""
    if name in _COUNTS and isinstance(value, int | float):
        return _COUNTS[name](int(value))
    if name in _TEXTS:
        return _TEXTS[name](value)
    shown = ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)
    return f"{name.replace('_', ' ')}: {shown}"


_COUNTS: dict[str, Callable[[int], str]] = {
    "candidates": lambda n: ngettext("%(count)s candidate", "%(count)s candidates", n) % {"count": num(n)},
    "count": lambda n: ngettext("%(count)s candidate", "%(count)s candidates", n) % {"count": num(n)},
    "other_kind": lambda n: _("%(count)s of another kind") % {"count": num(n)},
    "no_longer_true": lambda n: _("%(count)s no longer true") % {"count": num(n)},
    "filtered_out": lambda n: _("%(count)s excluded by the filter") % {"count": num(n)},
    "of_knowledge_bases": lambda n: _("%(count)s from knowledge bases") % {"count": num(n)},
    "not_ranked": lambda n: _("%(count)s too far from the question to be ranked") % {"count": num(n)},
    "below_threshold": lambda n: _("%(count)s stopped at Relativity") % {"count": num(n)},
    "repeats": lambda n: _("%(count)s say the same as a better one") % {"count": num(n)},
    "over_limit": lambda n: _("%(count)s over the limit") % {"count": num(n)},
    "for_diversity": lambda n: _("%(count)s too close to a better one") % {"count": num(n)},
    "kept_for_own": lambda n: _("%(count)s places kept for the user's own memories") % {"count": num(n)},
    "read": lambda n: _("%(count)s read from the database") % {"count": num(n)},
    "messages": lambda n: ngettext("%(count)s message", "%(count)s messages", n) % {"count": num(n)},
    "files": lambda n: ngettext("%(count)s file", "%(count)s files", n) % {"count": num(n)},
    "skills": lambda n: ngettext("%(count)s skill", "%(count)s skills", n) % {"count": num(n)},
    "fields": lambda n: ngettext("%(count)s field", "%(count)s fields", n) % {"count": num(n)},
    "hits": lambda n: ngettext("%(count)s memory", "%(count)s memories", n) % {"count": num(n)},
    "memories": lambda n: ngettext("%(count)s memory", "%(count)s memories", n) % {"count": num(n)},
    "drafts": lambda n: ngettext("%(count)s memory", "%(count)s memories", n) % {"count": num(n)},
    "total": lambda n: _("%(count)s in all") % {"count": num(n)},
    "tokens": lambda n: ngettext("%(count)s token", "%(count)s tokens", n) % {"count": num(n)},
    "characters": lambda n: ngettext("%(count)s character", "%(count)s characters", n) % {"count": num(n)},
    "prompt_tokens": lambda n: _("%(count)s tokens in the prompt") % {"count": num(n)},
    "cached_tokens": lambda n: _("%(count)s of them from the provider's cache") % {"count": num(n)},
    "stable_characters": lambda n: (
        _("begins with %(count)s characters of the prompt before") % {"count": num(n)}
    ),
    "stable_percent": lambda n: _("%(count)s%% of it unchanged") % {"count": num(n)},
    "wordings": lambda n: ngettext("%(count)s wording", "%(count)s wordings", n) % {"count": num(n)},
    "texts": lambda n: ngettext("%(count)s text", "%(count)s texts", n) % {"count": num(n)},
    "documents": lambda n: ngettext("%(count)s document", "%(count)s documents", n) % {"count": num(n)},
    "quotes": lambda n: (
        ngettext("%(count)s memory quoted", "%(count)s memories quoted", n) % {"count": num(n)}
    ),
    "memories_left_out": lambda n: (
        ngettext("%(count)s memory left out", "%(count)s memories left out", n) % {"count": num(n)}
    ),
    "messages_left_out": lambda n: (
        ngettext("%(count)s message left out", "%(count)s messages left out", n) % {"count": num(n)}
    ),
    "left": lambda n: _("%(count)s calls left") % {"count": num(n)},
}


def _format_best_score(value: Any) -> str:
    scores = [score for score in value if score is not None] if isinstance(value, list) else []
    return _("best score %(score)s") % {"score": num(max(scores), 2)} if scores else ""


def _format_time_left(value: Any) -> str:
    known = {"plenty": _("far from the limit"), "any": _("no limit")}
    return known.get(str(value), str(value))


def _format_language(value: Any) -> str:
    return {"en": _("in English"), "zh": _("in Chinese")}.get(str(value), str(value))


def _format_time_target(value: Any) -> str:
    return _("about the past") if str(value) == "before" else ""


def _format_bases_searched(value: Any) -> str:
    """Each base is read whole, or its best by meaning and by words, either of which may fail to narrow anything."""
    known = {
        "all": _("all rows"),
        "capped": _("capped"),
        "meaning": _("meaning"),
        "words": _("words"),
        "index": _("index"),
        "exact": _("exact"),
        "index, then exact": _("index, then exact"),
        "no vector": _("no vector"),
        "not indexed": _("not indexed"),
        "too common": _("too common"),
    }
    ways = value if isinstance(value, list) else [value]
    named = [": ".join(known.get(part, part) for part in str(way).split(": ")) for way in ways]
    return _("bases searched by: %(ways)s") % {"ways": ", ".join(named)}


def _format_end(value: Any) -> str:
    known = {"cut short": _("cut short"), "left alone": _("the client left before the end")}
    return str(known.get(str(value), value))


_TEXTS: dict[str, Callable[[Any], str]] = {
    "best": _format_best_score,
    "left": _format_time_left,
    "language": _format_language,
    "time_target": _format_time_target,
    "threshold": lambda value: _("at least %(threshold)s is needed") % {"threshold": num(value, 2)},
    "model": lambda value: _("model %(name)s") % {"name": value},
    "engine": lambda value: _("engine %(name)s") % {"name": value},
    "extracted_by": lambda value: _("extracted by %(name)s") % {"name": value},
    "bases_searched_by": _format_bases_searched,
    "ended": _format_end,
    "replaced_by": lambda value: _("the model failed; answered by %(name)s") % {"name": value},
    "unavailable": lambda value: _("not available, went on without it"),
    "calibrated": lambda value: "",
    "trouble": lambda value: _("failed: %(reason)s") % {"reason": translate_detail(str(value))},
    "project_defaults": lambda value: _("defaults of the project: %(names)s") % {"names": value},
}
