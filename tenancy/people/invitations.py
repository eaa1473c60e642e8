"""Invitations: a membership offered to an e-mail address by a secret link."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from tenancy.audit.log import record_event
from tenancy.errors import InvalidParameters, InvitationClosed, PlanLimitReached
from tenancy.models import Account, Invitation, Membership, Role, User

LASTS = timedelta(days=7)
# Mails go out for each: an account must not be a way to write to half the world.
MOST_OPEN = 50
MAX_EMAIL = 254
# So long after its end an invitation, and with it the address, is deleted.
KEPT = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class SentInvitation:
    """An invitation and the secret of its link, which is stored nowhere."""

    invitation: Invitation
    token: str


@transaction.atomic
def invite_member(
    account: Account, email: str, role: str, actor: User, lasts: timedelta = LASTS
) -> SentInvitation:
    """Invite an address. Raises `InvalidParameters` for invalid addresses, members and addresses invited already."""
    email = clean_address(email)
    held = Account.objects.select_for_update(no_key=True).filter(pk=account.pk, deleting_at=None).first()
    if held is None:
        raise InvalidParameters("the account is being deleted")
    if Membership.objects.filter(account=account, user__email__iexact=email).exists():
        raise InvalidParameters(f"{email} is a member already")
    open_ones = Invitation.objects.filter(account=account, accepted_at=None, revoked_at=None)
    open_ones.filter(email=email, expires_at__lte=timezone.now()).update(revoked_at=timezone.now())
    if open_ones.filter(email=email).exists():
        raise InvalidParameters(f"{email} is invited already")
    if open_ones.count() >= MOST_OPEN:
        raise PlanLimitReached(f"at most {MOST_OPEN} invitations are open at a time")
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        account=account,
        email=email,
        role=Role(role),
        token_digest=compute_token_digest(token),
        invited_by=actor,
        expires_at=timezone.now() + lasts,
    )
    detail = {"address": mask_address(email), "after": {"role": role}}
    record_event(account, actor, "invitation.sent", invitation, detail=detail)
    return SentInvitation(invitation, token)


@transaction.atomic
def resend_invitation(invitation: Invitation, actor: User) -> SentInvitation:
    """Send a new link, valid as long as the first; the old one stops working."""
    current = _lock_invitation(invitation)
    token = secrets.token_urlsafe(32)
    lasts = current.expires_at - current.created_at
    current.token_digest, current.created_at = compute_token_digest(token), timezone.now()
    current.expires_at = current.created_at + lasts
    current.save(update_fields=["token_digest", "created_at", "expires_at"])
    detail = {"address": mask_address(current.email)}
    record_event(current.account, actor, "invitation.sent_again", current, detail=detail)
    return SentInvitation(current, token)


@transaction.atomic
def revoke_invitation(invitation: Invitation, actor: User) -> None:
    current = _lock_invitation(invitation)
    current.revoked_at = timezone.now()
    current.save(update_fields=["revoked_at"])
    detail = {"address": mask_address(current.email)}
    record_event(current.account, actor, "invitation.revoked", current, detail=detail)


def find_invitation(token: str) -> Invitation | None:
    """Find the invitation of a link, in any state."""
    rows = Invitation.objects.select_related("account", "invited_by")
    return rows.filter(token_digest=compute_token_digest(token)).first()


def find_open_invitation(pk: UUID) -> Invitation | None:
    """Find the invitation of a link while it can be accepted."""
    invitation = Invitation.objects.filter(pk=pk).first()
    return invitation if invitation is not None and invitation.state == "pending" else None


@transaction.atomic
def accept_invitation(invitation: Invitation, person: User) -> Membership:
    """Create the membership. Raises `InvitationClosed` for a used, revoked or expired invitation.

    Whether the person is who was invited is asked before: see `is_for`.
    """
    current = _lock_invitation(invitation)
    if current.state == "expired":
        raise InvitationClosed
    membership, is_new = Membership.objects.get_or_create(
        account=current.account, user=person, defaults={"role": current.role}
    )
    current.accepted_at = timezone.now()
    current.save(update_fields=["accepted_at"])
    detail = {"member": person.pk, "after": {"role": membership.role}, "is_new": is_new}
    record_event(current.account, person, "invitation.accepted", current, detail=detail)
    return membership


def delete_closed_invitations(addresses: Iterable[str]) -> None:
    """Delete what is left of invitations to these addresses that nobody can accept any more."""
    theirs = Invitation.objects.filter(email__in={address.casefold() for address in addresses})
    _filter_closed(theirs, timezone.now()).delete()


def clear_invitations() -> int:
    """Delete invitations that were closed `KEPT` ago, and say how many."""
    deleted, _ = _filter_closed(Invitation.objects.all(), timezone.now() - KEPT).delete()
    return deleted


def _filter_closed(rows: QuerySet[Invitation], since: datetime) -> QuerySet[Invitation]:
    return rows.filter(Q(accepted_at__lte=since) | Q(revoked_at__lte=since) | Q(expires_at__lte=since))


def is_for(invitation: Invitation, addresses: set[str]) -> bool:
    return invitation.email in {address.casefold() for address in addresses}


def clean_address(email: str) -> str:
    email = email.strip().casefold()
    try:
        if len(email) > MAX_EMAIL:
            raise ValidationError("too long")
        validate_email(email)
        if not is_mailable(email):
            raise ValidationError("no name in mails")
    except ValidationError:
        raise InvalidParameters(f"“{email[:80]}” is not an e-mail address") from None
    return email


def is_mailable(email: str) -> bool:
    """Return whether the header of a mail can carry the address: some long domains in other letters have no name
    there."""
    try:
        email.rpartition("@")[2].encode("idna")
    except UnicodeError:
        return False
    return True


def mask_address(email: str) -> str:
    """Enough of the address to recognise it in the audit log, too little to write to it."""
    name, _, place = email.partition("@")
    return f"{name[:1]}…@{place}"


def compute_token_digest(token: str) -> bytes:
    """SHA-256 of the token, which is random enough to need no pepper."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _lock_invitation(invitation: Invitation) -> Invitation:
    """The row as it is now, locked: two who open the link at once come after one another."""
    rows = Invitation.objects.select_for_update(of=("self",)).select_related("account")
    current = rows.filter(pk=invitation.pk).first()
    # It goes with its account.
    if current is None or current.state in {"accepted", "revoked"}:
        raise InvitationClosed
    return current
