"""The rule-based reader of conversations: requests, steps, changes asked for, outcomes and statements."""
