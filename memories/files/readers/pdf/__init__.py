"""PDF: lines, layout, tables."""
