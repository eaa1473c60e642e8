"""A person's own login: security, language, signing in again."""
