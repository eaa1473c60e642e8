"""The form in which members edit a memory."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.pages.shell.explain_codes import describe_failure
from memories.api.serializers.amend import MAX_CONTENT, MAX_TITLE
from memories.api.serializers.fields import MAX_ID
from memories.api.serializers.messages import MAX_INFO
from memories.consolidation.tool_memories import TOOLS
from memories.lifecycle.edit import Amendment
from memories.models import Memory
from memories.values import MemoryKind, MemoryStatus
from tenancy.api.bodies.parsing import parse_object
from tenancy.errors import InvalidParameters

MOST_TAGS = 100
LONGEST_REASON = 180  # it stands in quotation marks behind "updated by hand"
# The parser of requests speaks of their bodies.
WORDS_OF_PARSER = ("The body", "This")
# What these say is written by their tools or kept by their skill.
WITHOUT_TEXT = frozenset({*TOOLS, MemoryKind.SKILL})


class MemoryForm(forms.Form):
    """The fields of a memory that a member may change."""

    text = forms.CharField(
        label=gettext_lazy("Value"),
        max_length=MAX_CONTENT,
        widget=forms.Textarea(attrs={"rows": 5, "autocomplete": "off"}),
    )
    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=MAX_TITLE,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    tags = forms.CharField(
        label=gettext_lazy("Tags"),
        required=False,
        help_text=gettext_lazy("One tag on each line."),
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}),
    )
    info = forms.CharField(
        label=gettext_lazy("Info"),
        required=False,
        help_text=gettext_lazy("A JSON object to filter by."),
        widget=forms.Textarea(attrs={"rows": 3, "class": "mono", "spellcheck": "false", "data-json": ""}),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_REASON,
        required=False,
        help_text=gettext_lazy("Shown in the history."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    seen = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    def clean_text(self) -> str:
        return str(self.cleaned_data["text"]).replace("\r\n", "\n")

    def clean_tags(self) -> tuple[str, ...]:
        tags = dict.fromkeys(line.strip() for line in self.cleaned_data["tags"].splitlines() if line.strip())
        if len(tags) > MOST_TAGS:
            raise forms.ValidationError(_("At most %(count)s tags.") % {"count": MOST_TAGS})
        if any(len(tag) > MAX_ID for tag in tags):
            raise forms.ValidationError(_("A tag has at most %(count)s characters.") % {"count": MAX_ID})
        return tuple(tags)

    def clean_info(self) -> dict[str, Any]:
        text = self.cleaned_data["info"].strip()
        try:
            info = parse_object(text.encode(errors="surrogatepass")) if text else {}
        except InvalidParameters as refusal:
            raise forms.ValidationError(describe_failure(refusal).replace(*WORDS_OF_PARSER)) from None
        if len(json.dumps(info)) > MAX_INFO:
            raise forms.ValidationError(_("At most %(count)s characters of JSON.") % {"count": MAX_INFO})
        return info

    def build_amendment(self, memory: Memory) -> Amendment:
        """A title or tags that were left as they are follow the new text."""
        sent = self.cleaned_data
        return Amendment(
            memory_id=str(memory.pk),
            text=sent.get("text"),
            title=sent["title"] if sent["title"] != memory.title else None,
            tags=sent["tags"] if list(sent["tags"]) != memory.tags else None,
            info=sent["info"],
            seen=sent["seen"],
            reason=sent["reason"],
        )


def build_form(memory: Memory, sent: Any = None) -> MemoryForm:
    """The form with what is saved, or with what was sent."""
    saved = {
        "text": memory.text,
        "title": memory.title,
        "tags": "\n".join(memory.tags),
        "info": json.dumps(memory.info, indent=2, ensure_ascii=False) if memory.info else "",
        "seen": memory.version,
    }
    form = MemoryForm(sent, initial=saved, auto_id="memory-%s")
    if not has_editable_text(memory):
        del form.fields["text"]
    for name in form.fields.keys() & saved.keys() - {"seen"}:
        form.fields[name].widget.attrs["data-compare"] = saved[name]
    form.fields["info"].widget.attrs["data-say-json"] = _("This is not a JSON object.")
    form.fields["text" if "text" in form.fields else "title"].widget.attrs["autofocus"] = True
    return form


def has_editable_text(memory: Memory) -> bool:
    return memory.kind not in WITHOUT_TEXT


def edit_hint(memory: Memory) -> str:
    """Return why the memory cannot be edited as it is now; "" when it can."""
    if memory.status == MemoryStatus.FROZEN:
        return _("Unfreeze the memory to edit it.")
    if memory.is_raw:
        return _("This memory is still being refined.")
    return ""
