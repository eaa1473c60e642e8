"""The form above a list, which narrows the list while its fields are filled in."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

register = template.Library()

# A list is asked for again so long after the last key.
TYPING_PAUSE = "300ms"


@register.simple_block_tag
def filter_form(
    content: str,
    url: str,
    target: str,
    typed: str = "",
    also: str = "",
    keep: str = "",
    is_part: bool = False,
) -> SafeString:
    """Loads `target` from `url` anew on a change of a select and while somebody types in a field named in `typed`.

    `also` is a further htmx trigger, `keep` names fields of the address that stay, and with `is_part` the answer is a
    whole page of which only the target is taken.
    """
    fields = [f"input changed delay:{TYPING_PAUSE} from:find input[name={name}]" for name in typed.split()]
    triggers = ["submit", "change from:(.filters select)", *([also] if also else []), *fields]
    context = {
        "content": content,
        "url": url,
        "target": target,
        "trigger": ", ".join(triggers),
        "keep": keep,
        "is_part": is_part,
    }
    return render_to_string("console/ui/forms/filter_form.html", context)


@register.inclusion_tag("console/ui/forms/search_field.html")
def search_field(value: str, label: str, most: int = 200) -> dict[str, Any]:
    """The field `q` of words that rows are searched for."""
    return {"value": value, "label": label, "most": most}


@register.inclusion_tag("console/ui/forms/text_filter.html")
def text_filter(
    name: str, value: Any, label: str, most: int = 100, digits: bool = False, options: str = ""
) -> dict[str, Any]:
    """A field for one property of the rows; `options` are words that the browser proposes."""
    return {
        "name": name,
        "value": value,
        "label": label,
        "most": most,
        "digits": digits,
        "options": options.split(),
    }
