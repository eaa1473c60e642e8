"""One action on many memories, ordered by a member and done as a task: chosen, done in batches, undone, proved."""
