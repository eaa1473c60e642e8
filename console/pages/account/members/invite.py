"""Invitations as an account's leaders see them: send, send again, revoke."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from console.pages.account.members.members_list import list_context
from console.pages.shell.access import ROLE_NAMES, account_view, get_access, get_person, refuse_access
from console.pages.shell.dialogs import Dialog, add_body_events, answer_done, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import render_page
from console.sign_in.invitation_mail import Delivery, send_invitation
from tenancy.errors import CatalogueError
from tenancy.models import Account, Invitation, Role
from tenancy.people.invitations import (
    MOST_OPEN,
    clean_address,
    invite_member,
    resend_invitation,
    revoke_invitation,
)
from tenancy.people.permissions import get_member_action

DAYS = [
    ("1", gettext_lazy("In a day")),
    ("7", gettext_lazy("In 7 days")),
    ("30", gettext_lazy("In 30 days")),
]
MOST_AT_ONCE = 20


class InvitationForm(forms.Form):
    """E-mail addresses, role and lifetime of new invitations."""

    emails = forms.CharField(
        label=gettext_lazy("E-mail addresses"),
        help_text=gettext_lazy("One per line, at most 20."),
        max_length=4_000,
        widget=forms.Textarea(
            attrs={"rows": 3, "autofocus": True, "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    role = forms.ChoiceField(label=gettext_lazy("Role"))
    days = forms.ChoiceField(label=gettext_lazy("The link expires"), choices=DAYS, initial="7")

    def clean_emails(self) -> list[str]:
        words = self.cleaned_data["emails"].replace(",", " ").replace(";", " ").split()
        if len(words) > MOST_AT_ONCE:
            raise forms.ValidationError(_("Invite at most %(most)s people at once.") % {"most": MOST_AT_ONCE})
        try:
            return list(dict.fromkeys(map(clean_address, words)))
        except CatalogueError as refusal:
            raise forms.ValidationError(describe_failure(refusal)) from None


@account_view("manage_members")
@require_http_methods(["GET", "HEAD", "POST"])
def invitation_new(request: HttpRequest, account: Account) -> HttpResponse:
    access = get_access(request)
    form = InvitationForm(request.POST or None, initial={"role": Role.DEVELOPER})
    form.fields["role"].choices = [  # type: ignore[attr-defined]
        (role.value, ROLE_NAMES[role]) for role in Role if access.may(get_member_action(role))
    ]
    sent: list[Delivery] = []
    if request.method == "POST" and form.is_valid():
        sent = _send_all(request, account, form)
        if not form.errors:
            return _show_sent(request, account, sent)
    dialog = Dialog(
        template="console/account/members/dialogs/_invite_dialog.html",
        title=_("Invite people"),
        verb=_("Send invitations"),
        action=reverse("console:invitation_new", args=[account.pk]),
        back=reverse("console:members", args=[account.pk]),
        target="#members",
        swap="outerHTML",
    )
    context = {"form": form, "account": account, "sent": sent, "most_open": MOST_OPEN}
    return show_dialog(request, dialog, context, 422 if form.errors else 200)


@account_view("manage_members")
@require_POST
def invitation_again(request: HttpRequest, account: Account, invitation_id: UUID) -> HttpResponse:
    invitation = _find_invitation(request, account, invitation_id)
    try:
        sent = resend_invitation(invitation, get_person(request))
    except CatalogueError as refusal:
        return answer_done(request, describe_failure(refusal), _get_members_url(account), "member-changed")
    return _show_sent(request, account, [send_invitation(sent)])


@account_view("manage_members")
@require_POST
def invitation_revoke(request: HttpRequest, account: Account, invitation_id: UUID) -> HttpResponse:
    invitation = _find_invitation(request, account, invitation_id)
    try:
        revoke_invitation(invitation, get_person(request))
    except CatalogueError as refusal:
        return answer_done(request, describe_failure(refusal), _get_members_url(account), "member-changed")
    message = _("The invitation of %(email)s is revoked.") % {"email": invitation.email}
    return answer_done(request, message, _get_members_url(account), "member-changed")


def _send_all(request: HttpRequest, account: Account, form: InvitationForm) -> list[Delivery]:
    wanted = form.cleaned_data
    sent = []
    for email in wanted["emails"]:
        try:
            new = invite_member(
                account, email, wanted["role"], get_person(request), timedelta(days=int(wanted["days"]))
            )
        except CatalogueError as refusal:
            form.add_error("emails", describe_failure(refusal))
        else:
            sent.append(send_invitation(new))
    return sent


def _show_sent(request: HttpRequest, account: Account, sent: list[Delivery]) -> HttpResponse:
    """The list again; where no mail went out, with the links, which are shown this once."""
    context = list_context(request, account) | {
        "links": [delivery for delivery in sent if not delivery.is_mailed]
    }
    response = render_page(
        request, "console/account/members/page.html", "console/account/members/_list.html", context
    )
    response["Cache-Control"] = "no-store"
    # Whichever page of the members it was, this is the first.
    response["HX-Replace-Url"] = _get_members_url(account)
    return add_body_events(response, dialog_done={}, toast={"text": _describe_sent(sent)})


def _describe_sent(sent: list[Delivery]) -> str:
    """Call only that sent for which a mail was; the links of the others are on the page."""
    mailed = sum(delivery.is_mailed for delivery in sent)
    if mailed:
        return ngettext("%(n)s invitation was sent.", "%(n)s invitations were sent.", mailed) % {"n": mailed}
    message = ngettext("%(n)s invitation was created.", "%(n)s invitations were created.", len(sent))
    return message % {"n": len(sent)}


def _find_invitation(request: HttpRequest, account: Account, invitation_id: UUID) -> Invitation:
    invitation = account.invitations.filter(pk=invitation_id).first()
    if invitation is None:
        raise Http404
    needed = get_member_action(invitation.role)
    if not get_access(request).may(needed):
        raise refuse_access(needed)
    return invitation


def _get_members_url(account: Account) -> str:
    return reverse("console:members", args=[account.pk])
