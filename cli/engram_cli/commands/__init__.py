"""The subcommands, by subject. Each module makes its own."""
