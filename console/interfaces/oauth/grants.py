"""Grants of members to applications: made on the consent page, looked up by token, revoked as API keys are."""

from __future__ import annotations

from collections.abc import Sequence

from allauth.idp.oidc.models import Client, Token
from django.conf import settings
from django.db import transaction

from console.interfaces.oauth.resource import get_resource_uri
from console.sign_in.second_factor import is_blocked_without_second_factor
from tenancy.audit.log import record_event
from tenancy.errors import KeyInvalid
from tenancy.keys.changes import KeyRules, issue_key
from tenancy.keys.keys import revoke_key
from tenancy.keys.lifetime import is_live
from tenancy.models import ApiKey, Membership, OAuthGrant, Project, User
from tenancy.people import permissions
from tenancy.people.members import get_role_in

# What a member must be allowed to do in a project to let an application in.
ACTION = "create_key"
MOST_NAME = 60


def list_grantable_projects(user: User) -> list[Project]:
    """Projects at work in which the member may create keys, by name; not those of accounts that block the member
    until there is a second factor."""
    memberships = Membership.objects.filter(user=user).select_related("account")
    projects = [
        project
        for membership in memberships
        if not is_blocked_without_second_factor(user, membership.account)
        for project in Project.objects.at_work().filter(account=membership.account).select_related("account")
        if permissions.is_allowed((get_role_in(membership, project),), ACTION)
    ]
    return sorted(projects, key=lambda project: (project.account.name, project.name))


@transaction.atomic
def grant_access(user: User, client: Client, project: Project, scopes: Sequence[str]) -> OAuthGrant:
    """Let the application act for the member in the project; a grant it had before ends.

    Raises `InvalidParameters` when the plan allows no more keys.
    """
    # A second click waits for the first, and ends what that one granted.
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    end_grant(user, client.pk)
    name = f"{client.name or 'OAuth application'} (OAuth)"
    rules = KeyRules(name[:MOST_NAME], tuple(scopes))
    issued = issue_key(project, rules, user)
    return OAuthGrant.objects.create(user=user, client_id=client.pk, key=issued.key)


def end_grant(user: User, client_id: str) -> None:
    """Revoke what the member granted to the application, if anything."""
    for grant in OAuthGrant.objects.filter(user=user, client_id=client_id).select_related(
        "key__project__account"
    ):
        if revoke_key(grant.key):
            project = grant.key.project
            record_event(project.account, user, "key.revoked", grant.key, project=project)
        grant.delete()


def find_token_key(token: str) -> tuple[ApiKey, User]:
    """The key behind an access token for the MCP endpoint, and the member it was granted by.

    Raises `KeyInvalid` for a token that is unknown, expired, revoked or for something else, and when the member lost
    the right to grant it.
    """
    access_token = Token.objects.lookup(Token.Type.ACCESS_TOKEN, token)
    if access_token is None or access_token.user is None or not access_token.user.is_active:
        raise KeyInvalid
    if not {uri.rstrip("/") for uri in access_token.get_resources()} & {
        get_resource_uri(),
        settings.PUBLIC_URL,
    }:
        raise KeyInvalid(f"this token is not for {get_resource_uri()}")
    grant = (
        OAuthGrant.objects.select_related("key__project__account__plan")
        .filter(user=access_token.user, client_id=access_token.client_id)
        .first()
    )
    if grant is None or not is_live(grant.key) or not _may_still(access_token.user, grant.key.project):
        raise KeyInvalid("the access was revoked")
    return grant.key, access_token.user


def _may_still(user: User, project: Project) -> bool:
    membership = Membership.objects.filter(user=user, account=project.account_id).first()
    return membership is not None and permissions.is_allowed((get_role_in(membership, project),), ACTION)
