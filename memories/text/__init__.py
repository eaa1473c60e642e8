"""Language tools that know nothing of memories: words, numbers, names of topics, secrets."""
