"""Projects and what each of them sets."""
