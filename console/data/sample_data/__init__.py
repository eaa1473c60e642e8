"""A project of invented people, filled by a command or by a background job of a member, and removed again."""
