"""Sizes and durations on operators' pages."""

from __future__ import annotations

from typing import Any

from django import template
from django.db.models.options import Options
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from console.templatetags.console import num
from console.ui.operator_menu import get_model_name

register = template.Library()


@register.simple_tag
def record_name(options: Options[Any]) -> str:
    """Return what operators call rows of this kind."""
    return str(get_model_name(str(options.object_name), options.verbose_name_plural))


@register.filter
def size(count: int | None) -> str:
    return str(filesizeformat(count or 0))


@register.filter
def span(seconds: float) -> str:
    """A waiting time in the largest unit that leaves two significant figures."""
    if seconds < 120:
        return _("%(seconds)s s") % {"seconds": num(seconds)}
    if seconds < 7200:
        return _("%(minutes)s min") % {"minutes": num(seconds / 60)}
    return _("%(hours)s h") % {"hours": num(seconds / 3600)}
