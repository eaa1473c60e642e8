"""Servers on loopback that stand in for what is outside: models, Stripe, GitHub, S3."""
