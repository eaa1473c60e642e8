"""A space's own SKILL.md files."""

from __future__ import annotations

SOCIAL = """---
name: social-contacts
description: People that the user knows or works with, their roles and what matters about them.
---

# Social contacts

Collect what is said about people in the conversations.

## File structure

One file per person: `[first-last].md`, for example `jane-doe.md`.

## File format

```markdown
# [Full Name]

## Basics
- role, company, how they are known

## Notes
- anything else worth remembering
```

## Guidelines

- Only stated facts.
"""
