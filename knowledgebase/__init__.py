"""Shared documents and skill files, parsed into memories."""
