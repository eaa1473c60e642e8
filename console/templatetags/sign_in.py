"""Why a page of sign-in asks for the password again."""

from __future__ import annotations

from typing import Any

from django import template

from console.sign_in.reauthentication_reasons import Reason, find_reauthentication_reason

register = template.Library()


@register.simple_tag(takes_context=True)
def reauthentication_reason(context: template.Context) -> Reason:
    request: Any = context["request"]
    return find_reauthentication_reason(request)
