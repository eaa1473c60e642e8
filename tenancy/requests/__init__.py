"""The log of API requests, their traces and latency, idempotency, retention."""
