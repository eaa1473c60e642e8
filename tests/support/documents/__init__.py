"""Documents and bodies that tests send."""
