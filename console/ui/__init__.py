"""What pages are built with and that knows no page: charts, tabs, `lists/`, `texts/`."""
