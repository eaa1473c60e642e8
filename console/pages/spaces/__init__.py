"""Learning spaces, the sessions that are learned in them, and the people whose they are."""
