"""What pages are built with and that knows no page: charts, diffs, Markdown, paging, sorting."""
