"""Overview of a project: figures of the last day, latest failures and what changed; and where a project begins."""
