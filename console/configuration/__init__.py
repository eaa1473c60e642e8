"""What an installation is configured with: the environment, checks at start, log lines, the version."""
