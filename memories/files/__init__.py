"""Files from outside, for every app: received, fetched, stored, parsed in a child process, and deleted."""
