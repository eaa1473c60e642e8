"""Views of the list of memories that members saved: filters and order under a name."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q, QuerySet

from memories.models import SavedView
from tenancy.errors import InvalidParameters
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account, Project, User

MOST_VIEWS = 100


def list_views_for(project: Project, member: User) -> QuerySet[SavedView]:
    """Their own and those of the project, by name. Inside the project's scope."""
    rows: QuerySet[SavedView] = SavedView.objects.within(project)
    return rows.filter(Q(member=member) | Q(member=None)).order_by("name", "pk")


def save_view(
    project: Project, member: User, name: str, fields: dict[str, str], *, is_shared: bool
) -> SavedView:
    """One of the same name takes the place of the old one. Raises `InvalidParameters` where there are too many.

    In the project's scope; locks the project, so that of several who save one name at once one view is left.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    owner = None if is_shared else member
    rows = SavedView.objects.within(project).filter(member=owner)
    if rows.exclude(name=name).count() >= MOST_VIEWS:
        raise InvalidParameters(f"at most {MOST_VIEWS} views")
    rows.filter(name=name).delete()
    view: SavedView = SavedView.objects.create(
        account_id=project.account_id, project=project, member=owner, name=name, filter=fields
    )
    return view


def delete_view(project: Project, member: User, key: UUID) -> SavedView | None:
    """The view that was deleted; None where the member sees none of this id."""
    view = list_views_for(project, member).filter(pk=key).first()
    if view is not None:
        SavedView.objects.within(project).filter(pk=key).delete()
    return view


def delete_member_views(account: Account, member: User) -> None:
    """The views that nobody but this member sees, when they leave the account; what they shared stays."""
    with tenant_scope(account):
        SavedView.objects.within(account.projects.all()).filter(member=member).delete()
