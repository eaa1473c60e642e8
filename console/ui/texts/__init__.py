"""Texts as pages show them: Markdown, code, differences, calls to copy, cells of CSV files."""
