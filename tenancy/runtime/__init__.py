"""What a process needs to write in the background, work in batches and stop in order."""
