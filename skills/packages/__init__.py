"""Skill packages: a SKILL.md or a ZIP archive, unpacked, checked, stored."""
