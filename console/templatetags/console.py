"""Tags that all pages share: dates, counts, ids, icons, badges, code."""

from __future__ import annotations

import json
from datetime import UTC, datetime, time
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django import template
from django.template.loader import render_to_string
from django.utils import numberformat, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from pygments import highlight as pygments_highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from console.ui.texts.api_words import translate_failure, translate_remedy
from console.ui.texts.highlight import get_code_language, highlight_code
from console.ui.texts.markdown import render_markdown
from console.ui.texts.snippets import KEY_SLOT
from tenancy.isolation.private_fields import MASK

register = template.Library()

KINDS: dict[str, tuple[Any, str, str]] = {
    "fact": (gettext_lazy("Fact"), "accent", "bookmark"),
    "preference": (gettext_lazy("Preference"), "violet", "heart"),
    "tool_schema": (gettext_lazy("Tool schema"), "amber", "wrench"),
    "tool_trajectory": (gettext_lazy("Tool run"), "amber", "wrench"),
    "knowledge": (gettext_lazy("Knowledge"), "sky", "book-open"),
    "skill": (gettext_lazy("Skill"), "teal", "graduation-cap"),
    "profile": (gettext_lazy("Profile"), "plain", "user"),
    "event": (gettext_lazy("Event"), "plain", "zap"),
}
STATUSES: dict[str, tuple[Any, str, str]] = {
    "generated": (gettext_lazy("Generated"), "dashed", "circle-dashed"),
    "activated": (gettext_lazy("Activated"), "ok", "circle-check"),
    "merged": (gettext_lazy("Merged"), "violet", "git-merge"),
    "archived": (gettext_lazy("Archived"), "muted", "archive"),
    "expired": (gettext_lazy("Expired"), "bad", "clock"),
    "frozen": (gettext_lazy("Frozen"), "sky", "lock"),
    "deleted": (gettext_lazy("Deleted"), "strike", "trash-2"),
    "replaced": (gettext_lazy("Replaced"), "muted", "history"),
    "active": (gettext_lazy("Active"), "ok", "circle-check"),
    "revoked": (gettext_lazy("Revoked"), "strike", "circle-x"),
    "rotating": (gettext_lazy("Rotating"), "amber", "refresh-cw"),
    "running": (gettext_lazy("Running"), "accent", "loader-circle"),
    "completed": (gettext_lazy("Completed"), "ok", "circle-check"),
    "failed": (gettext_lazy("Failed"), "bad", "circle-x"),
    # How a call of a tool went.
    "success": (gettext_lazy("Succeeded"), "ok", "circle-check"),
    "failure": (gettext_lazy("Failed"), "bad", "circle-x"),
    "pending": (gettext_lazy("No result"), "dashed", "circle-dashed"),
}
OWNERS: dict[str, tuple[Any, str]] = {
    "end_user": (gettext_lazy("End user"), "user"),
    "agent": (gettext_lazy("Agent"), "bot"),
    "app": (gettext_lazy("App"), "app-window"),
    "run": (gettext_lazy("Conversation"), "message-square"),
    "public": (gettext_lazy("Project-public"), "globe"),
    "knowledge_base": (gettext_lazy("Knowledge base"), "book-open"),
}
# An id longer than this is shortened in the middle; the copy button keeps the whole.
ID_SHOWN = 16
# Of a value that a list can be narrowed to so much is said.
FILTER_SHOWN = 60
THEMES = frozenset({"auto", "light", "dark"})
_formatter = HtmlFormatter(nowrap=True)


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """The member's choice of theme from its cookie, so that the first paint is right."""
    request = context.get("request")  # the page of a crashed request has none
    chosen = request.COOKIES.get("theme", "auto") if request else "auto"
    return chosen if chosen in THEMES else "auto"


@register.simple_tag
@lru_cache(maxsize=1000)  # a page shows hundreds, of which few differ
def icon(name: str, classes: str = "") -> SafeString:
    return mark_safe(render_to_string("console/ui/icon.html", {"name": name, "classes": classes}).strip())  # noqa: S308 - ours


@register.inclusion_tag("console/ui/time/when.html")
def when(timestamp: datetime | None, never: str = "–") -> dict[str, Any]:
    return {"timestamp": timezone.localtime(timestamp) if timestamp else None, "never": never}


@register.inclusion_tag("console/ui/time/day_or_when.html")
def day_or_when(timestamp: datetime) -> dict[str, Any]:
    """Return when something was, by what somebody said of it.

    A day without a time is stored as its midnight in UTC, and is the same day for every reader. Shown as a time it
    would be "19 hours ago", and the day before in America.
    """
    utc = timestamp.astimezone(UTC)
    return {"timestamp": timestamp, "day": utc.date() if utc.time() == time.min else None}


@register.simple_tag
def exact_time(timestamp: datetime | None, seconds: bool = False) -> str:
    """Date and time to the minute, in the reader's zone where scripts run; the year only where it is another one.

    For lists whose rows are of one moment, where fifty times "now" would tell nothing; None is a dash. Drawn without a
    template, because long lists hold a hundred.
    """
    if timestamp is None:
        return "–"
    local = timezone.localtime(timestamp)
    return format_html(
        '<relative-time format="datetime" month="short" weekday="" day="numeric" hour="numeric" minute="2-digit"{}'
        ' datetime="{}" title="{}">{}</relative-time>',
        mark_safe(' second="2-digit"') if seconds else "",
        local.isoformat(),
        f"{local:%Y-%m-%d %H:%M:%S} {local.tzname()}",
        f"{local:%Y-%m-%d %H:%M:%S}" if seconds else f"{local:%Y-%m-%d %H:%M}",
    )


@register.filter
def clip(text: str, most: int) -> str:
    """As `truncatechars`, which goes through the characters of short texts too."""
    return text if len(text) <= most else Truncator(text).chars(most)


@register.simple_tag
def failure_words(code: str, message: str) -> str:
    """Return why a task or a file failed, in the reader's language."""
    return translate_failure(code, message)


@register.filter
def remedy_words(remedy: str) -> str:
    return translate_remedy(remedy)


@register.filter
def num(value: float | int | None, digits: int = 0) -> str:
    """A number as both languages of the console write it: Django groups no Chinese ones. Nothing is a dash."""
    if value is None:
        return "–"
    return str(numberformat.format(value, ".", digits, grouping=3, thousand_sep=",", force_grouping=True))


@register.filter
def signed(value: float) -> str:
    """What adds and what takes away, both with their sign."""
    return f"{'+' if value > 0 else '−'}{num(abs(value), 2)}"


@register.filter
def about(count: int, exact_to: int = 10_000) -> str:
    """Counting stops one above `exact_to`: beyond it the page says so."""
    return num(count) if count <= exact_to else _("more than %(count)s") % {"count": num(exact_to)}


@register.filter
def duration(milliseconds: float) -> str:
    if milliseconds >= 1000:
        return _("%(seconds)s s") % {"seconds": num(milliseconds / 1000, 1)}
    digits = 1 if milliseconds < 10 else 0
    return _("%(milliseconds)s ms") % {"milliseconds": num(milliseconds, digits)}


@register.inclusion_tag("console/ui/code/id_chip.html")
def id_chip(value: Any, whole: bool = False) -> dict[str, Any]:
    text = str(value)
    short = text if whole or len(text) <= ID_SHOWN else f"{text[:8]}…{text[-4:]}"
    return {"id": text, "short": short}


@register.simple_tag
def kind_badge(kind: str) -> SafeString:
    return _build_badge(*KINDS[kind])


@register.simple_tag
def status_badge(status: str) -> SafeString:
    if status == MASK:  # of a tool's run, for users who may not read it
        return _build_badge(MASK, "muted", "lock")
    return _build_badge(*STATUSES[status])


@register.simple_tag
def code_badge(code: int, http_status: int) -> SafeString:
    """The outcome of a call: the envelope's code, coloured by whose fault it was."""
    if code == 0:
        return _build_badge(_("OK"), "ok", "circle-check")
    look = ("bad", "circle-x") if http_status >= 500 else ("amber", "circle-alert")
    return _build_badge(str(code), *look)


@register.simple_tag
def subject(owner_kind: str, owner_id: str) -> SafeString:
    label, mark = str(OWNERS[owner_kind][0]), OWNERS[owner_kind][1]
    name = "" if owner_kind == "public" else owner_id
    return format_html(
        '<span class="subject" title="{}">{}<span class="visually-hidden">{}</span><span class="clip">{}</span></span>',
        f"{label}: {name}" if name else label,
        icon(mark),
        label,
        name or label,
    )


@register.filter
def highlight(text: str, language: str) -> SafeString:
    """Coloured code; the key's place becomes a slot that the page can fill."""
    html = pygments_highlight(text, get_lexer_by_name(language, stripnl=False), _formatter)
    slot = format_html('<span class="slot" data-slot="key">{}</span>', KEY_SLOT)
    return mark_safe(html.replace(KEY_SLOT, slot))  # noqa: S308 - Pygments escapes, the slot is ours


@register.filter
def pretty(body: str) -> SafeString:
    """A stored body: indented and coloured when it is JSON, as it is when it is not, or when it cannot be written out:
    escapes may stand for halves of characters, and brackets be nested too deeply."""
    try:
        text = json.dumps(json.loads(body), indent=2, ensure_ascii=False)
        text.encode()
    except (ValueError, RecursionError):
        return highlight(body, "text")
    return highlight(text, "json")


@register.simple_tag
def prose(
    text: str, path: str = "", files: dict[str, str] | None = None, pictures: dict[str, str] | None = None
) -> SafeString:
    """Markdown as it reads; HTML in it is text."""
    return mark_safe(render_markdown(text, path, files, pictures))  # noqa: S308 - elements of ours around escaped words


@register.filter
def source(text: str, path: str) -> SafeString:
    """A file of a skill, coloured where that is quick."""
    return mark_safe(highlight_code(text, get_code_language(path)))  # noqa: S308 - Pygments and `escape` escape


# Sought in this order: each of them names those before it too.
BROWSERS = ("Edg", "OPR", "Firefox", "Chrome", "Safari")
SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux")
SPOKEN = {"Edg": "Edge", "OPR": "Opera", "Mac OS X": "macOS"}


@register.filter
def device(user_agent: str) -> str:
    """Browser and system in words, of what a browser says about itself."""
    parts = [next((name for name in names if name in user_agent), "") for names in (BROWSERS, SYSTEMS)]
    named = [SPOKEN.get(name, name) for name in parts if name]
    return " · ".join(named) or _("Unknown device")


@register.filter
def percent(share: float | None) -> str:
    return "–" if share is None else f"{num(share * 100)}%"


@register.filter
def memories_counted(count: int, exact_to: int | None = None) -> str:
    shown = num(count) if exact_to is None else about(count, exact_to)
    return ngettext("%(count)s memory", "%(count)s memories", count) % {"count": shown}


@register.simple_block_tag(takes_context=True)
def callout(context: template.Context, content: str, kind: str = "info", title: str = "") -> SafeString:
    return render_to_string("console/ui/callout.html", {"content": content, "kind": kind, "title": title})


@register.simple_block_tag(takes_context=True)
def empty(context: template.Context, content: str, icon: str, title: str) -> SafeString:
    return render_to_string("console/ui/empty.html", {"content": content, "icon": icon, "title": title})


@register.simple_block_tag
def row_menu(content: str, id: Any, label: str) -> SafeString:
    """The actions of a table's row behind one button; `id` is unique on the page, `label` names the row."""
    return render_to_string("console/ui/row_menu.html", {"content": content, "id": id, "label": label})


@register.simple_block_tag
def dialog_action(content: str, url: str, is_allowed: bool, hint: str, look: str = "") -> SafeString:
    """A button that opens a dialog; for members who may not, a disabled one with a hint of who may."""
    context = {"content": content, "url": url, "is_allowed": is_allowed, "hint": hint}
    return render_to_string(
        "console/ui/forms/dialog_action.html", context | {"classes": f"button {look}".strip()}
    )


@register.simple_tag
def dialog_icon(url: str, is_allowed: bool, hint: str, mark: str, title: str, label: str) -> SafeString:
    """The same as an icon: `title` is what a pointer shows, `label` names what it acts on too."""
    return render_to_string(
        "console/ui/forms/dialog_action.html",
        {
            "content": icon(mark),
            "url": url,
            "is_allowed": is_allowed,
            "hint": hint,
            "classes": "icon-button",
            "title": title,
            "label": label,
        },
    )


@register.simple_tag(takes_context=True)
def address(context: template.Context, **changes: Any) -> str:
    """The query of this page with some fields changed; an empty value removes the field."""
    fields: dict[str, list[str]] = dict(context["request"].GET.lists())
    for name, value in changes.items():
        if value in ("", None):
            fields.pop(name, None)
        else:
            fields[name] = [str(value)]
    return f"?{urlencode(fields, doseq=True)}"


@register.simple_tag(takes_context=True)
def filter_by(context: template.Context, value: Any, **fields: Any) -> SafeString:
    """A small link beside a cell's value: the same list, narrowed to that value by these fields."""
    label = _("Filter by %(value)s") % {"value": str(value)[:FILTER_SHOWN]}
    url = context["request"].path + address(context, **fields, after="", open="", view="", layout="")
    return format_html(
        '<a class="filter-by" href="{}" title="{}" aria-label="{}">{}</a>',
        url,
        label,
        label,
        icon("list-filter"),
    )


def _build_badge(label: Any, look: str, mark: str) -> SafeString:
    return _draw_badge(str(label), look, mark)


@lru_cache(maxsize=1000)  # a page shows hundreds, of which few differ
def _draw_badge(label: str, look: str, mark: str) -> SafeString:
    context = {"label": label, "look": look, "icon": mark}
    return mark_safe(render_to_string("console/ui/badge.html", context).strip())  # noqa: S308 - escaped there
