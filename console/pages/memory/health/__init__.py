"""Memory health: what of a project's memories should be looked at."""
