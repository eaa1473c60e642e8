"""Confirmations: a dialog for htmx, a page of its own without scripts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from console.pages.shell.rendering import render_page, wants_only_fragment
from console.ui.htmx_triggers import trigger_events

# Around a dialog without scripts; the bare one for users who may not see the shell.
PAGE, BARE_PAGE = "console/shell/confirm.html", "console/shell/confirm_bare.html"


@dataclass(frozen=True, slots=True)
class Dialog:
    """Texts and addresses of a dialog. `typed` is the word that must be typed; `target` and `swap` say where a good
    answer goes on the page that opened it; `page` is around it where it is opened by its address. `live` is whether
    htmx sends it."""

    template: str
    title: str
    verb: str
    action: str
    back: str
    is_danger: bool = False
    typed: str = ""
    error: str = ""
    target: str = "#dialog"
    swap: str = "innerHTML"
    live: bool = True
    page: str = PAGE


def show_dialog(
    request: HttpRequest, dialog: Dialog, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """Shows the dialog; a refused form (422) goes back into it wherever the good answer would have gone.

    In a page of its own it is a plain form, with scripts too: what its answer changes is not on that page.
    """
    dialog = replace(dialog, live=dialog.live and wants_only_fragment(request))
    response = render_page(request, dialog.page, dialog.template, context | {"dialog": dialog}, status)
    response["HX-Retarget"], response["HX-Reswap"] = "#dialog", "innerHTML"
    response["Cache-Control"] = "no-store"
    return response


def answer_done(request: HttpRequest, message: str, back: str, *events: str, undo: str = "") -> HttpResponse:
    """Answer after an action: htmx closes the dialog and updates lists, a browser goes back to the page.

    `undo` is the address at which a POST reverts it.
    """
    if not wants_only_fragment(request):
        messages.success(request, message)
        return HttpResponseRedirect(back)
    toast = {"text": message, "undo": undo} if undo else {"text": message}
    return trigger_events(
        HttpResponse(), {"dialog-done": {}, "toast": toast, **{event: {} for event in events}}
    )


def redirect_with_message(request: HttpRequest, message: str, address: str) -> HttpResponse:
    """Redirect both htmx and browsers to another page after an action, and show the message there."""
    messages.success(request, message)
    if wants_only_fragment(request):
        return HttpResponse(headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)


def add_body_events(response: HttpResponse, **events: dict[str, Any]) -> HttpResponse:
    """Adds body events to an answer that carries its own fragment."""
    return trigger_events(response, {name.replace("_", "-"): detail for name, detail in events.items()})
