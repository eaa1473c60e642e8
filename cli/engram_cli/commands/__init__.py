"""The subcommands, one module for each subject."""
