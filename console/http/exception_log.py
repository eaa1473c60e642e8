"""Logs exceptions that no view has answered."""

from __future__ import annotations

import sys
from typing import Any

from django.core.signals import got_request_exception
from django.dispatch import receiver
from django.http import HttpRequest


@receiver(got_request_exception)
def log_exception(sender: Any, request: HttpRequest | None = None, **_: Any) -> None:
    """API views answer, and log, their failures themselves: those never come here."""
    from tenancy.api.failures import log_fault  # with it comes what answers requests, which no command needs

    fault = sys.exception()
    if isinstance(fault, Exception):
        log_fault(fault, request)
