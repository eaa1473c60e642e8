"""The playground: a GET shows the form as the address fills it, a POST runs the search."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST
from rest_framework.response import Response

from console.pages.memory.playground.code_copies import build_code_copies
from console.pages.memory.playground.forms import (
    LIMITS,
    OTHER,
    SearchForm,
    build_query_string,
    parse_initial_values,
)
from console.pages.memory.playground.runs import (
    run_chat_as_member,
    run_search_as_member,
    stream_chat_as_member,
)
from console.pages.memory.playground.search_steps import moves_between
from console.pages.shell.access import format_roles_for, get_access, project_view
from console.pages.shell.rendering import render_page
from console.ui.texts.api_words import translate_answer
from knowledgebase.bases.bases import list_linked_bases
from memories.retrieval.browse.end_users import list_lately_active
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

# Of the newest conversations, whose end users are offered while somebody types.
MOST_OFFERED = 50


@project_view("see", changing="run_playground", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def playground(request: HttpRequest, project: Project) -> HttpResponse:
    with tenant_scope(project):
        bases = [(base.public_id, base.name) for base in list_linked_bases(project)]
    if request.method != "POST":
        form = SearchForm(initial=parse_initial_values(request.GET), bases=bases)
        return _render_playground(request, project, {"form": form})
    form = SearchForm(request.POST, bases=bases)
    if not form.is_valid():
        return _render_playground(request, project, {"form": form}, status=422)
    if request.POST.get("mode") == "chat":
        context: dict[str, Any] = {
            "form": form,
            "chat": run_chat_as_member(request, project, form.build_chat_body()),
        }
    else:
        bodies = form.bodies()
        runs = [run_search_as_member(request, project, body) for body in bodies]
        context = {"form": form, "runs": runs, "snippets": build_code_copies(bodies[0])}
        context["search"] = build_query_string(request.POST).removeprefix("?")
        if len(runs) > 1:
            context["moves"] = moves_between(runs[0].groups, runs[1].groups)
    response = _render_playground(request, project, context)
    response["HX-Push-Url"] = request.path + build_query_string(request.POST)
    return response


@project_view("run_playground", is_scoped=False)
@require_POST
def playground_stream(request: HttpRequest, project: Project) -> HttpResponseBase:
    """A chat for the page's script: server-sent events, or JSON with the message that refuses it."""
    with tenant_scope(project):
        bases = [(base.public_id, base.name) for base in list_linked_bases(project)]
    form = SearchForm(request.POST, bases=bases)
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        label = form.fields[field].label if field in form.fields else ""
        return JsonResponse({"message": f"{label}: {errors[0]}"}, status=422)
    response = stream_chat_as_member(request, project, form.build_chat_body())
    if isinstance(response, Response):
        refusal = translate_answer(int(response.data["code"]), str(response.data["message"]))
        answer = JsonResponse({"message": refusal}, status=response.status_code)
        answer["X-Request-Id"] = response["X-Request-Id"]
        return answer
    return response


def _render_playground(
    request: HttpRequest, project: Project, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    form = context["form"]
    context |= {
        "project": project,
        "limits": [form[name] for name in LIMITS],
        "others": [form[name] for name in form.fields if name.startswith(OTHER)],
        "may_run": get_access(request).may("run_playground"),
        "run_hint": _("Only %(roles)s can run searches here.")
        % {"roles": format_roles_for("run_playground")},
        "here": reverse("console:playground", args=[project.pk]),
    }
    with tenant_scope(project):
        context["end_users"] = list_lately_active(project, MOST_OFFERED)
        return render_page(
            request,
            "console/memory/playground/page.html",
            "console/memory/playground/_playground.html",
            context,
            status,
        )
