"""Background work: the task rows, who claims them, retries, refunds, monitoring."""
