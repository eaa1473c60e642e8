"""Pages of an account's members and invitations."""
