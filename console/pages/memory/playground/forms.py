"""What the playground asks for: the fields of `search/memory`, blank where the project's settings decide."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.pages.shell.explain_codes import describe_failure
from memories.retrieval.queries.filters import parse_filter
from memories.settings.search_defaults import MOST_ITEMS
from tenancy.errors import CatalogueError

LONGEST_QUESTION, LONGEST_FILTER = 8_000, 4_000
FLAGS = ("include_preference", "include_tool_memory", "include_skill")
SWITCHES = (*FLAGS, "compare")
CHAT_FIELDS = (
    "user_id",
    "query",
    "conversation_id",
    "filter",
    "knowledgebase_ids",
    "include_preference",
    "include_tool_memory",
    "memory_limit_number",
    "preference_limit_number",
    "tool_memory_limit_number",
    "relativity",
)
# Of chats that name no conversation, which the API wants: nothing is stored in it.
CHAT_CONVERSATION = "playground"
OTHER = "other_"
LIMITS = (
    "memory_limit_number",
    "preference_limit_number",
    "tool_memory_limit_number",
    "skill_limit_number",
)


def _build_limit_field(label: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=0, max_value=MOST_ITEMS, required=False)


class SearchForm(forms.Form):
    """One search. `bases` are the linked knowledge bases as (id, name)."""

    user_id = forms.CharField(
        label=gettext_lazy("End user"),
        max_length=100,
        widget=forms.TextInput(attrs={"list": "play-users", "autocomplete": "off"}),
    )
    query = forms.CharField(
        label=gettext_lazy("Question"), max_length=LONGEST_QUESTION, widget=forms.Textarea(attrs={"rows": 3})
    )
    conversation_id = forms.CharField(label=gettext_lazy("Conversation"), max_length=100, required=False)
    filter = forms.CharField(
        label=gettext_lazy("Filter (JSON)"),
        max_length=LONGEST_FILTER,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "class": "mono", "spellcheck": "false"}),
    )
    knowledgebase_ids = forms.MultipleChoiceField(
        label=gettext_lazy("Knowledge bases"), required=False, widget=forms.CheckboxSelectMultiple
    )
    include_preference = forms.BooleanField(label=gettext_lazy("Preferences"), required=False, initial=True)
    include_tool_memory = forms.BooleanField(label=gettext_lazy("Tool memories"), required=False)
    include_skill = forms.BooleanField(label=gettext_lazy("Skills"), required=False)
    memory_limit_number = _build_limit_field(gettext_lazy("Facts"))
    preference_limit_number = _build_limit_field(gettext_lazy("Preferences"))
    tool_memory_limit_number = _build_limit_field(gettext_lazy("Tool memories"))
    skill_limit_number = _build_limit_field(gettext_lazy("Skills"))
    relativity = forms.FloatField(
        label=gettext_lazy("Relativity"),
        min_value=0,
        max_value=1,
        required=False,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )
    compare = forms.BooleanField(label=gettext_lazy("Compare with other settings"), required=False)
    other_relativity = forms.FloatField(
        label=gettext_lazy("Relativity"),
        min_value=0,
        max_value=1,
        required=False,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )
    other_memory_limit_number = _build_limit_field(gettext_lazy("Facts"))
    other_preference_limit_number = _build_limit_field(gettext_lazy("Preferences"))

    def __init__(
        self, data: Any = None, *, bases: list[tuple[str, str]], initial: dict[str, Any] | None = None
    ) -> None:
        super().__init__(data, initial=initial, auto_id="play_%s")
        self.fields["knowledgebase_ids"].choices = bases  # type: ignore[attr-defined]

    def clean_filter(self) -> Any:
        text = self.cleaned_data["filter"]
        if not text:
            return None
        try:
            narrowed = json.loads(text, parse_constant=_refuse_constant)
            json.dumps(narrowed, ensure_ascii=False).encode()  # half a character is none
        except ValueError as error:
            raise forms.ValidationError(_("This is not JSON: %(fault)s.") % {"fault": error}) from None
        except RecursionError:
            raise forms.ValidationError(_("This filter is nested too deeply.")) from None
        try:
            parse_filter(narrowed)
        except CatalogueError as refusal:
            raise forms.ValidationError(describe_failure(refusal)) from None
        return narrowed

    def body(self) -> dict[str, Any]:
        """The body of `search/memory`, without what is left to the project's settings."""
        sent = self.cleaned_data
        named = ("user_id", "query", "conversation_id", "filter", "knowledgebase_ids")
        body = {name: sent[name] for name in named if sent[name]}
        body |= {name: sent[name] for name in FLAGS}
        return body | {name: sent[name] for name in (*LIMITS, "relativity") if sent[name] is not None}

    def build_chat_body(self) -> dict[str, Any]:
        """The body of `chat`: of a turn that is not remembered."""
        body = {name: value for name, value in self.body().items() if name in CHAT_FIELDS}
        return {"conversation_id": CHAT_CONVERSATION} | body | {"add_message_on_answer": False}

    def bodies(self) -> list[dict[str, Any]]:
        """The search, and to compare with it the same with the other settings; blank ones are as in the first."""
        if not self.cleaned_data["compare"]:
            return [self.body()]
        others = {
            name.removeprefix(OTHER): value
            for name, value in self.cleaned_data.items()
            if name.startswith(OTHER) and value is not None
        }
        return [self.body(), self.body() | others]


def _refuse_constant(name: str) -> None:
    """Python reads NaN and Infinity, which JSON has not."""
    raise ValueError(name)


def parse_initial_values(asked: QueryDict) -> dict[str, Any]:
    """The values that an address holds, as text: nothing runs by them, so the form checks them when it is sent."""
    if not asked:
        return {}
    values: dict[str, Any] = {
        name: asked.get(name, "")
        for name in SearchForm.base_fields
        if name not in SWITCHES and name != "knowledgebase_ids"
    }
    flags = {name: asked.get(name) == "on" for name in SWITCHES}
    return values | flags | {"knowledgebase_ids": asked.getlist("knowledgebase_ids")}


def build_query_string(sent: QueryDict) -> str:
    """The same values as the query of an address."""
    query = sent.copy()
    for name in list(query):
        if name not in SearchForm.base_fields or not any(query.getlist(name)):
            del query[name]
    return f"?{query.urlencode()}"
