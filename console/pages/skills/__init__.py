"""Skills of a project: the list, one skill with its files, versions and evidence, and what members do with them."""
