"""Stripe's settings and webhook."""
