"""Pages of an account: members, audit log, billing, limits."""
