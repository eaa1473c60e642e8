"""Forms of a project's settings: each reads and writes one section of `Project.settings`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.lifecycle import states
from memories.lifecycle.states import LONGEST_DAYS, Policies
from memories.retrieval.queries.query import DEFAULT_RELATIVITY
from memories.settings import extraction, search_defaults, trash
from memories.settings.extraction import LONGEST_WORD, MOST_LETTERS, MOST_WORDS, ExtractionPolicies
from memories.settings.search_defaults import MOST_ITEMS, SearchDefaults
from memories.settings.trash import TrashPolicies
from tenancy.errors import InvalidParameters
from tenancy.models import Project, User
from tenancy.projects import log_sharing, viewer_privacy
from tenancy.projects.projects import change_settings
from tenancy.requests import retention_settings
from tenancy.requests.retention_settings import (
    LONGEST_LOG_DAYS,
    LONGEST_MESSAGE_DAYS,
    SHORTEST_MESSAGE_DAYS,
    RetentionPolicies,
)


class SectionForm(forms.Form):
    """`section` is where the project's settings keep what it says."""

    section: ClassVar[str]

    @classmethod
    def kept(cls, project: Project) -> Mapping[str, Any]:
        """Return what the form begins with: what is kept, where nothing stands in for what is not."""
        kept: Mapping[str, Any] = project.settings.get(cls.section, {})
        return kept

    def chosen(self) -> Mapping[str, Any]:
        """Return what is to be kept: what was filled in, where it needs no other shape."""
        return self.cleaned_data

    def save(self, project: Project, actor: User) -> None:
        change_settings(project, self.section, self.chosen(), actor)


class Letters(forms.CharField):
    """Lines as they are counted everywhere else: a browser sends two characters for each end of a line."""

    def __init__(self, *, rows: int, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": rows, "autocomplete": "off"})
        super().__init__(required=False, widget=widget, **options)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(str(value or "").replace("\r\n", "\n").replace("\0", "")) or "")


def _build_number_field(
    label: Any, hint: Any, most: int, *, least: int = 0, unit: Any = "", default: int | None = None
) -> forms.IntegerField:
    is_required = default is None
    field = forms.IntegerField(
        label=label, help_text=hint, min_value=least, max_value=most, required=is_required
    )
    field.widget.attrs |= {"inputmode": "numeric", "autocomplete": "off"}
    if default is not None:
        field.widget.attrs["placeholder"] = str(default)
    field.unit = unit  # type: ignore[attr-defined]  # for the template, which writes it behind the field
    return field


def _build_days_field(label: Any, hint: Any, most: int, *, least: int = 0) -> forms.IntegerField:
    return _build_number_field(label, hint, most, least=least, unit=gettext_lazy("days"))


class LifecycleForm(SectionForm):
    section = states.SETTING
    expire_working_days = _build_days_field(
        gettext_lazy("Expire working memory after"),
        gettext_lazy(
            "Short-term memories that were neither changed nor recalled for this long leave recall."
        ),
        LONGEST_DAYS,
    )
    archive_doubtful_days = _build_days_field(
        gettext_lazy("Archive low-confidence memories after"),
        gettext_lazy("Unrefined memories and those below 50% confidence that no search ever returned."),
        LONGEST_DAYS,
    )
    expire_archived_days = _build_days_field(
        gettext_lazy("Expire archived memories after"),
        gettext_lazy("Counted from the day they were archived."),
        LONGEST_DAYS,
    )

    @classmethod
    def kept(cls, project: Project) -> Mapping[str, Any]:
        return Policies.of(project).as_setting()

    def chosen(self) -> Mapping[str, Any]:
        return Policies(**self.cleaned_data).as_setting()


def _build_items_field(label: Any, default: int) -> forms.IntegerField:
    return _build_number_field(label, "", MOST_ITEMS, default=default)


class SearchForm(SectionForm):
    section = search_defaults.SETTING
    relativity = forms.FloatField(
        label=gettext_lazy("Relativity"),
        help_text=gettext_lazy("The lowest score that is returned, from 0 to 1. Higher returns less."),
        min_value=0,
        max_value=1,
        required=False,
        widget=forms.NumberInput(
            attrs={"step": "0.01", "inputmode": "decimal", "placeholder": str(DEFAULT_RELATIVITY)}
        ),
    )
    facts = _build_items_field(gettext_lazy("Memories"), 9)
    preferences = _build_items_field(gettext_lazy("Preferences"), 9)
    tools = _build_items_field(gettext_lazy("Tool memories"), 6)
    skills = _build_items_field(gettext_lazy("Skills"), 6)

    @classmethod
    def kept(cls, project: Project) -> Mapping[str, Any]:
        return SearchDefaults.of(project).as_setting()

    def chosen(self) -> Mapping[str, Any]:
        return SearchDefaults(**self.cleaned_data).as_setting()


class ExtractionForm(SectionForm):
    section = extraction.SETTING
    instructions = Letters(
        rows=6,
        max_length=MOST_LETTERS,
        label=gettext_lazy("Instructions"),
        help_text=gettext_lazy(
            "What to look for, what to leave out, how to word it. A chat model follows them; the built-in rules"
            " cannot read them. They change neither whose memories these are nor the form of the answer."
        ),
    )
    never = Letters(
        rows=4,
        label=gettext_lazy("Never remember"),
        help_text=gettext_lazy(
            "Words, tags or names, one to a line. Model and rules keep to them: what has all words of a line in it"
            " is not remembered. Messages themselves are stored; files of knowledge bases are not looked through."
        ),
    )

    @classmethod
    def kept(cls, project: Project) -> Mapping[str, Any]:
        policies = ExtractionPolicies.of(project)
        return {"instructions": policies.instructions, "never": "\n".join(policies.never)}

    def clean_never(self) -> tuple[str, ...]:
        lines = [" ".join(line.split()) for line in self.cleaned_data["never"].split("\n")]
        words = tuple(dict.fromkeys(line for line in lines if line))
        try:
            ExtractionPolicies(never=words).as_setting()
        except InvalidParameters as refusal:
            limits = {"lines": MOST_WORDS, "letters": LONGEST_WORD}
            message = (
                _("Up to %(lines)s lines of %(letters)s characters, each with at least one word.") % limits
            )
            raise forms.ValidationError(message) from refusal
        return words

    def chosen(self) -> Mapping[str, Any]:
        return ExtractionPolicies(**self.cleaned_data).as_setting()


class RetentionForm(SectionForm):
    section = retention_settings.SETTING
    request_log_days = _build_days_field(
        gettext_lazy("Keep request logs for"),
        gettext_lazy("Calls with their bodies and traces. Usage is counted apart and stays."),
        LONGEST_LOG_DAYS,
        least=1,
    )
    message_days = _build_days_field(
        gettext_lazy("Keep messages for"),
        gettext_lazy(
            "0 days keeps them permanently, otherwise at least 7. Then text and files are deleted; memories made from "
            "them stay."
        ),
        LONGEST_MESSAGE_DAYS,
    )

    @classmethod
    def kept(cls, project: Project) -> Mapping[str, Any]:
        return RetentionPolicies.of(project).as_setting()

    def clean_message_days(self) -> int:
        days = int(self.cleaned_data["message_days"])
        if 0 < days < SHORTEST_MESSAGE_DAYS:
            least = {"days": SHORTEST_MESSAGE_DAYS}
            raise forms.ValidationError(_("0, or at least %(days)s: late work still reads them.") % least)
        return days

    def chosen(self) -> Mapping[str, Any]:
        return RetentionPolicies(**self.cleaned_data).as_setting()


class TrashForm(SectionForm):
    section = trash.SETTING
    days = _build_days_field(
        gettext_lazy("Keep deleted memories for"),
        gettext_lazy("0 days disables the trash: deletions are immediate. Applies to future deletions."),
        trash.LONGEST_DAYS,
    )
    from_api = forms.BooleanField(
        label=gettext_lazy("API deletes go to the trash too"),
        help_text=gettext_lazy("Otherwise they are permanent immediately. Deleting an end user always is."),
        required=False,
    )

    @classmethod
    def kept(cls, project: Project) -> Mapping[str, Any]:
        return TrashPolicies.of(project).as_setting()

    def chosen(self) -> Mapping[str, Any]:
        return TrashPolicies(**self.cleaned_data).as_setting()


class PrivacyForm(SectionForm):
    section = viewer_privacy.SETTING
    metadata_only = forms.BooleanField(
        label=gettext_lazy("Viewers see metadata only"),
        help_text=gettext_lazy(
            "Who, when, how much and how it went: but no memory, message, document, skill or body of a request, and"
            " they cannot search for words."
        ),
        required=False,
    )

    @classmethod
    def kept(cls, project: Project) -> Mapping[str, Any]:
        return {"metadata_only": viewer_privacy.is_private(project)}

    def chosen(self) -> Mapping[str, Any]:
        return viewer_privacy.as_setting(**self.cleaned_data)


class SharingForm(SectionForm):
    section = log_sharing.SETTING
    public_links = forms.BooleanField(
        label=gettext_lazy("Allow public links to requests"),
        help_text=gettext_lazy(
            "Members can then create a link to one request that anybody may open for seven days. It shows endpoint,"
            " code and timing: no bodies and no ids of end users. Turning this off ends all links."
        ),
        required=False,
    )

    @classmethod
    def kept(cls, project: Project) -> Mapping[str, Any]:
        return {"public_links": log_sharing.allows_links(project)}

    def chosen(self) -> Mapping[str, Any]:
        return log_sharing.as_setting(**self.cleaned_data)

    def save(self, project: Project, actor: User) -> None:
        log_sharing.allow_links(project, actor, allowed=self.cleaned_data["public_links"])
