"""Skills as rows: made, edited, merged, listed, found by searches, downloaded."""
