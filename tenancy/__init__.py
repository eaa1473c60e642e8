"""Who asks and what they may do: accounts, projects, keys, limits, errors, request logs."""
