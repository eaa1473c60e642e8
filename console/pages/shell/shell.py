"""Context of the layout around every page: side bar, switchers of project and account."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from console.pages.shell.access import Access, get_access, get_person
from console.pages.shell.notices import Notice, notice_for
from console.sign_in.operator_visit import OPEN_PAGES, get_visit
from tenancy.models import Account, Membership, Project
from tenancy.people.permissions import is_allowed


@dataclass(frozen=True, slots=True)
class SidebarLink:
    name: str
    title: str
    icon: str
    url: str

    @property
    def key(self) -> str:
        """The letter that opens the page after "g"."""
        return GO_KEYS.get(self.name, "")


@dataclass(frozen=True, slots=True)
class MenuGroup:
    title: str
    links: list[SidebarLink]


@dataclass(frozen=True, slots=True)
class ProjectLink:
    id: Any
    name: str
    url: str


@dataclass(frozen=True, slots=True)
class AccountEntry:
    account: Account
    projects: list[ProjectLink]


@dataclass(frozen=True, slots=True)
class Shell:
    account: Account
    project: Project | None
    role_name: str
    section: str
    navigation: list[MenuGroup]
    accounts: list[AccountEntry]
    notice: Notice | None
    is_discreet: bool
    find_url: str


def build_shell(request: HttpRequest) -> Shell:
    """The frame for the page that `access` let this member into."""
    access = get_access(request)
    home = access.project or access.membership.current_project
    return Shell(
        account=access.account,
        project=access.project,
        role_name=access.role_name,
        section=_get_section(request),
        navigation=build_navigation(request, access),
        accounts=_list_accounts(request),
        notice=notice_for(request, access),
        is_discreet=not access.reads_words,
        find_url=reverse("console:find", args=[home.pk]) if home and get_visit(request) is None else "",
    )


def build_navigation(request: HttpRequest, access: Access) -> list[MenuGroup]:
    """The side bar: links to the open project's pages, or else those of the one that was open last."""
    return _open_to(request, _build_groups(access, access.project or access.membership.current_project))


def _get_section(request: HttpRequest) -> str:
    """The page's place in the side bar: the first word of its URL name, in the plural of the link."""
    name = (request.resolver_match.url_name or "") if request.resolver_match else ""
    return SECTIONS.get(name.partition("_")[0], "")


SECTIONS = {
    "overview": "overview",
    "quickstart": "quickstart",
    "api": "api_keys",
    "playground": "playground",
    "memories": "memories",
    "memory": "memories",
    "trash": "memories",
    "users": "users",
    "user": "users",
    "conversations": "conversations",
    "conversation": "conversations",
    "health": "health",
    "knowledge": "knowledge",
    "skills": "skills",
    "skill": "skills",
    "spaces": "spaces",
    "space": "spaces",
    "sessions": "spaces",
    "session": "spaces",
    "logs": "logs",
    "log": "logs",
    "tasks": "tasks",
    "task": "tasks",
    "usage": "usage",
    "limits": "usage",
    "billing": "billing",
    "plan": "billing",
    "settings": "settings",
    "model": "settings",
    "projects": "projects",
    "project": "projects",
    "deletions": "projects",
    "deletion": "projects",
    "members": "members",
    "member": "members",
    "second": "members",
    "invitation": "members",
    "audit": "audit",
    "account": "account_settings",
}

GO_KEYS = {
    "quickstart": "q",
    "api_keys": "k",
    "playground": "p",
    "memories": "m",
    "users": "u",
    "conversations": "c",
    "knowledge": "b",
    "skills": "s",
    "logs": "l",
    "tasks": "t",
}

SWITCHED = frozenset(
    {
        "overview",
        "quickstart",
        "api_keys",
        "playground",
        "memories",
        "users",
        "conversations",
        "health",
        "knowledge",
        "skills",
        "spaces",
        "logs",
        "tasks",
        "settings",
    }
)


def _build_groups(access: Access, project: Project | None) -> list[MenuGroup]:
    groups = _build_project_groups(access.account, project) if project is not None else []
    return [*groups, _build_manage_group(access, project)]


def _build_project_groups(account: Account, project: Project) -> list[MenuGroup]:
    return [
        MenuGroup(
            _("Build"),
            [
                _build_link("overview", _("Overview"), "monitor", project.pk),
                _build_link("quickstart", _("Quickstart"), "rocket", project.pk),
                _build_link("api_keys", _("API keys"), "key-round", project.pk),
                _build_link("playground", _("Playground"), "terminal", project.pk),
            ],
        ),
        MenuGroup(
            _("Memory"),
            [
                _build_link("memories", _("Memories"), "brain", project.pk),
                _build_link("users", _("End users"), "user", project.pk),
                _build_link("conversations", _("Conversations"), "message-square", project.pk),
                _build_link("knowledge", _("Knowledge bases"), "book-open", project.pk),
                _build_link("skills", _("Skills"), "graduation-cap", project.pk),
                _build_link("spaces", _("Learning spaces"), "sparkles", project.pk),
                _build_link("health", _("Memory health"), "heart", project.pk),
            ],
        ),
        MenuGroup(
            _("Observe"),
            [
                _build_link("logs", _("Request logs"), "scroll-text", project.pk),
                _build_link("tasks", _("Tasks"), "inbox", project.pk),
                _build_link("usage", _("Usage"), "activity", account.pk),
            ],
        ),
    ]


def _build_manage_group(access: Access, project: Project | None) -> MenuGroup:
    account = access.account
    manage = [_build_link("settings", _("Project settings"), "settings-2", project.pk)] if project else []
    manage += [
        _build_link("projects", _("Projects"), "boxes", account.pk),
        _build_link("members", _("Members"), "circle-user", account.pk),
        _build_link("billing", _("Billing"), "tag", account.pk),
        _build_link("account_settings", _("Account settings"), "wrench", account.pk),
    ]
    if is_allowed((access.membership.role,), "see_own_audit"):
        manage.append(_build_link("audit", _("Audit log"), "history", account.pk))
    return MenuGroup(_("Manage"), manage)


def _open_to(request: HttpRequest, groups: list[MenuGroup]) -> list[MenuGroup]:
    """An operator who visits is led to open pages only."""
    if get_visit(request) is None:
        return groups
    left = [
        MenuGroup(group.title, [link for link in group.links if link.name in OPEN_PAGES]) for group in groups
    ]
    return [group for group in left if group.links]


def _build_link(name: str, title: str, icon: str, *args: Any) -> SidebarLink:
    return SidebarLink(name, title, icon, reverse(f"console:{name}", args=args))


def _list_accounts(request: HttpRequest) -> list[AccountEntry]:
    if visit := get_visit(request):
        return [_build_visited_entry(request, visit.account)]
    memberships = (
        Membership.objects.filter(user=get_person(request))
        .select_related("account")
        .order_by("account__name")
    )
    projects: dict[Any, list[ProjectLink]] = defaultdict(list)
    open_to = Project.objects.at_work().filter(account__memberships__user=get_person(request))
    for project in open_to.order_by("name"):
        projects[project.account_id].append(
            ProjectLink(project.pk, project.name, _build_same_page_url(request, project))
        )
    return [AccountEntry(entry.account, projects[entry.account_id]) for entry in memberships]


def _build_visited_entry(request: HttpRequest, account: Account) -> AccountEntry:
    """An operator sees the account that they visit, and none of their own beside it."""
    projects = account.projects.here().order_by("name")
    links = [
        ProjectLink(project.pk, project.name, _build_same_page_url(request, project)) for project in projects
    ]
    return AccountEntry(account, links)


def _build_same_page_url(request: HttpRequest, project: Project) -> str:
    """Switching keeps the page where it exists without an object's id, else opens the project."""
    section = _get_section(request)
    name = section if section in SWITCHED else "start"
    return reverse(f"console:{name}", args=[project.pk])
