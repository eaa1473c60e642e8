"""Pages of an account and of a person in it: members, audit log, billing, usage and limits, a person's own login."""
