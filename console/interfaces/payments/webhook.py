"""The webhook of Stripe: events are stored and answered at once, and processed a moment later."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from tenancy.billing.reread_accounts import read_account_soon
from tenancy.billing.stripe.gateway import is_configured
from tenancy.billing.webhook_events import InvalidSignature, receive_event

# Stripe's events are a few kilobytes; more is not read.
MOST_BYTES = 512 * 1024


@csrf_exempt
@require_POST
def stripe_events(request: HttpRequest) -> HttpResponse:
    """A bad signature is 400. Everything else that was understood is 200, whether or not anything follows from it."""
    if not is_configured():
        raise Http404
    if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
        return HttpResponse(status=413)
    body = request.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        return HttpResponse(status=413)
    try:
        account = receive_event(body, request.headers.get("Stripe-Signature", ""))
    except InvalidSignature:
        return HttpResponse(status=400)
    if account is not None:
        read_account_soon(account)
    return HttpResponse(status=200)
