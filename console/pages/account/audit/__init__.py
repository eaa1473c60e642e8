"""The audit log of an account, and its words."""
