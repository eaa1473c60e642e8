"""Profiles of users and agents: templates, bindings, fields, and how searches show them."""
