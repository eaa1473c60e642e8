"""Every component in every state, for the people who build pages and for the visual test."""

from __future__ import annotations

from datetime import timedelta

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from console.pages.monitoring.logs.trace_words import describe_stage
from console.templatetags.console import KINDS, STATUSES
from console.ui.texts.snippets import list_snippets
from console.ui.waterfall import build_stages
from knowledgebase.models import KnowledgeFile
from knowledgebase.values import FileState

TRACE = [
    {"stage": "auth", "at": 0.2, "ms": 0.9, "note": {}},
    {"stage": "validate", "at": 1.2, "ms": 0.4, "note": {}},
    {"stage": "embed", "at": 1.8, "ms": 7.1, "note": {"model": "local"}},
    {"stage": "candidates", "at": 9.0, "ms": 14.6, "note": {"count": 48}},
    {"stage": "rank", "at": 23.9, "ms": 3.3, "note": {"count": 48}},
]
SWATCHES = (
    "bg surface sunken hover line line-strong control text muted accent accent-soft violet-soft amber-soft "
    "teal-soft sky-soft ok-soft bad-soft danger"
).split()


class ExampleForm(forms.Form):
    name = forms.CharField(help_text="Shown in lists.")
    description = forms.CharField(widget=forms.Textarea, required=False)
    expires = forms.ChoiceField(choices=[("", "Never"), ("30", "In 30 days")], required=False)
    agreed = forms.BooleanField(label="Send me a mail before it expires")


@require_safe
def styleguide(request: HttpRequest) -> HttpResponse:
    if not (settings.DEBUG or request.user.is_staff):
        raise Http404
    context = {
        "swatches": SWATCHES,
        "kinds": list(KINDS),
        "statuses": list(STATUSES),
        "files": [KnowledgeFile(state=state, fragments_done=34, fragments_total=120) for state in FileState],
        "codes": [(0, 200), (40002, 400), (40132, 401), (50004, 503)],
        "moment": timezone.now() - timedelta(minutes=7),
        "form": ExampleForm(),
        "wrong_form": ExampleForm({"name": "", "agreed": ""}),
        "snippets": list_snippets("search"),
        "stages": build_stages(TRACE, 28.0, describe_stage),
        "json": '{"code": 0, "data": {"memory_detail_list": [{"relativity": 0.87}]}, "message": "ok"}',
    }
    return render(request, "console/help/styleguide/page.html", context)
