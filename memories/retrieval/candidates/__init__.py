"""Which memories are scored at all, of users' own cubes and of knowledge bases."""
