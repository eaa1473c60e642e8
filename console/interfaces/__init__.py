"""Other protocols than the two REST contracts; each calls the contracts' views, with their checks, limits and log."""
